// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/picard.h"

#include <gtest/gtest.h>

#include "problems/arch.h"
#include "problems/simple.h"
#include "repose/base/error.h"
#include "repose/inner/options.h"

namespace repose {
namespace {

using problems::make_problem;

std::unique_ptr<ConeQpSolver> inner() { return make_inner(InnerOptions{BgsOptions{}}); }

template <class Solver, class Options>
OuterReport solve_cold(const Options& options, const ContactProblem& problem, std::vector<ContactVec>& lambda,
                       SolveLimits limits = {}) {
  Solver solver(options, inner());
  solver.limits = limits;
  solver.bind(problem);
  lambda.assign(static_cast<std::size_t>(problem.size()), {});
  return solver.solve(lambda);
}

TEST(Picard, ConvergesLinearlyOnASlidingBall) {
  std::vector<ContactVec> lambda;
  const OuterReport report = solve_cold<PicardSolver>(PicardOptions{}, make_problem(problems::ball()), lambda);
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_LE(report.outer_iterations, 20);
}

TEST(Picard, SolvesTheQpOnlyAsFarAsTheCouplingIsKnown) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 9}));
  std::vector<ContactVec> lambda;
  const OuterReport loose = solve_cold<PicardSolver>(PicardOptions{.inner_accuracy = 0.5}, problem, lambda);
  const OuterReport tight = solve_cold<PicardSolver>(PicardOptions{.inner_accuracy = 1e-3}, problem, lambda);
  EXPECT_EQ(loose.status, Status::kConverged);
  EXPECT_EQ(tight.status, Status::kConverged);
  EXPECT_LT(loose.inner_iterations, tight.inner_iterations);
}

TEST(Picard, DampingReachesTheSameAnswer) {
  const ContactProblem problem = make_problem(problems::box({.slope = 0.5, .mu = 0.3}));
  std::vector<ContactVec> full, damped;
  solve_cold<PicardSolver>(PicardOptions{}, problem, full);
  const OuterReport report = solve_cold<PicardSolver>(PicardOptions{.damping = 0.5}, problem, damped);
  EXPECT_EQ(report.status, Status::kConverged);
  double normal[2] = {0, 0};
  for (std::size_t i = 0; i < full.size(); ++i) normal[0] += full[i].n, normal[1] += damped[i].n;
  EXPECT_NEAR(normal[0], normal[1], 1e-6 * normal[0]);
}

TEST(Picard, OptionsAreChecked) {
  EXPECT_THROW(PicardSolver({.damping = 0}, inner()), InputError);
  EXPECT_THROW(PicardSolver({.inner_accuracy = 1}, inner()), InputError);
  EXPECT_THROW(PicardSolver({.max_inner_calls = 0}, inner()), InputError);
  EXPECT_THROW(PicardSolver({}, nullptr), InputError);
}

TEST(Relaxed, ConvergedMeansItsOwnQp) {
  std::vector<ContactVec> lambda;
  const ContactProblem problem = make_problem(problems::ball());
  const OuterReport report = solve_cold<RelaxedSolver>(RelaxedOptions{}, problem, lambda);
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_FALSE(report.certificate.solved(1e-2)) << "the certificate is the exact law's";
}

TEST(Relaxed, IsExactWhereNothingSlides) {
  std::vector<ContactVec> lambda;
  const ContactProblem problem = make_problem(problems::box({.slope = 0.2, .mu = 0.5}));
  const OuterReport report = solve_cold<RelaxedSolver>(RelaxedOptions{}, problem, lambda, {.tolerance = 1e-10});
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_TRUE(report.certificate.solved(1e-8)) << report.certificate.worst();
}

}  // namespace
}  // namespace repose
