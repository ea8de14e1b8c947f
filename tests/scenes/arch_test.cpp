// SPDX-License-Identifier: Apache-2.0
// Arches: stones that touch to rounding, and the stones of the Rigid-IPC data set.
#include "scenes/arch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "scenes/arch_outline.h"
#include "tests/scenes/support.h"
#include "tests/support/data.h"

namespace repose::scenes {
namespace {

using testing::corners, testing::find, testing::highest, testing::lowest;

std::string stone(int k) { return "stone-" + std::to_string(k); }

void expect_joints_touch(const Scene& scene, const ArchOutline& outline, double rounding) {
  const int n = static_cast<int>(outline.sections.size());
  for (int k = 1; k < n; ++k) {
    const Vec3 normal = outline.joints[static_cast<std::size_t>(k)].normal;
    const SceneBody &before = find(scene, stone(k)), &after = find(scene, stone(k + 1));
    EXPECT_NEAR(highest(before, normal), lowest(after, normal), rounding) << k;
    int on_joint = 0;  // both faces lie in one plane: four corners each
    for (const SceneBody* body : {&before, &after})
      for (Vec3 c : corners(*body)) on_joint += std::abs(dot(c, normal) - lowest(after, normal)) < rounding;
    EXPECT_EQ(on_joint, 8) << k;
  }
}

TEST(ArchScene, ClosedJointsTouchToRounding) {
  for (int n : {3, 25, 101, 501}) expect_joints_touch(arch({.stones = n}), catenary_outline(n), 5e-14);
}

TEST(ArchScene, SemicircleJointsTouchToRounding) {
  for (int n : {5, 25, 101})
    expect_joints_touch(arch({.stones = n, .variant = "semicircle"}), semicircle_outline(n, 10, 1.5, 1.5), 1e-14);
}

TEST(ArchScene, FeetStandOnTheGround) {
  for (const char* variant : {"closed", "semicircle"}) {
    const Scene scene = arch({.variant = variant, .feet = "free"});
    for (int k : {1, 25}) {
      int low = 0;
      for (Vec3 c : corners(find(scene, stone(k)))) low += std::abs(c.z) < 1e-14;
      EXPECT_EQ(low, 4) << variant;
    }
    EXPECT_EQ(testing::count(scene, BodyKind::kDynamic), 25);
  }
  EXPECT_NEAR(lowest(find(arch({.variant = "exploded"}), stone(1))), 0.1, 1e-14);
}

TEST(ArchScene, PinnedEndsAreStatic) {
  const Scene scene = arch();
  EXPECT_EQ(testing::count(scene, BodyKind::kDynamic), 23);
  EXPECT_EQ(testing::count(scene, BodyKind::kStatic), 3);  // ends and ground
  EXPECT_EQ(find(scene, stone(1)).kind, BodyKind::kStatic);
  EXPECT_EQ(find(scene, stone(25)).kind, BodyKind::kStatic);
}

TEST(ArchScene, BodyFramesAreAtTheMassCentres) {
  for (const char* variant : {"closed", "exploded", "semicircle"}) {
    const Scene scene = arch({.variant = variant});
    for (int k = 1; k <= 25; ++k) {
      const SceneShape& shape = find(scene, stone(k)).shapes[0];
      EXPECT_LT(norm(mass_properties(shape.geometry, shape.density).centre), 1e-12) << variant << k;
    }
  }
  EXPECT_NEAR(find(arch({.variant = "exploded"}), stone(13)).pose.position.z, 62.358, 5e-4);  // the benchmark page
}

TEST(ArchScene, SettingsOfTheBenchmarkPage) {
  EXPECT_EQ(arch().margin, 0.02);
  EXPECT_NEAR(arch().slop, 1e-3, 1e-17);
  EXPECT_EQ(arch({.variant = "exploded"}).margin, 0.05);
  EXPECT_NEAR(arch({.variant = "semicircle"}).slop, 1.5e-4, 1e-18);
  EXPECT_EQ(arch().materials[0].friction, 0.8);
}

TEST(ArchScene, ProjectilesWaitTwoMetresAboveTheCrown) {
  struct Case {
    const char* variant;
    double size, speed;
  };
  for (const Case& c : {Case{"closed", 1, 20}, {"exploded", 1, 20}, {"semicircle", 0.3, 10}}) {
    const Scene scene = arch({.variant = c.variant, .projectiles = true});
    ASSERT_EQ(scene.events.size(), 5U);
    const double top = highest(find(scene, stone(13)));
    for (int i = 1; i <= 5; ++i) {
      const SceneBody& shot = find(scene, "projectile-" + std::to_string(i));
      EXPECT_FALSE(shot.present);
      EXPECT_NEAR(lowest(shot) - top, 2, 1e-12);
      EXPECT_NEAR(highest(shot) - lowest(shot), c.size, 1e-12);
      EXPECT_EQ(shot.velocity.z, -c.speed);
      EXPECT_NEAR(shot.pose.position.x, (i - 3) * 1.3 * c.size, 1e-12);
      EXPECT_EQ(scene.events[static_cast<std::size_t>(i - 1)].time, 5);
    }
  }
}

TEST(ArchScene, ASideShotAimsAtTheCrownStone) {
  const Scene scene = arch({.projectiles = true, .shot = "side"});
  const SceneBody &shot = find(scene, "projectile-1"), &crown = find(scene, stone(13));
  EXPECT_EQ(shot.velocity.y, 20);
  EXPECT_NEAR(shot.pose.position.z, crown.pose.position.z, 1e-12);
  EXPECT_NEAR(lowest(crown, {0, 1, 0}) - highest(shot, {0, 1, 0}), 2, 1e-12);
}

TEST(ArchScene, AStoneCanBeTakenAway) {
  const Scene scene = arch({.remove = 13});
  ASSERT_EQ(scene.events.size(), 1U);
  const int body = std::get<Disappear>(scene.events[0].action).body;
  EXPECT_EQ(scene.bodies[static_cast<std::size_t>(body)].name, stone(13));
}

TEST(ArchScene, ShakingMovesGroundAndPinnedFeetWithItsPeakAcceleration) {
  const Scene scene = arch({.shaking = 0.05});
  EXPECT_EQ(testing::count(scene, BodyKind::kKinematic), 3);
  const TableMotion motion = std::get<TableMotion>(*find(scene, stone(1)).motion);
  double peak = 0;
  for (std::size_t i = 1; i + 1 < motion.poses.size(); ++i)
    peak = std::max(peak, std::abs(motion.poses[i + 1].position.x - 2 * motion.poses[i].position.x +
                                   motion.poses[i - 1].position.x) *
                              240 * 240);
  EXPECT_NEAR(peak, 0.05 * 9.81, 1e-3);
}

/// Vertices of a shipped stone in our axes: y up becomes z up.
std::vector<Vec3> shipped_stone(int stones, int number) {
  std::string name = number < 10 ? "stone-0" : "stone-";
  name += std::to_string(number) + ".obj";
  std::ifstream file(testing::data_dir() / "rigid-ipc/meshes/arch" / ("num_stones=" + std::to_string(stones)) / name);
  std::vector<Vec3> points;
  std::string word;
  while (file >> word) {
    if (word != "v") continue;
    double x = 0, y = 0, z = 0;
    file >> x >> y >> z;
    points.push_back({x, -z, y});
  }
  return points;
}

double distance_to_nearest(Vec3 p, const std::vector<Vec3>& others) {
  double least = 1e9;
  for (Vec3 q : others) least = std::min(least, norm(p - q));
  return least;
}

TEST(ArchScene, ExplodedStonesAreThoseOfTheDataSet) {
  REPOSE_NEEDS_DATA("rigid-ipc/meshes/arch");
  for (int n : {25, 101, 501, 951}) {
    const Scene scene = arch({.stones = n, .variant = "exploded"});
    double worst = 0;
    for (int k = 1; k <= n; ++k) {
      const std::vector<Vec3> made = corners(find(scene, stone(k))), shipped = shipped_stone(n, k);
      ASSERT_EQ(shipped.size(), 8U);
      ASSERT_EQ(made.size(), 8U);
      for (Vec3 p : shipped) worst = std::max(worst, distance_to_nearest(p, made));
    }
    EXPECT_LT(worst, 1e-4) << n;  // m, of 60: the curve's constants have six digits
  }
}

}  // namespace
}  // namespace repose::scenes
