// SPDX-License-Identifier: Apache-2.0
// W applied through either form, with compliance, against the dense matrix; ρ of blocks with boxes.
#include "repose/contact/operators.h"

#include <gtest/gtest.h>

#include "problems/families.h"
#include "repose/contact/residual.h"
#include "repose/set/block_mode.h"
#include "tests/support/dense.h"
#include "tests/support/random_block.h"
#include "tests/support/set_cases.h"

namespace repose {
namespace {

using testing::dense_compliance;
using testing::dense_delassus;
using testing::flat;
using testing::Impulses;
using testing::in_matrix_form;
using testing::packed;
using testing::random_sets;
using testing::random_vec;
using testing::unpacked;
using testing::with_sets;

Impulses random_impulses(Random& random, int contacts) {
  Impulses x(static_cast<std::size_t>(contacts));
  for (ContactVec& contact : x) contact = random_vec(random);
  return x;
}

/// Families in body form, each with sets of every kind, and the same in matrix form.
std::vector<ContactProblem> problems_with_sets() {
  Random random(71);
  std::vector<ContactProblem> list;
  for (const char* family : {"sliding_box", "pile_2x2x3", "arch_15"}) {
    const ContactProblem problem = problems::family(family, 0.5, 2);
    list.push_back(problem);
    list.push_back(with_sets(problem, random_sets(random, problem.size(), 1, problem.rho(0))));
  }
  for (std::size_t k = 0, bodies = list.size(); k < bodies; ++k) list.push_back(in_matrix_form(list[k]));
  return list;
}

double relative(const Eigen::VectorXd& a, const Eigen::VectorXd& b) { return (a - b).norm() / b.norm(); }

TEST(Operators, RespondThenGatherIsW) {
  Random random(72);
  for (const ContactProblem& problem : problems_with_sets())
    std::visit(
        [&](const auto& form) {
          using Form = std::decay_t<decltype(form)>;
          const Impulses x = random_impulses(random, problem.size());
          AlignedVector<typename Form::Node> y(static_cast<std::size_t>(form.nodes()));
          ContactArray v;
          v.resize(problem.size());
          respond(form, packed(x), y);
          gather_all(form, y, v);
          EXPECT_LE(relative(flat(unpacked(v)), dense_delassus(problem) * flat(x)), 1e-14);
        },
        problem.form());
}

TEST(Operators, DelassusOperatorAddsComplianceAndTheFreeVelocity) {
  Random random(73);
  for (const ContactProblem& problem : problems_with_sets()) {
    const Impulses x = random_impulses(random, problem.size());
    Impulses y(x.size());
    DelassusOperator W;
    W.bind(problem);
    W.apply(x, y);
    const Eigen::VectorXd exact = dense_delassus(problem) * flat(x) + dense_compliance(problem).cwiseProduct(flat(x));
    EXPECT_LE(relative(flat(y), exact), 1e-14);
    W.velocity(x, y);
    EXPECT_LE(relative(flat(y), exact + flat(problem.v_free())), 1e-14);
  }
}

TEST(Operators, TheJudgeSeesTheSameVelocity) {
  Random random(74);
  for (const ContactProblem& problem : problems_with_sets()) {
    const Impulses x = random_impulses(random, problem.size());
    Judge judge;
    judge.bind(problem);
    (void)judge.start(x);
    EXPECT_LE(relative(flat(unpacked(judge.velocity())), flat(testing::velocity(problem, x))), 1e-14);
  }
}

/// The body's response is the change of momentum over the root of its mass: ‖R λ‖² = λᵀ W λ.
TEST(Operators, TheResponseOfBodiesHasTheEnergyOfTheImpulse) {
  Random random(75);
  const ContactProblem problem = problems::family("arch_15", 0.5, 1);
  const auto& form = std::get<BodyForm>(problem.form());
  const Impulses x = random_impulses(random, problem.size());
  AlignedVector<BodyForm::Node> y(static_cast<std::size_t>(form.nodes()));
  respond(form, packed(x), y);
  const double energy = flat(x).dot(dense_delassus(problem) * flat(x));
  EXPECT_NEAR(dot_of(y, y) / energy, 1, 1e-13);
  EXPECT_NEAR(norm_of(y), std::sqrt(energy), 1e-13 * std::sqrt(energy));
}

/// ρ_i: the mean of the diagonal of W_ii + C_i over the rows whose impulse may change.
TEST(Rho, IsTheMeanOfTheDiagonalOverLiveRows) {
  for (const ContactProblem& problem : problems_with_sets())
    for (int i = 0; i < problem.size(); ++i) {
      const BlockSet set = problem.sets()[i];
      const Mat3 W = problem.diagonal_block(i), plain = problem.coupling(i, i);
      double total = 0;
      int rows = 0;
      for (int r = 0; r < 3; ++r) {
        const double c = r == 0 ? set.compliance().t1 : r == 1 ? set.compliance().t2 : set.compliance().n;
        EXPECT_NEAR(W.m[r][r], plain.m[r][r] + c, 1e-14 * W.m[r][r]);
        total += W.m[r][r];
        const auto row = kRows[r];
        rows += set.is_cone() || set.bounds().lower.*row < set.bounds().upper.*row;
      }
      EXPECT_NEAR(problem.rho(i), total / (rows > 0 ? rows : 3), 1e-13 * total) << set.name();
    }
}

/// A block of one row has zero rows in its Jacobian: its ρ is the inverse of the mass that the row meets.
TEST(Rho, OfOneRowIsItsInverseMass) {
  const testing::SetCase limits = testing::make_set_case("limits");  // particles of 4 and 5 kg
  EXPECT_NEAR(limits.problem.rho(0), 1.0 / 4, 1e-15);
  EXPECT_NEAR(limits.problem.rho(1), 1.0 / 5, 1e-15);
  const testing::SetCase soft = testing::make_set_case("compliant_rows");  // 2 kg and C = 1
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(soft.problem.rho(i), 1.5, 1e-15);
}

}  // namespace
}  // namespace repose
