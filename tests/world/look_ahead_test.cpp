// SPDX-License-Identifier: Apache-2.0
// Predicted contacts: those that the poses at the start of a step do not show.
#include "repose/world/look_ahead_internal.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "repose/base/random.h"
#include "tests/support/step_phases.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

constexpr double kThickness = 0.04;

/// Plates that face each other along x, far apart for the margin; only the first one moves.
Scene plates(double speed, double distance = 0.2) {
  Scene scene = empty_scene();
  scene.gravity = {};
  const Box plate{{kThickness / 2, 0.5, 0.5}};
  add_shape_body(scene, plate, {0, 0, 0}, {speed, 0, 0});
  add_shape_body(scene, plate, {distance, 0, 0});
  return scene;
}

/// Speed that closes the gap of the plates in one step and goes on by `overlap`.
double speed_for(double overlap) { return (0.2 - kThickness + overlap) / kStep; }

TEST(Predict, FromStartLeavesGravityOut) {
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 5}, {1, 0, 0}, {0, 0, 2});
  const FirstStep step(scene);
  std::vector<PredictedMotion> motion;
  predict_from_start(step.data.bodies, motion);
  EXPECT_EQ(motion[0].velocity.z, 0);
  EXPECT_EQ(motion[0].velocity.x, 1);
  EXPECT_EQ(motion[0].spin.z, 2);
}

TEST(Predict, FromImpulsesIsTheVelocityAfterTheContacts) {
  FirstStep step(stack(1));
  step.collide();
  step.assemble();
  step.solve();
  std::vector<PredictedMotion> motion;
  predict_from_impulses(step.data.bodies, step.islands, motion);
  EXPECT_LT(step.data.bodies[1].velocity.z, -0.1) << "falls without contacts";
  EXPECT_NEAR(motion[1].velocity.z, 0, 1e-9) << "the ground holds it";
}

TEST(MarkFast, ComparesTheTravelWithTheThickness) {
  for (const double share : {0.04, 0.06}) {
    const FirstStep step(plates(share * kThickness / kStep));
    std::vector<PredictedMotion> motion;
    std::vector<char> fast;
    predict_from_start(step.data.bodies, motion);
    EXPECT_NEAR(mark_fast(step.setup, step.data.bodies, motion, fast), share, 1e-12) << share;
    EXPECT_EQ(fast[0] != 0, share > 0.05) << share;
    EXPECT_EQ(fast[1], 0);
  }
}

TEST(MarkFast, CountsTurnsOfWhatIsNotRound) {
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 5}, {}, {0, 0, 10});
  add_shape_body(scene, Sphere{0.5}, {5, 0, 5}, {}, {0, 0, 10});
  const FirstStep step(scene);
  std::vector<PredictedMotion> motion;
  std::vector<char> fast;
  predict_from_start(step.data.bodies, motion);
  mark_fast(step.setup, step.data.bodies, motion, fast);
  EXPECT_NE(fast[0], 0);
  EXPECT_EQ(fast[1], 0) << "the spin of a ball moves no surface";
}

TEST(MarkFast, RefusesMotionsThatAreNotFinite) {
  const FirstStep step(plates(1));
  std::vector<PredictedMotion> motion;
  std::vector<char> fast;
  predict_from_start(step.data.bodies, motion);
  motion[1].velocity.y = std::numeric_limits<double>::infinity();
  EXPECT_EQ(mark_fast(step.setup, step.data.bodies, motion, fast), 0);
}

TEST(LookAhead, AllowedOverlapIsAShareOfTheThinnerBody) {
  Scene scene = empty_scene();
  add_ground(scene);
  add_cube(scene, 1, {0, 0, 5});
  add_cube(scene, 0.5, {3, 0, 5});
  EXPECT_DOUBLE_EQ(allowed_overlap(make_setup(scene, {}), 1, 2), 0.03 * 0.5);
  EXPECT_DOUBLE_EQ(allowed_overlap(make_setup(scene, {}), 0, 1), 0.03) << "a half-space has no thickness";
  add_cube(scene, 0.05, {5, 0, 5});
  EXPECT_DOUBLE_EQ(allowed_overlap(make_setup(scene, {}), 1, 2), 0.03 * 0.5) << "whatever else is in the scene";
}

TEST(LookAhead, DepthAtStartIsOfThePairAndWithoutPredictedContacts) {
  std::vector<Contact> contacts(4);
  contacts[0].collider_b = 1, contacts[0].gap = -0.5;
  contacts[1].collider_b = 2, contacts[1].gap = -0.1;
  contacts[2].collider_b = 2, contacts[2].gap = -0.2;
  contacts[3].collider_b = 2, contacts[3].gap = -0.9, contacts[3].detected_at = 1;
  EXPECT_EQ(depth_at_start(contacts, 0, 2), 0.2);
  EXPECT_EQ(depth_at_start(contacts, 0, 1), 0.5);
  EXPECT_EQ(depth_at_start(contacts, 1, 2), 0);
}

TEST(LookAhead, SmallOverlapAtTheEndAddsNothing) {
  for (const double overlap : {-0.01, 0.02 * kThickness, 0.2 * kThickness}) {
    FirstStep step(plates(speed_for(overlap)));
    const std::vector<char> fast{1, 0};
    std::vector<PredictedMotion> motion;
    predict_from_start(step.data.bodies, motion);
    EXPECT_EQ(step.look_ahead.add_contacts(step.start(), fast, motion, step.data.found), overlap > 0.1 * kThickness)
        << overlap;
  }
}

