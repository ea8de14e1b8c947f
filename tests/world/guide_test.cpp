// SPDX-License-Identifier: Apache-2.0
// Guided bodies, activations and a medium against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "repose/base/error.h"
#include "repose/scene/builder.h"
#include "repose/world/world.h"
#include "tests/world/joint_steps.h"

namespace repose {
namespace {

constexpr std::uint32_t kNothing = 0;  // collides with nothing

TEST(Guide, AWeldedBodyIsWhereItsGuideIs) {
  SceneBuilder b("hand");
  b.settings().dt = 2e-3;
  const int guide = b.add_body({.kind = BodyKind::kKinematic, .pose = {{0, 0, 1}, {}}});
  const int hand = b.add_body({.pose = {{0.1, 0, 1}, {}}});
  b.add_shape_box(hand, {0.05, 0.03, 0.02}, {.mask = kNothing});
  b.add_joint_at(JointKind::kFixed, guide, hand, {0, 0, 1});
  World world(b.build());
  run(world, 5);
  EXPECT_NEAR(norm(world.pose(hand).position - Vec3{0.1, 0, 1}), 0, 1e-14) << "it stays until it is told to go";
  for (int k = 1; k <= 200; ++k) {
    const Pose to{{0.3 * std::sin(0.02 * k), 0, 1 + 0.002 * k}, exponential({0, 0.01 * k, 0})};
    world.guide(guide, to);
    if (k == 100) {
      std::stringstream stored;
      world.save(stored);
      World again(world.scene());
      again.load(stored);
      run(world, 1), run(again, 1);
      ASSERT_EQ(world.state_hash(), again.state_hash());
      continue;
    }
    run(world, 1);
    ASSERT_LE(norm(world.pose(guide).position - to.position), 1e-15);
    ASSERT_LE(norm(world.pose(hand).position - to * Vec3{0.1, 0, 0}), 1e-11) << k;
  }
  const Vec3 there = world.pose(hand).position;
  run(world, 2);
  EXPECT_LE(norm(world.pose(hand).position - there), 1e-11);
  EXPECT_THROW(world.guide(hand, {}), InputError);
}

TEST(Activation, FiltersAndIntegratorsHaveTheirClosedForms) {
  constexpr double h = 0.01;
  SceneBuilder b("drives");
  b.settings().dt = h;
  b.settings().gravity = {};
  const int wheel = b.add_body({});
  b.add_shape_sphere(wheel, 0.1, {.mask = kNothing});
  const int hinge = b.add_joint_at(JointKind::kHinge, kWorldBody, wheel, {});
  const auto add = [&](ActuatorDynamics dynamics, bool early) {
    b.add_actuator({.joint = hinge,
                    .control_upper = 2,
                    .control = 3,  // above its range
                    .dynamics = dynamics,
                    .time = 0.1,
                    .early = early,
                    .activation_upper = 1.5});
  };
  add(ActuatorDynamics::kIntegrator, false);
  add(ActuatorDynamics::kFilter, false);
  add(ActuatorDynamics::kFilterExact, false);
  add(ActuatorDynamics::kFilterExact, true);
  World world(b.build());
  for (int k = 1; k <= 30; ++k) {
    const std::vector<double> before(world.activations().begin(), world.activations().end());
    run(world, 1);
    const auto a = world.activations();
    EXPECT_NEAR(a[0], std::min(1.5, 0.02 * k), 1e-14);
    EXPECT_NEAR(a[1], std::min(1.5, 2 * (1 - std::pow(0.9, k))), 1e-14);
    EXPECT_NEAR(a[2], std::min(1.5, 2 * (1 - std::exp(-0.1 * k))), 1e-14);
    for (int n = 0; n < 3; ++n) EXPECT_EQ(world.actuator_force(n), before[static_cast<std::size_t>(n)]);
    EXPECT_EQ(world.actuator_force(3), a[3]);
  }
  world.set_activation(1, 0.25);
  run(world, 1);
  EXPECT_EQ(world.actuator_force(1), 0.25);
  EXPECT_THROW(world.set_activation(4, 0), InputError);
}

TEST(Medium, ABoxFallsAtItsFinalSpeedAndWindCarriesIt) {
  SceneBuilder b("box");
  b.settings().dt = 2e-3;
  b.settings().medium = {1.2, 0.5, {3, 0, 0}};
  const int body = b.add_body({});
  b.add_shape_box(body, {0.1, 0.2, 0.15}, {.density = 5, .mask = kNothing});
  const double mass = 5 * 8 * 0.1 * 0.2 * 0.15, d = 2 * (0.1 + 0.2 + 0.15) / 3;
  World world(b.build());
  run(world, 5000);
  const BodyState end = world.states()[static_cast<std::size_t>(body)];
  EXPECT_NEAR(end.velocity.x, 3, 1e-9);
  const double v = -end.velocity.z;
  EXPECT_NEAR(3 * M_PI * d * 0.5 * v + 0.5 * 1.2 * 0.2 * 0.4 * v * v, mass * 9.81, 1e-9);
}

TEST(Medium, ASpinningBallSlowsDown) {
  SceneBuilder b("ball");
  b.settings().dt = 1e-4;
  b.settings().gravity = {};
  b.settings().medium = {0, 0.5, {}};
  const int body = b.add_body({.angular_velocity = {0, 0, 5}});
  b.add_shape_sphere(body, 0.1, {.mask = kNothing});
  const double mass = 1000 * 4.0 / 3 * M_PI * 1e-3, I = 0.4 * mass * 0.01;
  const double edge = std::sqrt(6 * I / mass);
  World world(b.build());
  run(world, 1000);
  const double rate = M_PI * edge * edge * edge * 0.5 / I;
  EXPECT_NEAR(world.states()[static_cast<std::size_t>(body)].angular_velocity.z, 5 * std::exp(-0.1 * rate), 1e-5);
}

}  // namespace
}  // namespace repose
