// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/auto.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/cards.h"
#include "problems/families.h"
#include "problems/manufactured.h"
#include "problems/sequence.h"
#include "problems/sphere_pack.h"
#include "repose/base/random.h"
#include "repose/contact/problem_file.h"
#include "repose/scheme/newton.h"
#include "repose/scheme/nsgs.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/data.h"
#include "tests/support/impulses.h"

namespace repose {
namespace {

using testing::Impulses;
using testing::same_bits;

OuterReport solve_cold(const ContactProblem& problem, double tolerance, Impulses& lambda) {
  AutoSolver solver;
  solver.limits.tolerance = tolerance;
  solver.bind(problem);
  lambda.assign(static_cast<std::size_t>(problem.size()), ContactVec{});
  return solver.solve(lambda);
}

/// An independent score with the scales of a cold start, λ⁰ = 0.
Certificate score_cold(const ContactProblem& problem, const Impulses& lambda) {
  return certify(problem, lambda, Impulses(lambda.size()));
}

std::string describe(const OuterReport& report) {
  std::string text = "worst " + std::to_string(report.certificate.worst());
  for (const Stage& stage : report.stages) text += std::string(" | ") + stage.method;
  return text;
}

TEST(Auto, SolvesEveryRandomFamilyToTheLastDigits) {
  for (const problems::Family& family : problems::families())
    for (double mu : {0.3, 0.8, 1.5})
      for (std::uint64_t seed = 1001; seed <= 1005; ++seed) {
        Impulses lambda;
        const ContactProblem problem = problems::family(family.name, mu, seed);
        const OuterReport report = solve_cold(problem, 1e-10, lambda);
        EXPECT_TRUE(score_cold(problem, lambda).solved(1e-10))
            << family.name << " mu " << mu << " seed " << seed << ": " << describe(report);
      }
}

TEST(Auto, ColdFamiliesTakeDozensOfNewtonSteps) {
  for (const char* family : {"pile_2x2x3", "wall_4x4", "arch_15"}) {
    std::vector<int> newton;
    for (std::uint64_t seed = 1; seed <= 11; ++seed) {
      Impulses lambda;
      newton.push_back(solve_cold(problems::family(family, 0.8, seed), 1e-10, lambda).inner_iterations);
    }
    std::nth_element(newton.begin(), newton.begin() + 5, newton.end());
    EXPECT_LE(newton[5], 75) << family;  // an interior point that is not given up takes 60 by itself
  }
}

/// Newton steps of one solve. A stuck loop of an arch that is pressed too gently takes 1800.
constexpr int kManyNewtonSteps = 150;

/// Every step of a sequence, cold and warm, solved to 1e-10 by an independent score.
void expect_sequence_solved(problems::Structure structure, const problems::SequenceOptions& options, int steps) {
  problems::Sequence sequence(std::move(structure), options);
  AutoSolver solver;
  solver.limits.tolerance = 1e-10;
  solver.bind(sequence.problem());
  for (int step = 0; step < steps; ++step) {
    Impulses cold(static_cast<std::size_t>(sequence.problem().size())), warm = sequence.warm_start();
    const Impulses start = warm;
    for (Impulses* lambda : {&cold, &warm}) {
      const OuterReport report = solver.solve(*lambda);
      EXPECT_EQ(report.status, Status::kConverged) << (lambda == &cold ? "cold" : "warm") << ", step " << step;
      EXPECT_LE(report.inner_iterations, kManyNewtonSteps) << (lambda == &cold ? "cold" : "warm") << ", step " << step;
    }
    EXPECT_TRUE(certify(sequence.problem(), warm, start).solved(1e-10)) << "step " << step;
    sequence.advance(warm);
  }
}

TEST(Auto, ArchStandsAndTakesABlow) {
  expect_sequence_solved(problems::arch({.stones = 25}), {.rest = 1e-3}, 8);
  expect_sequence_solved(problems::arch({.stones = 101}), {.impact = 2}, 8);
}

TEST(Auto, CardHouseStandsAndTakesABlow) {
  expect_sequence_solved(problems::cards({.levels = 4}), {.rest = 1e-3}, 8);
  expect_sequence_solved(problems::cards({.levels = 4}), {.impact = 1}, 8);
}

TEST(Auto, PilesOfBoxesAndBalls) {
  problems::Sequence boxes(problems::pile({.nx = 5, .ny = 5, .nz = 4}), {.random = 1, .random_spin = 2});
  Impulses lambda;
  EXPECT_EQ(solve_cold(boxes.problem(), 1e-8, lambda).status, Status::kConverged);
  problems::SpherePack pack({.n = 4});
  for (int step = 0; step < 30; ++step) {
    lambda = pack.warm_start();
    AutoSolver solver;
    solver.bind(pack.problem());
    EXPECT_EQ(solver.solve(lambda).status, Status::kConverged) << "step " << step;
    pack.advance(lambda);
  }
}

TEST(Auto, PublicProblems) {
  REPOSE_NEEDS_DATA("fc3d");
  int solved = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_dir() / "fc3d")) {
    if (entry.path().extension() != ".dat" && entry.path().extension() != ".hdf5") continue;
    const ContactProblem problem = read_problem(entry.path());
    Impulses lambda;
    const OuterReport report = solve_cold(problem, 1e-8, lambda);
    EXPECT_TRUE(score_cold(problem, lambda).solved(1e-8)) << entry.path().filename() << ": " << describe(report);
    ++solved;
  }
  EXPECT_GE(solved, 23);
}

