// SPDX-License-Identifier: Apache-2.0
// Joints of bodies that tumble, that have no shapes, or whose axis is opposite to z.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "repose/scene/builder.h"
#include "repose/world/world.h"

namespace repose {
namespace {

SceneBody solid(Vec3 position, Vec3 moments, Vec3 velocity, Vec3 spin) {
  return {.pose = {position, {}},
          .velocity = velocity,
          .angular_velocity = spin,
          .mass = MassProperties{1, {}, Mat3::diagonal(moments.x, moments.y, moments.z)}};
}

/// Largest change of the energy of two bodies on a hinge with a rotor that tumble for 1 s without forces, J.
double energy_change(double dt) {
  SceneBuilder b("tumbling");
  b.settings().gravity = {};
  b.settings().dt = dt;
  const Vec3 spin{1, 2, 3}, other{1, 2, 5};
  const int first = b.add_body(solid({}, {0.1, 0.2, 0.3}, {}, spin));
  const int second =
      b.add_body(solid({0.5, 0, 0}, {0.05, 0.1, 0.06}, cross(spin, {0.3, 0, 0}) + cross(other, {0.2, 0, 0}), other));
  const int hinge = b.add_joint_at(JointKind::kHinge, first, second, {0.3, 0, 0}, {0, 0, 1});
  b.joint(hinge).coordinates[0].armature = 0.2;
  World world(b.build());
  const double start = world.energy();
  double most = 0;
  for (int k = 0; k < static_cast<int>(std::lround(1 / dt)); ++k) {
    EXPECT_EQ(world.step().status, StepStatus::kSolved);
    most = std::max(most, std::abs(world.energy() - start));
  }
  return most;
}

/// The spin of a body changes while it rotates with its angular momentum; the rotor takes part in that.
TEST(JointMotion, RotorOfATumblingMechanismKeepsItsEnergyToFirstOrder) {
  const double coarse = energy_change(2e-3), fine = energy_change(1e-3);
  EXPECT_LT(fine, 5e-3);  // of 5.48 J
  EXPECT_NEAR(coarse / fine, 2, 0.2);
}

TEST(JointMotion, BodyWithoutShapesTurns) {
  SceneBuilder b("wheel");
  b.settings().gravity = {};
  const int wheel = b.add_body(solid({}, {0.1, 0.1, 0.1}, {}, {}));
  const int hinge = b.add_joint_at(JointKind::kHinge, kWorldBody, wheel, {}, {0, 0, 1});
  const int motor = b.add_motor(hinge);
  World world(b.build());
  world.set_control(motor, 1);
  for (int k = 0; k < 60; ++k) ASSERT_EQ(world.step().status, StepStatus::kSolved);
  EXPECT_NEAR(world.joint_position(hinge), 10 * 0.5 * 61 / 60, 1e-9);  // ½ q̈ t², implicit Euler
}

TEST(JointMotion, AxesNearlyOppositeToZ) {
  for (const Vec3 given : {Vec3{0, 0, -1}, Vec3{1e-17, -2e-17, -1 + 1e-16}, Vec3{1e-9, 1e-8, -1}, Vec3{0.02, 0.03, -1},
                           Vec3{0.05, -0.04, -1}}) {
    const Vec3 axis = (1 / norm(given)) * given;
    EXPECT_LT(norm(rotate(rotation_of_z_to(axis), {0, 0, 1}) - axis), 1e-14) << given.x << ' ' << given.y;
  }
}

}  // namespace
}  // namespace repose
