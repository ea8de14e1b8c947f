// SPDX-License-Identifier: Apache-2.0
// A ball with backspin: slips for 188 steps, turns back, and rolls from the 189th on with
// v_inf = (5 v₀ + 2 r ω₀)/7: its angular momentum about the line of contact is kept.
#include "problems/simple.h"
#include "tests/law/stepper.h"

namespace repose::testing {
namespace {

constexpr double kTolerance = 1e-12;
constexpr double kRadius = 0.25, kSpeed = 4, kSpin = -200, kMu = 0.5, kGravity = 9.81, kStep = 1.0 / 60;
constexpr double kFinalSpeed = (5 * kSpeed + 2 * kRadius * kSpin) / 7;

problems::Structure ball() { return problems::ball({.radius = kRadius, .mu = kMu, .speed = kSpeed, .spin = kSpin}); }

class Backspin : public ::testing::Test {
 protected:
  void expect_slipping(const Stepper& ball, int steps, const std::string& label) {
    const double t = steps * kStep;
    EXPECT_NEAR(ball.velocity().x, kSpeed - kMu * kGravity * t, 1e-8) << label << " step " << steps;
    EXPECT_NEAR(ball.spin().y, kSpin + 2.5 * kMu * kGravity / kRadius * t, 1e-7) << label << " step " << steps;
  }
};

TEST_F(Backspin, SlipsThenRollsByTheClosedForm) {
  for (const Choice& choice : exact_choices(kTolerance)) {
    Stepper rolling(ball(), choice.options);
    EXPECT_TRUE(rolling.steps(100)) << choice.label() << " worst " << rolling.worst();
    expect_slipping(rolling, 100, choice.label());
    EXPECT_TRUE(rolling.steps(88)) << choice.label() << " worst " << rolling.worst();
    expect_slipping(rolling, 188, choice.label());
    EXPECT_NEAR(rolling.position().x, -11.67284, 2e-5) << choice.label();
    EXPECT_TRUE(rolling.step()) << choice.label();
    EXPECT_NEAR(rolling.velocity().x, kFinalSpeed, 1e-9 * -kFinalSpeed) << choice.label();
    EXPECT_NEAR(rolling.spin().y, kFinalSpeed / kRadius, 1e-9 * -kFinalSpeed / kRadius) << choice.label();
    EXPECT_TRUE(rolling.steps(60)) << choice.label();  // and goes on rolling
    EXPECT_NEAR(rolling.velocity().x - kRadius * rolling.spin().y, 0, 1e-9) << choice.label();
    EXPECT_LE(rolling.highest_gap(), 1e-9) << choice.label();
  }
}

TEST_F(Backspin, RelaxedBallLiftsOff) {
  Stepper lifting(ball(), relaxed(kTolerance));
  EXPECT_TRUE(lifting.step());
  EXPECT_GT(lifting.velocity().z, 1) << "v_N = μ‖v_T‖ throws the ball up";
  const Solution found = solve(problems::make_problem(ball()), relaxed(kTolerance));
  EXPECT_NEAR(found.v[0].n, kMu * tangential_norm(found.v[0]), 1e-10 * tangential_norm(found.v[0]));
}

TEST_F(Backspin, SideSpinKeepsTheDirectionOfSlip) {
  for (const Choice& choice : exact_choices(kTolerance)) {
    problems::Structure s = ball();
    s.bodies[0].angular.x = 60;  // slip velocity at the ground: v + ω × (0, 0, −r)
    const double slip_x = kSpeed - kRadius * kSpin, slip_y = kRadius * 60, slip = std::hypot(slip_x, slip_y);
    Stepper curving(s, choice.options);
    EXPECT_TRUE(curving.steps(50)) << choice.label();
    const double lost = kMu * kGravity * 50 * kStep;
    EXPECT_NEAR(curving.velocity().x, kSpeed - lost * slip_x / slip, 1e-8) << choice.label();
    EXPECT_NEAR(curving.velocity().y, -lost * slip_y / slip, 1e-8) << choice.label();
  }
}

}  // namespace
}  // namespace repose::testing
