// SPDX-License-Identifier: Apache-2.0
// Sensors of a world against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "repose/scene/builder.h"
#include "repose/world/sensor_volume.h"
#include "repose/world/world.h"

namespace repose {
namespace {

constexpr double kGravity = 9.81;
constexpr std::uint32_t kNothing = 0;  // collides with nothing
const Vec3 kWeightless{0, 0, 0};

/// A cube of 8 kg that collides with nothing.
int add_cube(SceneBuilder& b, const Pose& pose, Vec3 velocity = {}, Vec3 spin = {}) {
  const int body = b.add_body({.pose = pose, .velocity = velocity, .angular_velocity = spin});
  b.add_shape_box(body, {0.1, 0.1, 0.1}, {.mask = kNothing});
  return body;
}

Vec3 vec(const std::vector<double>& numbers) {
  EXPECT_EQ(numbers.size(), 3U);
  return {numbers[0], numbers[1], numbers[2]};
}

void expect_near(Vec3 found, Vec3 wanted, double close) {
  EXPECT_LE(norm(found - wanted), close) << found.x << ' ' << found.y << ' ' << found.z << ", expected " << wanted.x
                                         << ' ' << wanted.y << ' ' << wanted.z;
}

TEST(Sensors, AForceSensorBearsTheWeightOfAllThatHangsOnIt) {
  const Quat turn = exponential({0.3, -0.5, 0.2});
  const Vec3 lever{0.5, 0.2, 0.1};
  SceneBuilder b("lamp");
  const int upper = add_cube(b, {{0, 0, 1}, turn}), lower = add_cube(b, {{0.4, 0, 0.5}, {}});
  b.add_joint_at(JointKind::kFixed, kWorldBody, upper, {0, 0, 2});
  b.add_joint_at(JointKind::kFixed, upper, lower, {0, 0, 1});
  const Pose site{lever, exponential({0, 0.4, 0})};
  const int force = b.add_site_sensor(SensorKind::kForce, upper, site);
  const int torque = b.add_site_sensor(SensorKind::kTorque, upper, site);
  const int last = b.add_site_sensor(SensorKind::kForce, lower);
  World world(b.build());
  for (int k = 0; k < 5; ++k) ASSERT_EQ(world.step().status, StepStatus::kSolved);
  const double weight = 8 * kGravity;
  const Pose in_world = world.pose(upper) * site;
  expect_near(vec(world.sensor(force)), rotate_back(in_world.rotation, {0, 0, 2 * weight}), 1e-8 * weight);
  const Vec3 moment = cross(world.states()[0].centre - in_world.position, {0, 0, weight}) +
                      cross(world.states()[1].centre - in_world.position, {0, 0, weight});
  expect_near(vec(world.sensor(torque)), rotate_back(in_world.rotation, moment), 1e-8 * weight);
  expect_near(vec(world.sensor(last)), {0, 0, weight}, 1e-8 * weight);
}

TEST(Sensors, AForceSensorMayHoldAPartOfItsBody) {
  SceneBuilder b("shelf");
  const int body = b.add_body({.pose = {{0, 0, 1}, {}}});
  const MassProperties one = mass_properties(Box{{0.1, 0.1, 0.1}}, 1000);
  for (const double x : {0.0, 0.5}) b.add_shape_box(body, {0.1, 0.1, 0.1}, {.pose = {{x, 0, 0}, {}}});
  b.add_joint_at(JointKind::kFixed, kWorldBody, body, {0, 0, 1});
  const int hung = add_cube(b, {{0.5, 0, 0}, {}});
  const int joint = b.add_joint_at(JointKind::kHinge, body, hung, {0.5, 0, 0.5}, {0, 1, 0});
  const int brick = b.add_body({.pose = {{0.5, 0, 1.2}, {}}});
  b.add_shape_box(brick, {0.1, 0.1, 0.1});
  const auto add = [&](SensorKind kind, std::vector<int> joints) {
    return b.add_sensor({.kind = kind,
                         .site = {body, {{0.4, 0, 0}, {}}},
                         .shapes = std::vector<int>{1},
                         .part = SensorPart{moved(one, {{0.5, 0, 0}, {}}), std::move(joints)}});
  };
  const int with = add(SensorKind::kForce, {joint}), without = add(SensorKind::kForce, {});
  const int torque = add(SensorKind::kTorque, {joint});
  World world(b.build());
  for (int k = 0; k < 30; ++k) ASSERT_EQ(world.step().status, StepStatus::kSolved);
  const double weight = 8 * kGravity;  // of the part, of the cube that hangs on it, of the brick that lies on it
  expect_near(vec(world.sensor(with)), {0, 0, 3 * weight}, 1e-6 * weight);
  expect_near(vec(world.sensor(without)), {0, 0, 2 * weight}, 1e-6 * weight);
  expect_near(vec(world.sensor(torque)), {0, -0.1 * 3 * weight, 0}, 1e-6 * weight);
}

TEST(Sensors, AForceSensorSumsWhatAJointTransmitsInMotion) {
  SceneBuilder b("swing");
  b.settings().dt = 1e-4;
  const int bob = add_cube(b, {{1, 0, 0}, {}});
  const int hinge = b.add_joint_at(JointKind::kHinge, kWorldBody, bob, {0, 0, 0}, {0, 1, 0});
  b.joint(hinge).coordinates[0].damping = 2;
  b.add_motor(hinge);
  const int force = b.add_site_sensor(SensorKind::kForce, bob), torque = b.add_site_sensor(SensorKind::kTorque, bob);
  World world(b.build());
  world.set_control(0, 3);
  for (int k = 0; k < 2000; ++k) {
    const Pose before = world.pose(bob);
    ASSERT_EQ(world.step().status, StepStatus::kSolved);
    if (k % 500 != 0) continue;
    Vec3 sum, moment;  // of the blocks of the hinge and of its motor, about the centre
    for (const JointBlock& block : world.joint_blocks()) {
      const double lambda[3] = {block.lambda.t1, block.lambda.t2, block.lambda.n};
      for (int r = 0; r < 3; ++r)
        sum = sum + 1e4 * lambda[r] * block.b.linear[r], moment = moment + 1e4 * lambda[r] * block.b.angular[r];
    }
    moment = moment + Vec3{0, 3, 0};
    expect_near(vec(world.sensor(force)), rotate_back(before.rotation, sum), 1e-7 * norm(sum));
    expect_near(vec(world.sensor(torque)), rotate_back(before.rotation, moment), 1e-7 * norm(sum));
  }
}

TEST(Sensors, AClosedLoopBearsItsShare) {
  SceneBuilder b("loop");
  const int cube = add_cube(b, {{0, 0, 0}, {}});
  b.add_joint_at(JointKind::kSlide, kWorldBody, cube, {0, 0, 0}, {0, 0, 1});
  b.add_distance(kWorldBody, cube, {0, 0, 1}, {0, 0, 0.1});
  const int force = b.add_site_sensor(SensorKind::kForce, cube);
  World world(b.build());
  ASSERT_EQ(world.step().status, StepStatus::kSolved);
  expect_near(vec(world.sensor(force)), {}, 1e-6);  // the distance bears the weight, not the slide
}

TEST(Sensors, AnAccelerometerAtRestReadsUpwardsAndNothingInFreeFall) {
  const Quat turn = exponential({0.3, -0.5, 0.2});
  SceneBuilder b("rest");
  const int held = add_cube(b, {{0, 0, 1}, turn}), falling = add_cube(b, {{5, 0, 1}, turn}, {1, 2, 3});
  b.add_joint_at(JointKind::kFixed, kWorldBody, held, {0, 0, 2});
  const Pose site{{0.1, 0.2, 0.3}, exponential({0, 0.4, 0})};
  const int rest = b.add_site_sensor(SensorKind::kAccelerometer, held, site);
  const int fall = b.add_site_sensor(SensorKind::kAccelerometer, falling, site);
  const int ground = b.add_site_sensor(SensorKind::kAccelerometer, kWorldBody);
  World world(b.build());
  EXPECT_EQ(world.sensor(rest), std::vector<double>(3, 0.0));  // nothing is known before the first step
  for (int k = 0; k < 5; ++k) world.step();
  expect_near(vec(world.sensor(rest)), rotate_back((world.pose(held) * site).rotation, {0, 0, kGravity}), 1e-7);
  expect_near(vec(world.sensor(fall)), {}, 1e-12);
  expect_near(vec(world.sensor(ground)), {0, 0, kGravity}, 1e-15);
}

TEST(Sensors, AnAccelerometerOnABodyWithAPrescribedMotion) {
  SceneBuilder b("lift");
  const int lift = b.add_body({});
  b.add_shape_box(lift, {0.1, 0.1, 0.1});
  b.add_motion(lift, ScriptMotion{[](double t) { return Pose{{0, 0, 1.5 * t * t}, {}}; }});
  const int sensor = b.add_site_sensor(SensorKind::kAccelerometer, lift, {{0.1, 0, 0}, {}});
  World world(b.build());
  world.step();
  for (int k = 0; k < 10; ++k) {
    world.step();
    expect_near(vec(world.sensor(sensor)), {0, 0, kGravity + 3}, 1e-10);
  }
}

TEST(Sensors, ASpinningBody) {
  SceneBuilder b("top");
  b.settings().gravity = kWeightless;
  b.settings().dt = 1e-5;
  const double spin = 7, arm = 0.3;
  const int body = add_cube(b, {}, {}, {0, 0, spin});
  const Pose site{{arm, 0, 0}, exponential({0, 0, 0.5})};
  const int gyro = b.add_site_sensor(SensorKind::kGyro, body, site);
  const int speed = b.add_site_sensor(SensorKind::kVelocimeter, body, site);
  const int pull = b.add_site_sensor(SensorKind::kAccelerometer, body, site);
  World world(b.build());
  for (int k = 0; k < 100; ++k) world.step();
  const auto inward = [](double size) { return rotate_back(exponential({0, 0, 0.5}), {-size, 0, 0}); };
  expect_near(vec(world.sensor(gyro)), {0, 0, spin}, 1e-12);
  expect_near(vec(world.sensor(speed)), rotate_back(exponential({0, 0, 0.5}), {0, spin * arm, 0}), 1e-12);
  // The mean over a step is half an angle of it behind the end.
  expect_near(vec(world.sensor(pull)), inward(spin * spin * arm), 0.51 * spin * 1e-5 * spin * spin * arm);
}

TEST(Sensors, JointsLimitsAndActuators) {
  SceneBuilder b("arm");
  b.settings().gravity = kWeightless;
  const int wheel = add_cube(b, {});
  const int hinge = b.add_joint_at(JointKind::kHinge, kWorldBody, wheel, {0, 0, 0}, {0, 0, 1});
  b.joint(hinge).coordinates[0].upper = 0.25;
  b.joint(hinge).coordinates[0].lower = -0.5;
  const int motor = b.add_actuator({.joint = hinge, .gear = 3});
  const int brake = b.add_velocity_servo(hinge, 0.5);
  const int double_sum = b.add_coupling({{.joint = hinge, .factors = {2, 0, 0, 0}}});
  for (const SensorKind kind : {SensorKind::kJointPosition, SensorKind::kJointVelocity, SensorKind::kJointActuatorForce,
                                SensorKind::kJointLimitForce})
    b.add_sensor(kind, hinge);
  for (const SensorKind kind :
       {SensorKind::kActuatorPosition, SensorKind::kActuatorVelocity, SensorKind::kActuatorForce})
    b.add_sensor(kind, motor);
  b.add_sensor(SensorKind::kActuatorForce, brake);
  b.add_sensor(SensorKind::kJointPosition, double_sum);
  b.add_sensor({.name = "clipped", .kind = SensorKind::kJointActuatorForce, .object = hinge, .cutoff = 1});
  World world(b.build());
  for (const double control : {2.0, -2.0}) {
    world.set_control(motor, control);
    world.step();
    std::vector<double> x = world.sensor_data();
    ASSERT_EQ(x.size(), 10U);
    EXPECT_EQ(x[0], world.joint_position(hinge));
    EXPECT_EQ(x[1], world.joint_velocity(hinge));
    EXPECT_NEAR(x[2], 3 * control + x[7], 1e-12);
    EXPECT_EQ(x[4], 3 * x[0]);
    EXPECT_EQ(x[5], 3 * x[1]);
    EXPECT_EQ(x[6], control);
    EXPECT_NEAR(x[7], -0.5 * x[1], 1e-9);  // of the velocity at the end of the step
    EXPECT_NEAR(x[8], 2 * x[0], 1e-15);
    EXPECT_EQ(x[9], control > 0 ? 1 : -1);
    for (int k = 0; k < 300; ++k) ASSERT_EQ(world.step().status, StepStatus::kSolved);
    x = world.sensor_data();
    EXPECT_NEAR(x[0], control > 0 ? 0.25 : -0.5, 1e-9);
    EXPECT_NEAR(x[3], 6, 1e-7);  // the limit bears the motor
  }
}

TEST(Sensors, AnActuatorOfACouplingActsOnItsCoordinates) {
  SceneBuilder b("tendon");
  b.settings().gravity = kWeightless;
  const int wheel = add_cube(b, {});
  const int hinge = b.add_joint_at(JointKind::kHinge, kWorldBody, wheel, {0, 0, 0}, {0, 0, 1});
  const int tendon = b.add_coupling({{.joint = hinge, .factors = {2, 0.5, 0, 0}}});
  b.add_actuator({.joint = tendon, .gear = 3});
  const int force = b.add_sensor(SensorKind::kJointActuatorForce, hinge);
  World world(b.build());
  world.set_control(0, 0.5);
  for (int k = 0; k < 20; ++k) {
    const double q = world.joint_position(hinge);
    world.step();
    EXPECT_NEAR(world.sensor(force)[0], (2 + q) * 1.5, 1e-12);
  }
}

/// ½ I q̇² + m g z of a pendulum that was released at rest.
TEST(Sensors, APendulumKeepsTheSumOfItsTwoEnergies) {
  SceneBuilder b("pendulum");
  b.settings().dt = 1e-4;
  const int bob = add_cube(b, {{1, 0, 0}, {}});
  const int hinge = b.add_joint_at(JointKind::kHinge, kWorldBody, bob, {0, 0, 0}, {0, 1, 0});
  const int position = b.add_sensor(SensorKind::kJointPosition, hinge);
  const int velocity = b.add_sensor(SensorKind::kJointVelocity, hinge);
  World world(b.build());
  const double inertia = 8 * (1 + 2 * 0.01 / 3);
  for (int k = 0; k < 4000; ++k) {
    ASSERT_EQ(world.step().status, StepStatus::kSolved);
    const double q = world.sensor(position)[0], rate = world.sensor(velocity)[0];
    // Of first order in the step: the velocity is that of the chord.
    EXPECT_NEAR(0.5 * inertia * rate * rate, 8 * kGravity * std::sin(q),
                0.5 * 8 * kGravity * 1e-4 * std::abs(rate) + 1e-6);
  }
}

TEST(Sensors, TouchOfACubeIsItsWeight) {
  SceneBuilder b("touch");
  b.add_ground_plane();
  const int cube = b.add_body({.pose = {{0, 0, 0.1}, exponential({0, 0, 0.3})}});
  b.add_shape_box(cube, {0.1, 0.1, 0.1});
  const int all = b.add_site_sensor(SensorKind::kTouch, cube);
  const int ground = b.add_site_sensor(SensorKind::kTouch, 0);
  const int force = b.add_site_sensor(SensorKind::kContactForce, cube);
  const int reaction = b.add_site_sensor(SensorKind::kContactForce, 0);
  const auto half = [&](double x) {
    return b.add_sensor({.kind = SensorKind::kTouch,
                         .site = {cube, {{x, 0, -0.1}, {}}},
                         .volume = SensorVolume{SensorVolume::Kind::kBox, {0.09, 0.2, 0.01}}});
  };
  const int left = half(-0.1), right = half(0.1);
  const int none = b.add_sensor({.kind = SensorKind::kTouch, .site = {cube, {}}, .shapes = std::vector<int>{}});
  World world(b.build());
  for (int k = 0; k < 100; ++k) ASSERT_EQ(world.step().status, StepStatus::kSolved);
  const double weight = 8 * kGravity;
  EXPECT_NEAR(world.sensor(all)[0], weight, 1e-8 * weight);
  EXPECT_NEAR(world.sensor(ground)[0], weight, 1e-8 * weight);
  expect_near(vec(world.sensor(force)), {0, 0, weight}, 1e-8 * weight);
  expect_near(vec(world.sensor(reaction)), {0, 0, -weight}, 1e-8 * weight);
  EXPECT_NEAR(world.sensor(left)[0] + world.sensor(right)[0], weight, 1e-8 * weight);
  EXPECT_NEAR(world.sensor(left)[0], weight / 2, 0.05 * weight);
  EXPECT_EQ(world.sensor(none)[0], 0);
}

TEST(Sensors, VolumesMeetRays) {
  using Kind = SensorVolume::Kind;
  const auto check = [](Kind kind, Vec3 half, Vec3 point, Vec3 direction) {
    return meets({kind, half}, point, direction);
  };
  const Vec3 half{1, 2, 3}, round{1, 1, 2};
  for (const Kind kind : {Kind::kBox, Kind::kEllipsoid, Kind::kCylinder, Kind::kCapsule}) {
    const Vec3 h = kind == Kind::kBox || kind == Kind::kEllipsoid ? half : round;
    EXPECT_TRUE(check(kind, h, {0.5, 0.3, -0.5}, {1, 0, 0}));  // inside
    EXPECT_TRUE(check(kind, h, {5, 0, 0}, {-2, 0, 0}));        // in front
    EXPECT_FALSE(check(kind, h, {5, 0, 0}, {2, 0, 0}));        // behind
    EXPECT_FALSE(check(kind, h, {5, 0, 0}, {0, 0, 1}));        // beside
    EXPECT_TRUE(check(kind, h, {0, 0, -9}, {0, 0, 1}));
  }
  EXPECT_TRUE(check(Kind::kBox, half, {0.9, 1.9, 2.9}, {1, 0, 0}));
  EXPECT_FALSE(check(Kind::kEllipsoid, half, {0.9, 1.9, 2.9}, {1, 0, 0}));
  EXPECT_TRUE(check(Kind::kCapsule, round, {0, 0, 2.9}, {1, 0, 0}));  // in a cap
  EXPECT_FALSE(check(Kind::kCylinder, round, {0, 0, 2.9}, {1, 0, 0}));
  EXPECT_FALSE(check(Kind::kCapsule, round, {0.9, 0, 2.9}, {1, 0, 0}));
}

TEST(Sensors, FramesSeenFromOthers) {
  SceneBuilder b("frames");
  b.settings().gravity = kWeightless;
  const Quat turn = exponential({0.3, -0.5, 0.2});
  const int one = add_cube(b, {{1, 2, 3}, turn}, {0.5, 0, 0}, {0, 0, 2});
  const int two = add_cube(b, {{-1, 0, 1}, {}}, {0, 0.25, 0}, {1, 0, 0});
  const Pose site{{0.1, 0.2, 0.3}, exponential({0, 0.4, 0})};
  const SensorKind kinds[] = {SensorKind::kFramePosition,       SensorKind::kFrameQuaternion,
                              SensorKind::kFrameXAxis,          SensorKind::kFrameYAxis,
                              SensorKind::kFrameZAxis,          SensorKind::kFrameVelocity,
                              SensorKind::kFrameAngularVelocity};
  for (const SensorKind kind : kinds) b.add_site_sensor(kind, one, site);
  for (const SensorKind kind : kinds)
    b.add_sensor({.kind = kind, .site = {one, site}, .reference = SensorFrame{two, site}});
  const World world(b.build());
  const Pose from = world.pose(two) * site, to = world.pose(one) * site;
  expect_near(vec(world.sensor(0)), to.position, 1e-15);
  EXPECT_EQ(world.sensor(1).size(), 4U);
  EXPECT_NEAR(world.sensor(1)[2], to.rotation.y, 1e-15);
  expect_near(vec(world.sensor(2)), rotate(to.rotation, {1, 0, 0}), 1e-15);
  expect_near(vec(world.sensor(3)), rotate(to.rotation, {0, 1, 0}), 1e-15);
  expect_near(vec(world.sensor(4)), rotate(to.rotation, {0, 0, 1}), 1e-15);
  expect_near(vec(world.sensor(5)), Vec3{0.5, 0, 0} + cross({0, 0, 2}, to.position - Vec3{1, 2, 3}), 1e-15);
  expect_near(vec(world.sensor(6)), {0, 0, 2}, 1e-15);
  // The same from the frames a little later: what the reference sees is the derivative of what it sees.
  const auto seen = [&](double t) {
    const auto at_time = [&](Pose pose, Vec3 v, Vec3 w) {
      return Pose{pose.position + t * v, exponential(t * w) * pose.rotation} * site;
    };
    return inverse(at_time({{-1, 0, 1}, {}}, {0, 0.25, 0}, {1, 0, 0})) *
           at_time({{1, 2, 3}, turn}, {0.5, 0, 0}, {0, 0, 2});
  };
  expect_near(vec(world.sensor(7)), (inverse(from) * to).position, 1e-15);
  EXPECT_NEAR(world.sensor(8)[0], (inverse(from) * to).rotation.w, 1e-15);
  expect_near(vec(world.sensor(10)), rotate(seen(0).rotation, {0, 1, 0}), 1e-15);
  const double h = 1e-5;
  expect_near(vec(world.sensor(12)), 1 / (2 * h) * (seen(h).position - seen(-h).position), 1e-8);
  const Quat change = seen(h).rotation * conjugate(seen(-h).rotation);
  expect_near(vec(world.sensor(13)), 1 / h * Vec3{change.x, change.y, change.z}, 1e-8);
}

TEST(Sensors, NothingMovesForThem) {
  const auto make = [](bool sensed) {
    SceneBuilder b("same");
    b.add_ground_plane();
    const int cube = b.add_body({.pose = {{0, 0, 0.3}, exponential({0.1, 0.2, 0})}});
    b.add_shape_box(cube, {0.1, 0.1, 0.1});
    for (const SensorKind kind : {SensorKind::kForce, SensorKind::kTouch, SensorKind::kAccelerometer})
      if (sensed) b.add_site_sensor(kind, cube);
    return b.build();
  };
  World with(make(true)), without(make(false));
  for (int k = 0; k < 60; ++k) {
    with.step(), without.step();
    EXPECT_EQ(with.sensor_data().size(), 7U);
  }
  EXPECT_TRUE(without.sensor_data().empty());
  EXPECT_EQ(with.state_hash(), without.state_hash());
  std::stringstream kept;
  without.save(kept);
  with.load(kept);  // sensors are no part of a checkpoint
  EXPECT_EQ(with.sensor(2), std::vector<double>(3, 0.0));
  EXPECT_THROW((void)with.sensor(3), std::exception);
}

}  // namespace
}  // namespace repose
