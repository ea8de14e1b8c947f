// SPDX-License-Identifier: Apache-2.0
// Bodies at rest keep their poses, and what is computed from poses is kept with them; nothing else may show it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <sstream>

#include "repose/base/bits.h"
#include "repose/world/integrate_internal.h"
#include "tests/support/step_phases.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

/// A stack, a ball that bounces to rest, and a plate under a cube that starts to move after half a second.
Scene resting_scene() {
  Scene scene = stack(3);
  scene.materials.push_back({"rubber", 0.4, 0.5});
  const int ball = add_shape_body(scene, Sphere{0.3}, {3, 0, 0.35});
  scene.bodies[static_cast<std::size_t>(ball)].shapes[0].material = 1;
  SceneBody plate;
  plate.name = "plate";
  plate.kind = BodyKind::kKinematic;
  plate.pose.position = {6, 0, 0.1};
  plate.shapes.push_back({});
  plate.shapes[0].geometry = Box{{1, 1, 0.1}};
  TableMotion motion;
  motion.times = {0, 0.5, 1};
  motion.poses = {{{6, 0, 0.1}, {}}, {{6, 0, 0.1}, {}}, {{6.1, 0, 0.1}, {}}};
  plate.motion = motion;
  scene.bodies.push_back(plate);
  add_cube(scene, 1, {6, 0, 0.7});
  const int late = add_cube(scene, 0.5, {-1.5, 0, 0.3}, {4, 0, 0});
  scene.bodies[static_cast<std::size_t>(late)].present = false;
  scene.events = {{0.75, Appear{late}}};
  return scene;
}

bool same_poses(std::span<const BodyState> a, std::span<const BodyState> b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!same_bits(a[k].centre, b[k].centre) || !same_bits(a[k].rotation, b[k].rotation)) return false;
  return true;
}

bool same_impulses(const World& a, const World& b) {
  if (a.contacts().size() != b.contacts().size()) return false;
  for (std::size_t k = 0; k < a.contacts().size(); ++k) {
    const Contact &x = a.contacts()[k], &y = b.contacts()[k];
    if (!same_bits(x.lambda, y.lambda) || !same_bits(x.start, y.start) || !same_bits(x.v, y.v) || x.mode != y.mode ||
        x.bias != y.bias || !same_bits(x.position, y.position))
      return false;
  }
  return true;
}

/// A world without anything kept: the bits of the other one, loaded into new memory.
World copy_of(const World& world) {
  std::stringstream stored;
  world.save(stored);
  World copy(world.scene(), world.options());
  copy.load(stored);
  return copy;
}

TEST(Rest, PosesOfAStackKeepTheirBits) {
  World world(stack(4));
  for (int k = 0; k < 5; ++k) world.step();
  const std::vector<BodyState> before(world.states().begin(), world.states().end());
  run(world, 300);
  EXPECT_TRUE(same_poses(before, world.states()));
}

/// Without friction a cube glides on for ever; one step is far below what a pose shows.
TEST(Rest, SlowMotionsAddUp) {
  for (const double share : {1e-13, 3e-12, 0.9e-11, 1.1e-11, 1e-9}) {
    Scene scene = empty_scene(0);
    add_ground(scene);
    const double size = std::sqrt(3.0), speed = share * size / kStep;
    const int cube = add_cube(scene, 1, {0, 0, 0.5}, {speed, 0, 0});
    World world(scene);
    const int steps = 400;
    run(world, steps);
    EXPECT_NEAR(world.states()[static_cast<std::size_t>(cube)].centre.x, steps * kStep * speed, 1.01e-11 * size)
        << share;
    EXPECT_DOUBLE_EQ(world.states()[static_cast<std::size_t>(cube)].velocity.x, speed);
  }
}

/// A cube on a slope a little steeper than its friction holds slides from the first step on.
TEST(Rest, ASlideHoweverSlowIsNotHeld) {
  for (const double excess : {1e-4, 1e-6, 1e-8}) {
    Scene scene = empty_scene(0.5);
    add_ground(scene);
    const double pull = 0.5 * (1 + excess);
    scene.gravity = {pull * kGravity, 0, -kGravity};
    const int cube = add_cube(scene, 1, {0, 0, 0.5});
    World world(scene);
    const int steps = 1200;
    run(world, steps);
    const double acceleration = 0.5 * excess * kGravity;
    const double way = 0.5 * acceleration * steps * (steps + 1) * kStep * kStep;
    EXPECT_NEAR(world.states()[static_cast<std::size_t>(cube)].centre.x, way, 0.01 * way + 2e-11) << excess;
  }
}

