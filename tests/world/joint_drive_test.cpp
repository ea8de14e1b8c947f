// SPDX-License-Identifier: Apache-2.0
// What acts along the coordinates of joints, against closed forms: limits, dry friction, springs, dampers, rotors,
// motors and servos; and a gripper that holds a cube by friction alone.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include "repose/scene/builder.h"
#include "repose/world/world.h"
#include "tests/support/complaint.h"

namespace repose {
namespace {

using testing::complaint;

constexpr double kGravity = 9.81, kStep = 1.0 / 60;
constexpr std::uint32_t kNothing = 0;  // collides with nothing

/// A cube of 8 kg that moves along x, without gravity.
SceneBuilder slider() {
  SceneBuilder b("slider");
  b.settings().gravity = {};
  const int cube = b.add_body({.name = "cube"});
  b.add_shape_box(cube, {0.1, 0.1, 0.1}, {.mask = kNothing});
  b.add_joint_at(JointKind::kSlide, kWorldBody, cube, {0, 0, 0}, {1, 0, 0});
  return b;
}

/// A cube of 8 kg that turns about z through its centre, without gravity.
SceneBuilder wheel() {
  SceneBuilder b("wheel");
  b.settings().gravity = {};
  const int cube = b.add_body({.name = "cube"});
  b.add_shape_box(cube, {0.1, 0.1, 0.1}, {.mask = kNothing});
  b.add_joint_at(JointKind::kHinge, kWorldBody, cube, {0, 0, 0}, {0, 0, 1});
  return b;
}
constexpr double kMass = 8, kInertia = 8 * 0.04 / 6;

/// A cube of 8 kg on an arm of 1 m that turns about y through the origin, at `angle` from the vertical; the joint's
/// coordinate is 0 where it starts.
SceneBuilder pendulum(double angle) {
  SceneBuilder b("pendulum");
  const Quat turn = exponential({0, -angle, 0});
  const int bob = b.add_body({.name = "bob", .pose = {rotate(turn, {0, 0, -1}), turn}});
  b.add_shape_box(bob, {0.1, 0.1, 0.1}, {.mask = kNothing});
  b.add_joint_at(JointKind::kHinge, kWorldBody, bob, {0, 0, 0}, {0, 1, 0});
  return b;
}
constexpr double kTorque = kMass * kGravity;  // of gravity on a horizontal pendulum, N m

void run(World& world, int steps) {
  for (int k = 0; k < steps; ++k) {
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved) << k;
    ASSERT_LE(report.joint_error, 1e-10) << k;  // of mechanisms of about 1 m
  }
}

TEST(JointDrive, SpringAndDamperAreImplicitEuler) {
  SceneBuilder b = slider();
  const double k = 700, d = 11, at = 0.3;
  b.joint(0).coordinates[0].stiffness = k;
  b.joint(0).coordinates[0].damping = d;
  b.joint(0).coordinates[0].reference = at;
  World world(b.build());
  double x = 0, v = 0;
  for (int n = 0; n < 120; ++n) {
    run(world, 1);
    v = (kMass * v - kStep * k * (x - at)) / (kMass + kStep * d + kStep * kStep * k);
    x += kStep * v;
    EXPECT_NEAR(world.joint_position(0), x, 1e-10);
    EXPECT_NEAR(world.joint_velocity(0), v, 1e-9);
  }
}

TEST(JointDrive, RotorAddsItsInertia) {
  SceneBuilder b = wheel();
  b.joint(0).coordinates[0].armature = 0.2;
  const int motor = b.add_motor(0);
  World world(b.build());
  world.set_control(motor, 0.5);
  run(world, 60);
  EXPECT_NEAR(world.joint_velocity(0), 0.5 / (kInertia + 0.2), 1e-9);
}

TEST(JointDrive, DryFrictionStopsAWheelAndHoldsIt) {
  SceneBuilder b = wheel();
  const double friction = 0.03, spin = 0.5;
  b.joint(0).coordinates[0].friction = friction;
  World world(b.build());
  world.set_velocity(0, {}, {0, 0, spin});
  // ω falls by hτ/I per step; the angle is h times the sum of the velocities that are left.
  double angle = 0;
  for (double w = spin - kStep * friction / kInertia; w > 0; w -= kStep * friction / kInertia) angle += kStep * w;
  run(world, 120);
  EXPECT_NEAR(world.joint_position(0), angle, 1e-9);
  const double at = world.joint_position(0);
  world.set_velocity(0, {}, {});
  run(world, 600);
  EXPECT_EQ(world.joint_position(0), at);
}

/// Each swing loses the work of friction: 1 − cos θ' = 1 − cos θ − (τ/mgr)(θ + θ').
double next_turning_point(double angle, double share) {
  double low = 0, high = angle;
  for (int k = 0; k < 100; ++k) {
    const double x = 0.5 * (low + high);
    (std::cos(x) - std::cos(angle) - share * (angle + x) > 0 ? low : high) = x;
  }
  return low;
}

TEST(JointDrive, PendulumWithDryFrictionStopsAtTheAngleOfTheClosedForm) {
  const double start = 1.0, share = 0.15;
  SceneBuilder b = pendulum(start);
  b.settings().dt = 1.0 / 2000;
  b.joint(0).coordinates[0].friction = share * kTorque;
  double angle = start;
  int swings = 0;
  while (std::sin(angle) > share) angle = next_turning_point(angle, share), ++swings;
  const double stop = swings % 2 == 0 ? angle : -angle;
  World world(b.build());
  run(world, 12000);
  // The joint's coordinate is 0 at the start, where the pendulum is at `start`.
  EXPECT_NEAR(start - world.joint_position(0), stop, 2e-3);
  const BodyState rest = world.states()[0];
  run(world, 2000);
  EXPECT_EQ(world.states()[0].centre.x, rest.centre.x);
  EXPECT_EQ(world.states()[0].centre.z, rest.centre.z);
  EXPECT_EQ(world.states()[0].rotation.y, rest.rotation.y);
}

TEST(JointDrive, LimitStopsAPendulumAndCarriesItsTorque) {
  SceneBuilder b = pendulum(1.0);
  const double limit = 0.6;  // 0.4 rad before the vertical
  b.joint(0).coordinates[0].lower = -0.5;
  b.joint(0).coordinates[0].upper = limit;
  World world(b.build());
  double most = 0;
  for (int k = 0; k < 300; ++k) {
    run(world, 1);
    most = std::max(most, world.joint_position(0));
  }
  EXPECT_NEAR(most, limit, 1e-12);
  EXPECT_NEAR(world.joint_position(0), limit, 1e-12);
  EXPECT_NEAR(world.joint_velocity(0), 0, 1e-9);
  double torque = 0;
  for (const JointBlock& block : world.joint_blocks())
    if (block.role == JointRole::kLimit) torque = -block.scale.t1 * block.lambda.t1 / kStep;
  EXPECT_NEAR(torque, kTorque * std::sin(0.4), 1e-6 * kTorque);
}

/// Runs a coordinate without gravity that starts at 0 with this speed between limits at ±0.5. Returns how often it has
/// changed its direction; checks that every time its speed is the share e of that before.
int bounce(SceneBuilder b, double e, double speed, Vec3 velocity, Vec3 spin) {
  b.joint(0).coordinates[0].lower = -0.5, b.joint(0).coordinates[0].upper = 0.5;
  b.joint(0).coordinates[0].restitution = e;
  World world(b.build());
  world.set_velocity(0, velocity, spin);
  double last = speed;
  int bounces = 0;
  for (int k = 0; k < 600; ++k) {
    run(world, 1);
    const double now = world.joint_velocity(0);
    EXPECT_LE(std::abs(world.joint_position(0)), 0.5 + 1e-12) << k;
    if (now * last < 0) {
      EXPECT_NEAR(now, -e * last, 1e-9 * std::abs(last)) << k;
      ++bounces;
    } else {
      EXPECT_NEAR(now, last, 1e-9 * speed) << k;
    }
    last = now;
  }
  return bounces;
}

TEST(JointDrive, LimitsReboundWithTheirRestitution) {
  // 29 m in 600 steps, 1 m from limit to limit less what is left of two steps of 0.048 m.
  for (const int bounces : {bounce(slider(), 1, 2.9, {2.9, 0, 0}, {}), bounce(wheel(), 1, 2.9, {}, {0, 0, 2.9})}) {
    EXPECT_GE(bounces, 29);
    EXPECT_LE(bounces, 32);
  }
  // 0.5/3 s to the first limit, then 1/(3 · 2⁻ⁿ) s each: 0.17, 0.83, 2.17, 4.83 s; the sixth after 10.2 s.
  EXPECT_EQ(bounce(slider(), 0.5, 3, {3, 0, 0}, {}), 4);
}

TEST(JointDrive, LimitWithoutRestitutionStopsWithinItsStep) {
  SceneBuilder b = slider();
  b.joint(0).coordinates[0].upper = 0.5;
  World world(b.build());
  world.set_velocity(0, {3, 0, 0}, {});
  run(world, 20);
  EXPECT_NEAR(world.joint_position(0), 0.5, 1e-12);
  EXPECT_NEAR(world.joint_velocity(0), 0, 1e-9);
}

TEST(JointDrive, PendulumBetweenElasticLimitsKeepsItsEnergy) {
  SceneBuilder b = pendulum(1.0);
  b.settings().dt = 1e-3;
  b.joint(0).coordinates[0].upper = 1.2;  // 0.2 rad beyond the vertical
  b.joint(0).coordinates[0].restitution = 1;
  World world(b.build());
  const double start = world.energy();
  double off = 0;
  for (int k = 0; k < 10000; ++k) {
    run(world, 1);
    off = std::max(off, std::abs(world.energy() - start));
  }
  EXPECT_LE(off, 2e-2 * kTorque);  // of first order in the step, without drift
}

TEST(JointDrive, AngleOutsideItsRangeReturnsWithoutAJump) {
  SceneBuilder b = wheel();
  b.joint(0).coordinates[0].lower = 0.5;
  World world(b.build());
  run(world, 1);
  EXPECT_NEAR(world.joint_position(0), 0.2 * 0.5, 1e-9);
  run(world, 120);
  EXPECT_GE(world.joint_position(0), 0.5 - 1e-9);
}

TEST(JointDrive, StiffServoHoldsAPendulumUpright) {
  SceneBuilder b = pendulum(std::numbers::pi / 2);
  const double stiffness = 1e7;
  const int servo = b.add_position_servo(0, stiffness, 1e4);
  World world(b.build());
  world.set_control(servo, 0);
  run(world, 600);
  EXPECT_NEAR(world.joint_position(0), kTorque / stiffness, 1e-3 * kTorque / stiffness);
  world.set_control(servo, -1);
  run(world, 600);
  EXPECT_NEAR(world.joint_position(0), -1, 1e-4);
}

TEST(JointDrive, ServoIsClampedExactly) {
  for (const double share : {0.95, 1.05}) {
    SceneBuilder b = pendulum(std::numbers::pi / 2);
    b.add_position_servo(0, 1e7, 1e4, share * kTorque);
    World world(b.build());
    run(world, 30);
    if (share < 1) {
      // Falls with the torque that is left.
      const double rate = (1 - share) * kTorque / (kMass + kInertia);
      EXPECT_NEAR(world.joint_velocity(0), rate * 0.5, 0.05 * rate * 0.5);
    } else {
      EXPECT_NEAR(world.joint_position(0), 0, 1e-4);
    }
  }
}

TEST(JointDrive, VelocityServoReachesItsSpeed) {
  SceneBuilder b = wheel();
  const int servo = b.add_velocity_servo(0, 1e6, 2.0);
  World world(b.build());
  world.set_control(servo, 10);
  run(world, 1);
  EXPECT_NEAR(world.joint_velocity(0), kStep * 2.0 / kInertia, 1e-9);  // at its largest torque
  run(world, 60);
  EXPECT_NEAR(world.joint_velocity(0), 10, 1e-5);
}

TEST(JointDrive, MotorIsClampedAndGeared) {
  SceneBuilder b = wheel();
  const int motor =
      b.add_actuator({.joint = 0, .gear = 3, .force_lower = -0.2, .force_upper = 0.2, .control_upper = 5});
  World world(b.build());
  world.set_control(motor, 100);
  run(world, 10);
  EXPECT_NEAR(world.joint_velocity(0), 10 * kStep * 3 * 0.2 / kInertia, 1e-10);
}

TEST(JointDrive, AngleCountsWholeTurns) {
  SceneBuilder b = wheel();
  World world(b.build());
  world.set_velocity(0, {}, {0, 0, 30});
  run(world, 120);
  EXPECT_NEAR(world.joint_position(0), 60, 1e-9);
}

TEST(JointDrive, BallJointWithFrictionHolds) {
  SceneBuilder b("ball");
  const int bob = b.add_body({.pose = {{1, 0, 0}, {}}});
  b.add_shape_box(bob, {0.1, 0.1, 0.1}, {.mask = kNothing});
  b.add_joint_at(JointKind::kBall, kWorldBody, bob, {0, 0, 0});
  b.joint(0).coordinates[0].friction = 1.01 * kTorque;
  World world(b.build());
  for (int k = 0; k < 3600; ++k) {
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved) << k;
    ASSERT_LE(report.joint_error, 1e-10) << k;
  }
  EXPECT_NEAR(world.states()[0].centre.z, 0, 1e-9);
}

