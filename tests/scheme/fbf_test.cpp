// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/fbf.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "problems/arch.h"
#include "problems/simple.h"
#include "repose/base/error.h"
#include "repose/contact/spectrum.h"
#include "repose/inner/options.h"

namespace repose {
namespace {

using problems::make_problem;

FbfSolver make_fbf(const FbfOptions& options = {}, int sweeps = 10) {
  return {options, make_inner(InnerOptions{BgsOptions{.sweeps = sweeps}})};
}

OuterReport solve_cold(FbfSolver& solver, const ContactProblem& problem, std::vector<ContactVec>* found = nullptr) {
  std::vector<ContactVec> lambda(static_cast<std::size_t>(problem.size()));
  const OuterReport report = solver.solve(lambda);
  if (found) *found = lambda;
  return report;
}

OuterReport solve_cold(const FbfOptions& options, SolveLimits limits, const ContactProblem& problem) {
  FbfSolver solver = make_fbf(options);
  solver.limits = limits;
  solver.bind(problem);
  return solve_cold(solver, problem);
}

TEST(Fbf, StepSizeIsThatOfThePaper) {  // [paper eq:gamma_safe]
  const ContactProblem problem = make_problem(problems::box({.slope = 0.5, .mu = 0.3}));
  const OuterReport report = solve_cold({}, {}, problem);
  EXPECT_NEAR(report.gamma, 0.5 / (0.3 * largest_eigenvalue(problem).largest), 1e-12 * report.gamma);
  EXPECT_EQ(report.gamma_shrinks, 0) << "ρ ≤ c_γ = 0.5 < θ whenever λ̂_max is accurate";
}

TEST(Fbf, BackspinTakesAFewTensOfIterationsInPaperMode) {
  const ContactProblem problem = make_problem(problems::ball());
  const OuterReport report = solve_cold({.stop_rule = StopRule::kPaper}, {.tolerance = 1e-6}, problem);
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_LT(report.certificate.paper.worst(), 1e-6);
  EXPECT_EQ(report.outer_iterations, 37);  // the paper reports 25 for its whole step
}

TEST(Fbf, ArchIsBoundByTheIterationLimitInPaperMode) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 25}));
  const OuterReport report = solve_cold({.stop_rule = StopRule::kPaper}, {.tolerance = 1e-6}, problem);
  EXPECT_EQ(report.status, Status::kIterationLimit);
  EXPECT_EQ(report.outer_iterations, 200);
  EXPECT_GT(report.certificate.paper.worst(), 1e-3);
}

TEST(Fbf, LargeStepsAreShrunkUntilTheCouplingVariesLittle) {  // [paper eq:rho]
  const ContactProblem problem = make_problem(problems::rod({.mu = 1.2, .slide = -1}));
  const double lipschitz = 1.2 * largest_eigenvalue(problem).largest;
  const OuterReport report = solve_cold({.safety = 1000}, {}, problem);
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_GT(report.gamma_shrinks, 0);
  EXPECT_NEAR(report.gamma, 1000 / lipschitz * std::pow(0.7, report.gamma_shrinks), 1e-12 * report.gamma);
}

TEST(Fbf, LargerStepsPayOnStructures) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 9}));
  const SolveLimits limits{.tolerance = 1e-6, .max_iterations = 20000};
  const int careful = solve_cold({}, limits, problem).outer_iterations;
  const int bold = solve_cold({.safety = 100}, limits, problem).outer_iterations;
  EXPECT_LT(10 * bold, careful) << bold << " against " << careful;
}

TEST(Fbf, AccelerationPaysOnStructuresAndKeepsTheAnswer) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 9}));
  const SolveLimits limits{.tolerance = 1e-8, .max_iterations = 20000};
  const OuterReport plain = solve_cold({}, limits, problem), mixed = solve_cold({.acceleration = 8}, limits, problem);
  EXPECT_EQ(mixed.status, Status::kConverged);
  EXPECT_LE(mixed.certificate.worst(), 1e-8);
  EXPECT_LT(5 * mixed.outer_iterations, plain.outer_iterations);
}

