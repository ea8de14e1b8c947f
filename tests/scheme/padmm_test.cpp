// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/padmm.h"

#include <gtest/gtest.h>

#include "problems/arch.h"
#include "problems/families.h"
#include "problems/sequence.h"
#include "problems/simple.h"
#include "repose/base/error.h"

namespace repose {
namespace {

using problems::make_problem;

OuterReport solve_from(const ContactProblem& problem, std::vector<ContactVec>& lambda, SolveLimits limits = {}) {
  PadmmSolver solver({});
  solver.limits = limits;
  solver.bind(problem);
  lambda.resize(static_cast<std::size_t>(problem.size()));
  return solver.solve(lambda);
}

/// The kernel as a combined scheme uses it.
struct Stage {
  explicit Stage(const ContactProblem& p) : problem(p), form(std::get<BodyForm>(p.form())) {
    judge.bind(problem);
    system.bind(form);
    kernel.bind(form, system, judge);
    lambda.resize(problem.size());
    now = judge.start(lambda);
  }
  PadmmResult run(double accuracy, int iterations = 20000) {
    const PadmmResult result = kernel.run(lambda, now, accuracy, iterations, {1e-8, &stop, nullptr, 0});
    now = result.certificate;
    return result;
  }
  const ContactProblem& problem;
  const BodyForm& form;
  Judge judge;
  NewtonSystem<BodyForm> system;
  PadmmKernel<BodyForm> kernel;
  StopToken stop;
  ContactArray lambda;
  Certificate now;
};

TEST(Padmm, StuckStructuresTakeAFewDozenIterations) {
  std::vector<ContactVec> lambda;
  for (int stones : {25, 101}) {
    problems::Sequence sequence(problems::arch({.stones = stones}), {.rest = 1e-3});
    lambda.clear();
    const OuterReport report = solve_from(sequence.problem(), lambda, {.tolerance = 1e-10});
    EXPECT_EQ(report.status, Status::kConverged) << report.certificate.worst();
    EXPECT_LE(report.outer_iterations, 200) << stones;
    EXPECT_LE(report.inner_iterations, 8) << "factorisations";
  }
}

TEST(Padmm, GoesOnFromWhereItStopped) {
  const ContactProblem problem = problems::family("wall_4x4", 0.8, 3);
  Stage whole(problem), parts(problem);
  whole.kernel.start(whole.lambda);
  const int direct = whole.run(1e-8).iterations;
  parts.kernel.start(parts.lambda);
  int total = 0;
  for (double accuracy : {1e-3, 1e-5, 1e-8}) {
    const PadmmResult result = parts.run(accuracy);
    EXPECT_LE(result.certificate.worst(), accuracy);
    total += result.iterations;
  }
  EXPECT_LE(total, direct + 60) << "the state is kept, the penalty too";
}

TEST(Padmm, NeverHandsBackAWorseIterate) {
  const ContactProblem problem = problems::family("wall_4x4", 0.8, 3);
  Stage stage(problem);
  stage.kernel.start(stage.lambda);
  stage.run(1e-6);
  const double reached = stage.now.worst();
  for (int p = 0; p < stage.lambda.packs(); ++p) EXPECT_EQ(stage.lambda.pack(p).n[0], stage.lambda.pack(p).n[0]);
  ContactArray zero;
  zero.resize(problem.size());
  stage.kernel.start(zero);  // from far away, and too short to come back
  stage.run(1e-8, 3);
  EXPECT_EQ(stage.now.worst(), reached);
  EXPECT_NEAR(stage.judge.certify(stage.lambda).worst(), reached, 1e-12);
}

TEST(Padmm, StartsFromAGivenImpulse) {
  const ContactProblem problem = problems::family("wall_4x4", 0.3, 2);
  Stage stage(problem);
  stage.kernel.start(stage.lambda);
  const int cold = stage.run(1e-6).iterations;
  stage.kernel.start(stage.lambda);
  EXPECT_LT(stage.run(1e-7).iterations, cold);
}

TEST(Padmm, NonsymmetricMatrixForm) {
  const ContactProblem body = make_problem(problems::box({.slope = 0.5, .mu = 0.3}));
  std::vector<DelassusBlock> blocks;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) blocks.push_back({i, j, body.coupling(i, j)});
  Mat3 skew;
  skew.m[0][1] = 0.02 * body.coupling(0, 0).m[0][0], skew.m[1][0] = -skew.m[0][1];
  for (int i = 0; i < 4; ++i) blocks.push_back({i, i, skew});
  const ContactProblem problem(MatrixForm(4, blocks), {body.v_free().begin(), body.v_free().end()},
                               {body.sets().mu().begin(), body.sets().mu().end()});
  ASSERT_FALSE(problem.symmetric());
  std::vector<ContactVec> lambda;
  EXPECT_EQ(solve_from(problem, lambda).status, Status::kConverged);
}

TEST(Padmm, OptionsAreChecked) {
  EXPECT_THROW(PadmmSolver({.penalty = 0}), InputError);
  EXPECT_THROW(PadmmSolver({.prox = -1}), InputError);
  EXPECT_THROW(PadmmSolver({.adapt_every = 0}), InputError);
  EXPECT_THROW(PadmmSolver({.imbalance = 1}), InputError);
  EXPECT_THROW(PadmmSolver({.restart = 0}), InputError);
}

}  // namespace
}  // namespace repose
