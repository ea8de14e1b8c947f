// SPDX-License-Identifier: Apache-2.0
// Painlevé's rod at tan θ = 2: for μ > 4/3 no force can keep the sliding tip on the ground, yet an impulse always
// exists. The step is planar, so that the law's three cases can be written down.
#include <cmath>

#include "problems/simple.h"
#include "tests/law/stepper.h"

namespace repose::testing {
namespace {

constexpr double kTolerance = 1e-10;

/// The planar law v = W λ + v_f by cases, with components (t, n); NaN when no case fits.
ContactVec planar_solution(const Mat3& W, ContactVec v_free, double mu) {
  if (v_free.n >= 0) return {};
  const double wtt = W.m[0][0], wtn = W.m[0][2], wnn = W.m[2][2], det = wtt * wnn - wtn * wtn;
  const ContactVec stick{(wtn * v_free.n - wnn * v_free.t1) / det, 0, (wtn * v_free.t1 - wtt * v_free.n) / det};
  if (stick.n >= 0 && std::abs(stick.t1) <= mu * stick.n) return stick;
  for (const double side : {-1.0, 1.0}) {  // λ_t = side μ λ_n against v_t
    const double n = -v_free.n / (wnn + side * mu * wtn);
    const double vt = (wtt * side * mu + wtn) * n + v_free.t1;
    if (n >= 0 && side * vt <= 0) return {side * mu * n, 0, n};
  }
  return {NAN, NAN, NAN};
}

/// Work of the impulse: λ against the mean of the velocities before and after.
double work(ContactVec lambda, ContactVec v_free, ContactVec v) { return 0.5 * dot(lambda, v + v_free); }

TEST(Painleve, RodObeysTheLawBelowAndInsideTheParadox) {
  for (const double mu : {1.2, 1.6})
    for (const double slide : {-1.0, 1.0}) {
      const ContactProblem problem = problems::make_problem(problems::rod({.mu = mu, .slide = slide}));
      const ContactVec exact = planar_solution(problem.diagonal_block(0), problem.v_free()[0], mu);
      ASSERT_TRUE(std::isfinite(exact.n)) << mu;
      for (const Choice& choice : exact_choices(kTolerance)) {
        if (choice.outer == "staggered") continue;  // cycles here: see the conformance table
        const Solution found = solve(problem, choice.options);
        EXPECT_EQ(found.report.status, Status::kConverged) << choice.label() << " μ " << mu;
        EXPECT_NEAR(found.lambda[0].t1, exact.t1, 1e-7 * exact.n) << choice.label() << " μ " << mu;
        EXPECT_NEAR(found.lambda[0].n, exact.n, 1e-7 * exact.n) << choice.label() << " μ " << mu;
        EXPECT_LE(work(found.lambda[0], problem.v_free()[0], found.v[0]), 0) << choice.label();
      }
    }
}

TEST(Painleve, InsideTheParadoxAnImpulseStopsTheTip) {
  const ContactProblem problem = problems::make_problem(problems::rod({.mu = 1.6}));
  const Mat3 W = problem.diagonal_block(0);
  EXPECT_LT(W.m[2][2] - 1.6 * std::abs(W.m[0][2]), 0) << "W_nn − μ|W_tn| < 0 is the paradox";
  const Solution found = solve(problem, {.tolerance = kTolerance});
  EXPECT_NEAR(tangential_norm(found.v[0]), 0, 1e-9);
  EXPECT_GT(found.lambda[0].n, 2 * 9.81 / 60) << "no force of the size of the weight does that";
}

TEST(Painleve, RelaxedRodJumpsWhereItSlides) {  // dragged along its lean; in the paradox both laws stop the tip
  for (const double mu : {1.2, 1.6}) {
    const ContactProblem problem = problems::make_problem(problems::rod({.mu = mu, .slide = -1}));
    const Solution found = solve(problem, relaxed(kTolerance));
    EXPECT_EQ(found.report.status, Status::kConverged);
    EXPECT_NEAR(found.v[0].n, mu * tangential_norm(found.v[0]), 1e-9);
    EXPECT_GT(found.v[0].n, 1e-2) << mu;
  }
}

}  // namespace
}  // namespace repose::testing