/// Two fingers on slides press a cube from both sides with a constant force.
Scene gripper(double force, double mu) {
  SceneBuilder b("gripper");
  const int pad = b.add_material({.name = "pad", .friction = mu});
  const int left = b.add_body({.name = "left", .pose = {{-0.07, 0, 0}, {}}});
  const int right = b.add_body({.name = "right", .pose = {{0.07, 0, 0}, {}}});
  const int cube = b.add_body({.name = "cube"});
  for (const int finger : {left, right}) b.add_shape_box(finger, {0.02, 0.05, 0.05}, {.material = pad});
  b.add_shape_box(cube, {0.05, 0.05, 0.05}, {.material = pad});
  b.add_joint_at(JointKind::kSlide, kWorldBody, left, {-0.07, 0, 0}, {1, 0, 0});
  b.add_joint_at(JointKind::kSlide, kWorldBody, right, {0.07, 0, 0}, {-1, 0, 0});
  for (const int joint : {0, 1})
    b.add_actuator({.joint = joint, .force_lower = -force, .force_upper = force, .control = 1e6});
  return b.build();
}

TEST(JointDrive, GripperHoldsACubeWithLittleMoreThanTheLeastForce) {
  const double weight = 1000 * 0.001 * kGravity, mu = 0.5, least = weight / (2 * mu);
  World world(gripper(1.05 * least, mu));
  run(world, 3600);
  EXPECT_LE(norm(world.states()[2].centre), 1e-9);
  World weaker(gripper(0.95 * least, mu));
  run(weaker, 3);
  const double before = weaker.states()[2].velocity.z;
  run(weaker, 15);
  EXPECT_NEAR(weaker.states()[2].velocity.z - before, -0.05 * kGravity * 0.25, 1e-6);
}

