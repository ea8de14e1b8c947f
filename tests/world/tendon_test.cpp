// SPDX-License-Identifier: Apache-2.0
// Tendons through points of several bodies against closed forms: Atwood's machine with a pulley, a spring with slack,
// limits and held lengths over three bodies, servos and rotors; and thrusts along a site.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "repose/scene/builder.h"
#include "repose/scene/native_json.h"
#include "repose/world/world.h"
#include "tests/world/joint_steps.h"

namespace repose {
namespace {

constexpr double kStep = 1.0 / 60, kGravity = 9.81;
constexpr std::uint32_t kNothing = 0;  // collides with nothing

int add_ball(SceneBuilder& b, Vec3 at, double mass) {
  const double radius = 0.1, volume = 4.0 / 3 * M_PI * radius * radius * radius;
  const int ball = b.add_body({.pose = {at, {}}});
  b.add_shape_sphere(ball, radius, {.density = mass / volume, .mask = kNothing});
  return ball;
}

/// A weight of 1 kg hangs on one end; the other end runs over a movable pulley with 3 kg, so that a metre of the weight
/// is half a metre of the pulley: length = l₁ + 2 l₂. Both move along z only.
struct Tackle {
  Tackle() {
    weight = add_ball(b, {0, 0, -1}, 1);
    load = add_ball(b, {1, 0, -1}, 3);
    for (const auto& [body, x] : {std::pair(weight, 0.0), std::pair(load, 1.0)})
      b.add_joint_at(JointKind::kSlide, kWorldBody, body, {x, 0, -1}, {0, 0, 1});
    tendon =
        b.add_tendon({{weight, {0, 0, -1}}, {kWorldBody, {0, 0, 0}, 0}, {kWorldBody, {1, 0, 0}, 2}, {load, {1, 0, -1}}},
                     std::nullopt);
  }
  SceneBuilder b{"tackle"};
  int weight = 0, load = 0, tendon = 0;
};

TEST(Tendon, AtwoodsMachineWithAPulleyHasItsClosedForm) {
  for (const bool held : {true, false}) {
    Tackle tackle;
    if (held)
      tackle.b.joint(tackle.tendon).hold = 3;
    else
      tackle.b.joint(tackle.tendon).coordinates[0].upper = 3;  // taut from the first step on
    World world(tackle.b.build());
    EXPECT_NEAR(world.joint_position(tackle.tendon), 3, 1e-15);
    run(world, 20);
    // ż_load = −ż_weight/2, tension T: 1 · a = T − g, 3 (−a/2) = 2 T − 3 g, so a = (g − 2 g + ...): a (1 + 3/4) = g/2.
    const double a = 0.5 * kGravity / 1.75, t = 20 * kStep;
    EXPECT_NEAR(world.joint_velocity(0), a * t, 1e-11);
    EXPECT_NEAR(world.joint_velocity(1), -0.5 * a * t, 1e-11);
    EXPECT_NEAR(world.joint_position(tackle.tendon), 3, 1e-13);
    EXPECT_NEAR(world.joint_velocity(tackle.tendon), 0, 1e-12);
    if (held) continue;
    EXPECT_NEAR(world.joint_force(tackle.tendon), -(kGravity + a), 1e-9);  // pulls both
  }
}

/// A tendon from the world over two bodies and back, all of them free: three bodies' rows, momentum of the two.
TEST(Tendon, HeldLengthThroughThreeBodiesKeepsMomentumAndEnergy) {
  SceneBuilder b("loop");
  b.settings().gravity = {};
  const int one = add_ball(b, {0, 0, 0}, 1), two = add_ball(b, {1, 0, 0}, 2), three = add_ball(b, {1, 1, 0}, 3);
  const double length = 1 + 1 + std::sqrt(2.0);
  const int tendon = b.add_tendon({{one, {0, 0, 0}}, {two, {1, 0, 0.05}}, {three, {1, 1, 0}}, {one, {0, 0, 0}}});
  EXPECT_EQ(b.joint(tendon).others.size(), 1u);
  Scene scene = b.build();
  const double l = 2 * std::sqrt(1 + 0.05 * 0.05) + std::sqrt(2.0);
  scene.joints[0].hold = l;
  EXPECT_GT(l, length);
  const Vec3 speeds[] = {{0.3, 0, 0.2}, {0.1, 0.2, 0}, {-0.1, 0.3, 0.1}};
  for (std::size_t k = 0; k < 3; ++k) scene.bodies[k].velocity = speeds[k];
  World world(scene);
  const auto linear = [&] {
    return 1 * world.states()[0].velocity + 2 * world.states()[1].velocity + 3 * world.states()[2].velocity;
  };
  const auto spin = [&] {
    Vec3 sum;
    for (std::size_t k = 0; k < 3; ++k) {
      const BodyState& s = world.states()[k];
      const double m = 1.0 + static_cast<double>(k);
      sum = sum + m * cross(s.centre, s.velocity) + 0.4 * m * 0.01 * s.angular_velocity;
    }
    return sum;
  };
  const Vec3 p = linear(), L = spin();
  std::vector<double> energies;
  for (int k = 0; k < 300; ++k) {
    run(world, 1);
    ASSERT_NEAR(world.joint_position(tendon), l, 1e-11) << k;
    ASSERT_LT(norm(linear() - p), 1e-12) << k;
    ASSERT_LT(norm(spin() - L), 1e-11) << k;
    energies.push_back(world.energy());
  }
  const auto [low, high] = std::minmax_element(energies.begin() + 1, energies.end());
  EXPECT_LT(*high - *low, 0.02 * *high);  // SHAKE: it oscillates
}

/// A mass on a cable that pulls beyond 1 m only: free fall until it is taut, then implicit Euler of the spring.
TEST(Tendon, SpringWithSlackPullsOnlyBeyondIt) {
  SceneBuilder b("cable");
  const int ball = add_ball(b, {0, 0, -0.8}, 2);
  const int tendon = b.add_tendon({{kWorldBody, {0, 0, 0}}, {ball, {0, 0, -0.8}}});
  JointCoordinate& c = b.joint(tendon).coordinates[0];
  c.stiffness = 500, c.damping = 3, c.slack = 1;
  World world(b.build());
  double l = 0.8, v = 0;
  bool was_taut = false;
  for (int k = 0; k < 240; ++k) {
    run(world, 1);
    const double loose = (2 * v + kStep * 2 * kGravity) / (2 + kStep * 3);
    const double taut = (2 * v + kStep * (2 * kGravity - 500 * (l - 1))) / (2 + kStep * 3 + kStep * kStep * 500);
    v = l + kStep * loose > 1 ? taut : loose;
    l += kStep * v;
    was_taut = was_taut || l > 1;
    ASSERT_NEAR(world.joint_position(tendon), l, 1e-9) << k;
    ASSERT_NEAR(world.joint_velocity(tendon), v, 1e-8) << k;
  }
  EXPECT_TRUE(was_taut);
  c.damping = 0;
  World still(b.build());
  const double start = still.energy();
  run(still, 5);  // falls freely while the cable is loose
  EXPECT_NEAR(still.energy() - start, -2 * kGravity * kGravity * 5 * kStep * kStep / 2, 1e-12);
}

/// A ball flies past the point that its tendon is fixed to: the tendon becomes taut by terms of second order, too.
TEST(Tendon, LimitHoldsAtTheEndOfEveryStep) {
  SceneBuilder b("flyby");
  b.settings().gravity = {};
  const int ball = add_ball(b, {0.99, 0, 0}, 1);
  const int tendon = b.add_tendon({{kWorldBody, {0, 0, 0}}, {ball, {0.99, 0, 0}}});
  b.joint(tendon).coordinates[0].upper = 1;
  Scene scene = b.build();
  scene.bodies[0].velocity = {0, 1, 0};
  World world(scene);
  double longest = 0;
  for (int k = 0; k < 240; ++k) {
    run(world, 1);
    longest = std::max(longest, world.joint_position(tendon));
  }
  EXPECT_NEAR(longest, 1, 1e-10);
  EXPECT_NEAR(norm(world.states()[0].velocity), 1, 0.01);  // it goes round
}

/// A weight that hangs on a slide from a tendon with friction, as from a brake.
TEST(Tendon, FrictionHoldsExactlyOrSlides) {
  for (const double friction : {1.05, 0.95}) {
    SceneBuilder b("brake");
    const int ball = add_ball(b, {0, 0, -1}, 2);
    b.add_joint_at(JointKind::kSlide, kWorldBody, ball, {0, 0, -1}, {0, 0, 1});
    const int tendon = b.add_tendon({{kWorldBody, {0, 0, 0}}, {ball, {0, 0, -1}}});
    b.joint(tendon).coordinates[0].friction = friction * 2 * kGravity;
    World world(b.build());
    run(world, 60);
    const double speed = friction > 1 ? 0 : 0.05 * kGravity;
    EXPECT_NEAR(world.joint_velocity(tendon), speed, 1e-13);
    if (friction > 1) {
      EXPECT_EQ(world.joint_position(tendon), 1);
    }
  }
}

/// A servo winds the load of a tackle up, whose weight is held: m l̈ = 2 F with F the implicit servo.
TEST(Tendon, ServoWindsALoad) {
  Tackle tackle;
  tackle.b.joint(0).coordinates[0].friction = 1e6;
  const int servo = tackle.b.add_position_servo(tackle.tendon, 300, 60);
  World world(tackle.b.build());
  world.set_control(servo, 2);
  double l = 3, v = 0;
  const double mass = 3.0 / 4;  // l̇ = −2 ż
  for (int k = 0; k < 300; ++k) {
    run(world, 1);
    v = (mass * v + kStep * (1.5 * kGravity - 300 * (l - 2))) / (mass + kStep * 60 + kStep * kStep * 300);
    l += kStep * v;
    ASSERT_NEAR(world.joint_position(tackle.tendon), l, 1e-10) << k;
  }
  EXPECT_NEAR(l, 2 + 1.5 * kGravity / 300, 1e-6);
}

/// The rotor of a winch on a tendon over the world's origin: m z̈ = −m g − J z̈, and with a swinging mass J̇ v counts.
TEST(Tendon, RotorAddsItsInertiaAlongTheTendon) {
  SceneBuilder b("winch");
  const int ball = add_ball(b, {0, 0, -1}, 2);
  const int tendon = b.add_tendon({{kWorldBody, {0, 0, 0}}, {ball, {0, 0, -1}}});
  b.joint(tendon).coordinates[0].armature = 3;
  World world(b.build());
  run(world, 60);
  EXPECT_NEAR(world.joint_velocity(tendon), 2 * kGravity / 5, 1e-10);
}

TEST(Tendon, ThrustPushesAlongItsSite) {
  SceneBuilder b("rocket");
  b.settings().gravity = {};
  const int ball = add_ball(b, {1, 2, 3}, 2);
  const double s = std::sqrt(0.5);
  const int thrust = b.add_thrust(ball, {{0, 0, 0}, {s, 0, s, 0}}, {0, 0, 3}, {0, 0, 0.02});  // z of the site is x
  const int motor = b.add_motor(thrust);
  World world(b.build());
  world.set_control(motor, 0.5);
  run(world, 60);
  const BodyState& state = world.states()[0];
  EXPECT_NEAR(state.velocity.x, 3 * 0.5 / 2, 1e-13);
  EXPECT_NEAR(norm(state.velocity), state.velocity.x, 1e-13);
  EXPECT_NEAR(state.angular_velocity.x, 0.02 * 0.5 / (0.4 * 2 * 0.01), 1e-12);
  EXPECT_NEAR(world.joint_position(thrust), 0, 0);
  EXPECT_NEAR(world.joint_velocity(thrust), 3 * state.velocity.x + 0.02 * state.angular_velocity.x, 1e-13);
}

TEST(Tendon, ScenesSurviveNativeFiles) {
  Tackle tackle;
  JointCoordinate& c = tackle.b.joint(tackle.tendon).coordinates[0];
  c.stiffness = 10, c.slack = 0.5;
  tackle.b.add_motor(tackle.b.add_thrust(tackle.load, {{0.1, 0, 0}, {}}, {0, 1, 0}, {0, 0, 2}));
  const Scene scene = tackle.b.build();
  const std::string text = native_scene_text(scene);
  const Scene back = parse_native_scene(text, "text");
  EXPECT_EQ(native_scene_text(back), text);
  EXPECT_EQ(back.joints[2].path.size(), 4u);
  EXPECT_EQ(back.joints[3].thrust->about.z, 2);
  EXPECT_EQ(back.joints[2].coordinates[0].slack, 0.5);
}

}  // namespace
}  // namespace repose
