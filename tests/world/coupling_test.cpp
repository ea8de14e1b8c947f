// SPDX-License-Identifier: Apache-2.0
// Couplings of joint coordinates against closed forms: ratios, curves, tendons with their limits, springs and servos.
#include <gtest/gtest.h>

#include <cmath>

#include "repose/scene/builder.h"
#include "repose/world/world.h"
#include "tests/support/complaint.h"
#include "tests/world/joint_steps.h"

namespace repose {
namespace {

using testing::complaint;

constexpr double kStep = 1.0 / 60;
constexpr double kInertia = 8 * 0.04 / 6;  // of a cube of 8 kg and 0.2 m
constexpr std::uint32_t kNothing = 0;      // collides with nothing

int add_cube(SceneBuilder& b, Vec3 at) {
  const int cube = b.add_body({.pose = {at, {}}});
  b.add_shape_box(cube, {0.1, 0.1, 0.1}, {.mask = kNothing});
  return cube;
}

/// Two cubes that turn about z through their centres, without gravity.
SceneBuilder wheels() {
  SceneBuilder b("wheels");
  b.settings().gravity = {};
  for (const double x : {0.0, 1.0}) {
    const int cube = add_cube(b, {x, 0, 0});
    b.add_joint_at(JointKind::kHinge, kWorldBody, cube, {x, 0, 0}, {0, 0, 1});
  }
  return b;
}

TEST(Coupling, RatioSharesTheTorque) {
  SceneBuilder b = wheels();
  b.add_coupling({{.joint = 0}, {.joint = 1, .factors = {-3, 0, 0, 0}}}, 0);  // q0 = 3 q1
  const int motor = b.add_motor(0);
  World world(b.build());
  world.set_control(motor, 2);
  run(world, 60);
  const double q1 = 3 * 2 / (9 * kInertia + kInertia);  // acceleration of the second
  EXPECT_NEAR(world.joint_velocity(1), q1, 1e-9 * q1);
  EXPECT_NEAR(world.joint_position(0), 3 * world.joint_position(1), 1e-10);
}

TEST(Coupling, CurveIsFollowed) {
  SceneBuilder b = wheels();
  b.add_coupling({{.joint = 0}, {.joint = 1, .factors = {-1, -0.5, 0.25, 0}}}, 0);  // q0 = q1 + q1²/2 − q1³/4
  const int motor = b.add_motor(1);
  World world(b.build());
  world.set_control(motor, 0.05);
  for (int k = 0; k < 80; ++k) {
    run(world, 1);
    const double q = world.joint_position(1);
    ASSERT_NEAR(world.joint_position(0), q + q * q / 2 - q * q * q / 4, 1e-9) << k;
  }
  EXPECT_GT(world.joint_position(1), 0.3);
}

TEST(Coupling, TendonHasALimitASpringAndAServo) {
  SceneBuilder b = wheels();
  const int tendon = b.add_coupling({{.joint = 0, .factors = {0.5, 0, 0, 0}}, {.joint = 1, .factors = {0.5, 0, 0, 0}}});
  b.joint(tendon).coordinates[0].upper = 0.25;
  const int motor = b.add_motor(0);
  World world(b.build());
  world.set_control(motor, 1);
  run(world, 120);  // the first turns on and takes the second back, once the limit is reached
  EXPECT_NEAR(world.joint_position(tendon), 0.25, 1e-9);
  EXPECT_LT(world.joint_velocity(1), 0);

  SceneBuilder c = wheels();
  const int held = c.add_coupling({{.joint = 0, .factors = {0.5, 0, 0, 0}}, {.joint = 1, .factors = {0.5, 0, 0, 0}}});
  const int servo = c.add_position_servo(held, 40, 3);
  World driven(c.build());
  driven.set_control(servo, 0.2);
  double s = 0, v = 0;  // with the mass of both: 1/m = 0.25/I + 0.25/I
  const double mass = 2 * kInertia;
  for (int k = 0; k < 60; ++k) {
    run(driven, 1);
    v = (mass * v - kStep * 40 * (s - 0.2)) / (mass + kStep * 3 + kStep * kStep * 40);
    s += kStep * v;
    ASSERT_NEAR(driven.joint_position(held), s, 1e-9);
    ASSERT_NEAR(driven.joint_position(0), driven.joint_position(1), 1e-9);
  }
}

/// Two links with parallel axes: the sum of their angles depends on the first and the last body alone.
TEST(Coupling, SumOfAChainWithParallelAxesLeavesOutTheBodyBetween) {
  SceneBuilder b("chain");
  int before = add_cube(b, {0, 0, 0});
  b.add_joint_at(JointKind::kHinge, kWorldBody, before, {0, 0, 0}, {0, 1, 0});
  for (const double x : {1.0, 2.0}) {
    const int cube = add_cube(b, {x, 0, 0});
    b.add_joint_at(JointKind::kHinge, before, cube, {x - 0.5, 0, 0}, {0, 1, 0});
    before = cube;
  }
  b.add_coupling({{.joint = 1}, {.joint = 2}}, 0);
  EXPECT_EQ(b.joint(3).body_a, 0);
  EXPECT_EQ(b.joint(3).body_b, 2);
  World world(b.build());
  for (int k = 0; k < 100; ++k) {
    run(world, 1);
    ASSERT_NEAR(world.joint_position(1), -world.joint_position(2), 1e-9) << k;
  }
  EXPECT_GT(std::abs(world.joint_position(1)), 0.05);
}

TEST(Coupling, SumThatNoBodyMovesIsRefused) {
  SceneBuilder b = wheels();
  const int chained = add_cube(b, {2, 0, 0});
  b.add_joint_at(JointKind::kHinge, kWorldBody, chained, {2, 0, 0}, {0, 0, 1});
  EXPECT_EQ(complaint([&] {
              b.add_coupling({{.joint = 2}, {.joint = 2, .factors = {-1, 0, 0, 0}}}, 0);
            }),
            "coupling: terms: expected joints whose sum depends on the motion of a body, got others");
}

}  // namespace
}  // namespace repose
