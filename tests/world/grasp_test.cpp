// SPDX-License-Identifier: Apache-2.0
// Grips that hold still: limits keep their impulse from step to step, and contacts that lock a joint need no
// self-stress.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "repose/scene/builder.h"
#include "repose/scene/load.h"
#include "repose/world/world.h"
#include "tests/support/data.h"

namespace repose {
namespace {

constexpr std::uint32_t kNothing = 0;  // collides with nothing

/// A carriage on a vertical slide that a servo holds, for fingers to be hinged to.
int add_carriage(SceneBuilder& b) {
  b.settings().dt = 0.002;
  const int base = b.add_body({.name = "base"});
  b.add_shape_box(base, {0.05, 0.05, 0.02}, {.mask = kNothing});
  const int lift = b.add_joint_at(JointKind::kSlide, kWorldBody, base, {0, 0, 0}, {0, 0, 1});
  b.add_position_servo(lift, 20000, 1500);
  return base;
}

/// The impulse along the coordinate that a limit carries.
double along(const JointBlock& block, ContactVec lambda) {
  return block.scale.n * lambda.n + block.scale.t1 * lambda.t1;
}

TEST(Grasp, LimitKeepsItsImpulseFromStepToStep) {
  SceneBuilder b("limit");
  const int base = add_carriage(b);
  const int finger = b.add_body({.name = "finger", .pose = {{0.04, 0, -0.06}, {}}});
  b.add_shape_box(finger, {0.01, 0.01, 0.03}, {.mask = kNothing});
  const int hinge = b.add_joint_at(JointKind::kHinge, base, finger, {0.04, 0, -0.02}, {0, 1, 0});
  b.joint(hinge).coordinates[0].lower = -0.3, b.joint(hinge).coordinates[0].upper = 1;
  const int servo = b.add_position_servo(hinge, 1, 0.01);
  World world(b.build());
  world.set_control(servo, -1);
  double last = 0;
  int lost = 0;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_EQ(world.step().status, StepStatus::kSolved) << k;
    for (const JointBlock& block : world.joint_blocks()) {
      if (block.role != JointRole::kLimit) continue;
      lost += k > 1000 && std::abs(along(block, block.start) - last) > 1e-6 * last;
      last = along(block, block.lambda);
    }
  }
  EXPECT_NEAR(last / 0.002, 0.7, 0.01);  // the servo's torque, and a little of the finger's weight
  EXPECT_EQ(lost, 0);
}

/// Two fingers that swing sideways as far as their limits, and close on a ball.
Scene pinch() {
  SceneBuilder b("pinch");
  b.add_material({.friction = 0.8});
  const int base = add_carriage(b);
  const int ball = b.add_body({.name = "ball", .pose = {{0, 0, -0.1}, {}}});
  b.add_shape_sphere(ball, 0.03);
  for (const double side : {-1.0, 1.0}) {
    const Vec3 knuckle{0.045 * side, 0, -0.02};
    const int yoke = b.add_body({.pose = {{knuckle.x, 0, -0.025}, {}}});
    b.add_shape_box(yoke, {0.005, 0.005, 0.005}, {.mask = kNothing});
    const int spread = b.add_joint_at(JointKind::kHinge, base, yoke, knuckle, {1, 0, 0});
    b.joint(spread).coordinates[0].lower = 0, b.joint(spread).coordinates[0].upper = 0.3;
    b.joint(spread).coordinates[0].damping = 0.01;
    b.add_position_servo(spread, 1, 0);
    const int finger = b.add_body({.pose = {{knuckle.x, 0, -0.06}, {}}});
    b.add_shape_capsule(finger, 0.01, 0.04);
    const int curl = b.add_joint_at(JointKind::kHinge, yoke, finger, knuckle, {0, side, 0});
    b.joint(curl).coordinates[0].damping = 0.01, b.joint(curl).coordinates[0].friction = 0.01;
    b.add_position_servo(curl, 2, 0);
  }
  return b.build();
}

TEST(Grasp, PinchedBallDoesNotCreep) {
  World world(pinch());
  for (const int spread : {1, 3}) world.set_control(spread, -0.05);
  for (const int curl : {2, 4}) world.set_control(curl, 0.6);
  const auto place = [&] { return world.pose(1).position - world.pose(0).position; };
  Vec3 start;
  for (int k = 0; k < 5000; ++k) {
    if (k == 1000) start = place();
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved) << k;
    ASSERT_LE(report.joint_error, 1e-11) << k;
  }
  EXPECT_LE(norm(place() - start), 1e-9);
}

/// The little finger of this hand comes to lie on its metacarpal so that contact and knuckle may press against each
/// other with any force.
TEST(Grasp, FistNeedsNoSelfStress) {
  REPOSE_NEEDS_DATA("menagerie");
  World world(load_scene((testing::data_dir() / "menagerie/shadow_hand/right_hand.xml").string()).scene);
  const auto& actuators = world.scene().actuators;
  const auto ends_with = [](const std::string& name, const char* end) { return name.ends_with(end); };
  double most = 0;
  for (int k = 0; k < 1000; ++k) {
    const double share = std::min(1.0, k / 400.0);
    for (int a = 0; a < static_cast<int>(actuators.size()); ++a) {
      const std::string& name = actuators[static_cast<std::size_t>(a)].name;
      if (ends_with(name, "J3")) world.set_control(a, 1.4 * share);
      if (ends_with(name, "J0")) world.set_control(a, 2.2 * share);
    }
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved) << k;
    ASSERT_LE(report.joint_error, 1e-10) << k;
    for (const Contact& c : world.contacts()) most = std::max(most, c.lambda.n);
  }
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 0.1);  // N s; servos of 1 N m press at some centimetres for steps of 2 ms
}

}  // namespace
}  // namespace repose
