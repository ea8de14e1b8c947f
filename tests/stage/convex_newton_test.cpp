// SPDX-License-Identifier: Apache-2.0
// Problems without friction: Newton's method on the convex function of each step.
#include "repose/stage/convex_newton.h"

#include <gtest/gtest.h>

#include "problems/bricks.h"
#include "problems/families.h"
#include "problems/simple.h"
#include "repose/scheme/solve.h"
#include "tests/stage/rig.h"

namespace repose::testing {
namespace {

using problems::make_problem;

Impulses zeros(const ContactProblem& problem) { return Impulses(static_cast<std::size_t>(problem.size())); }

/// Runs the stage; the impulses it found are in `end`.
ConvexResult run_convex(const ContactProblem& problem, double tolerance, Impulses& end) {
  Rig<BodyForm> rig(problem, end, tolerance);
  ConvexNewton newton;
  newton.bind(rig.form, rig.system, rig.judge);
  const ConvexResult result = newton.run(rig.lambda, rig.before, {}, rig.context);
  end = unpacked(rig.lambda);
  return result;
}

/// Masses in a row on a line, the first of them beside a wall: contact k between masses k and k + 1 (the wall is 0).
/// `room` is the bias of each contact.
ContactProblem row_of_masses(const std::vector<double>& mass, const std::vector<double>& room) {
  std::vector<BodyInverseMass> bodies;
  std::vector<BodyContact> contacts;
  std::vector<ContactVec> v_free;
  const int n = static_cast<int>(mass.size());
  for (int k = 0; k < n; ++k) {
    bodies.push_back({1 / mass[static_cast<std::size_t>(k)], {}});
    contacts.push_back(point_contact(k - 1, {}, k, {}, {1, 0, 0}));
    v_free.push_back({0, 0, room[static_cast<std::size_t>(k)]});
  }
  return {BodyForm(bodies, contacts), v_free, std::vector<double>(mass.size())};
}

/// The last contact of a row lacks d: the masses between it and the first open contact move away from each other like
/// two bodies, in the inverse ratio of their masses.
TEST(ConvexNewton, DividesAnOverlapInTheInverseRatioOfTheMasses) {
  const double d = 1e-3;
  const ContactProblem problem = row_of_masses({1, 2, 3}, {1.0, 0, -d});  // far from the wall, touching, overlapping
  Impulses lambda = zeros(problem);
  const ConvexResult result = run_convex(problem, 1e-12, lambda);
  EXPECT_TRUE(result.certificate.solved(1e-12)) << result.certificate.worst();
  const double push = d / (1.0 / 3 + 1.0 / 3);  // masses 1 + 2 against 3
  EXPECT_NEAR(lambda[2].n, push, 1e-12 * push);
  EXPECT_NEAR(lambda[1].n, push / 3, 1e-12 * push);  // what moves the first mass
  EXPECT_EQ(lambda[0].n, 0);
}

/// Where the wall is in the way it takes the whole push.
TEST(ConvexNewton, AWallTakesThePush) {
  const double d = 1e-3;
  const ContactProblem problem = row_of_masses({1, 2, 3}, {0, 0, -d});
  Impulses lambda = zeros(problem);
  EXPECT_TRUE(run_convex(problem, 1e-12, lambda).certificate.solved(1e-12));
  for (const ContactVec& l : lambda) EXPECT_NEAR(l.n, 3 * d, 1e-12 * d);
}

/// Random structures in motion, without their friction: the velocities are those of Gauss–Seidel's sweeps.
TEST(ConvexNewton, SolvesEveryFamilyWithoutFriction) {
  for (const problems::Family& family : problems::families())
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const ContactProblem problem =
          with_friction(make_problem(problems::family_structure(family.name, 0.5, seed)), 0.0);
      if (problem.separable()) continue;
      Impulses lambda = zeros(problem);
      const ConvexResult result = run_convex(problem, 1e-10, lambda);
      EXPECT_TRUE(result.certificate.solved(1e-10)) << family.name << ' ' << seed << ' ' << result.certificate.worst();
      EXPECT_EQ(certify(problem, lambda, zeros(problem)).worst(), result.certificate.worst());
      EXPECT_LE(result.newton_iterations, 100) << family.name << ' ' << seed;
    }
}

/// A large pile takes no more than some dozens of factorisations, from zero and from an answer to a coarser tolerance.
TEST(ConvexNewton, TakesFewStepsOnAPile) {
  const ContactProblem problem = with_friction(make_problem(problems::pile({.nx = 5, .ny = 5, .nz = 5})), 0.0);
  Impulses lambda = zeros(problem);
  const ConvexResult cold = run_convex(problem, 1e-4, lambda);
  ASSERT_TRUE(cold.certificate.solved(1e-4)) << cold.certificate.worst();
  const ConvexResult warm = run_convex(problem, 1e-10, lambda);
  EXPECT_TRUE(warm.certificate.solved(1e-10)) << warm.certificate.worst();
  EXPECT_LE(cold.newton_iterations + warm.newton_iterations, 100);
}

/// `auto` takes this stage alone.
TEST(ConvexNewton, IsWhatAutoDoesWithoutFriction) {
  const ContactProblem problem = with_friction(make_problem(problems::pile({.nx = 3, .ny = 3, .nz = 3})), 0.0);
  const Solution found = solve(problem, {.tolerance = 1e-10});
  EXPECT_TRUE(found.report.certificate.solved(1e-10));
  ASSERT_EQ(found.report.stages.size(), 2u);
  EXPECT_STREQ(found.report.stages[1].method, "convex newton");
}

}  // namespace
}  // namespace repose::testing
