// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/staggered.h"

#include <gtest/gtest.h>

#include "problems/arch.h"
#include "problems/simple.h"
#include "repose/base/error.h"
#include "tests/support/problem_copies.h"

namespace repose {
namespace {

using problems::make_problem;
using testing::in_matrix_form;

OuterReport solve_cold(const ContactProblem& problem, std::vector<ContactVec>& lambda) {
  StaggeredSolver solver({});
  solver.bind(problem);
  lambda.assign(static_cast<std::size_t>(problem.size()), {});
  return solver.solve(lambda);
}

TEST(Staggered, OneTurnWhereNormalAndTangentDoNotInteract) {  // a ball: W_NT = 0
  std::vector<ContactVec> lambda;
  const OuterReport report = solve_cold(make_problem(problems::ball()), lambda);
  EXPECT_EQ(report.status, Status::kConverged);
  EXPECT_EQ(report.outer_iterations, 1);
}

TEST(Staggered, DiscQpFollowsTheShapeOfW) {  // a tall box: friction turns it, so that W_TT is far from a multiple of I
  std::vector<ContactVec> lambda;
  problems::Structure s = problems::box({.mu = 0.2, .height = 3});
  s.bodies[0].linear = {1, 0.5, 0};
  const OuterReport report = solve_cold(make_problem(s), lambda);
  EXPECT_EQ(report.status, Status::kConverged) << report.certificate.worst();
}

TEST(Staggered, BothFormsAgree) {
  const ContactProblem body = make_problem(problems::arch({.stones = 5})), matrix = in_matrix_form(body);
  std::vector<ContactVec> from_body, from_matrix;
  EXPECT_EQ(solve_cold(body, from_body).status, Status::kConverged);
  EXPECT_EQ(solve_cold(matrix, from_matrix).status, Status::kConverged);
  double normal[2] = {0, 0};
  for (std::size_t i = 0; i < from_body.size(); ++i) normal[0] += from_body[i].n, normal[1] += from_matrix[i].n;
  EXPECT_NEAR(normal[0], normal[1], 1e-6 * normal[0]);
}

TEST(Staggered, SaysThatItStalls) {
  std::vector<ContactVec> lambda;
  const OuterReport report = solve_cold(make_problem(problems::rod({.mu = 1.6, .slide = -1})), lambda);
  EXPECT_EQ(report.status, Status::kStalled);
  EXPECT_LT(report.outer_iterations, 300);
}

TEST(Staggered, OptionsAreChecked) {
  EXPECT_THROW(StaggeredSolver({.inner_accuracy = 0}), InputError);
  EXPECT_THROW(StaggeredSolver({.max_sweeps = 0}), InputError);
}

}  // namespace
}  // namespace repose
