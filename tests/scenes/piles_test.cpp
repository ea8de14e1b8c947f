// SPDX-License-Identifier: Apache-2.0
// Stacks and walls touch, heaps start without overlap, dominoes start as one push.
#include "scenes/piles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/scenes/support.h"

namespace repose::scenes {
namespace {

using testing::find, testing::highest, testing::lowest;

TEST(StackScene, CubesTouch) {
  const Scene scene = stack({.count = 10, .size = 0.3, .twist = 17});
  for (int k = 1; k <= 10; ++k)
    EXPECT_NEAR(lowest(find(scene, "cube-" + std::to_string(k))), 0.3 * (k - 1), 1e-15) << k;
}

TEST(StackScene, StacksStandApart) {
  const Scene scene = stack({.count = 2, .stacks = 10});
  EXPECT_EQ(testing::count(scene, BodyKind::kDynamic), 20);
  std::set<std::pair<double, double>> places;
  for (const SceneBody& body : scene.bodies)
    if (body.kind == BodyKind::kDynamic) places.insert({body.pose.position.x, body.pose.position.y});
  EXPECT_EQ(places.size(), 10U);
}

TEST(StackScene, RatioMakesTheTopHeavy) {
  const Scene scene = stack({.count = 3, .ratio = 1000});
  EXPECT_EQ(find(scene, "cube-2").shapes[0].density, 1000);
  EXPECT_EQ(find(scene, "cube-3").shapes[0].density, 1e6);
}

TEST(WallScene, RunningBondFillsARectangle) {
  for (double joint : {0.0, 0.01}) {
    const Scene scene = wall({.rows = 4, .columns = 5, .joint = joint});
    EXPECT_EQ(testing::count(scene, BodyKind::kDynamic), 2 * 5 + 2 * 6);
    for (int row = 1; row <= 4; ++row) {
      const int bricks = row % 2 == 0 ? 6 : 5;
      for (int i = 1; i <= bricks; ++i) {
        const SceneBody& brick = find(scene, "brick-" + std::to_string(row) + "-" + std::to_string(i));
        EXPECT_NEAR(lowest(brick), 0.2 * (row - 1), 1e-15);
        if (i == 1) continue;
        const SceneBody& before = find(scene, "brick-" + std::to_string(row) + "-" + std::to_string(i - 1));
        EXPECT_NEAR(lowest(brick, {1, 0, 0}) - highest(before, {1, 0, 0}), joint, 1e-15) << row << ' ' << i;
      }
    }
  }
  EXPECT_EQ(wall({.projectiles = true}).events.size(), 1U);
}

TEST(PileScene, CubesAreApartInTheAirAndSeeded) {
  const Scene scene = pile({.count = 300, .walls = true, .seed = 5});
  const double reach = 0.2 * std::sqrt(3.0);  // two cubes closer than their diagonal might overlap
  std::vector<Vec3> centres;
  for (const SceneBody& body : scene.bodies) {
    if (body.kind != BodyKind::kDynamic) continue;
    EXPECT_GT(lowest(body), 0);
    for (Vec3 other : centres) EXPECT_GT(norm(body.pose.position - other), reach);
    centres.push_back(body.pose.position);
  }
  EXPECT_EQ(centres.size(), 300U);
  const Scene same = pile({.count = 300, .walls = true, .seed = 5}), other = pile({.count = 300, .seed = 6});
  EXPECT_EQ(norm(same.bodies[7].pose.position - scene.bodies[7].pose.position), 0);
  EXPECT_GT(norm(other.bodies[7].pose.position - scene.bodies[7].pose.position), 0);
}

TEST(PileScene, WallsFaceInwardsAroundEveryCube) {
  const Scene scene = pile({.count = 50, .walls = true});
  for (const SceneShape& wall : find(scene, "box").shapes) {
    const Vec3 inward = rotate(wall.pose.rotation, {0, 0, 1});
    EXPECT_NEAR(inward.z, 0, 1e-15);
    for (const SceneBody& body : scene.bodies) {
      if (body.kind == BodyKind::kDynamic) {
        EXPECT_GT(lowest(body, inward), dot(wall.pose.position, inward));
      }
    }
  }
}

TEST(DominoesScene, TheFirstOneTurnsAboutItsLeadingEdge) {
  const Scene scene = dominoes();
  const SceneBody& first = find(scene, "domino-1");
  const Vec3 edge{0.075 / 2, 0, 0}, arm = edge - first.pose.position;
  EXPECT_LT(norm(first.velocity + cross(first.angular_velocity, arm)), 1e-15);
  EXPECT_GT(first.velocity.x, 0);  // towards the next one
  EXPECT_EQ(norm(find(scene, "domino-2").velocity), 0);
  EXPECT_EQ(lowest(first), 0);
}

}  // namespace
}  // namespace repose::scenes
