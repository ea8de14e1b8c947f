// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/newton_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "problems/families.h"
#include "repose/base/random.h"
#include "repose/contact/operators.h"
#include "tests/support/dense.h"
#include "tests/support/random_block.h"
#include "tests/support/slopes.h"

namespace repose {
namespace {

using testing::no_slopes;
using testing::set_slope;
using Node = BodyForm::Node;

/// A slope as the exact law has it, of a random mode: open, stuck or sliding.
ContactSlope<double> random_slope(Random& random) {
  ContactSlope<double> D;
  const double kind = random.uniform(0, 3), g = random.uniform(0.5, 2);
  const auto v = ContactVec{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  if (kind < 1) return D;
  (void)alart_curnier(kind < 2 ? ContactVec{0, 0, 9} : ContactVec{3, 1, 2}, v, g, 0.5, D);
  return D;
}

std::vector<double> solution(NewtonSystem<BodyForm>& system, const SlopeArray& D, int nodes) {
  EXPECT_TRUE(system.factor(D));
  AlignedVector<Node> x(static_cast<std::size_t>(nodes), Node{1, -2, 3, -4, 5, -6, 0, 0});
  x.back() = Node{};
  system.solve(x);
  std::vector<double> flat;
  for (const Node& node : x)
    for (int k = 0; k < BodyForm::kDof; ++k) flat.push_back(node[k]);
  return flat;
}

// Blocks of patches that did not change are kept; the same bits must come out as from a system that starts anew.
TEST(NewtonSystem, KeptBlocksAreThoseOfAFreshSystem) {
  Random random(7);
  for (const problems::Family& family : problems::families()) {
    const ContactProblem problem = problems::family(family.name, 0.8, 3);
    const auto& form = std::get<BodyForm>(problem.form());
    SlopeArray D = no_slopes(form.size());
    for (int i = 0; i < form.size(); ++i) set_slope(D, i, random_slope(random));
    NewtonSystem<BodyForm> kept;
    ASSERT_TRUE(kept.bind(form));
    for (int round = 0; round < 5; ++round) {
      NewtonSystem<BodyForm> fresh;
      ASSERT_TRUE(fresh.bind(form));
      EXPECT_EQ(solution(kept, D, form.nodes()), solution(fresh, D, form.nodes())) << family.name << ' ' << round;
      for (int change = 0; change < round; ++change)  // the second round has none
        set_slope(D, static_cast<int>(random.uniform(0, form.size())), random_slope(random));
    }
  }
}

TEST(NewtonSystem, RefreshForgetsBlocksOfOldNumbers) {
  Random random(8);
  BodyForm form = std::get<BodyForm>(problems::family("wall_4x4", 0.8, 3).form());
  SlopeArray D = no_slopes(form.size());
  for (int i = 0; i < form.size(); ++i) set_slope(D, i, random_slope(random));
  NewtonSystem<BodyForm> kept, fresh;
  ASSERT_TRUE(kept.bind(form));
  const std::vector<double> before = solution(kept, D, form.nodes());
  std::vector<BodyForm::Ends> ends;
  std::vector<BodyForm::Rows> rows;
  for (int i = 0; i < form.size(); ++i) {
    ends.push_back(form.ends(i));
    rows.push_back(form.rows(i));
    for (Pack& row : rows.back().a) row *= 1.25;
  }
  form = BodyForm::from_scaled_rows(form.bodies(), ends, rows);
  kept.refresh();
  ASSERT_TRUE(fresh.bind(form));
  const std::vector<double> after = solution(kept, D, form.nodes());
  EXPECT_EQ(after, solution(fresh, D, form.nodes()));
  EXPECT_NE(after, before);
}

// ---- large systems are ordered for the closed pairs
// ------------------------------------------------------------------

/// Bodies on a grid, each in contact with its neighbours along the axes; the factor takes more than 20 000 products.
BodyForm body_lattice(Random& random) {
  constexpr int kEdge = 9;
  std::vector<BodyForm::Ends> ends;
  std::vector<BodyForm::Rows> rows;
  for (int a = 0; a < kEdge * kEdge * kEdge; ++a)
    for (const int stride : {1, kEdge, kEdge * kEdge}) {
      if (a / stride % kEdge == kEdge - 1) continue;
      ends.push_back({a, a + stride});
      BodyForm::Rows& J = rows.emplace_back();
      for (auto* side : {&J.a, &J.b})
        for (Pack& row : *side)
          for (int k = 0; k < BodyForm::kDof; ++k) row[k] = random.uniform(-1, 1);
    }
  return BodyForm::from_scaled_rows(kEdge * kEdge * kEdge, ends, rows);
}

/// Slopes of stuck contacts; each is open instead with this probability.
SlopeArray stuck_or_open(Random& random, int contacts, double open) {
  SlopeArray D = no_slopes(contacts);
  for (int i = 0; i < contacts; ++i) {
    ContactSlope<double> stuck;
    stuck.t1t1 = stuck.t2t2 = stuck.nn = random.uniform(0.5, 2);
    if (random.uniform() >= open) set_slope(D, i, stuck);
  }
  return D;
}

/// In whichever order: the solution is that of the system with all pairs, and its bits depend on the slopes since
/// start() alone.
TEST(NewtonSystem, OrderOfClosedPairsSolvesTheSameSystem) {
  Random random(12);
  const BodyForm form = body_lattice(random);
  NewtonSystem<BodyForm> old;
  ASSERT_TRUE(old.bind(form));
  ASSERT_GE(old.factor_products(), 20'000);
  for (int run = 0; run < 3; ++run) {
    NewtonSystem<BodyForm> fresh, all;
    ASSERT_TRUE(fresh.bind(form) && all.bind(form));
    old.start();
    fresh.start();
    for (const double open : {0.5, 0.5, 0.0, 0.6, 0.2}) {
      const SlopeArray D = stuck_or_open(random, form.size(), run == 1 ? 0.0 : open);
      const std::vector<double> x = solution(old, D, form.nodes()), y = solution(all, D, form.nodes());
      EXPECT_EQ(x, solution(fresh, D, form.nodes())) << run << ' ' << open;
      EXPECT_EQ(x, solution(old, D, form.nodes())) << "the factor is kept";
      EXPECT_EQ(old.determinant_sign(), 1);
      double error = 0, size = 0;
      for (std::size_t k = 0; k < x.size(); ++k)
        error = std::max(error, std::abs(x[k] - y[k])), size = std::max(size, std::abs(y[k]));
      EXPECT_LE(error, 1e-12 * size) << run << ' ' << open;
    }
  }
}

// ---- against a dense matrix ---------------------------------------------------------------------------------------

/// The slopes of all blocks as one block-diagonal matrix.
Eigen::MatrixXd dense_slopes(const SlopeArray& D, int contacts) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * contacts, 3 * contacts);
  for (int i = 0; i < contacts; ++i) {
    const ContactSlope<double> s = testing::slope(D, i);
    dense.block<3, 3>(3 * i, 3 * i) << s.t1t1, s.t1t2, s.t1n, s.t2t1, s.t2t2, s.t2n, s.nt1, s.nt2, s.nn;
  }
  return dense;
}

/// With b = R p the solution x of (I + R D G) x = b has G x = (I + W D)⁻¹ W p: the same velocity in both forms.
template <class Form>
Eigen::VectorXd velocity_of_solution(const ContactProblem& problem, const SlopeArray& D, const testing::Impulses& p) {
  const auto& form = std::get<Form>(problem.form());
  NewtonSystem<Form> system;
  EXPECT_TRUE(system.bind(form));
  EXPECT_TRUE(system.factor(D));
  AlignedVector<typename Form::Node> x(static_cast<std::size_t>(form.nodes()));
  respond(form, testing::packed(p), x);
  system.solve(x);
  ContactArray v;
  v.resize(problem.size());
  gather_all(form, x, v);
  return testing::flat(testing::unpacked(v));
}

void expect_dense_solution(const ContactProblem& problem, const SlopeArray& D, Random& random, const char* what) {
  testing::Impulses p(static_cast<std::size_t>(problem.size()));
  for (ContactVec& contact : p) contact = testing::random_vec(random);
  const Eigen::MatrixXd W = testing::dense_delassus(problem), slopes = dense_slopes(D, problem.size());
  const Eigen::MatrixXd A = Eigen::MatrixXd::Identity(W.rows(), W.cols()) + W * slopes;
  const Eigen::VectorXd exact = A.fullPivLu().solve(W * testing::flat(p));
  const double condition = A.norm() * A.inverse().norm(), bound = 1e-14 * condition * exact.norm();
  EXPECT_LE((velocity_of_solution<BodyForm>(problem, D, p) - exact).norm(), bound) << what;
  EXPECT_LE((velocity_of_solution<MatrixForm>(testing::in_matrix_form(problem), D, p) - exact).norm(), bound) << what;
}

TEST(NewtonSystem, SolvesTheDenseSystem) {
  Random random(9);
  for (const char* family : {"sliding_box", "pile_2x2x3", "arch_15"}) {
    const ContactProblem problem = problems::family(family, 0.8, 4);
    SlopeArray D = no_slopes(problem.size());
    for (int i = 0; i < problem.size(); ++i) set_slope(D, i, random_slope(random));
    expect_dense_solution(problem, D, random, family);
  }
}

/// Boxes leave slopes that no cone has: one row alone, here t2, while the others are prescribed.
TEST(NewtonSystem, TakesSlopesOfSingleRows) {
  Random random(10);
  const ContactProblem problem = problems::family("pile_2x2x3", 0.8, 5);
  for (const auto row : {&ContactSlope<double>::t1t1, &ContactSlope<double>::t2t2, &ContactSlope<double>::nn}) {
    SlopeArray D = no_slopes(problem.size());
    for (int i = 0; i < problem.size(); i += 2) {
      ContactSlope<double> one;
      one.*row = random.uniform(0.5, 2);
      set_slope(D, i, one);
    }
    expect_dense_solution(problem, D, random, "one row");
  }
}

/// The slopes that newton_map() gives for sets of every kind.
TEST(NewtonSystem, TakesTheSlopesOfEverySet) {
  Random random(11);
  const ContactProblem plain = problems::family("arch_15", 0.8, 6);
  const ContactProblem problem = testing::with_sets(plain, testing::random_sets(random, plain.size(), 1, plain.rho(0)));
  SlopeArray D = no_slopes(problem.size());
  for (int i = 0; i < problem.size(); ++i) {
    ContactSlope<double> one;
    (void)newton_map(problem.sets().ref(i), testing::random_vec(random), problem.rho(i) * testing::random_vec(random),
                     1 / problem.rho(i), one);
    set_slope(D, i, one);
  }
  expect_dense_solution(problem, D, random, "every set");
}

/// A row at a time may change, too: kept blocks follow it.
TEST(NewtonSystem, KeptBlocksFollowAChangeOfOneRow) {
  const ContactProblem problem = problems::family("wall_4x4", 0.8, 3);
  const auto& form = std::get<BodyForm>(problem.form());
  SlopeArray D = no_slopes(form.size());
  NewtonSystem<BodyForm> kept;
  ASSERT_TRUE(kept.bind(form));
  const std::vector<double> open = solution(kept, D, form.nodes());
  for (const auto entry : {&ContactSlope<double>::t2t2, &ContactSlope<double>::t1t1, &ContactSlope<double>::nn,
                           &ContactSlope<double>::t1n, &ContactSlope<double>::nt2}) {
    ContactSlope<double> one;
    one.t2t2 = 1e-3;
    one.*entry = 2e-3;
    set_slope(D, 7, one);
    NewtonSystem<BodyForm> fresh;
    ASSERT_TRUE(fresh.bind(form));
    const std::vector<double> now = solution(kept, D, form.nodes());
    EXPECT_EQ(now, solution(fresh, D, form.nodes()));
    EXPECT_NE(now, open);
  }
}

}  // namespace
}  // namespace repose
