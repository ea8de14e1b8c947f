// SPDX-License-Identifier: Apache-2.0
// Couplings over three bodies and more against closed forms: gears on a carrier, a differential in a free housing,
// tendons over three joints, fingers that mimic each other. Momentum and the balance of power hold to rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <vector>

#include "repose/scene/builder.h"
#include "repose/scene/native_json.h"
#include "repose/world/world.h"
#include "tests/world/joint_steps.h"

namespace repose {
namespace {

constexpr double kStep = 1.0 / 60;
constexpr double kMass = 8, kInertia = kMass * 0.04 / 6;  // of a cube of 8 kg and 0.2 m
constexpr std::uint32_t kNothing = 0;                     // collides with nothing

int add_cube(SceneBuilder& b, Vec3 at, double half = 0.1) {
  const int cube = b.add_body({.pose = {at, {}}});
  b.add_shape_box(cube, {half, half, half}, {.density = 1000 * 0.001 / (half * half * half), .mask = kNothing});
  return cube;
}

SceneBuilder space(const char* name) {
  SceneBuilder b(name);
  b.settings().gravity = {};
  return b;
}

/// Angular momentum about z through the origin, and linear momentum, of all bodies.
struct Momentum {
  double spin = 0;
  Vec3 linear;
};
Momentum momentum(const World& world) {
  Momentum sum;
  for (int b = 0; b < static_cast<int>(world.scene().bodies.size()); ++b) {
    const BodyState& s = world.states()[static_cast<std::size_t>(b)];
    sum.linear = sum.linear + kMass * s.velocity;
    sum.spin += kMass * cross(s.centre, s.velocity).z + kInertia * s.angular_velocity.z;
  }
  return sum;
}

/// A carrier that turns about z, with wheels at distance 1 and 2 from its axis: three bodies, six of seven joints
/// moving.
TEST(FurtherBodies, GearsOnACarrierThatTurns) {
  SceneBuilder b = space("gears");
  const int carrier = add_cube(b, {0, 0, 0});
  b.add_joint_at(JointKind::kHinge, kWorldBody, carrier, {0, 0, 0}, {0, 0, 1});
  for (const double x : {1.0, 2.0}) {
    const int wheel = add_cube(b, {x, 0, 0});
    b.add_joint_at(JointKind::kHinge, carrier, wheel, {x, 0, 0}, {0, 0, 1});
  }
  const int gear = b.add_coupling({{.joint = 1}, {.joint = 2, .factors = {-2, 0, 0, 0}}}, 0);  // q1 = 2 q2
  EXPECT_EQ(b.joint(gear).others.size(), 1u);
  const int motor = b.add_motor(1);
  World world(b.build());
  const double torque = 0.01;
  world.set_control(motor, torque);
  run(world, 60);
  // With s the speed of the second wheel: (I + 5 m + 2 I) φ̇ + 3 I s = 0, I (3 φ̈ + 5 ṡ) = 2 τ.
  const double carried = kInertia + 5 * kMass + 2 * kInertia;
  const double s = 2 * torque / (kInertia * (5 - 9 * kInertia / carried));
  EXPECT_NEAR(world.joint_velocity(2), s, 1e-8 * s);
  EXPECT_NEAR(world.joint_velocity(1), 2 * s, 2e-8 * s);
  EXPECT_NEAR(world.joint_velocity(0), -3 * kInertia / carried * s, 1e-8 * s);
  EXPECT_NEAR(world.joint_position(1), 2 * world.joint_position(2), 1e-12);
  EXPECT_NEAR(momentum(world).spin, 0, 1e-13);
}

/// Three shafts in a housing that floats: 2 q0 = q1 + q2, as in a car's axle.
struct Axle {
  explicit Axle(std::optional<double> hold) {
    add_cube(b, {0, 0, 0});
    for (int k = 0; k < 3; ++k) {
      const Vec3 place{0, 0, 0.5 * (k + 1)};
      const int shaft = add_cube(b, place);
      b.add_joint_at(JointKind::kHinge, 0, shaft, place, {0, 0, 1});
    }
    std::vector<CouplingTerm> terms;
    for (int k = 0; k < 3; ++k)
      terms.push_back({.joint = k, .factors = {factors[static_cast<std::size_t>(k)], 0, 0, 0}});
    coupling = b.add_coupling(terms, hold);
  }
  SceneBuilder b = space("axle");
  std::array<double, 3> factors{2, -1, -0.5};
  int coupling = 0;
};

TEST(FurtherBodies, DifferentialInAFreeHousing) {
  Axle axle(0);
  EXPECT_EQ(axle.b.joint(axle.coupling).others.size(), 2u);
  const int motor = axle.b.add_motor(0);
  World world(axle.b.build());
  world.set_control(motor, 0.02);
  double work = 0, before = 0;
  const double start = world.energy();
  for (int k = 0; k < 120; ++k) {
    run(world, 1);
    const double now = world.joint_velocity(0);
    work += kStep * 0.02 * 0.5 * (before + now), before = now;
    ASSERT_NEAR(world.energy() - start, work, 1e-12 * (1 + work)) << k;  // the coupling does no work
    ASSERT_NEAR(momentum(world).spin, 0, 1e-13) << k;
    ASSERT_LT(norm(momentum(world).linear), 1e-12) << k;
    ASSERT_NEAR(world.joint_position(axle.coupling), 0, 1e-12) << k;
  }
  // Four equal inertias I, φ̈ = −(q̈0 + q̈1 + q̈2)/4: I M q̈ = τ e0 + x f and f q̈ = 0, with M = 1 − 1 1ᵀ/4, M⁻¹ = 1 + 1 1ᵀ.
  const std::array<double, 3> f = axle.factors;
  const double sum = f[0] + f[1] + f[2], squares = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
  const double x = -(f[0] + sum) / (squares + sum * sum);
  for (std::size_t k = 0; k < 3; ++k) {
    const double rate = 0.02 / kInertia * ((k == 0 ? 1 : 0) + 1 + x * (f[k] + sum));
    EXPECT_NEAR(world.joint_velocity(static_cast<int>(k)), 2 * rate, 1e-9 * std::abs(rate) + 1e-12) << k;
  }
}

TEST(FurtherBodies, TendonOverThreeJointsHasAServoAndALimit) {
  Axle axle({});
  const int servo = axle.b.add_position_servo(axle.coupling, 4, 0.3);
  World world(axle.b.build());
  world.set_control(servo, 0.2);
  const std::array<double, 3> f = axle.factors;
  const double sum = f[0] + f[1] + f[2], squares = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
  const double mass = kInertia / (squares + sum * sum);
  double s = 0, v = 0;
  for (int k = 0; k < 120; ++k) {
    run(world, 1);
    v = (mass * v - kStep * 4 * (s - 0.2)) / (mass + kStep * 0.3 + kStep * kStep * 4);
    s += kStep * v;
    ASSERT_NEAR(world.joint_position(axle.coupling), s, 1e-9) << k;
    ASSERT_NEAR(world.joint_velocity(axle.coupling), v, 1e-8) << k;
    ASSERT_NEAR(momentum(world).spin, 0, 1e-13) << k;
  }

  Axle bounded({});
  bounded.b.joint(bounded.coupling).coordinates[0].upper = 0.05;
  const int motor = bounded.b.add_motor(bounded.coupling);
  World pushed(bounded.b.build());
  pushed.set_control(motor, 0.1);
  run(pushed, 120);
  EXPECT_NEAR(pushed.joint_position(bounded.coupling), 0.05, 1e-12);
  EXPECT_NEAR(pushed.joint_force(bounded.coupling), 0, 1e-8);  // the limit takes what the motor gives
  EXPECT_NEAR(momentum(pushed).spin, 0, 1e-13);

  Axle rough({});
  rough.b.joint(rough.coupling).coordinates[0].friction = 0.11;
  const int small = rough.b.add_motor(rough.coupling);
  World stuck(rough.b.build());
  stuck.set_control(small, 0.1);
  run(stuck, 120);
  EXPECT_NEAR(stuck.joint_position(rough.coupling), 0, 1e-12);
}

/// Two fingers that slide on a palm, which swings on a hinge under gravity.
SceneBuilder hand(double second = -1) {
  SceneBuilder b("hand");
  const int palm = add_cube(b, {0, 0, 0});
  b.add_joint_at(JointKind::kHinge, kWorldBody, palm, {0, 0, 0.5}, {0, 1, 0});
  for (const double side : {1.0, -1.0}) {
    const int finger = add_cube(b, {side * 0.3, 0, -0.3}, 0.05);
    b.add_joint_at(JointKind::kSlide, palm, finger, {side * 0.3, 0, -0.3}, {side, 0, 0});
  }
  b.add_coupling({{.joint = 1}, {.joint = 2, .factors = {second, 0, 0, 0}}}, 0);
  return b;
}

TEST(FurtherBodies, FingersMimicEachOtherOnAPalmThatSwings) {
  for (const double second : {-1.0, 0.5, -2.0}) {
    SceneBuilder b = hand(second);
    EXPECT_EQ(b.joint(3).others.size(), 1u) << second;
    const int motor = b.add_motor(1), swing = b.add_motor(0);
    World world(b.build());
    world.set_control(motor, 0.3);
    world.set_control(swing, 5);
    double farthest = 0;
    for (int k = 0; k < 240; ++k) {
      run(world, 1);
      ASSERT_NEAR(world.joint_position(1), -second * world.joint_position(2), 1e-11) << second << ' ' << k;
      farthest = std::max(farthest, std::abs(world.joint_position(1)));
    }
    EXPECT_GT(farthest, 0.01);
    EXPECT_GT(std::abs(world.joint_position(0)) + std::abs(world.joint_velocity(0)), 1e-3);
  }
}

TEST(FurtherBodies, PrescribedPalmTakesItsFingersAlong) {
  SceneBuilder b("shaken");
  const int palm = b.add_body({.kind = BodyKind::kKinematic, .motion = ConstantMotion{{0.2, 0, 0.1}, {0, 0.5, 0}}});
  b.add_shape_box(palm, {0.1, 0.1, 0.1}, {.mask = kNothing});
  for (const double side : {1.0, -1.0}) {
    const int finger = add_cube(b, {side * 0.3, 0, -0.3}, 0.05);
    b.add_joint_at(JointKind::kSlide, palm, finger, {side * 0.3, 0, -0.3}, {side, 0, 0});
  }
  const int mimic = b.add_coupling({{.joint = 0}, {.joint = 1, .factors = {-1, 0, 0, 0}}}, 0);
  EXPECT_EQ(b.joint(mimic).others, std::vector<int>{palm});  // bodies that move freely come first
  World world(b.build());
  for (int k = 0; k < 120; ++k) {
    run(world, 1);
    ASSERT_NEAR(world.joint_position(0), world.joint_position(1), 1e-11) << k;
  }
}

TEST(FurtherBodies, CheckpointAndNativeFileContinueToTheBit) {
  const Scene scene = hand(0.5).build();
  World first(scene), again(parse_native_scene(native_scene_text(scene), "hand.json"));
  run(first, 20), run(again, 20);
  EXPECT_EQ(first.state_hash(), again.state_hash());
  std::stringstream kept;
  first.save(kept);
  World later(scene);
  later.load(kept);
  run(first, 20), run(later, 20), run(again, 20);
  EXPECT_EQ(first.state_hash(), later.state_hash());
  EXPECT_EQ(first.state_hash(), again.state_hash());
}

TEST(FurtherBodies, BodyThatIsAwaySuspendsTheCoupling) {
  SceneBuilder b = hand();
  b.add_event(0.2, Disappear{2});
  World world(b.build());
  run(world, 60);  // the palm and the other finger swing on
}

}  // namespace
}  // namespace repose
