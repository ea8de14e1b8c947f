// SPDX-License-Identifier: Apache-2.0
// One body on the ground, simulated: incline, ball with backspin, turntable, tipping box, against their closed forms,
// each with its relaxed control that must fail.
#include <cmath>
#include <numbers>

#include "scenes/single.h"
#include "scenes/turntable.h"
#include "tests/law/scene_run.h"

namespace repose::testing {
namespace {

constexpr double kGravity = 9.81;

// ---- §1 cube on an incline of slope 1/2, 2 s

double stepped_distance(double mu) {
  const double acceleration = kGravity / std::sqrt(5.0) * (1 - 2 * mu);
  return mu < 0.5 ? acceleration * kFrame * kFrame * 120 * 121 / 2 : 0.0;
}

double slide(SceneRun& run) {
  const Vec3 start = run.state(run.last_dynamic()).centre;
  run.steps(120);
  return norm(run.state(run.last_dynamic()).centre - start);
}

TEST(WorldIncline, SlidesByTheClosedForm) {
  for (const double mu : {0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.49, 0.4999, 0.5, 0.5001, 0.51, 0.55, 0.6, 0.8})
    for (const auto& [direction, yaw] : {std::pair{0.0, 0.0}, {45.0, 0.0}, {30.0, 45.0}}) {
      const scenes::InclineOptions options{.mu = mu, .direction = direction, .yaw = yaw};
      SceneRun run(scenes::incline(options));
      const double distance = slide(run);
      EXPECT_NEAR(distance, stepped_distance(mu), 1e-6) << "mu " << mu << " direction " << direction << " yaw " << yaw;
      EXPECT_LE(run.highest_gap, 1e-9) << "mu " << mu;
      EXPECT_LE(run.most_iterations, 20) << "mu " << mu;
      run.expect_certified();
    }
}

TEST(WorldIncline, TakesTenIterationsAtMostAtThePapersTolerance) {
  WorldOptions options;
  options.solver.tolerance = 1e-6;
  for (const double mu : {0.0, 0.3, 0.49, 0.4999, 0.5, 0.5001, 0.51, 0.6, 0.8})
    for (const double direction : {0.0, 30.0, 45.0}) {
      SceneRun run(scenes::incline({.mu = mu, .direction = direction}), options);
      (void)slide(run);
      EXPECT_LE(run.most_iterations, 10) << "mu " << mu << " direction " << direction;
      EXPECT_EQ(run.unsolved, 0);
    }
}

TEST(WorldIncline, RelaxedCubeLiftsOff) {
  const scenes::InclineOptions options{.mu = 0.3};
  SceneRun run(scenes::incline(options), relaxed_world());
  (void)slide(run);
  EXPECT_GT(run.highest_gap, 1e-4);
  EXPECT_GT(run.unsolved, 60) << "the exact law's certificate must say so";
}

TEST(WorldIncline, BallRollsUpToItsAngle) {
  // Rolls iff tan θ ≤ 3.5 μ with 5/7 g sin θ, else slips with g (sin θ − μ cos θ); μ = 0.1: the edge is 19.29°.
  for (const double degrees : {19.0, 20.0}) {
    const double angle = degrees * std::numbers::pi / 180, sine = std::sin(angle), cosine = std::cos(angle);
    const scenes::InclineOptions options{.mu = 0.1, .slope = std::tan(angle), .body = "sphere"};
    SceneRun run(scenes::incline(options));
    const double distance = slide(run);
    const double acceleration = degrees < 19.29 ? 5.0 / 7 * kGravity * sine : kGravity * (sine - 0.1 * cosine);
    EXPECT_NEAR(distance, acceleration * kFrame * kFrame * 120 * 121 / 2, 1e-6) << degrees;
    run.expect_certified();
  }
}

// ---- §2 ball with backspin

constexpr double kRadius = 0.25, kFinalSpeed = (5 * 4 - 2 * kRadius * 200) / 7;

void expect_rolling(const BodyState& ball) {
  EXPECT_NEAR(ball.velocity.x, kFinalSpeed, 1e-9 * -kFinalSpeed);
  EXPECT_NEAR(ball.angular_velocity.y, kFinalSpeed / kRadius, 1e-9 * -kFinalSpeed / kRadius);
  EXPECT_NEAR(ball.velocity.x - kRadius * ball.angular_velocity.y, 0, 1e-9);
}

TEST(WorldBackspin, SlipsTurnsBackAndRolls) {
  SceneRun run(scenes::backspin());
  const int ball = run.last_dynamic();
  double expected = 0;
  for (int k = 1; k <= 188; ++k) {
    run.step();
    const double v = 4 - 0.5 * kGravity * k * kFrame;
    expected += kFrame * v;
    ASSERT_NEAR(run.state(ball).velocity.x, v, 1e-9) << k;
    ASSERT_NEAR(run.state(ball).centre.x, expected, 1e-6) << k;
  }
  EXPECT_NEAR(run.state(ball).centre.x, -11.67284, 2e-5);
  run.step();
  expect_rolling(run.state(ball));
  run.seconds(5);
  expect_rolling(run.state(ball));
  EXPECT_LE(run.highest_gap, 1e-9);
  run.expect_certified();
}

TEST(WorldBackspin, DroppedBallRollsAtTheSameSpeed) {
  for (const double drop : {0.1, 1.0}) {
    SceneRun run(scenes::backspin({.drop = drop}));
    const int ball = run.last_dynamic();
    run.steps(60);
    run.highest_gap = 0;
    run.steps(129);
    EXPECT_LE(std::abs(run.state(ball).velocity.x - kFinalSpeed), 0.15) << "within a step of rolling";
    run.steps(2);
    expect_rolling(run.state(ball));
    run.seconds(5);
    expect_rolling(run.state(ball));
    EXPECT_LE(run.highest_gap, 1e-9) << "after landing, drop " << drop;
    run.expect_certified();
  }
}

TEST(WorldBackspin, SideSpinBendsThePathIntoAParabola) {
  SceneRun run(scenes::backspin({.side_spin = 60}));
  const int ball = run.last_dynamic();
  const double slip_x = 4 + kRadius * 200, slip_y = kRadius * 60, slip = std::hypot(slip_x, slip_y);
  for (int k = 1; k <= 100; ++k) {
    run.step();
    const double lost = 0.5 * kGravity * k * kFrame;
    const Vec3 v = run.state(ball).velocity;
    ASSERT_NEAR(v.x - 4, -lost * slip_x / slip, 1e-9) << k;
    ASSERT_NEAR(std::abs(v.y), lost * slip_y / slip, 1e-9) << k;
  }
  run.expect_certified();
}

TEST(WorldBackspin, RelaxedBallIsThrownUp) {
  SceneRun run(scenes::backspin(), relaxed_world());
  run.steps(30);
  EXPECT_GT(run.state(run.last_dynamic()).centre.z, kRadius + 0.1);
}

// ---- §3 turntable

struct Ride {
  double slip_at = -1, left_at = -1, speed = 0, radius = 0, fastest_slip = 0;
  int unsolved = 0;
};

Ride ride(double mu, double speed, double time, const WorldOptions& options = {}) {
  SceneRun run(scenes::turntable({.mu = mu, .speed = speed}), options);
  const int cube = run.last_dynamic();
  Ride result;
  for (int k = 1; k * kFrame <= time + 1e-9 && result.left_at < 0; ++k) {
    run.step();
    for (const Contact& c : run.world.contacts()) {
      const double slip = std::hypot(c.v.t1, c.v.t2);
      result.fastest_slip = std::max(result.fastest_slip, slip);
      if (result.slip_at < 0 && slip > 1e-6) result.slip_at = k * kFrame;
    }
    const Vec3 x = run.state(cube).centre;
    result.radius = std::hypot(x.x, x.y);
    if (result.radius > 2) {
      result.left_at = k * kFrame;
      result.speed = norm(run.state(cube).velocity);
    }
  }
  result.unsolved = run.unsolved;
  return result;
}

TEST(WorldTurntable, ThreeCubesLeaveAsComputed) {
  const struct {
    double mu, speed, slip_at, left_at, exit_speed;
  } cells[] = {{0.2, 2, 1.350, 3.267, 2.282}, {0.2, 5, 0.443, 2.000, 2.581}, {0.5, 5, 0.951, 1.950, 3.900}};
  for (const auto& cell : cells) {
    const Ride result = ride(cell.mu, cell.speed, 8);
    EXPECT_NEAR(result.slip_at, cell.slip_at, 2 * kFrame + 1e-9);
    EXPECT_NEAR(result.left_at, cell.left_at, 0.05 * cell.left_at);
    EXPECT_NEAR(result.speed, cell.exit_speed, 0.05 * cell.exit_speed);
    EXPECT_EQ(result.unsolved, 0);
  }
}

/// The drift of semi-implicit Euler is gone: contact velocities are those that carry a body along its circle.
TEST(WorldTurntable, CapturedCubeStaysOnItsCircle) {
  const Ride result = ride(0.5, 2, 8);
  EXPECT_LT(result.left_at, 0);
  EXPECT_LE(result.fastest_slip, 1e-8);
  EXPECT_NEAR(result.radius, 0.75, 1e-6);
  EXPECT_EQ(result.unsolved, 0);
}

TEST(WorldTurntable, RelaxedSlidingCubeMissesTheLaw) { EXPECT_GT(ride(0.2, 2, 3, relaxed_world()).unsolved, 30); }

// ---- §4 tipping box

struct Tip {
  double tilt = 0, largest_tilt = 0, balance_at = -1, distance = 0, rise_before = 0;
  int unsolved = 0;
  double worst = 0;
};

Tip tip(double mu, double speed, const WorldOptions& options = {}) {
  SceneRun run(scenes::tipping_box({.mu = mu, .speed = speed}), options);
  const int box = run.last_dynamic();
  const Vec3 start = run.state(box).centre;
  Tip result;
  for (int k = 1; k <= 240; ++k) {
    run.step();
    const Vec3 up = rotate(run.state(box).rotation, {0, 0, 1});
    result.tilt = std::atan2(std::hypot(up.x, up.y), up.z);
    result.largest_tilt = std::max(result.largest_tilt, result.tilt);
    if (result.largest_tilt < 1e-6) result.rise_before = std::max(result.rise_before, run.state(box).velocity.z);
    if (result.balance_at < 0 && result.tilt > std::atan(0.525)) result.balance_at = k * kFrame;
  }
  result.distance = run.state(box).centre.x - start.x;
  result.unsolved = run.unsolved;
  result.worst = run.worst;
  return result;
}

TEST(WorldTippingBox, SlidesToRestFlat) {
  const Tip flat = tip(0.5, 4);
  EXPECT_LE(flat.largest_tilt, 1e-6);
  EXPECT_LE(flat.rise_before, 1e-9);
  // v_k = v₀ − k μ g h until it stops.
  double stopped = 0;
  for (double v = 4 - 0.5 * kGravity * kFrame; v > 0; v -= 0.5 * kGravity * kFrame) stopped += kFrame * v;
  EXPECT_NEAR(stopped, 1.5977, 1e-4);
  EXPECT_NEAR(flat.distance, stopped, 1e-6);
  EXPECT_EQ(flat.unsolved, 0) << flat.worst;
}

TEST(WorldTippingBox, TumblesAtTheHigherFriction) {
  const Tip over = tip(0.55, 4);
  EXPECT_NEAR(over.tilt * 180 / std::numbers::pi, 90, 0.1);
  EXPECT_NEAR(over.balance_at, 0.512, 0.02);
  EXPECT_LE(over.rise_before, 1e-9);
  EXPECT_EQ(over.unsolved, 0) << over.worst;
}

TEST(WorldTippingBox, BracketsInSpeedAndFriction) {
  const double over = std::numbers::pi / 2;
  EXPECT_NEAR(tip(0.55, 2.60).tilt, 0, 1e-3) << "falls back";
  EXPECT_NEAR(tip(0.55, 2.76).tilt, over, 2e-3);
  EXPECT_NEAR(tip(0.522, 4).tilt, 0, 1e-3) << "stays";
  EXPECT_NEAR(tip(0.534, 4).tilt, over, 2e-3);
}

TEST(WorldTippingBox, RelaxedBoxRisesAsItSlides) { EXPECT_GT(tip(0.5, 4, relaxed_world()).rise_before, 1e-3); }

// ---- Painlevé's rod

TEST(WorldPainleve, RodBelowAndBeyondTheParadox) {
  for (const double mu : {1.2, 1.6}) {
    SceneRun run(scenes::painleve_rod({.mu = mu}));
    double rise = 0;
    for (int k = 0; k < 120; ++k) rise = std::max(rise, run.step().energy_rise);
    EXPECT_EQ(run.unsolved, 0) << "mu " << mu << " worst " << run.worst;
    EXPECT_LE(rise, 1e-6 * weight(run.world)) << "no energy from nothing, mu " << mu;
  }
}

}  // namespace
}  // namespace repose::testing