/// A cube that sticks to a plate goes with it, however slowly the plate moves.
TEST(Rest, ASlowPlateTakesItsLoadAlong) {
  Scene scene = empty_scene();
  const double speed = 1e-12 / kStep;
  add_moving_plate(scene, ConstantMotion{{speed, 0, 0}, {}});
  const int cube = add_cube(scene, 1, {0, 0, 0.5});
  World world(scene);
  world.step();
  const double top = world.states()[static_cast<std::size_t>(cube)].centre.x;
  const int steps = 2000;
  run(world, steps);
  EXPECT_NEAR(world.states()[static_cast<std::size_t>(cube)].centre.x - top, steps * 1e-12, 4e-11);
}

/// Impulses that also stopped a motion are not those of rest. A stack finds the latter within a few steps and needs
/// hardly any iterations from then on; it does not drift.
TEST(Rest, TheImpulsesOfRestAreFound) {
  World world(stack(4));
  run(world, 300);
  const std::vector<BodyState> before(world.states().begin(), world.states().end());
  int iterated = 0;
  for (int k = 0; k < 4000; ++k) iterated += world.step().outer_iterations > 0;
  EXPECT_LE(iterated, 400);
  for (std::size_t b = 0; b < before.size(); ++b)
    EXPECT_LE(norm(world.states()[b].centre - before[b].centre), 1e-10) << b;
}

TEST(Rest, TheRuleIsAShareOfTheSize) {
  const auto moves_after = [](double unit) {
    Scene scene = empty_scene(0);
    add_ground(scene);
    scene.gravity = {0, 0, -kGravity * unit};
    scene.margin *= unit;
    scene.slop *= unit;
    const int cube = add_cube(scene, unit, {0, 0, 0.5 * unit}, {1e-10 * unit, 0, 0});
    World world(scene);
    int steps = 0;
    while (world.states()[static_cast<std::size_t>(cube)].centre.x == 0 && steps < 100) world.step(), ++steps;
    return steps;
  };
  EXPECT_GT(moves_after(1), 5);
  EXPECT_EQ(moves_after(1), moves_after(1024));
  EXPECT_EQ(moves_after(1), moves_after(1.0 / 1024));
}

/// A turn that is shown later turns the body by the same angle, and keeps its angular momentum.
TEST(Rest, PendingTurnsKeepTheAngularMomentum) {
  Scene scene = empty_scene();
  add_ground(scene);
  add_shape_body(scene, Box{{0.5, 0.3, 0.1}}, {0, 0, 0.1});
  FirstStep step(scene);
  step.collide();
  step.assemble();
  step.solve();
  const BodyModel& model = step.setup.models[1];
  const Vec3 spin = (1e-12 / kStep) * Vec3{1, 2, -1};
  Vec3 momentum;
  for (int k = 0; k < 40; ++k) {
    BodyState& body = step.state.bodies[1];
    const NodeVelocities& change = step.islands[0].change();
    step.data.bodies[1].spin = body.angular_velocity - change.angular[0];  // what is left after the impulses
    if (k == 0) step.data.bodies[1].spin = spin - change.angular[0];
    integrate(step.setup, step.data.bodies, step.islands, step.state);
    const Vec3 now = angular_momentum(model.rotor, body.rotation, body.angular_velocity);
    if (k == 0) momentum = now;
    EXPECT_LE(norm(now - momentum), 1e-12 * norm(momentum)) << k;
  }
  const Quat q = step.state.bodies[1].rotation;
  const Vec3 shown{2 * q.x, 2 * q.y, 2 * q.z};
  EXPECT_GT(norm(shown), 0);
  EXPECT_LE(norm(shown + step.state.pending[1].angle - (40 * kStep) * spin), 1e-3 * 40 * kStep * norm(spin));
}

TEST(Rest, WorldsWithNothingKeptTakeTheSameSteps) {
  World world(resting_scene());
  int at_rest = 0;
  for (int k = 0; k < 90; ++k) {
    if (k == 20) world.set_velocity(1, {0, 0, 1e-3}, {});
    if (k == 40) world.place(2, {{0, 0.01, 1.5}, {}}, {});
    if (k == 55) {
      world.writable_states()[3].centre.x += 1e-3;
      world.accept_states();
    }
    if (k == 65) world.apply_force(1, {100, 0, 0});
    World copy = copy_of(world);
    const std::vector<BodyState> before(world.states().begin(), world.states().end());
    const StepReport report = world.step(), again = copy.step();
    at_rest += same_poses(std::span(before).subspan(0, 4), world.states().subspan(0, 4));
    ASSERT_EQ(world.state_hash(), copy.state_hash()) << k;
    ASSERT_TRUE(same_impulses(world, copy)) << k;
    ASSERT_EQ(report.certificate.nat, again.certificate.nat) << k;
  }
  EXPECT_GT(at_rest, 20) << "the stack was at rest often enough for something to be kept";
}