TEST(Fbf, AccelerationDoesNoHarmWhereContactsSlide) {
  for (const ContactProblem& problem :
       {make_problem(problems::ball()), make_problem(problems::box({.slope = 0.5, .mu = 0.3})),
        make_problem(problems::rod({.mu = 1.2, .slide = -1}))}) {
    const OuterReport mixed = solve_cold({.acceleration = 8}, {}, problem);
    EXPECT_EQ(mixed.status, Status::kConverged);
    EXPECT_LE(mixed.outer_iterations, solve_cold({}, {}, problem).outer_iterations);
  }
}

TEST(Fbf, StepSizeGrowsAcrossSolvesUpToGammaSafe) {
  const ContactProblem shaky = make_problem(problems::ball());
  const ContactProblem calm = make_problem(problems::ball({.speed = 0, .spin = 0}));  // v_T = 0: the coupling is zero
  FbfSolver solver = make_fbf({.safety = 1000, .restore = 2});
  solver.bind(shaky);
  const double shrunk = solve_cold(solver, shaky).gamma, safe = 1000 / (0.5 * largest_eigenvalue(shaky).largest);
  ASSERT_LT(shrunk, safe);
  solver.bind(calm);  // the same ball: the same W, the same γ_safe
  double last = shrunk;
  EXPECT_DOUBLE_EQ(solve_cold(solver, calm).gamma, last) << "the last solve had a rejection: no growth yet";
  for (int k = 0; k < 20; ++k) {
    const OuterReport report = solve_cold(solver, calm);
    ASSERT_EQ(report.gamma_shrinks, 0);
    EXPECT_NEAR(report.gamma, std::min(2 * last, safe), 1e-9 * safe);
    last = report.gamma;
  }
  EXPECT_NEAR(last, safe, 1e-9 * safe);
}

TEST(Fbf, MeasuredRuleTakesTheLipschitzConstantThatTheLastStepMet) {
  const ContactProblem problem = make_problem(problems::ball());
  const double bound = 0.5 / (0.5 * largest_eigenvalue(problem).largest);
  FbfSolver solver = make_fbf({.step_rule = FbfStepRule::kMeasured});
  solver.bind(problem);
  solver.limits = {.tolerance = 1e-8, .max_iterations = 1};
  std::vector<ContactVec> lambda(1);
  const OuterReport first = solver.solve(lambda);
  EXPECT_NEAR(first.gamma, 1.1 * bound, 1e-3 * bound) << "ρ is below c_γ/1.1: γ grows by `restore`";
  double last = first.gamma;
  for (int k = 0; k < 40; ++k) {
    const double now = solver.solve(lambda).gamma;
    EXPECT_LE(now, 1.1 * last * (1 + 1e-12));
    last = now;
  }
  EXPECT_GT(last, bound) << "the bound μ λ_max is not met";
}

TEST(Fbf, MeasuredRuleGrowsNoFurtherThanWhereTheProxTermMatters) {
  const ContactProblem calm = make_problem(problems::ball({.speed = 0, .spin = 0}));  // v_T = 0: the coupling is zero
  FbfSolver solver = make_fbf({.step_rule = FbfStepRule::kMeasured, .restore = 10, .test_every = 1});
  solver.bind(calm);
  double gamma = 0;
  for (int k = 0; k < 20; ++k) gamma = solve_cold(solver, calm).gamma;
  const double safe = 0.5 / (0.5 * largest_eigenvalue(calm).largest);
  EXPECT_NEAR(gamma, 1000 * safe, 1e-6 * gamma);
}

