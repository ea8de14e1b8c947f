// SPDX-License-Identifier: Apache-2.0
// Cylinders that stand, lie and lean: patches with ties, where the constructed touches have none.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/collision/support.h"

namespace repose::testing {
namespace {

constexpr double kPi = std::numbers::pi;
Quat about_x(double a) { return {std::cos(a / 2), std::sin(a / 2), 0, 0}; }
Quat about_y(double a) { return {std::cos(a / 2), 0, std::sin(a / 2), 0}; }
Quat about_z(double a) { return {std::cos(a / 2), 0, 0, std::sin(a / 2)}; }

struct Arrangement {
  const char* name;
  Geometry a, b;
  Pose pose_b;
  int points;
  Vec3 normal;
  double gap = 0;
};

std::vector<Arrangement> arrangements() {
  const Geometry can = Cylinder{.5, 1}, slab = Box{{2, 2, .5}};
  return {
      {"stands on plane", HalfSpace{}, can, {{.3, .1, 1}, about_z(.3)}, 8, {0, 0, 1}},
      {"lies on plane", HalfSpace{}, can, {{.3, .1, .5}, about_x(kPi / 2)}, 2, {0, 0, 1}},
      {"hovers on its side", HalfSpace{}, can, {{.3, .1, .51}, about_x(kPi / 2)}, 2, {0, 0, 1}, .01},
      {"leans on plane", HalfSpace{}, can, {{0, 0, std::cos(.5) + .5 * std::sin(.5)}, about_x(.5)}, 1, {0, 0, 1}},
      {"stands on box", slab, can, {{.3, .1, 1.5}, about_z(.3)}, 8, {0, 0, 1}},
      {"box stands on it", can, slab, {{.3, .1, 1.5}, about_z(.3)}, 8, {0, 0, 1}},
      {"lies on box", slab, can, {{.3, .1, 1}, about_x(kPi / 2)}, 2, {0, 0, 1}},
      {"lies over the rim of a box", slab, can, {{.3, 1.7, 1}, about_x(kPi / 2)}, 2, {0, 0, 1}},
      {"small box on cap", can, Box{{.1, .1, .1}}, {{.2, 0, 1.1}, about_z(.3)}, 4, {0, 0, 1}},
      {"leans on box", slab, can, {{0, 0, .5 + std::cos(.5) + .5 * std::sin(.5)}, about_x(.5)}, 1, {0, 0, 1}},
      {"stack of two", can, can, {{0, 0, 2}, about_z(.3)}, 8, {0, 0, 1}},
      {"side by side", can, can, {{1, 0, .4}, about_z(.3)}, 2, {1, 0, 0}},
      {"crossed", can, can, {{1, 0, 0}, about_x(kPi / 2)}, 1, {1, 0, 0}},
      {"lies on cap", Cylinder{2, 1}, can, {{.1, .2, 1.5}, about_x(kPi / 2)}, 2, {0, 0, 1}},
      {"edge along its side", can, Box{{.5, .5, .5}}, {{.5 + std::sqrt(.5), 0, 0}, about_z(kPi / 4)}, 2, {1, 0, 0}},
      {"sphere on cap", can, Sphere{.2}, {{.1, .1, 1.2}, {}}, 1, {0, 0, 1}},
      {"capsule along cap", Cylinder{2, 1}, Capsule{.2, .5}, {{.1, .1, 1.2}, about_x(kPi / 2)}, 2, {0, 0, 1}},
      {"capsule along side", can, Capsule{.2, .5}, {{.7, 0, .2}, {}}, 2, {1, 0, 0}},
      {"capsule across side", can, Capsule{.2, .5}, {{.7, 0, .2}, about_x(kPi / 2)}, 1, {1, 0, 0}},
      {"capsule lies on box", slab, Capsule{.2, .5}, {{.7, 0, .7}, about_x(kPi / 2)}, 2, {0, 0, 1}},
      {"capsules side by side", Capsule{.2, .5}, Capsule{.3, .5}, {{.5, 0, .1}, {}}, 2, {1, 0, 0}},
  };
}

/// Bodies that turn about their closest point by a little more than the angle of a patch: the points where they touch
/// next are there too, with gaps along the same normal.
TEST(Cylinder, PairsThatRockHaveTheirOtherEnds) {
  const double tilt = .03, margin = .06;
  const Geometry can = Cylinder{.5, 1}, flat = Cylinder{.5, .3}, rod = Capsule{.2, .5};
  const Arrangement pairs[] = {
      {"lies on a cap", flat, can, {{0, 0, .8 + .5 * std::sin(tilt)}, about_x(kPi / 2 + tilt)}, 2, {0, 0, 1}},
      {"leans on plane", HalfSpace{}, can, {{0, 0, std::cos(tilt) + .5 * std::sin(tilt)}, about_x(tilt)}, 2, {0, 0, 1}},
      {"cans at an angle", can, can, {{1.01, 0, 0}, about_x(.1)}, 2, {1, 0, 0}},
      {"capsules at an angle", rod, rod, {{.41, 0, 0}, about_x(.1)}, 2, {1, 0, 0}},
      {"capsule beside a can", can, rod, {{.71, 0, 0}, about_x(.1)}, 2, {1, 0, 0}},
  };
  for (const Arrangement& x : pairs) {
    const Contacts found = contacts(x.a, {}, x.b, x.pose_b, margin);
    ASSERT_FALSE(found.empty()) << x.name;
    EXPECT_GE(static_cast<int>(found.points.size()), x.points) << x.name;
    EXPECT_LE(angle(found.normal, x.normal), 2 * tilt) << x.name;
    double closest = 1, widest = 0;
    for (const ContactPoint& p : found.points) {
      closest = std::min(closest, p.gap);
      for (const ContactPoint& q : found.points) widest = std::max(widest, norm(p.position - q.position));
      EXPECT_LE(p.gap, margin) << x.name;
    }
    EXPECT_EQ(found.points.front().gap, closest) << x.name << ": the closest point has the lowest feature";
    EXPECT_GE(widest, .4) << x.name;
  }
}

TEST(Cylinder, PatchesOfTiedFeatures) {
  for (const Arrangement& x : arrangements()) {
    const Contacts found = contacts(x.a, {}, x.b, x.pose_b, .02);
    EXPECT_EQ(static_cast<int>(found.points.size()), x.points) << x.name;
    if (found.empty()) continue;
    EXPECT_LE(angle(found.normal, x.normal), 1e-12) << x.name;
    for (const ContactPoint& p : found.points) EXPECT_NEAR(p.gap, x.gap, 1e-12) << x.name;
  }
}

TEST(Cylinder, SamePointsUnderRigidMotion) {
  Random random(51);
  for (const Arrangement& x : arrangements()) {
    const auto at_home = contacts(x.a, {}, x.b, x.pose_b, .02);
    for (int round = 0; round < 200; ++round) {
      const Pose world = random_pose(random, 50);
      const Contacts found = contacts(x.a, world, x.b, world * x.pose_b, .02);
      ASSERT_EQ(found.features(), at_home.features()) << x.name;
      for (std::size_t i = 0; i < found.points.size(); ++i) {
        ASSERT_NEAR(found.points[i].gap, at_home.points[i].gap, 1e-12) << x.name;
        ASSERT_LE(norm(found.points[i].position - world * at_home.points[i].position), 1e-11) << x.name;
      }
    }
  }
}

/// Tilting from standing to lying: the lowest point is exact at every angle, and never lost.
TEST(Cylinder, TurnsOverWithoutDropOut) {
  for (const Geometry& ground : {Geometry{HalfSpace{}}, Geometry{Box{{3, 3, .5}}}}) {
    const double top = std::holds_alternative<HalfSpace>(ground) ? 0 : .5;
    TwoBodies pair(ground, Cylinder{.5, 1}, .02);
    for (int i = 0; i <= 4000; ++i) {
      const double tilt = .5 * kPi * i / 4000;
      const double height = std::cos(tilt) + .5 * std::sin(tilt);
      const Contacts found = pair.at({}, {{0, 0, top + height}, about_y(tilt)});
      ASSERT_FALSE(found.empty()) << tilt;
      ASSERT_NEAR(found.smallest_gap(), 0, 1e-12) << tilt;
      ASSERT_LE(angle(found.normal, {0, 0, 1}), 1e-12) << tilt;
    }
  }
}

}  // namespace
}  // namespace repose::testing