/// A solver that is not told about a problem it knows must not depend on its last solve.
TEST(Rest, EverySchemeTakesTheSameStepsWithNothingKept) {
  for (const char* outer : {"auto", "newton", "fbf", "picard", "relaxed", "nsgs", "padmm", "staggered"}) {
    WorldOptions options{.solver = options_from_names(outer, "auto")};
    options.solver.max_iterations = 40;
    World world(stack(3), options);
    for (int k = 0; k < 12; ++k) {
      World copy = copy_of(world);
      world.step();
      copy.step();
      ASSERT_EQ(world.state_hash(), copy.state_hash()) << outer << ' ' << k;
      ASSERT_TRUE(same_impulses(world, copy)) << outer << ' ' << k;
    }
  }
}

TEST(Rest, RefusedStepsLeaveNothingKeptThatIsWrong) {
  World world(resting_scene());
  for (int k = 0; k < 60; ++k) {
    if (k % 7 == 3) {
      const BodyState before = world.states()[1];
      world.set_velocity(1, {1e30, 0, 0}, {});
      ASSERT_EQ(world.step().status, StepStatus::kBroken) << k;
      world.set_velocity(1, before.velocity, before.angular_velocity);
      ASSERT_TRUE(same_bits(world.states()[1].centre, before.centre));
    }
    World copy = copy_of(world);
    world.step();
    copy.step();
    ASSERT_EQ(world.state_hash(), copy.state_hash()) << k;
    ASSERT_TRUE(same_impulses(world, copy)) << k;
  }
}

TEST(Rest, LoadingAnEarlierStateForgetsWhatWasKept) {
  World world(resting_scene());
  for (int k = 0; k < 10; ++k) world.step();
  std::stringstream stored;
  world.save(stored);
  for (int k = 0; k < 10; ++k) world.step();
  const std::string later = world.state_hash();
  world.load(stored);
  for (int k = 0; k < 10; ++k) world.step();
  EXPECT_EQ(world.state_hash(), later);
}

TEST(Rest, ContactsOfACheckpointDoNotOutliveTheStep) {
  World world(stack(1));
  world.step();
  World copy = copy_of(world);
  ASSERT_EQ(copy.contacts().size(), 4U);
  copy.place(1, {{0, 0, 9}, {}}, {});
  copy.step();
  EXPECT_EQ(copy.contacts().size(), 0U);
}

TEST(Rest, ProblemsOfUnchangedGeometryGetVelocitiesOnly) {
  FirstStep step(stack(2));
  step.collide();
  IslandProblem part;
  const auto assemble = [&] {
    step.collide();
    step.islands.partition(step.data.bodies, step.data.found.patches);
    Islands islands;
    islands.build(std::vector<char>{0, 1, 1}, step.data.found.patches);
    return part.assemble(step.data.bodies, step.data.found.contacts, step.data.found.patches, islands.bodies(0),
                         islands.patches(0), islands.nodes(), kStep);
  };
  EXPECT_EQ(assemble(), ProblemChange::kGraph);
  EXPECT_EQ(assemble(), ProblemChange::kVelocities);
  step.data.bodies[2].velocity.x += 0.25;
  EXPECT_EQ(assemble(), ProblemChange::kVelocities);
  const auto fresh = [&] {
    IslandProblem other;
    std::swap(part, other);
    assemble();
    std::swap(part, other);
    return std::vector<ContactVec>(other.problem().v_free().begin(), other.problem().v_free().end());
  }();
  EXPECT_EQ(std::memcmp(fresh.data(), part.problem().v_free().data(), fresh.size() * sizeof(ContactVec)), 0);
  step.state.bodies[2].centre.x += 1e-15;
  free_motion(step.setup, step.state, step.data.loads, step.data.bodies);
  EXPECT_EQ(assemble(), ProblemChange::kGeometry);
}

/// Contacts of other islands may come and go before those of an island that rests.
TEST(Rest, ProblemsOfUnchangedGeometryFollowTheirContacts) {
  FirstStep step(stack(1));
  step.collide();
  step.data.bodies[1].spin = {0.1, 0.2, 0.3};
  std::vector<Contact> contacts = step.data.found.contacts;
  std::vector<Patch> patches = step.data.found.patches;
  Islands islands;
  islands.build(std::vector<char>{0, 1}, patches);
  const auto assemble = [&](IslandProblem& part) {
    return part.assemble(step.data.bodies, contacts, patches, islands.bodies(0), islands.patches(0), islands.nodes(),
                         kStep);
  };
  IslandProblem kept, fresh;
  EXPECT_EQ(assemble(kept), ProblemChange::kGraph);
  Contact other = contacts[0];
  other.normal = {1, 0, 0}, other.position = {7, 8, 9};
  contacts.insert(contacts.begin(), 3, other);
  for (Patch& patch : patches) patch.first += 3;
  EXPECT_EQ(assemble(kept), ProblemChange::kVelocities);
  EXPECT_EQ(assemble(fresh), ProblemChange::kGraph);
  EXPECT_EQ(std::memcmp(fresh.problem().v_free().data(), kept.problem().v_free().data(),
                        fresh.problem().v_free().size() * sizeof(ContactVec)),
            0);
}

}  // namespace
}  // namespace repose
