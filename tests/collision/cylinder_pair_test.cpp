// SPDX-License-Identifier: Apache-2.0
// Two cylinders in general position, mostly with a rim: s(n) evaluated by its definition decides.
#include <gtest/gtest.h>

#include "tests/collision/support.h"

namespace repose::testing {
namespace {

struct CylinderPair {
  Cylinder a, b;
  Pose pose_a, pose_b;

  /// min over x ∈ b, y ∈ a of n · (x − y)
  [[nodiscard]] double separation(Vec3 n) const { return -support(b, pose_b, -1.0 * n) - support(a, pose_a, n); }

 private:
  static double support(const Cylinder& c, const Pose& pose, Vec3 n) {
    const Vec3 axis = rotate(pose.rotation, {0, 0, 1});
    return dot(pose.position, n) + c.half_length * std::abs(dot(axis, n)) + c.radius * norm(cross(axis, n));
  }
};

CylinderPair random_pair(Random& random) {
  const auto cylinder = [&] { return Cylinder{random.uniform(.2, 1), random.uniform(.2, 1)}; };
  CylinderPair pair{cylinder(), cylinder(), random_pose(random, 1), random_pose(random, 1)};
  pair.pose_b.position = pair.pose_a.position + random.uniform(.4, 2.5) * random_direction(random);
  return pair;
}

TEST(CylinderPair, NoPointLiesBeyondTheMargin) {
  Random random(91);
  constexpr double kMargin = 1e-3;
  int touching = 0;
  for (int round = 0; round < 20000; ++round) {
    const CylinderPair pair = random_pair(random);
    const Geometry other =
        round % 3 == 0 ? Geometry{pair.b} : (round % 3 == 1 ? random_box(random) : random_hull(random));
    const Contacts found = contacts(pair.a, pair.pose_a, other, pair.pose_b, kMargin);
    touching += !found.empty();
    for (const ContactPoint& p : found.points) ASSERT_LE(p.gap, kMargin) << round;
  }
  EXPECT_GT(touching, 2000);
}

/// s(n) is concave where it is positive: a direction that no other one beats is that of the closest points.
TEST(CylinderPair, NoDirectionSeparatesBetterThanTheNormal) {
  Random random(92);
  constexpr double kMargin = .3;
  int apart = 0;
  for (int round = 0; apart < 5000; ++round) {
    const CylinderPair pair = random_pair(random);
    if (nearly_parallel(pair.a, pair.b, conjugate(pair.pose_a.rotation) * pair.pose_b.rotation)) continue;
    const Contacts found = contacts(pair.a, pair.pose_a, pair.b, pair.pose_b, kMargin);
    const double gap = found.empty() ? kMargin : found.smallest_gap();
    if (found.empty() || gap <= 1e-6) continue;
    ++apart;
    ASSERT_NEAR(pair.separation(found.normal), gap, 1e-12) << round;
    for (int i = 0; i < 60; ++i) {
      const double turn = std::pow(10.0, random.uniform(-5, 0));
      const Vec3 n = normalized(found.normal + turn * random_direction(random));
      ASSERT_LE(pair.separation(n), gap + 1e-12) << round << ' ' << turn;
    }
  }
}

TEST(CylinderPair, OverlapIsLocallyLeastDeep) {
  Random random(93);
  int deep = 0;
  for (int round = 0; deep < 3000; ++round) {
    const CylinderPair pair = random_pair(random);
    if (nearly_parallel(pair.a, pair.b, conjugate(pair.pose_a.rotation) * pair.pose_b.rotation)) continue;
    const Contacts found = contacts(pair.a, pair.pose_a, pair.b, pair.pose_b, .01);
    if (found.empty() || found.smallest_gap() > -1e-3 || found.smallest_gap() < -.05) continue;
    ++deep;
    ASSERT_NEAR(pair.separation(found.normal), found.smallest_gap(), 1e-12) << round;
    for (int i = 0; i < 20; ++i) {
      const Vec3 n = normalized(found.normal + 1e-4 * random_direction(random));
      ASSERT_LE(pair.separation(n), found.smallest_gap() + 1e-12) << round;
    }
  }
}

/// Rule 1 of docs/collision.md: sides within 0.02 rad of each other form a patch, whatever the depth.
TEST(CylinderPair, SidesAlongEachOtherKeepTwoPointsInOverlap) {
  Random random(94);
  for (int round = 0; round < 2000; ++round) {
    const Vec3 turn = random.uniform(0, .015) * normalized(Vec3{random.uniform(-1, 1), random.uniform(-1, 1), 0});
    const double depth = random.uniform(-.001, .02), height = random.uniform(-1, 1);
    const Pose world = random_pose(random, 5), local{{1 - depth, 0, height}, exponential(turn)};
    const Contacts found = contacts(Cylinder{.5, 1}, world, Cylinder{.5, 1}, world * local, .1);
    ASSERT_EQ(found.points.size(), 2u) << round;
    ASSERT_LE(angle(found.normal, rotate(world.rotation, {1, 0, 0})), .05) << round;
  }
}

/// Every tolerance is relative: a scene that is larger by a power of two has the same bits.
TEST(CylinderPair, ScalesWithTheScene) {
  Random random(95);
  int touching = 0;
  for (int round = 0; round < 4000; ++round) {
    const CylinderPair pair = random_pair(random);
    const Contacts found = contacts(pair.a, pair.pose_a, pair.b, pair.pose_b, .05);
    for (const double scale : {1.0 / 1024, 1024.0}) {
      const auto cylinder = [&](const Cylinder& c) { return Cylinder{scale * c.radius, scale * c.half_length}; };
      const auto pose = [&](const Pose& p) { return Pose{scale * p.position, p.rotation}; };
      const Contacts scaled =
          contacts(cylinder(pair.a), pose(pair.pose_a), cylinder(pair.b), pose(pair.pose_b), scale * .05);
      ASSERT_EQ(scaled.features(), found.features()) << round;
      touching += !found.empty();
      for (std::size_t i = 0; i < found.points.size(); ++i) {
        ASSERT_EQ(scaled.points[i].gap, scale * found.points[i].gap) << round;
        ASSERT_EQ(scaled.normal.x, found.normal.x) << round;
      }
    }
  }
  EXPECT_GT(touching, 1000);
}

}  // namespace
}  // namespace repose::testing
