// SPDX-License-Identifier: Apache-2.0
// Collision as a whole: who collides with whom, history, memory, units.
#include <gtest/gtest.h>

#include <cstring>
#include <numbers>
#include <sstream>

#include "repose/base/error.h"
#define REPOSE_COUNT_ALLOCATIONS
#include "tests/collision/support.h"
#include "tests/support/allocation_counter.h"

namespace repose::testing {
namespace {

struct World {
  Collision collision;
  std::vector<Pose> poses;
  std::vector<double> margin;
  void update() { collision.update(poses, margin); }
};

/// A heap of all kinds of shapes over a ground plane; body 0 is the ground.
void fill(World& world, double unit, int bodies = 60) {
  Random random(41);
  std::vector<Collider> colliders{{0, {}, HalfSpace{}}};
  world.poses = {{}};
  for (int i = 1; i <= bodies; ++i) {
    const double s = unit * random.uniform(.2, .5);
    Geometry shape;
    switch (i % 5) {
      case 0: shape = Sphere{s}; break;
      case 1: shape = Box{{s, .7 * s, .5 * s}}; break;
      case 2: shape = Capsule{.5 * s, s}; break;
      case 3: shape = Cylinder{s, .6 * s}; break;
      default: {
        std::vector<Vec3> cloud;
        for (int k = 0; k < 14; ++k) cloud.push_back(s * random_direction(random));
        shape = Hull{convex_hull(cloud)};
      }
    }
    colliders.push_back({i, {unit * random_vector(random, .05), random_rotation(random)}, shape});
    Pose pose = random_pose(random, 1.0);
    pose.position = unit * Vec3{pose.position.x, pose.position.y, .5 + .5 * pose.position.z};
    world.poses.push_back(pose);
  }
  world.margin.assign(world.poses.size(), .01 * unit);
  std::vector<char> movable(world.poses.size(), 1);
  movable[0] = 0;
  world.collision.bind(std::move(colliders), std::move(movable));
}

void shake(World& world, Random& random, double size) {
  for (std::size_t i = 1; i < world.poses.size(); ++i) {
    world.poses[i].position = world.poses[i].position + random_vector(random, size);
    world.poses[i].rotation = normalized(exponential(random_vector(random, size)) * world.poses[i].rotation);
  }
}

void expect_same_bits(const Collision& a, const Collision& b) {
  ASSERT_EQ(a.manifolds().size(), b.manifolds().size());
  ASSERT_EQ(a.points().size(), b.points().size());
  for (std::size_t i = 0; i < a.manifolds().size(); ++i) {
    const Manifold &x = a.manifolds()[i], &y = b.manifolds()[i];
    ASSERT_EQ(x.collider_a, y.collider_a);
    ASSERT_EQ(x.collider_b, y.collider_b);
    ASSERT_EQ(std::memcmp(&x.normal, &y.normal, sizeof(Vec3)), 0);
  }
  for (std::size_t i = 0; i < a.points().size(); ++i) {
    ASSERT_EQ(a.points()[i].feature, b.points()[i].feature);
    ASSERT_EQ(std::memcmp(&a.points()[i].gap, &b.points()[i].gap, sizeof(double)), 0);
    ASSERT_EQ(std::memcmp(&a.points()[i].position, &b.points()[i].position, sizeof(Vec3)), 0);
  }
}

/// The same history in new memory: nothing is kept there.
World copy_of(const World& world) {
  World copy;
  fill(copy, 1);
  copy.poses = world.poses;
  copy.margin = world.margin;
  std::stringstream stored;
  world.collision.save(stored);
  copy.collision.load(stored);
  return copy;
}

TEST(CollisionState, KeptManifoldsAreThoseThatWouldBeComputed) {
  World world;
  fill(world, 1);
  Random random(43);
  std::size_t kept = 0, computed = 0;
  std::uint64_t last = 0;
  for (int step = 0; step < 60; ++step) {
    // Long rests, in which a few bodies move on, one comes and goes, and the margin grows.
    if (step % 12 == 0) shake(world, random, 1e-3);
    if (step % 12 > 6) world.poses[7].position.x += 1e-4, world.poses[20].rotation = random_rotation(random);
    if (step % 10 == 8) world.collision.set_present(9, step % 20 == 8);
    if (step == 50) world.margin.assign(world.margin.size(), .02);
    World copy = copy_of(world);
    world.update();
    copy.update();
    expect_same_bits(world.collision, copy.collision);
    std::uint64_t newest = last;
    for (const Manifold& m : world.collision.manifolds()) {
      ++(m.stamp > last ? computed : kept);
      newest = std::max(newest, m.stamp);
    }
    last = newest;
  }
  EXPECT_GT(kept, computed);
  EXPECT_GT(computed, 0u);
}

TEST(CollisionState, LoadingForgetsManifolds) {
  const std::vector<double> margin(2, .01);
  const std::vector<Pose> touching{{}, {{0, 0, 2}, {}}}, apart{{}, {{0, 0, 9}, {}}};
  Collision collision, empty;
  for (Collision* c : {&collision, &empty}) c->bind({{0, {}, Box{{1, 1, 1}}}, {1, {}, Box{{1, 1, 1}}}}, {1, 1});
  empty.update(apart, margin);
  collision.update(touching, margin);
  ASSERT_EQ(collision.manifolds().size(), 1u);
  std::stringstream stored;
  empty.save(stored);
  collision.load(stored);
  collision.update(apart, margin);
  EXPECT_EQ(collision.manifolds().size(), 0u);
}

TEST(CollisionState, AManifoldIsComputedAgainWhenOneOfItsBodiesMoves) {
  const Collider box{0, {}, Box{{1, 1, 1}}};
  std::vector<Collider> colliders(3, box);
  for (int i = 0; i < 3; ++i) colliders[static_cast<std::size_t>(i)].body = i;
  Collision collision;
  collision.bind(colliders, {1, 1, 1});
  std::vector<Pose> poses{{{0, 0, 0}, {}}, {{0, 0, 2}, {}}, {{0, 0, 4}, {}}};
  const std::vector<double> margin(3, .01);
  const auto stamps = [&] {
    collision.update(poses, margin);
    EXPECT_EQ(collision.manifolds().size(), 2u);
    return std::pair(collision.manifolds()[0].stamp, collision.manifolds()[1].stamp);
  };
  stamps();
  const auto first = stamps();  // now it is known that the features do not change either
  EXPECT_EQ(stamps(), first);
  poses[2].position.x = 1e-16;
  const auto second = stamps();
  EXPECT_EQ(second.first, first.first);
  EXPECT_NE(second.second, first.second);
  collision.forget();
  EXPECT_NE(stamps().first, first.first);
}

TEST(CollisionState, RestoredRunContinuesBitForBit) {
  World world;
  fill(world, 1);
  Random random(42);
  for (int step = 0; step < 50; ++step) shake(world, random, 1e-3), world.update();
  std::stringstream stream;
  world.collision.save(stream);
  World again;
  fill(again, 1);
  again.poses = world.poses;
  again.collision.load(stream);
  Random other = random;
  for (int step = 0; step < 100; ++step) {
    shake(world, random, 1e-3), world.update();
    shake(again, other, 1e-3), again.update();
    expect_same_bits(world.collision, again.collision);
    if (HasFatalFailure()) return;
  }
}

/// Two cubes that met with their last edges and parted: what is remembered of the edges is no damage.
TEST(CollisionState, PairThatPartedIsRestored) {
  for (int turn = 0; turn < 64; ++turn) {
    World world;
    Random random(turn);
    world.collision.bind({{0, {}, Box{{.1, .1, .1}}}, {1, {}, Box{{.1, .1, .1}}}}, {1, 1});
    world.margin = {.02, .02};
    world.poses = {{{}, random_rotation(random)}, {{.2, .02, .01}, random_rotation(random)}};
    world.update();
    world.poses[1].position = world.poses[1].position + Vec3{.13, 0, 0};
    world.update();
    std::stringstream stream;
    world.collision.save(stream);
    EXPECT_NO_THROW(world.collision.load(stream)) << turn;
  }
}

TEST(CollisionState, DamagedStatesAreRefused) {
  World world;
  fill(world, 1, 10);
  world.update();
  std::stringstream stream;
  world.collision.save(stream);
  const std::string bytes = stream.str();
  for (const std::size_t keep : {std::size_t{0}, std::size_t{4}, bytes.size() / 2, bytes.size() - 1}) {
    std::stringstream cut(bytes.substr(0, keep));
    EXPECT_THROW(world.collision.load(cut), InputError);
  }
  World other;
  fill(other, 1, 11);
  std::stringstream whole(bytes);
  EXPECT_THROW(other.collision.load(whole), InputError);
}

TEST(CollisionState, NoAllocationWhilePairsStay) {
  World world;
  fill(world, 1);
  Random random(43);
  const std::vector<Pose> home = world.poses;
  for (int step = 0; step < 30; ++step) {  // buffers grow to what trembling needs
    world.poses = home;
    shake(world, random, 1e-4);
    world.update();
  }
  const AllocationScope scope;
  for (int step = 0; step < 30; ++step) {
    world.poses = home;
    shake(world, random, 1e-4);
    const AllocationScope update;
    world.update();
    EXPECT_EQ(update.count(), 0);
  }
  EXPECT_LE(scope.count(), 30);  // the copies of poses
}

TEST(CollisionState, SameContactsInMillimetres) {
  World metre, milli;
  fill(metre, 1);
  fill(milli, 1000);
  metre.update();
  milli.update();
  ASSERT_EQ(metre.collision.points().size(), milli.collision.points().size());
  EXPECT_GT(metre.collision.points().size(), 100u);
  for (std::size_t i = 0; i < metre.collision.points().size(); ++i) {
    const ContactPoint &x = metre.collision.points()[i], &y = milli.collision.points()[i];
    EXPECT_EQ(x.feature, y.feature);
    EXPECT_NEAR(x.gap, 1e-3 * y.gap, 1e-12);
    EXPECT_LE(norm(x.position - 1e-3 * y.position), 1e-10);
  }
  for (std::size_t i = 0; i < metre.collision.manifolds().size(); ++i)
    EXPECT_LE(angle(metre.collision.manifolds()[i].normal, milli.collision.manifolds()[i].normal), 1e-10);
}

/// The broad phase must not lose a pair: against all pairs, one by one.
TEST(CollisionState, BroadPhaseFindsWhatBruteForceFinds) {
  World world;
  fill(world, 1, 40);
  Random random(44);
  for (int step = 0; step < 40; ++step) {
    shake(world, random, step % 7 == 0 ? .3 : 5e-3);
    world.update();
    std::size_t manifolds = 0;
    const auto colliders = world.collision.colliders();
    for (std::size_t i = 0; i < colliders.size(); ++i)
      for (std::size_t j = i + 1; j < colliders.size(); ++j) {
        Collision pair;
        pair.bind({{0, colliders[i].local, colliders[i].geometry}, {1, colliders[j].local, colliders[j].geometry}},
                  {1, 1});
        const Pose poses[2] = {world.poses[i], world.poses[j]};
        const double margin[2] = {world.margin[i], world.margin[j]};
        pair.update(poses, margin);
        manifolds += pair.manifolds().size();
      }
    ASSERT_EQ(world.collision.manifolds().size(), manifolds) << step;
  }
}

TEST(CollisionState, WhoCollides) {
  const Geometry ball = Sphere{1};
  const std::vector<Pose> poses(4);
  const std::vector<double> margin(4, .01);
  const auto count = [&](std::vector<Collider> colliders, std::vector<char> movable,
                         std::function<bool(int, int)> excluded = {}) {
    Collision collision;
    collision.bind(std::move(colliders), std::move(movable), std::move(excluded));
    collision.update(poses, margin);
    return collision.manifolds().size();
  };
  EXPECT_EQ(count({{0, {}, ball}, {1, {}, ball}}, {1, 1}), 1u);
  EXPECT_EQ(count({{0, {}, ball}, {0, {}, ball}}, {1, 1}), 0u) << "one body";
  EXPECT_EQ(count({{0, {}, ball}, {1, {}, ball}}, {0, 0}), 0u) << "both fixed";
  EXPECT_EQ(count({{0, {}, ball}, {1, {}, ball}}, {0, 1}), 1u);
  EXPECT_EQ(count({{0, {}, ball, 2, 4}, {1, {}, ball, 4, 2}}, {1, 1}), 1u);
  EXPECT_EQ(count({{0, {}, ball, 2, 4}, {1, {}, ball, 4, 4}}, {1, 1}), 0u) << "one mask lacks the other's group";
  EXPECT_EQ(count({{0, {}, ball}, {1, {}, ball}}, {1, 1}, [](int a, int b) { return a == 0 && b == 1; }), 0u);
}

TEST(CollisionState, AbsentBodiesCollideWithNothing) {
  Collision collision;
  collision.bind({{0, {}, HalfSpace{}}, {1, {}, Sphere{1}}, {2, {}, Sphere{1}}}, {0, 1, 1});
  const std::vector<Pose> poses(3);
  const std::vector<double> margin(3, .01);
  const auto count = [&] {
    collision.update(poses, margin);
    return collision.manifolds().size();
  };
  EXPECT_EQ(count(), 3u);
  collision.set_present(2, false);
  EXPECT_EQ(count(), 1u);
  collision.set_present(0, false);
  EXPECT_EQ(count(), 0u);
  collision.set_present(0, true);
  collision.set_present(2, true);
  EXPECT_EQ(count(), 3u);
}

TEST(CollisionState, MovingHalfSpaceMeetsBodiesThatRest) {
  Collision collision;
  collision.bind({{0, {}, HalfSpace{}}, {1, {}, Sphere{1}}}, {0, 1});
  std::vector<Pose> poses(2);
  const std::vector<double> margin(2, .01);
  poses[0].position.z = -5;
  collision.update(poses, margin);
  EXPECT_EQ(collision.points().size(), 0u);
  poses[0].position.z = -.995;
  collision.update(poses, margin);
  ASSERT_EQ(collision.points().size(), 1u);
  EXPECT_NEAR(collision.points()[0].gap, -.005, 1e-15);
}

}  // namespace
}  // namespace repose::testing