TEST(JointDrive, CheckpointContinuesWithTheSameBits) {
  SceneBuilder b = pendulum(1.0);
  b.joint(0).coordinates[0].upper = 0.6;
  b.joint(0).coordinates[0].friction = 0.1;
  const int servo = b.add_position_servo(0, 100, 1, 20);
  const Scene scene = b.build();
  World world(scene), other(scene);
  world.set_control(servo, 0.3);
  run(world, 40);
  std::stringstream file;
  world.save(file);
  run(world, 40);
  other.load(file);
  EXPECT_EQ(other.controls()[0], 0.3);
  run(other, 40);
  EXPECT_EQ(world.state_hash(), other.state_hash());
}

TEST(JointDrive, WrongControlsAndCoordinatesAreRefused) {
  SceneBuilder b = wheel();
  b.add_motor(0);
  World world(b.build());
  EXPECT_EQ(complaint([&] { world.set_control(1, 0); }), "set_control: actuator: expected 0 to 0, got 1");
  EXPECT_EQ(complaint([&] { world.set_control(0, NAN); }),
            "set_control: actuator 0: expected a finite number, got nan");
  EXPECT_EQ(complaint([&] { (void)world.joint_position(2); }), "joint_position: joint: expected 0 to 0, got 2");
  EXPECT_EQ(complaint([&] { (void)world.joint_velocity(0, 1); }),
            "joint_velocity: coordinate: expected one of the joint's 1, got 1");
}

}  // namespace
}  // namespace repose
