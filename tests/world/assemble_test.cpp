// SPDX-License-Identifier: Apache-2.0
// From manifolds to contacts and contact problems: gaps and biases, arms, restitution, warm starts, prescribed motion.
#include "repose/world/assemble.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/step_phases.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

const ContactVec& v_free(const IslandSet& islands, int contact) {
  return islands[0].problem().v_free()[static_cast<std::size_t>(contact)];
}

Scene ball_above_ground(double gap, double speed, double restitution = 0) {
  Scene scene = empty_scene();
  scene.materials[0].restitution = restitution;
  add_ground(scene);
  add_shape_body(scene, Sphere{0.5}, {0, 0, 0.5 + gap}, {0, 0, speed});
  return scene;
}

TEST(Assemble, OpenGapMayCloseWithinTheStep) {
  FirstStep step(ball_above_ground(0.01, -3));
  const ContactSet& found = step.collide();
  ASSERT_EQ(found.contacts.size(), 1U);
  EXPECT_NEAR(found.contacts[0].gap, 0.01, 1e-15);
  EXPECT_NEAR(found.contacts[0].bias, 0.01 / kStep, 1.1e-9 / kStep) << "up to the gap filter's noise level";
  EXPECT_EQ(found.contacts[0].bias, found.contacts[0].closing);
  EXPECT_EQ(found.contacts[0].mu, 0.5);
  step.assemble();
  EXPECT_NEAR(v_free(step.islands, 0).n, -3 - kGravity * kStep + 0.01 / kStep, 1.1e-9 / kStep);
}

TEST(Assemble, OverlapHasNoBias) {
  FirstStep step(ball_above_ground(-0.01, 0));
  const ContactSet& found = step.collide();
  ASSERT_EQ(found.contacts.size(), 1U);
  EXPECT_EQ(found.contacts[0].bias, 0);
}

/// e v⁻ when the contact closes within the step, faster than 2 g h.
TEST(Assemble, RestitutionActsOnImpactsOnly) {
  const double slowest = 2 * kGravity * kStep;
  const auto bias = [](double gap, double speed) {
    FirstStep step(ball_above_ground(gap, speed, 0.7));
    return step.collide().contacts.at(0).bias;
  };
  EXPECT_NEAR(bias(0, -3), 0.7 * -3, 1e-12);
  EXPECT_EQ(bias(0, -0.99 * slowest), 0) << "too slow to bounce";
  EXPECT_NEAR(bias(0, -1.01 * slowest), 0.7 * -1.01 * slowest, 1e-12);
  EXPECT_NEAR(bias(0.019, -0.5), 0.019 / kStep, 1e-7) << "does not arrive within this step";
}

/// A lone moving body has the contact point on its own surface; two moving bodies share a point half way.
TEST(Assemble, ArmsReachTheSurfaceOrTheMiddle) {
  const double gap = 0.01, radius = 0.5, mass = 1000 * 4.0 / 3 * std::acos(-1.0) * radius * radius * radius;
  const double inertia = 0.4 * mass * radius * radius;
  FirstStep lone(ball_above_ground(gap, -1));
  lone.collide();
  lone.assemble();
  const auto tangential = [](const FirstStep& step) {
    return std::get<BodyForm>(step.islands[0].problem().form()).diagonal_block(0).m[0][0];
  };
  EXPECT_NEAR(tangential(lone), 1 / mass + radius * radius / inertia, 1e-12);

  Scene scene = empty_scene();
  add_shape_body(scene, Sphere{radius}, {0, 0, 0});
  add_shape_body(scene, Sphere{radius}, {0, 0, 2 * radius + gap});
  FirstStep pair(scene);
  pair.collide();
  pair.assemble();
  const double arm = radius + gap / 2;
  EXPECT_NEAR(tangential(pair), 2 * (1 / mass + arm * arm / inertia), 1e-12);
}

TEST(Assemble, HeldAxesAnswerNoImpulse) {
  Scene scene = stack(1);
  scene.bodies[1].fixed_dof = {true, true, false, true, true, true};
  FirstStep step(scene);
  step.collide();
  step.assemble();
  const Mat3 block = std::get<BodyForm>(step.islands[0].problem().form()).diagonal_block(0);
  EXPECT_EQ(block.m[0][0], 0);
  EXPECT_EQ(block.m[1][1], 0);
  EXPECT_NEAR(block.m[2][2], 1e-3, 1e-15);
}