TEST(Auto, NeverHandsBackAWorseIterate) {
  Random random(7);
  for (int limit : {1, 2, 3, 5, 8}) {
    const ContactProblem problem = problems::family("wall_4x4", 0.8, static_cast<std::uint64_t>(limit));
    Impulses lambda(static_cast<std::size_t>(problem.size()));
    for (ContactVec& l : lambda) l = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    AutoSolver solver;
    solver.limits = {1e-12, limit};
    solver.bind(problem);
    const Impulses start = lambda;
    const OuterReport report = solver.solve(lambda);
    EXPECT_LE(certify(problem, lambda, start).worst(), certify(problem, start, start).worst() * (1 + 1e-12));
    EXPECT_LE(report.outer_iterations, limit);
    EXPECT_EQ(report.status, Status::kIterationLimit);
  }
}

TEST(Auto, SolvedWarmStartIsLeftAlone) {
  const auto made = problems::manufactured_problem({.contacts = 10, .seed = 3});
  Impulses lambda = made.lambda;
  AutoSolver solver;
  solver.bind(made.problem);
  const OuterReport report = solver.solve(lambda);
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_EQ(report.outer_iterations, 0);
  EXPECT_TRUE(same_bits(lambda, made.lambda));
}

TEST(Auto, SeparateContactsTakeTheLocalPath) {
  std::vector<DelassusBlock> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back({i, i, Mat3::diagonal(1 + i, 2, 3)});
  const Impulses v_free{{1, 0, -1}, {0.1, 0, -1}, {0, 0, 1}, {3, -4, -0.5}, {0, 0, -2}};
  const ContactProblem problem(MatrixForm(5, blocks), v_free, {0.5, 0.5, 0.5, 1.5, 0});
  AutoSolver solver;
  solver.limits.tolerance = 1e-14;
  solver.bind(problem);
  Impulses cold(5), wrong(5, ContactVec{0.1, 0.2, 0.3});
  OuterReport report = solver.solve(cold);
  EXPECT_EQ(report.status, Status::kConverged);
  ASSERT_EQ(report.stages.size(), 1);
  EXPECT_STREQ(report.stages[0].method, "local");

  report = solver.solve(wrong);
  EXPECT_EQ(report.status, Status::kConverged);
  ASSERT_EQ(report.stages.size(), 2);
  EXPECT_STREQ(report.stages[0].method, "warm start");
  EXPECT_STREQ(report.stages[1].method, "local");
  EXPECT_TRUE(same_bits(wrong, cold));

  report = solver.solve(wrong);  // a start that is good enough stays as it is
  EXPECT_EQ(report.stages.size(), 1);
  EXPECT_EQ(report.outer_iterations, 0);
  EXPECT_TRUE(same_bits(wrong, cold));
}

TEST(Auto, InterruptedSolveSaysSo) {
  const std::atomic<bool> interrupted{true};
  const ContactProblem problem = problems::family("pile_2x2x3", 0.8, 1);
  AutoSolver solver;
  solver.stop = StopToken(0, &interrupted);
  solver.bind(problem);
  Impulses lambda(static_cast<std::size_t>(problem.size()));
  EXPECT_EQ(solver.solve(lambda).status, Status::kInterrupted);
}

template <class Solver>
class Scheme : public ::testing::Test {};
using Schemes = ::testing::Types<AutoSolver, NewtonSolver, NsgsSolver>;
TYPED_TEST_SUITE(Scheme, Schemes);

TYPED_TEST(Scheme, GivesTheSameBitsAgain) {
  for (const char* family : {"cards_3", "spheres_27"}) {
    const ContactProblem problem = problems::family(family, 0.8, 11);
    Impulses first(static_cast<std::size_t>(problem.size())), second = first, third = first;
    TypeParam one, two;
    one.limits.max_iterations = two.limits.max_iterations = 500;
    one.bind(problem);
    two.bind(problem);
    (void)one.solve(first);
    (void)two.solve(second);
    one.bind(problem);  // an object that has worked before gives the same bits as a new one
    (void)one.solve(third);
    EXPECT_TRUE(same_bits(first, second)) << family;
    EXPECT_TRUE(same_bits(first, third)) << family;
  }
}

TYPED_TEST(Scheme, DoesNotAllocateAfterBind) {
  for (const char* family : {"arch_15", "spheres_27", "rod"}) {
    const ContactProblem problem = problems::family(family, 0.8, 5);
    Impulses lambda(static_cast<std::size_t>(problem.size()));
    TypeParam solver;
    solver.bind(problem);
    const testing::AllocationScope scope;
    const OuterReport report = solver.solve(lambda);
    EXPECT_EQ(scope.count(), 0) << family;
    EXPECT_GE(report.outer_iterations, 0);
  }
}

TEST(Newton, SolvesAloneWhatItIsMadeFor) {
  problems::Sequence arch(problems::arch({.stones = 25}), {.rest = 1e-3});
  NewtonSolver solver;
  solver.limits.tolerance = 1e-10;
  solver.bind(arch.problem());
  Impulses lambda(static_cast<std::size_t>(arch.problem().size()));
  EXPECT_EQ(solver.solve(lambda).status, Status::kConverged);
}

TEST(Nsgs, MomentumSavesSweeps) {
  const ContactProblem problem = problems::family("spheres_27", 0.5, 2);
  const auto sweeps = [&](bool momentum) {
    NsgsSolver solver({.momentum = momentum});
    solver.bind(problem);
    Impulses lambda(static_cast<std::size_t>(problem.size()));
    const OuterReport report = solver.solve(lambda);
    EXPECT_EQ(report.status, Status::kConverged);
    return report.outer_iterations;
  };
  EXPECT_LT(sweeps(true), sweeps(false));
}

}  // namespace
}  // namespace repose
