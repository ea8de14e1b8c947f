// SPDX-License-Identifier: Apache-2.0
// Grains start apart, seeded and inside what is to hold them; funnels lead to their opening; drums turn.
#include "scenes/poured.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "scenes/grains.h"
#include "tests/scenes/support.h"

namespace repose::scenes {
namespace {

using testing::find, testing::lowest;

std::vector<Vec3> centres(const Scene& scene) {
  std::vector<Vec3> all;
  for (const SceneBody& body : scene.bodies)
    if (body.kind == BodyKind::kDynamic) all.push_back(body.pose.position);
  return all;
}

/// Farther apart than two balls of 1.1 sizes are wide, which hold the grains in any attitude.
void expect_apart(const Scene& scene, double size) {
  const std::vector<Vec3> all = centres(scene);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT(norm(all[i] - all[j]), 1.1 * size) << scene.name << i << ' ' << j;
}

TEST(BinScene, GrainsAreApartAndSeeded) {
  for (const std::string& kind : grain_kinds()) {
    const Scene scene = bin({.grains = kind, .count = 60, .size = 0.1, .seed = 5});
    EXPECT_EQ(testing::count(scene, BodyKind::kDynamic), 60);
    expect_apart(scene, 0.1);
    const Scene same = bin({.grains = kind, .count = 60, .size = 0.1, .seed = 5});
    const Scene other = bin({.grains = kind, .count = 60, .size = 0.1, .seed = 6});
    EXPECT_EQ(norm(centres(same)[7] - centres(scene)[7]), 0);
    EXPECT_GT(norm(centres(other)[7] - centres(scene)[7]), 0);
  }
}

TEST(BinScene, MixedTakesTheFourShapesInTurn) {
  std::set<std::size_t> first;
  const Scene scene = bin({.count = 8});
  for (int k = 1; k <= 8; ++k) {
    const std::size_t shape = find(scene, "grain-" + std::to_string(k)).shapes[0].geometry.index();
    EXPECT_EQ(first.insert(shape).second, k <= 4) << k;
  }
}

TEST(BinScene, StonesHaveTwentyToSixtyCornersAndFitIntoTheirBall) {
  std::set<std::size_t> counts;
  const Scene scene = bin({.grains = "rubble", .count = 200, .size = 0.3});
  for (const SceneBody& body : scene.bodies) {
    if (body.kind != BodyKind::kDynamic) continue;
    const std::vector<Vec3> corners = testing::corners(body);
    EXPECT_GE(corners.size(), 20U);
    EXPECT_LE(corners.size(), 60U);
    counts.insert(corners.size());
    for (Vec3 corner : corners) EXPECT_LE(norm(corner - body.pose.position), 0.55 * 0.3);
  }
  EXPECT_GT(counts.size(), 20U);
}

TEST(HopperScene, GrainsStartAboveTheFunnelAndTheGateGoes) {
  const HopperOptions o;
  const Scene scene = hopper(o);
  expect_apart(scene, o.size);
  const double width = column_side(o.count) * kGrainCell * o.size;
  const double top = o.height + (width - o.opening) / 2 * std::tan(o.slope * 3.14159265358979 / 180);
  for (Vec3 centre : centres(scene)) EXPECT_GT(centre.z, top);
  ASSERT_EQ(scene.events.size(), 1U);
  EXPECT_EQ(scene.bodies[static_cast<std::size_t>(std::get<Disappear>(scene.events[0].action).body)].name, "gate");
}

/// Is the point inside one of the body's boxes?
bool inside(const SceneBody& body, Vec3 point) {
  for (const SceneShape& shape : body.shapes) {
    const Pose pose = body.pose * shape.pose;
    const Vec3 d = point - pose.position, half = std::get<Box>(shape.geometry).half;
    const auto within = [&](Vec3 axis, double h) { return std::abs(dot(d, rotate(pose.rotation, axis))) < h; };
    if (within({1, 0, 0}, half.x) && within({0, 1, 0}, half.y) && within({0, 0, 1}, half.z)) return true;
  }
  return false;
}

TEST(HopperScene, FunnelIsClosedAllAroundAndOpenInTheMiddle) {
  const HopperOptions o;
  const Scene scene = hopper(o);
  const SceneBody& funnel = find(scene, "funnel");
  const double width = column_side(o.count) * kGrainCell * o.size, slope = std::tan(o.slope * 3.14159265358979 / 180);
  const double top = o.height + (width - o.opening) / 2 * slope;
  for (int level = 0; level <= 20; ++level) {
    const double z = o.height + 1e-6 + level * (top + 1 - o.height) / 20;
    const double half = std::min(width, o.opening + 2 * (z - o.height) / slope) / 2;
    for (int k = -10; k <= 10; ++k) {
      const double along = k * half / 10;
      for (const double sign : {-1.0, 1.0}) {
        EXPECT_FALSE(inside(funnel, {sign * 0.99 * half, 0.99 * along, z})) << z;
        EXPECT_FALSE(inside(funnel, {0.99 * along, sign * 0.99 * half, z})) << z;
        EXPECT_TRUE(inside(funnel, {sign * (half + 1e-3), along, z})) << z << ' ' << along;
        EXPECT_TRUE(inside(funnel, {along, sign * (half + 1e-3), z})) << z << ' ' << along;
      }
    }
  }
  EXPECT_TRUE(inside(find(scene, "gate"), {0, 0, o.height - 0.1}));
}

TEST(DrumScene, GrainsAreInsideARingThatTurns) {
  const DrumOptions o{.count = 96};
  const Scene scene = drum(o);
  expect_apart(scene, o.size);
  const SceneBody& ring = find(scene, "drum");
  EXPECT_EQ(ring.kind, BodyKind::kKinematic);
  EXPECT_EQ(std::get<RampMotion>(*ring.motion).angular_velocity.y, o.speed);
  for (Vec3 centre : centres(scene)) {
    const Vec3 d = centre - ring.pose.position;
    EXPECT_LT(std::hypot(d.x, d.z) + 0.55 * o.size, o.radius);
    EXPECT_LT(std::abs(d.y) + 0.55 * o.size, o.width / 2);
  }
  for (int k = 0; k < 360; ++k) {  // without a gap, and nothing within the radius
    const double a = k * 3.14159265358979 / 180;
    const Vec3 out{std::cos(a), 0, std::sin(a)};
    EXPECT_FALSE(inside(ring, ring.pose.position + 0.999 * o.radius * out)) << k;
    EXPECT_TRUE(inside(ring, ring.pose.position + 1.02 * o.radius * out)) << k;
  }
}

}  // namespace
}  // namespace repose::scenes