/// The gap of a predicted contact is that of the pair at the start, to first order; both arms reach one point.
TEST(LookAhead, GapsAreExtrapolatedToTheStart) {
  FirstStep step(plates(speed_for(0.3 * kThickness)));
  const std::vector<char> fast{1, 0};
  std::vector<PredictedMotion> motion;
  predict_from_start(step.data.bodies, motion);
  ASSERT_TRUE(step.look_ahead.add_contacts(step.start(), fast, motion, step.data.found));
  ASSERT_EQ(step.data.found.patches.size(), 1U);
  ASSERT_EQ(step.data.found.contacts.size(), 4U);
  for (const Contact& c : step.data.found.contacts) {
    EXPECT_EQ(c.detected_at, 1);
    EXPECT_NEAR(c.gap, 0.2 - kThickness, 1e-12);
    EXPECT_NEAR(c.bias, (0.2 - kThickness) / kStep, 1e-9) << "it may close within the step and not more";
    EXPECT_NEAR(c.normal.x, 1, 1e-12);
  }
}

/// By the end of the step the first plate is more than half way through the second: the normal there points backwards,
/// the one at the middle of the step does not.
TEST(LookAhead, PairsThatPassedThroughAreCollidedEarlier) {
  FirstStep step(plates((0.12 + 0.6 * kThickness) / kStep, 0.12));
  const std::vector<char> fast{1, 0};
  std::vector<PredictedMotion> motion;
  predict_from_start(step.data.bodies, motion);
  ASSERT_TRUE(step.look_ahead.add_contacts(step.start(), fast, motion, step.data.found));
  for (const Contact& c : step.data.found.contacts) {
    EXPECT_EQ(c.detected_at, 0.5);
    EXPECT_NEAR(c.normal.x, 1, 1e-12);
    EXPECT_NEAR(c.gap, 0.12 - kThickness, 1e-12);
  }
}

TEST(LookAhead, SlowBodiesAreLeftAlone) {
  FirstStep step(plates(speed_for(0.3 * kThickness)));
  const std::vector<char> fast{0, 0};
  std::vector<PredictedMotion> motion;
  predict_from_start(step.data.bodies, motion);
  EXPECT_FALSE(step.look_ahead.add_contacts(step.start(), fast, motion, step.data.found));
  EXPECT_TRUE(step.data.found.contacts.empty());
}

/// A plate at rest is struck and would be inside the next one by the end of the step: nothing near it at the start said
/// that it would move at all.
TEST(LookAhead, StruckBodyStopsAtTheNextOne) {
  Scene scene = empty_scene();
  scene.gravity = {};
  const Box plate{{0.02, 0.5, 0.5}};
  add_cube(scene, 0.5, {-0.28, 0, 0}, {30, 0, 0});  // half a metre a step
  add_shape_body(scene, plate, {0, 0, 0});
  add_shape_body(scene, plate, {0.2, 0, 0});
  add_shape_body(scene, plate, {0.4, 0, 0});
  World world(scene);
  const Vec3 before = momentum(world);
  const StepReport report = world.step();
  EXPECT_EQ(report.status, StepStatus::kSolved);
  EXPECT_GT(report.contacts_ahead, 0);
  EXPECT_LE(report.energy_rise, 1e-9 * report.energy);
  for (std::size_t b = 1; b + 1 < 4; ++b)
    EXPECT_GE(world.states()[b + 1].centre.x - world.states()[b].centre.x, 0.04 - 1e-9) << "plates pass each other";
  EXPECT_NEAR(norm(momentum(world) - before), 0, 1e-12 * norm(before));
}

/// Tumbling bodies meet with sides that did not face each other at the start; the pair's momenta are kept all the same.
TEST(LookAhead, TumblingBodiesDoNotSinkIntoEachOther) {
  int ahead = 0;
  for (int seed = 0; seed < 40; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto vec = [&](double size) {
      return Vec3{random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
    };
    Scene scene = empty_scene();
    scene.gravity = {};
    for (const double side : {-1.0, 1.0}) {
      add_cube(scene, 1, Vec3{1.2 * side, 0, 0} + vec(0.2), Vec3{-6 * side, 0, 0} + vec(3), vec(12));
      scene.bodies.back().pose.rotation = exponential(vec(2));
    }
    World world(scene);
    const double mass = world.models()[0].mass;
    for (int k = 0; k < 40; ++k) {
      const Vec3 p = momentum(world), L = angular_momentum(world);
      const StepReport report = world.step();
      EXPECT_EQ(report.status, StepStatus::kSolved);
      EXPECT_LE(report.overlap_share, 0.02) << seed << " " << k;
      EXPECT_NEAR(norm(momentum(world) - p), 0, 1e-11 * mass);
      if (report.recoveries > 0) continue;  // a displacement changes the angular momentum about the origin
      EXPECT_NEAR(norm(angular_momentum(world) - L), 0, 1e-11 * mass) << seed << " " << k;
      ahead += report.contacts_ahead;
    }
  }
  EXPECT_GT(ahead, 0);
}

}  // namespace
}  // namespace repose
