// SPDX-License-Identifier: Apache-2.0
// One body on one surface: exact touch, exact slopes, the numbers of the benchmark page.
#include "scenes/single.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenes/turntable.h"
#include "tests/scenes/support.h"

namespace repose::scenes {
namespace {

using testing::corners, testing::find, testing::lowest, testing::highest;

TEST(InclineScene, TheSlopeIsTwoToOneToTheLastDigit) {
  const Vec3 n = rotate(find(incline(), "slope").pose.rotation, {0, 0, 1});
  EXPECT_NEAR(n.x, 1 / std::sqrt(5.0), 2e-16);
  EXPECT_NEAR(n.z, 2 / std::sqrt(5.0), 2e-16);
  EXPECT_EQ(n.y, 0);
  EXPECT_NEAR(n.x / n.z, 0.5, 3e-16);
}

TEST(InclineScene, TheCubeLiesFlatInEveryDirection) {
  for (double direction : {0.0, 45.0, 90.0, 200.0})
    for (double yaw : {0.0, 45.0, 10.0}) {
      const Scene scene = incline({.slope = 0.7, .direction = direction, .yaw = yaw});
      const Vec3 n = rotate(find(scene, "slope").pose.rotation, {0, 0, 1});
      int touching = 0;
      for (Vec3 corner : corners(find(scene, "cube"))) touching += std::abs(dot(corner, n)) < 1e-15;
      EXPECT_EQ(touching, 4) << direction << ' ' << yaw;
      EXPECT_NEAR(std::atan2(n.y, n.x) * 180 / std::numbers::pi, direction > 180 ? direction - 360 : direction, 1e-12);
    }
}

TEST(InclineScene, YawTurnsTheCubeAboutTheNormal) {
  const Scene straight = incline(), turned = incline({.yaw = 45});
  const Vec3 a = rotate(find(straight, "cube").pose.rotation, {1, 0, 0});
  const Vec3 b = rotate(find(turned, "cube").pose.rotation, {1, 0, 0});
  EXPECT_NEAR(dot(a, b), std::sqrt(0.5), 1e-15);
}

TEST(InclineScene, TheBallTouches) {
  const Scene scene = incline({.slope = 0.3, .size = 0.4, .body = "sphere"});
  const Vec3 n = rotate(find(scene, "slope").pose.rotation, {0, 0, 1});
  EXPECT_NEAR(dot(find(scene, "ball").pose.position, n), 0.2, 1e-16);
}

TEST(BackspinScene, NumbersOfThePaper) {
  const Scene scene = backspin();
  const SceneBody& ball = find(scene, "ball");
  EXPECT_EQ(ball.pose.position.z, 0.25);
  EXPECT_EQ(ball.velocity.x, 4);
  EXPECT_EQ(ball.angular_velocity.y, -200);
  EXPECT_EQ(find(backspin({.side_spin = 7, .drop = 1}), "ball").pose.position.z, 1.25);
  EXPECT_GE(scene.duration, 3.14548 + 5);
}

TEST(TippingBoxScene, StandsOnTheGround) {
  const SceneBody box = find(tipping_box(), "box");
  EXPECT_EQ(lowest(box), 0);
  EXPECT_EQ(highest(box), 1);
  EXPECT_EQ(highest(box, {1, 0, 0}), 0.525 / 2);
}

TEST(PainleveRodScene, TheTipIsHalfALengthFromTheCentreOfASlenderRod) {
  const Scene scene = painleve_rod();
  const SceneBody& rod = find(scene, "rod");
  EXPECT_NEAR(lowest(rod), 0, 1e-15);
  for (Vec3 corner : corners(rod)) {
    if (corner.z < 1e-12) {
      EXPECT_NEAR(corner.x, 0, 1e-15);
    }
  }
  EXPECT_NEAR(norm(rod.pose.position), 1, 1e-15);
  EXPECT_NEAR(rod.pose.position.z / rod.pose.position.x, 2, 1e-15);
  EXPECT_NEAR(rod.mass->inertia.m[1][1] / rod.mass->mass, 1.0 / 3, 1e-15);
  EXPECT_LT(rod.velocity.x, 0);  // the tip runs away from the side to which the rod leans, +x
}

TEST(TurntableScene, TheCubeStandsOnTheDisc) {
  const Scene scene = turntable({.cubes = 2});
  const SceneBody& disc = find(scene, "disc");
  EXPECT_EQ(disc.kind, BodyKind::kKinematic);
  EXPECT_EQ(disc.pose.position.z + std::get<Cylinder>(disc.shapes[0].geometry).half_length, 0);
  const RampMotion ramp = std::get<RampMotion>(*disc.motion);
  EXPECT_EQ(ramp.angular_velocity.z, 2);
  EXPECT_EQ(ramp.duration, 2);
  EXPECT_EQ(lowest(find(scene, "cube")), 0);
  EXPECT_EQ(find(scene, "cube").pose.position.x, 0.75);
  EXPECT_NEAR(lowest(find(scene, "cube-2")), highest(find(scene, "cube")), 1e-16);
  EXPECT_EQ(scene.bodies.size(), 3U);  // no ground below
}

TEST(LaunchedCubeScene, NumbersOfTheComparison) {
  const SceneBody cube = find(launched_cube(), "cube");
  EXPECT_EQ(lowest(cube), 0);
  EXPECT_NEAR(highest(cube), 0.1, 1e-17);
  EXPECT_EQ(cube.velocity.x, 6);
  EXPECT_EQ(cube.velocity.y, 0);
}

}  // namespace
}  // namespace repose::scenes
