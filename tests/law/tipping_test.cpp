// SPDX-License-Identifier: Apache-2.0
// A box that slides over its front edge: it stays flat while μ < w/h, and starts to tip at once when μ > w/h.
#include <cmath>

#include "problems/simple.h"
#include "tests/law/stepper.h"

namespace repose::testing {
namespace {

constexpr double kTolerance = 1e-10;
constexpr double kWidth = 0.525, kHeight = 1, kSpeed = 4, kGravity = 9.81, kStep = 1.0 / 60;

problems::Structure sliding_box(double mu) {
  return problems::box({.mu = mu, .length = kWidth, .width = kWidth, .height = kHeight, .speed = kSpeed});
}

/// Share of the normal impulse at the rear edge (the contacts with x < 0).
double rear_share(const problems::Structure& s, const std::vector<ContactVec>& lambda) {
  double rear = 0, all = 0;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    all += lambda[i].n;
    if (s.contacts[i].point.x < 0) rear += lambda[i].n;
  }
  return rear / all;
}

TEST(Tipping, FlatBoxKeepsTheRightShareOfItsWeightAtTheRear) {
  for (const double mu : {0.3, 0.5, 0.522}) {
    const problems::Structure s = sliding_box(mu);
    const ContactProblem problem = problems::make_problem(s);
    for (const Choice& choice : exact_choices(kTolerance)) {
      const Solution found = solve(problem, choice.options);
      EXPECT_EQ(found.report.status, Status::kConverged) << choice.label() << found.report.certificate.worst();
      EXPECT_NEAR(rear_share(s, found.lambda), 0.5 * (1 - mu * kHeight / kWidth), 1e-7) << choice.label();
      for (const ContactVec& v : found.v) {
        EXPECT_NEAR(v.n, 0, 1e-9) << choice.label();
        EXPECT_NEAR(tangential_norm(v), kSpeed - mu * kGravity * kStep, 1e-8) << choice.label();
      }
    }
  }
}

TEST(Tipping, SteepBoxStartsToTurnOverItsFrontEdge) {
  for (const double mu : {0.534, 0.55, 0.8}) {
    const problems::Structure s = sliding_box(mu);
    const ContactProblem problem = problems::make_problem(s);
    const double mass = s.bodies[0].mass, inertia = mass * (kWidth * kWidth + kHeight * kHeight) / 12;
    // Impulse (−μN, N) at the front edge; v_N = 0 there fixes N, the torque N (μh − w)/2 the turn.
    const double lever = mu * kHeight - kWidth;
    const double N = kGravity * kStep / (1 / mass - kWidth * lever / (4 * inertia));
    const double turn = N * lever / (2 * inertia);
    for (const Choice& choice : exact_choices(kTolerance)) {
      const Solution found = solve(problem, choice.options);
      EXPECT_EQ(found.report.status, Status::kConverged) << choice.label() << found.report.certificate.worst();
      EXPECT_NEAR(rear_share(s, found.lambda), 0, 1e-9) << choice.label();
      for (std::size_t i = 0; i < found.v.size(); ++i)
        EXPECT_NEAR(found.v[i].n, s.contacts[i].point.x < 0 ? turn * kWidth : 0.0, 1e-8) << choice.label();
    }
  }
}

TEST(Tipping, RelaxedBoxLiftsOffInstead) {
  const Solution found = solve(problems::make_problem(sliding_box(0.5)), relaxed(kTolerance));
  for (const ContactVec& v : found.v) EXPECT_GT(v.n, 1);
}

}  // namespace
}  // namespace repose::testing