/// What stands on a turntable gets the velocity that takes its mass centre along the circle's chord.
TEST(Assemble, TurntableTakesItsLoadAlongTheChord) {
  const double omega = 2, radius = 0.75;
  Scene scene = empty_scene();
  add_moving_plate(scene, ConstantMotion{{}, {0, 0, omega}});
  const Vec3 chord{radius * (std::cos(omega * kStep) - 1), radius * std::sin(omega * kStep), 0};
  add_cube(scene, 0.2, {radius, 0, 0.1}, (1 / kStep) * chord, {0, 0, omega});
  FirstStep step(scene);
  step.collide();
  step.assemble();
  ASSERT_EQ(step.islands[0].contacts().size(), 4U);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(v_free(step.islands, i).t1, 0, 1e-12) << i;
    EXPECT_NEAR(v_free(step.islands, i).t2, 0, 1e-12) << i;
  }
}

TEST(WarmStart, FollowsPairAndFeature) {
  std::vector<Contact> last(3), now(3);
  for (std::size_t k = 0; k < 3; ++k) {
    last[k].collider_b = now[k].collider_b = 1;
    last[k].normal = now[k].normal = {0, 0, 1};
    last[k].mu = now[k].mu = 0.5;
    last[k].feature = static_cast<std::uint32_t>(k);
    now[k].feature = static_cast<std::uint32_t>(k + 1);
    last[k].lambda = {0, 0, 1.0 + static_cast<double>(k)};
  }
  transfer_impulses(last, now);
  EXPECT_EQ(now[0].start.n, 2);
  EXPECT_EQ(now[1].start.n, 3);
  EXPECT_EQ(now[2].start.n, 0) << "a new feature";
  EXPECT_EQ(now[0].lambda.n, now[0].start.n);
}

TEST(WarmStart, LeavesPredictedContactsOut) {
  std::vector<Contact> last(1), now(1);
  last[0].normal = now[0].normal = {0, 0, 1};
  last[0].lambda = {0, 0, 1};
  last[0].detected_at = 1;
  transfer_impulses(last, now);
  EXPECT_EQ(now[0].start.n, 0);
}

/// The impulse is kept as a vector in space, and stays within the cone of the new normal.
TEST(WarmStart, KeepsTheVectorWhenTheNormalTurns) {
  std::vector<Contact> last(1), now(1);
  last[0].normal = {0, 0, 1};
  last[0].lambda = {0.1, -0.2, 2};
  now[0].normal = normalized(Vec3{0.02, 0, 1});
  now[0].mu = 0.5;
  transfer_impulses(last, now);
  now[0].lambda = now[0].start;
  EXPECT_LE(norm(now[0].impulse() - last[0].impulse()), 1e-14);
  now[0].normal = {1, 0, 0};
  transfer_impulses(last, now);
  EXPECT_LE(std::hypot(now[0].start.t1, now[0].start.t2), 0.5 * now[0].start.n + 1e-15);
}

TEST(IslandProblem, SaysWhetherTheContactGraphChanged) {
  FirstStep step(stack(2));
  const ContactSet& found = step.collide();
  const std::vector<char> moves{0, 1, 1};
  Islands islands;
  islands.build(moves, found.patches);
  IslandProblem part;
  const auto assemble = [&] {
    return part.assemble(step.data.bodies, found.contacts, found.patches, islands.bodies(0), islands.patches(0),
                         islands.nodes(), kStep);
  };
  EXPECT_EQ(assemble(), ProblemChange::kGraph);
  EXPECT_EQ(assemble(), ProblemChange::kVelocities);
  EXPECT_EQ(part.problem().size(), 8);
  step.data.found.patches.pop_back();
  islands.build(moves, found.patches);
  EXPECT_EQ(assemble(), ProblemChange::kGraph);
  EXPECT_EQ(part.problem().size(), 4);
}

}  // namespace
}  // namespace repose
