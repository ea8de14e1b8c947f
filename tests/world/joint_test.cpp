// SPDX-License-Identifier: Apache-2.0
// Joints of a world against closed forms: pendulums, chains, loops, mass ratios.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "repose/scene/builder.h"
#include "repose/world/world.h"

namespace repose {
namespace {

constexpr double kGravity = 9.81;
constexpr std::uint32_t kNothing = 0;  // collides with nothing

/// A box that collides with nothing.
int add_link(SceneBuilder& b, Vec3 centre, Vec3 half, double density = 1000) {
  const int body = b.add_body({.pose = {centre, {}}});
  b.add_shape_box(body, half, {.density = density, .mask = kNothing});
  return body;
}

/// A box on a hinge at the origin that turns about y, with its centre at distance `arm`, released at `angle` from the
/// vertical.
Scene pendulum(double dt, double angle, double arm = 1, Vec3 half = {0.1, 0.1, 0.1}) {
  SceneBuilder b("pendulum");
  b.settings().dt = dt;
  const Quat turn = exponential({0, -angle, 0});
  const int bob = b.add_body({.name = "bob", .pose = {rotate(turn, {0, 0, -arm}), turn}});
  b.add_shape_box(bob, half, {.mask = kNothing});
  b.add_joint_at(JointKind::kHinge, kWorldBody, bob, {0, 0, 0}, {0, 1, 0});
  return b.build();
}

/// Inertia about the hinge over m g · arm: the square of the reciprocal small-angle frequency.
double inertia_over_torque(double arm, Vec3 half) {
  return (arm * arm + (half.x * half.x + half.z * half.z) / 3) / (kGravity * arm);
}

/// Exact period of a pendulum, by the arithmetic-geometric mean.
double exact_period(double amplitude, double arm, Vec3 half) {
  double a = 1, g = std::cos(amplitude / 2);
  for (int k = 0; k < 30; ++k) {
    const double mean = 0.5 * (a + g);
    g = std::sqrt(a * g);
    a = mean;
  }
  return 2 * std::numbers::pi * std::sqrt(inertia_over_torque(arm, half)) / a;
}

/// The time after which the joint angle has made `swings` half swings: its crossings of `middle` interpolated.
double crossing_time(World& world, int crossings, double middle) {
  double last = world.joint_position(0) - middle;
  for (int found = 0;;) {
    const StepReport report = world.step();
    EXPECT_EQ(report.status, StepStatus::kSolved);
    const double now = world.joint_position(0) - middle;
    if (last * now < 0 && ++found == crossings) return world.time() - world.scene().dt * now / (now - last);
    last = now;
  }
}

double measured_period(double dt, double amplitude) {
  World world(pendulum(dt, amplitude));
  const double first = crossing_time(world, 1, amplitude), fifth = crossing_time(world, 4, amplitude);
  return (fifth - first) / 2;
}

struct Extent {
  double lowest, highest;
};
/// Extreme energies over the steps of a range.
Extent energies(World& world, int steps) {
  Extent e{HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < steps; ++k) {
    const StepReport report = world.step();
    e.lowest = std::min(e.lowest, report.energy);
    e.highest = std::max(e.highest, report.energy);
  }
  return e;
}

TEST(Joint, PendulumHasTheExactPeriodToSecondOrder) {
  const double exact = exact_period(1.0, 1, {0.1, 0.1, 0.1});
  const double coarse = measured_period(0.02, 1.0) - exact, fine = measured_period(0.01, 1.0) - exact;
  EXPECT_NEAR(fine / exact, 0, 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
}

TEST(Joint, PendulumKeepsItsEnergyFor100000Steps) {
  World world(pendulum(1.0 / 60, 2.0));
  const Extent first = energies(world, 1000);
  (void)energies(world, 98000);
  const Extent last = energies(world, 1000);
  const double swing = 8 * kGravity * (1 + std::cos(1.0));  // 8 kg
  EXPECT_NEAR(last.lowest, first.lowest, 1e-3 * swing);
  EXPECT_NEAR(last.highest, first.highest, 1e-3 * swing);
}

TEST(Joint, PositionErrorIsRounding) {
  World world(pendulum(1.0 / 60, 2.5));
  for (int k = 0; k < 1000; ++k) EXPECT_LE(world.step().joint_error, 1e-13);
}

TEST(Joint, HangingPendulumDoesNotMove) {
  World world(pendulum(1.0 / 60, 0));
  const BodyState start = world.states()[0];
  for (int k = 0; k < 600; ++k) EXPECT_EQ(world.step().status, StepStatus::kSolved);
  EXPECT_EQ(world.states()[0].centre.z, start.centre.z);
  EXPECT_EQ(world.states()[0].centre.x, start.centre.x);
  EXPECT_EQ(world.states()[0].rotation.y, start.rotation.y);
}

TEST(Joint, ReactionOfAHangingPendulumIsItsWeight) {
  World world(pendulum(1.0 / 60, 0));
  for (int k = 0; k < 3; ++k) world.step();
  const JointBlock& point = world.joint_blocks()[0];
  EXPECT_EQ(point.role, JointRole::kPosition);
  EXPECT_NEAR(60 * point.lambda.n, 8 * kGravity, 1e-10 * 8 * kGravity);
}

/// The frequencies of two equal rods that hang one below the other, each of length L: ω² of small angles.
TEST(Joint, DoublePendulumHasItsNormalFrequencies) {
  const double L = 1, m_third = 1.0 / 3;
  // M = [[4/3, 1/2], [1/2, 1/3]] m L², K = [[3/2, 0], [0, 1/2]] m g L for uniform thin rods.
  const double a = 4.0 / 3 * m_third - 0.25, b = -(1.5 * m_third + 0.5 * 4.0 / 3), c = 0.75;
  const double slow = std::sqrt((-b - std::sqrt(b * b - 4 * a * c)) / (2 * a) * kGravity / L);
  // Mode shape: (K − ω² M) θ = 0.
  const double w2 = slow * slow * L / kGravity, ratio = (1.5 - w2 * 4.0 / 3) / (w2 * 0.5);
  const auto period = [&](double dt) {
    SceneBuilder builder("double pendulum");
    builder.settings().dt = dt;
    const double angle = 1e-4;
    const Quat upper = exponential({0, -angle, 0}), lower = exponential({0, -ratio * angle, 0});
    const Vec3 middle = rotate(upper, {0, 0, -L});
    const Vec3 half{0.001, 0.001, 0.5 * L};
    const int top = builder.add_body({.pose = {rotate(upper, {0, 0, -0.5 * L}), upper}});
    builder.add_shape_box(top, half, {.mask = kNothing});
    const int bottom = builder.add_body({.pose = {middle + rotate(lower, {0, 0, -0.5 * L}), lower}});
    builder.add_shape_box(bottom, half, {.mask = kNothing});
    builder.add_joint_at(JointKind::kHinge, kWorldBody, top, {}, {0, 1, 0});
    builder.add_joint_at(JointKind::kHinge, top, bottom, middle, {0, 1, 0});
    World world(builder.build());
    const double first = crossing_time(world, 1, angle), third = crossing_time(world, 2, angle);
    return third - first;
  };
  EXPECT_NEAR(period(0.002) * slow / (2 * std::numbers::pi), 1, 2e-5);
}

Scene chain(int links, double dt, double gravity = kGravity) {
  SceneBuilder b("chain");
  b.settings().dt = dt;
  b.settings().gravity = {0, 0, -gravity};
  int last = kWorldBody;
  for (int i = 0; i < links; ++i) {
    const int link = add_link(b, {0.1 + 0.2 * i, 0, 0}, {0.1, 0.02, 0.02});
    b.add_joint_at(JointKind::kBall, last, link, {0.2 * i, 0, 0});
    last = link;
  }
  return b.build();
}

/// The end of the chain whips round by 0.9 rad per step: the energy error of such steps shrinks with the step. Gravity
/// that differs in the tenth digit leads to another motion once the end has whipped; the four runs here had gained 3 to
/// 17 % in single steps that held positions after others that held velocities. [decision 031]
TEST(Joint, ChainOf100LinksHoldsTogetherWhileItFalls) {
  const double released = 100 * 0.32 * kGravity * 10;  // J, from horizontal to hanging
  const struct {
    double dt, share, perturbed;
  } cases[] = {{1.0 / 60, 0.02, 0},      {1.0 / 60, 0.02, 13e-10}, {1.0 / 60, 0.02, 17e-10},
               {1.0 / 60, 0.02, 18e-10}, {1.0 / 60, 0.02, 38e-10}, {1.0 / 240, 0.005, 0}};
  for (const auto& [dt, share, perturbed] : cases) {
    SCOPED_TRACE(::testing::Message() << "dt " << dt << ", gravity times 1 + " << perturbed);
    World world(chain(100, dt, kGravity * (1 + perturbed)));
    const double start = world.energy();
    for (int k = 0; k * dt < 4; ++k) {
      const StepReport report = world.step();
      ASSERT_EQ(report.status, StepStatus::kSolved) << k;
      ASSERT_LE(report.joint_error, 1e-13) << k;
      ASSERT_LE(report.energy, start + share * released) << k;
      ASSERT_LE(report.energy_rise, 0.5 * share * released) << k;
    }
  }
}

/// A chain that hangs at rest carries in joint k the weight of what is below.
TEST(Joint, HangingChainCarriesTheWeightBelow) {
  SceneBuilder b("chain");
  int last = kWorldBody;
  const int links = 30;
  for (int i = 0; i < links; ++i) {
    const int link = add_link(b, {0, 0, -0.1 - 0.2 * i}, {0.02, 0.02, 0.1});
    b.add_joint_at(JointKind::kBall, last, link, {0, 0, -0.2 * i});
    last = link;
  }
  World world(b.build());
  for (int k = 0; k < 60; ++k) EXPECT_EQ(world.step().status, StepStatus::kSolved);
  const double weight = 1000 * 0.04 * 0.04 * 0.2 * kGravity;
  for (const JointBlock& block : world.joint_blocks())
    EXPECT_NEAR(60 * block.lambda.n, (links - block.joint) * weight, 1e-8 * links * weight);
  EXPECT_NEAR(world.states()[29].centre.z, -0.1 - 0.2 * 29, 1e-11);
}

TEST(Joint, MassRatioOf1000HoldsTheWeight) {
  SceneBuilder b("heavy on light");
  const int light = add_link(b, {0, 0, -0.1}, {0.1, 0.1, 0.1}, 1000);
  const int heavy = add_link(b, {0, 0, -1.2}, {1, 1, 1}, 1000);
  b.add_joint_at(JointKind::kHinge, kWorldBody, light, {0, 0, 0}, {0, 1, 0});
  b.add_joint_at(JointKind::kHinge, light, heavy, {0, 0, -0.2}, {1, 0, 0});
  World world(b.build());
  for (int k = 0; k < 120; ++k) {
    const StepReport report = world.step();
    EXPECT_EQ(report.status, StepStatus::kSolved);
    EXPECT_LE(report.joint_error, 1e-13);
  }
  EXPECT_NEAR(60 * world.joint_blocks()[0].lambda.n, 8008 * kGravity, 1e-9 * 8008 * kGravity);
}

/// Two cranks of length 1 and a coupler between them: all points of the coupler move on circles, and three of the four
/// hinges' rows repeat others.
Scene parallelogram(double dt, double spin, Vec3 gravity) {
  SceneBuilder b("four-bar");
  b.settings().dt = dt;
  b.settings().gravity = gravity;
  const int left =
      b.add_body({.pose = {{0, 0, 0.5}, {}}, .velocity = {0.5 * spin, 0, 0}, .angular_velocity = {0, spin, 0}});
  const int coupler = b.add_body({.pose = {{1, 0, 1}, {}}, .velocity = {spin, 0, 0}});
  const int right =
      b.add_body({.pose = {{2, 0, 0.5}, {}}, .velocity = {0.5 * spin, 0, 0}, .angular_velocity = {0, spin, 0}});
  b.add_shape_box(left, {0.02, 0.02, 0.5}, {.mask = kNothing});
  b.add_shape_box(coupler, {1, 0.02, 0.02}, {.mask = kNothing});
  b.add_shape_box(right, {0.02, 0.02, 0.5}, {.mask = kNothing});
  b.add_joint_at(JointKind::kHinge, kWorldBody, left, {0, 0, 0}, {0, 1, 0});
  b.add_joint_at(JointKind::kHinge, left, coupler, {0, 0, 1}, {0, 1, 0});
  b.add_joint_at(JointKind::kHinge, coupler, right, {2, 0, 1}, {0, 1, 0});
  b.add_joint_at(JointKind::kHinge, kWorldBody, right, {2, 0, 0}, {0, 1, 0});
  return b.build();
}

TEST(Joint, FourBarWithRedundantRowsTurnsUniformlyWithoutGravity) {
  World world(parallelogram(0.01, 1, {}));
  const double start = world.energy();
  for (int k = 0; k < 150; ++k) {  // up to where the bars are not in line
    const StepReport report = world.step();
    EXPECT_EQ(report.status, StepStatus::kSolved) << k;
    EXPECT_LE(report.joint_error, 2e-10) << k;
    EXPECT_NEAR(report.energy, start, 1e-4 * start) << k;
  }
  EXPECT_NEAR(world.joint_position(0), 1.5, 1e-4);
  EXPECT_NEAR(world.states()[1].centre.y, 0, 1e-12);
}

TEST(Joint, FourBarPassesItsSingularPosition) {
  World world(parallelogram(1.0 / 60, 4, {0, 0, -kGravity}));
  for (int k = 0; k < 600; ++k) {
    const StepReport report = world.step();
    EXPECT_EQ(report.status, StepStatus::kSolved) << k;
    EXPECT_LE(report.joint_error, 2e-10) << k;
  }
  EXPECT_GT(std::abs(world.joint_position(0)), 2 * std::numbers::pi);
}

/// The position of a piston from the angle of its crank.
TEST(Joint, SliderCrankFollowsItsGeometry) {
  SceneBuilder b("slider-crank");
  b.settings().dt = 1.0 / 240;
  const double r = 0.2, l = 0.7;
  const int crank =
      b.add_body({.pose = {{0.5 * r, 0, 0}, {}}, .velocity = {0, 0, -0.5 * r * 6}, .angular_velocity = {0, 6, 0}});
  b.add_shape_box(crank, {0.5 * r, 0.02, 0.02}, {.mask = kNothing});
  const int rod = add_link(b, {r + 0.5 * l, 0, 0}, {0.5 * l, 0.02, 0.02});
  const int piston = add_link(b, {r + l, 0, 0}, {0.05, 0.05, 0.05});
  b.add_joint_at(JointKind::kHinge, kWorldBody, crank, {0, 0, 0}, {0, 1, 0});
  b.add_joint_at(JointKind::kHinge, crank, rod, {r, 0, 0}, {0, 1, 0});
  b.add_joint_at(JointKind::kHinge, rod, piston, {r + l, 0, 0}, {0, 1, 0});
  b.add_joint_at(JointKind::kSlide, kWorldBody, piston, {r + l, 0, 0}, {1, 0, 0});
  World world(b.build());
  double least = 1;
  for (int k = 0; k < 480; ++k) {
    EXPECT_EQ(world.step().status, StepStatus::kSolved);
    const double angle = world.joint_position(0);
    const double x = r * std::cos(angle) + std::sqrt(l * l - r * r * std::sin(angle) * std::sin(angle));
    EXPECT_NEAR(world.joint_position(3), x - r - l, 1e-12);
    least = std::min(least, x);
  }
  EXPECT_NEAR(least, l - r, 0.01);  // went round
}

TEST(Joint, FixedBodiesMoveAsOne) {
  SceneBuilder b("dumbbell");
  b.settings().gravity = {};
  const int left = add_link(b, {-0.5, 0, 0}, {0.1, 0.1, 0.1}), right = add_link(b, {0.5, 0, 0}, {0.1, 0.1, 0.1});
  b.add_joint_at(JointKind::kFixed, left, right, {0, 0, 0});
  World world(b.build());
  world.set_velocity(left, {0, -1, 0.3}, {0, 0, 2});
  world.set_velocity(right, {0, 1, 0.3}, {0, 0, 2});
  for (int k = 0; k < 600; ++k) {
    const StepReport report = world.step();
    EXPECT_EQ(report.status, StepStatus::kSolved);
    EXPECT_LE(report.joint_error, 1e-13);
  }
  const Vec3 middle = 0.5 * (world.states()[0].centre + world.states()[1].centre);
  EXPECT_NEAR(middle.z, 3, 1e-9);
  EXPECT_NEAR(norm(world.states()[0].centre - world.states()[1].centre), 1, 1e-13);
  EXPECT_NEAR(world.states()[0].angular_velocity.z, 2, 1e-2);
}

TEST(Joint, DistanceKeepsItsLengthAndARopeMayBeSlack) {
  SceneBuilder b("distance and rope");
  const int one = add_link(b, {1, 0, 0}, {0.1, 0.1, 0.1}), two = add_link(b, {0, 3, -0.5}, {0.1, 0.1, 0.1});
  b.add_distance(kWorldBody, one, {0, 0, 0}, {1, 0, 0});
  const int rope = b.add_distance(kWorldBody, two, {0, 3, 0}, {0, 3, -0.5}, JointKind::kRope);
  b.joint(rope).length = 1;
  World world(b.build());
  double lowest = 0;
  for (int k = 0; k < 300; ++k) {
    const StepReport report = world.step();
    EXPECT_EQ(report.status, StepStatus::kSolved);
    EXPECT_LE(report.joint_error, 1e-13);
    EXPECT_NEAR(norm(world.states()[0].centre), 1, 1e-12);
    lowest = std::min(lowest, world.states()[1].centre.z);
    if (k == 5) {
      EXPECT_NEAR(world.joint_blocks().back().lambda.n, 0, 1e-12);  // falls freely
    }
  }
  EXPECT_NEAR(lowest, -1, 1e-12);
  EXPECT_NEAR(world.states()[1].centre.z, -1, 1e-12);  // no bounce
  EXPECT_NEAR(60 * world.joint_blocks().back().lambda.n, 8 * kGravity, 1e-9 * 8 * kGravity);
}

TEST(Joint, DrivenBodyTakesAJointAlong) {
  SceneBuilder b("turntable");
  b.settings().gravity = {};
  const int arm = b.add_body({.name = "arm", .kind = BodyKind::kKinematic, .motion = ConstantMotion{{}, {0, 0, 2}}});
  b.add_shape_box(arm, {0.1, 0.1, 0.1}, {.mask = kNothing});
  const int load = add_link(b, {1, 0, 0}, {0.1, 0.1, 0.1});
  b.add_joint_at(JointKind::kFixed, arm, load, {1, 0, 0});
  World world(b.build());
  for (int k = 0; k < 120; ++k) {
    const StepReport report = world.step();
    EXPECT_EQ(report.status, StepStatus::kSolved);
    EXPECT_LE(report.joint_error, 1e-13);
  }
  EXPECT_NEAR(world.states()[1].centre.x, std::cos(4.0), 1e-12);
  EXPECT_NEAR(world.states()[1].centre.y, std::sin(4.0), 1e-12);
}

TEST(Joint, JoinedBodiesDoNotCollideUnlessAsked) {
  for (const bool collide : {false, true}) {
    SceneBuilder b("overlap");
    b.settings().gravity = {};
    const int left = b.add_body({.pose = {{-0.05, 0, 0}, {}}}), right = b.add_body({.pose = {{0.05, 0, 0}, {}}});
    b.add_shape_box(left, {0.1, 0.1, 0.1});
    b.add_shape_box(right, {0.1, 0.1, 0.1});
    b.joint(b.add_joint_at(JointKind::kHinge, left, right, {0, 0, 0})).collide = collide;
    World world(b.build());
    EXPECT_EQ(world.step().contacts > 0, collide);
  }
}

TEST(Joint, RemovalOfOverlapKeepsJoints) {
  SceneBuilder b("lever");
  const int lever = b.add_body({.pose = {{0.5, 0, 0}, {}}});
  b.add_shape_box(lever, {0.5, 0.05, 0.05});
  const int stop = b.add_body({.kind = BodyKind::kStatic, .pose = {{0.9, 0, -0.14}, {}}});  // 1 cm of overlap
  b.add_shape_box(stop, {0.1, 0.1, 0.1});
  b.add_joint_at(JointKind::kHinge, kWorldBody, lever, {0, 0, 0}, {0, 1, 0});
  World world(b.build());
  int recoveries = 0;
  for (int k = 0; k < 120; ++k) {
    const StepReport report = world.step();
    EXPECT_EQ(report.status, StepStatus::kSolved) << k;
    EXPECT_LE(report.joint_error, 1e-12) << k;
    recoveries += report.recoveries;
    if (k == 0) {
      EXPECT_NEAR(report.penetration, 0.01, 1e-12);
    }
    if (k == 119) {
      EXPECT_LE(report.penetration, 2 * b.settings().slop);
    }
  }
  EXPECT_GT(recoveries, 0);
}

TEST(Joint, SameBitsForAnyNumberOfThreadsAndFromAnyStart) {
  SceneBuilder b("two chains");
  for (int k = 0; k < 4; ++k) {
    int last = kWorldBody;
    for (int i = 0; i < 5; ++i) {
      const int link = add_link(b, {0.1 + 0.2 * i, 1.0 * k, 0}, {0.1, 0.02, 0.02});
      b.add_joint_at(JointKind::kBall, last, link, {0.2 * i, 1.0 * k, 0});
      last = link;
    }
  }
  const Scene scene = b.build();
  WorldOptions two;
  two.threads = 2;
  World one(scene), other(scene, two);
  for (int k = 0; k < 60; ++k) one.step(), other.step();
  EXPECT_EQ(one.state_hash(), other.state_hash());
}

}  // namespace
}  // namespace repose