TEST(Fbf, MeasuredRulePaysOnStructuresAndKeepsTheAnswer) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 9}));
  const SolveLimits limits{.tolerance = 1e-8, .max_iterations = 20000};
  const OuterReport bound = solve_cold({}, limits, problem);
  const OuterReport measured = solve_cold({.step_rule = FbfStepRule::kMeasured}, limits, problem);
  EXPECT_EQ(measured.status, Status::kConverged);
  EXPECT_LE(measured.certificate.worst(), 1e-8);
  EXPECT_LT(5 * measured.outer_iterations, bound.outer_iterations);
}

TEST(Fbf, MeasuredRuleHasNoUnit) {
  const ContactProblem light = make_problem(problems::arch({.stones = 9, .density = 1}));
  const ContactProblem heavy =
      make_problem(problems::arch({.stones = 9, .density = 1024}));  // a power of two: no rounding
  const FbfOptions options{.step_rule = FbfStepRule::kMeasured};
  const OuterReport a = solve_cold(options, {}, light), b = solve_cold(options, {}, heavy);
  EXPECT_EQ(a.outer_iterations, b.outer_iterations);
  EXPECT_NEAR(b.gamma, 1024 * a.gamma, 1e-9 * b.gamma);
}

TEST(Fbf, ShortPowerIterationFallsShortOfTheLargestEigenvalue) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 25}));
  const double exact = largest_eigenvalue(problem, {.accuracy = 1e-12}).largest;
  double last = 0;
  for (const int products : {1, 3, 10, 100}) {
    const double estimate = power_iteration(problem, products);
    EXPECT_GT(estimate, last) << products;
    EXPECT_LT(estimate, exact * (1 + 1e-12)) << products;
    last = estimate;
  }
  const OuterReport ten = solve_cold({.power_products = 10}, {}, problem);
  EXPECT_NEAR(ten.gamma, 0.5 / (problem.sets().mu()[0] * power_iteration(problem, 10)), 1e-12 * ten.gamma);
}

TEST(Fbf, UntestedStartIsImprovedBeforeTheFirstTest) {
  const ContactProblem problem = make_problem(problems::ball());
  FbfSolver solver = make_fbf({.test_every = 5});
  solver.bind(problem);
  std::vector<ContactVec> lambda;
  const OuterReport cold = solve_cold(solver, problem, &lambda);
  EXPECT_EQ(cold.status, Status::kConverged);
  EXPECT_EQ(cold.outer_iterations % 5, 0);
  const OuterReport warm = solver.solve(lambda);
  EXPECT_EQ(warm.outer_iterations, 5) << "solved, but the start is not tested";
  EXPECT_LE(warm.certificate.worst(), cold.certificate.worst());
}

TEST(Fbf, TestsKeepTheLimit) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 9}));
  const OuterReport report = solve_cold({.test_every = 5}, {.max_iterations = 12}, problem);
  EXPECT_EQ(report.status, Status::kIterationLimit);
  EXPECT_EQ(report.outer_iterations, 12);
}

TEST(Fbf, LastIterateIsReturnedWhereThatIsAsked) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 9}));
  FbfSolver solver = make_fbf({.last = true});
  solver.limits = {.max_iterations = 20};
  double last = 0, best = HUGE_VAL;
  solver.observer = [&](int, const Certificate& c) { last = c.worst(), best = std::min(best, last); };
  solver.bind(problem);
  std::vector<ContactVec> lambda(static_cast<std::size_t>(problem.size()), ContactVec{0, 0, 1e3});
  const OuterReport report = solver.solve(lambda);
  EXPECT_EQ(report.certificate.worst(), last);
  EXPECT_GE(last, best);
  const std::vector<ContactVec> start(lambda.size(), ContactVec{0, 0, 1e3});
  EXPECT_NEAR(certify(problem, lambda, start).worst(), last, 1e-12 * last);
}

