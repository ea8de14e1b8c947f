// SPDX-License-Identifier: Apache-2.0
// Impulses of the same motion: unique, symmetric where the structure is, independent of scheme and order.
#include "repose/stage/equivalent_impulses.h"

#include <gtest/gtest.h>

#include <numeric>

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/cards.h"
#include "problems/families.h"
#include "problems/simple.h"
#include "repose/base/error.h"
#include "tests/support/problem_copies.h"

namespace repose::testing {
namespace {

using problems::make_problem;

Impulses solved_by(const ContactProblem& problem, const char* outer) {
  Impulses lambda(static_cast<std::size_t>(problem.size()));
  const auto solver = make_solver({.tolerance = 1e-9, .outer = outer_options(outer)});
  solver->bind(problem);
  EXPECT_EQ(solver->solve(lambda).status, Status::kConverged);
  return lambda;
}

Impulses canonical(const ContactProblem& problem, const Impulses& solution, double tolerance = 1e-9) {
  EquivalentImpulses equivalent(problem, solution, tolerance);
  Impulses lambda(solution.size());
  const EquivalentResult result = equivalent.canonical(lambda);
  EXPECT_TRUE(result.solved) << result.certificate.worst() << " after " << result.newton_iterations;
  EXPECT_TRUE(certify(problem, lambda, solution).solved(tolerance));
  EXPECT_LE(distance(velocity(problem, lambda), velocity(problem, solution)), 1e-8 * length(problem.v_free()));
  return lambda;
}

/// The norm that the canonical impulses minimise.
double weighted_norm(const ContactProblem& problem, const Impulses& lambda) {
  double sum = 0;
  for (int i = 0; i < problem.size(); ++i)
    sum += problem.rho(i) * dot(lambda[static_cast<std::size_t>(i)], lambda[static_cast<std::size_t>(i)]);
  return std::sqrt(sum);
}

/// A box at rest: four corners share its weight equally, and have no friction.
TEST(EquivalentImpulses, FourCornersShareTheWeight) {
  const ContactProblem problem = make_problem(problems::box({.slope = 0, .mu = 0.5}));
  const Impulses lambda = canonical(problem, solution(problem));
  double total = 0;
  for (const ContactVec& l : lambda) total += l.n;
  for (const ContactVec& l : lambda) {
    EXPECT_NEAR(l.n, total / 4, 1e-9 * total);
    EXPECT_LE(tangential_norm(l), 1e-9 * total);
  }
}

TEST(EquivalentImpulses, SchemesAgreeOnThem) {
  for (const auto& problem : {make_problem(problems::arch({.stones = 9})), make_problem(problems::cards({.levels = 2})),
                              make_problem(problems::wall({.rows = 4, .columns = 4, .shift = 0.4}))}) {
    const Impulses a = solved_by(problem, "auto"), b = solved_by(problem, "padmm");
    const Impulses from_a = canonical(problem, a, 1e-8), from_b = canonical(problem, b, 1e-8);
    EXPECT_LE(distance(from_a, from_b), 1e-6 * length(from_a));
    EXPECT_LE(weighted_norm(problem, from_a), weighted_norm(problem, a) * (1 + 1e-9));
  }
}

/// A sliding box: the impulse of each corner stays on the surface of its cone, against the motion.
TEST(EquivalentImpulses, SlidingContactsKeepTheirDirection) {
  const ContactProblem problem = make_problem(problems::box({.slope = 0.8, .mu = 0.3}));
  const Impulses lambda = canonical(problem, solution(problem));
  const Impulses v = velocity(problem, lambda);
  for (std::size_t k = 0; k < lambda.size(); ++k) {
    if (lambda[k].n == 0) continue;
    EXPECT_NEAR(tangential_norm(lambda[k]), 0.3 * lambda[k].n, 1e-9 * lambda[k].n);
    EXPECT_LT(lambda[k].t1 * v[k].t1 + lambda[k].t2 * v[k].t2, 0);
  }
}

/// One corner of a box on a plane carries between nothing and half of its weight: more would tilt it.
TEST(EquivalentImpulses, RangeOfOneCornerIsKnown) {
  const ContactProblem problem = make_problem(problems::box({.slope = 0, .mu = 0.5}));
  const Impulses lambda = solution(problem);
  const double weight =
      std::accumulate(lambda.begin(), lambda.end(), 0.0, [](double s, ContactVec l) { return s + l.n; });
  EquivalentImpulses equivalent(problem, lambda, 1e-9);
  Impulses corner(lambda.size());
  corner[0].n = 1;
  const ForceRange range = equivalent.range(corner);
  EXPECT_NEAR(range.least, 0, 1e-5 * weight);
  EXPECT_NEAR(range.greatest, 0.5 * weight, 1e-5 * weight);
}

/// What the law determines has a range of one value: the sum over all corners.
TEST(EquivalentImpulses, ADeterminedForceHasNoRange) {
  const ContactProblem problem = make_problem(problems::box({.slope = 0, .mu = 0.5}));
  const Impulses lambda = solution(problem);
  EquivalentImpulses equivalent(problem, lambda, 1e-9);
  Impulses all(lambda.size(), {0, 0, 1});
  double weight = 0;
  for (const ContactVec& l : lambda) weight += l.n;
  const ForceRange range = equivalent.range(all);
  EXPECT_NEAR(range.least, weight, 1e-7 * weight);
  EXPECT_NEAR(range.greatest, weight, 1e-7 * weight);
}

TEST(EquivalentImpulses, RefusesWhatIsNotASolution) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 5}));
  const Impulses zero(static_cast<std::size_t>(problem.size()));
  EXPECT_THROW(EquivalentImpulses(problem, zero, 1e-8), InputError);
  EXPECT_THROW(EquivalentImpulses(in_matrix_form(problem), solution(problem), 1e-8), InputError);
}

}  // namespace
}  // namespace repose::testing
