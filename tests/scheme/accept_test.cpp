// SPDX-License-Identifier: Apache-2.0
// The goal and what is still acceptable: a limit on work applies from the moment an acceptable answer is known, counts
// the same work on every run, and is absent by default.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "problems/families.h"
#include "repose/contact/problem_file.h"
#include "repose/scheme/auto.h"
#include "repose/scheme/newton.h"
#include "repose/scheme/solve.h"
#include "tests/support/complaint.h"
#include "tests/support/impulses.h"

namespace repose {
namespace {

using testing::complaint;
using testing::Impulses;
using testing::same_bits;

constexpr double kTolerance = 1e-12, kAccept = 1e-3, kTiny = 1e-6;

struct Answer {
  OuterReport report;
  Impulses lambda;
};

template <class Solver = AutoSolver>
Answer solve_with(const ContactProblem& problem, const SolveLimits& limits, Impulses start = {}) {
  Answer answer;
  answer.lambda = std::move(start);
  answer.lambda.resize(static_cast<std::size_t>(problem.size()));
  Solver solver;
  solver.limits = limits;
  solver.bind(problem);
  answer.report = solver.solve(answer.lambda);
  return answer;
}

/// Structures, a pack of balls, and a problem that interior point and Newton's method take turns on.
constexpr const char* kFamilies[] = {"pile_2x2x3", "wall_4x4", "arch_15", "cards_3", "spheres_27"};

TEST(Accept, ATinyBudgetEndsAtTheFirstAcceptableAnswer) {
  for (const char* family : kFamilies) {
    const ContactProblem problem = problems::family(family, 0.8, 3);
    const Answer whole = solve_with(problem, {.tolerance = kTolerance});
    const Answer cut = solve_with(problem, {.tolerance = kTolerance, .accept = kAccept, .budget = kTiny});
    EXPECT_EQ(cut.report.status, Status::kAccepted) << family;
    EXPECT_FALSE(cut.report.stalled) << family;
    const Certificate score = certify(problem, cut.lambda, Impulses(cut.lambda.size()));
    EXPECT_TRUE(score.solved(kAccept)) << family << ' ' << score.worst();
    EXPECT_FALSE(score.solved(kTolerance)) << family << ' ' << score.worst();
    EXPECT_GT(cut.report.work, 0) << family;
    EXPECT_LT(cut.report.work, whole.report.work) << family;
  }
}

TEST(Accept, AnAnswerAboveAcceptIsWorkedOn) {
  for (const char* family : kFamilies)
    for (const double accept : {1e-2, 1e-4, 1e-6, 1e-8}) {
      const ContactProblem problem = problems::family(family, 0.8, 3);
      const Answer cut = solve_with(problem, {.tolerance = kTolerance, .accept = accept, .budget = kTiny});
      EXPECT_LE(cut.report.certificate.worst(), accept) << family;
    }
}

TEST(Accept, NewtonObeysItInsideItsOnlyStage) {
  const ContactProblem problem = problems::family("wall_4x4", 0.8, 3);
  const Answer whole = solve_with<NewtonSolver>(problem, {.tolerance = kTolerance});
  const Answer cut = solve_with<NewtonSolver>(problem, {.tolerance = kTolerance, .accept = 0.1, .budget = kTiny});
  EXPECT_EQ(cut.report.status, Status::kAccepted);
  EXPECT_LT(cut.report.inner_iterations, whole.report.inner_iterations);
}

/// The stored steps of mixed piles take several rounds, which leave the best iterate and return to it.
TEST(Accept, WorkStaysWithinTheBudgetOfALongSolve) {
  for (const char* file : {"cards4-mu0.8-79", "mixed40-mu0.5-seed1-73"}) {
    const StoredProblem stored =
        read_stored_problem(std::string(REPOSE_SOURCE_DIR "/problems/corpus/") + file + ".hdf5");
    ASSERT_TRUE(stored.guess) << file;
    const Impulses start = *stored.guess;
    const Answer whole = solve_with(stored.problem, {.tolerance = kTolerance}, start);
    const Answer first =
        solve_with(stored.problem, {.tolerance = kTolerance, .accept = kAccept, .budget = kTiny}, start);
    ASSERT_EQ(first.report.status, Status::kAccepted) << file;
    ASSERT_LT(4 * first.report.work, whole.report.work) << file;
    double before = first.report.certificate.worst();
    for (const double share : {0.4, 0.6, 0.8}) {
      const double budget = share * whole.report.work;
      const Answer cut =
          solve_with(stored.problem, {.tolerance = kTolerance, .accept = kAccept, .budget = budget}, start);
      EXPECT_EQ(cut.report.status, Status::kAccepted) << file << ' ' << share;
      EXPECT_GE(cut.report.work, budget) << file;
      EXPECT_LE(cut.report.work, 1.2 * budget) << file;
      EXPECT_LE(cut.report.certificate.worst(), before) << file << ": a larger budget is never worse";
      before = cut.report.certificate.worst();
    }
  }
}

TEST(Accept, WithoutOneOfTheTwoNothingChanges) {
  for (const char* family : kFamilies) {
    const ContactProblem problem = problems::family(family, 0.8, 3);
    const Answer plain = solve_with(problem, {.tolerance = 1e-10});
    ASSERT_EQ(plain.report.status, Status::kConverged) << family;
    for (const SolveLimits& limits :
         {SolveLimits{.tolerance = 1e-10, .budget = kTiny}, SolveLimits{.tolerance = 1e-10, .accept = kAccept},
          SolveLimits{.tolerance = 1e-10, .accept = kAccept, .budget = 1e9},
          SolveLimits{.tolerance = 1e-10, .accept = 1e-11, .budget = kTiny}}) {
      const Answer same = solve_with(problem, limits);
      EXPECT_EQ(same.report.status, Status::kConverged) << family;
      EXPECT_EQ(same.report.work, plain.report.work) << family;
      EXPECT_TRUE(same_bits(same.lambda, plain.lambda)) << family;
    }
  }
}

TEST(Accept, ASolvedAnswerIsPolishedAfterItsBudgetIsSpent) {
  const ContactProblem problem = problems::family("arch_15", 0.8, 3);
  const SolveLimits plain{.tolerance = 1e-6, .aim = 1e-11};
  SolveLimits limited = plain;
  limited.accept = 1e-5, limited.budget = solve_with(problem, {.tolerance = 1e-6}).report.work;
  const Answer a = solve_with(problem, plain), b = solve_with(problem, limited);
  ASSERT_EQ(a.report.status, Status::kConverged);
  ASSERT_EQ(b.report.status, Status::kConverged);
  EXPECT_TRUE(same_bits(a.lambda, b.lambda));
  EXPECT_LE(a.report.certificate.worst(), 1e-8);
}

/// Whatever ends a scheme by itself: its iterations, or nothing left to try.
TEST(Accept, EverySchemeSaysAccepted) {
  const ContactProblem problem = problems::family("wall_4x4", 0.8, 3);
  for (const std::string_view outer : outer_names()) {
    FrictionOptions options = options_from_names(outer, "auto");
    options.tolerance = 1e-14;
    options.max_iterations = 3;
    options.accept = HUGE_VAL;
    const Solution found = solve(problem, options);
    if (found.report.status != Status::kConverged) {
      EXPECT_EQ(found.report.status, Status::kAccepted) << outer;
    }
    options.accept = 0;
    EXPECT_NE(solve(problem, options).report.status, Status::kAccepted) << outer;
  }
}

TEST(Accept, InterruptedSolvesAreNotAccepted) {
  const std::atomic<bool> interrupted{true};
  const ContactProblem problem = problems::family("pile_2x2x3", 0.8, 1);
  AutoSolver solver;
  solver.limits = {.accept = HUGE_VAL, .budget = kTiny};
  solver.stop = StopToken(0, &interrupted);
  solver.bind(problem);
  Impulses lambda(static_cast<std::size_t>(problem.size()));
  EXPECT_EQ(solver.solve(lambda).status, Status::kInterrupted);
}

TEST(Accept, OptionsAreChecked) {
  EXPECT_EQ(complaint([] { (void)make_solver({.accept = -1}); }), "accept: expected >= 0, got -1");
  EXPECT_EQ(complaint([] { (void)make_solver({.budget = -1}); }), "budget: expected >= 0, got -1");
}

}  // namespace
}  // namespace repose