TEST(Fbf, SinglePrecisionLeavesAFloor) {
  const ContactProblem problem = make_problem(problems::ball());
  const SolveLimits limits{.tolerance = 1e-13, .max_iterations = 500};
  std::vector<ContactVec> lambda;
  FbfSolver solver = make_fbf({.single = true});
  solver.limits = limits;
  solver.bind(problem);
  const OuterReport single = solve_cold(solver, problem, &lambda);
  for (const ContactVec& x : lambda) EXPECT_EQ(x.n, static_cast<double>(static_cast<float>(x.n)));
  EXPECT_LT(single.certificate.worst(), 1e-5);
  EXPECT_GT(single.certificate.worst(), 1e-10);
  EXPECT_LT(solve_cold({}, limits, problem).certificate.worst(), 1e-12);
}

TEST(Fbf, FixedStepSizeIsKept) {
  const ContactProblem problem = make_problem(problems::ball());
  const OuterReport report = solve_cold({.gamma = 30.0}, {}, problem);
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_EQ(report.gamma, 30.0);
  EXPECT_EQ(report.gamma_shrinks, 0);
}

TEST(Fbf, WithoutFrictionThereIsOneConeQp) {
  const ContactProblem problem = make_problem(problems::box({.slope = 0.5, .mu = 0}));
  FbfSolver solver = make_fbf({}, 1000);
  solver.bind(problem);
  const OuterReport report = solve_cold(solver, problem);
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_EQ(report.outer_iterations, 1);
}

TEST(Fbf, SolvedWarmStartIsLeftAlone) {
  const ContactProblem problem = make_problem(problems::ball());
  FbfSolver solver = make_fbf();
  solver.bind(problem);
  std::vector<ContactVec> lambda;
  solve_cold(solver, problem, &lambda);
  const ContactVec before = lambda[0];
  const OuterReport report = solver.solve(lambda);
  EXPECT_EQ(report.outer_iterations, 0);
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_EQ(lambda[0].n, before.n);
}

TEST(Fbf, HandsBackTheBestIterateWithItsCertificate) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 9}));
  FbfSolver solver = make_fbf();
  double best = HUGE_VAL;
  int calls = 0;
  solver.observer = [&](int k, const Certificate& c) {
    EXPECT_EQ(k, ++calls);
    best = std::min(best, c.worst());
  };
  solver.bind(problem);
  std::vector<ContactVec> lambda;
  const OuterReport report = solve_cold(solver, problem, &lambda);
  EXPECT_EQ(calls, report.outer_iterations);
  EXPECT_LE(report.certificate.worst(), best);
  const std::vector<ContactVec> zero(lambda.size());
  EXPECT_NEAR(certify(problem, lambda, zero).worst(), report.certificate.worst(), 1e-12);
}

TEST(Fbf, StopsWhenAsked) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 9}));
  std::atomic<bool> interrupted = false;
  FbfSolver solver = make_fbf();
  solver.stop = StopToken(0, &interrupted);
  solver.observer = [&](int k, const Certificate&) { interrupted = k == 5; };
  solver.bind(problem);
  const OuterReport report = solve_cold(solver, problem);
  EXPECT_EQ(report.status, Status::kInterrupted);
  EXPECT_EQ(report.outer_iterations, 5);
}

TEST(Fbf, OptionsAreChecked) {
  EXPECT_THROW((void)make_fbf({.gamma = -1}), InputError);
  EXPECT_THROW((void)make_fbf({.safety = 0}), InputError);
  EXPECT_THROW((void)make_fbf({.accept = 1}), InputError);
  EXPECT_THROW((void)make_fbf({.shrink = 0}), InputError);
  EXPECT_THROW((void)make_fbf({.restore = 0.5}), InputError);
  EXPECT_THROW((void)make_fbf({.acceleration = -1}), InputError);
  EXPECT_THROW((void)make_fbf({.acceleration = 17}), InputError);
  EXPECT_THROW((void)make_fbf({.power_products = -1}), InputError);
  EXPECT_THROW((void)make_fbf({.power_products = 1001}), InputError);
  EXPECT_THROW((void)make_fbf({.test_every = -1}), InputError);
  EXPECT_THROW(FbfSolver({}, nullptr), InputError);
}

}  // namespace
}  // namespace repose
