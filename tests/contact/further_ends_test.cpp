// SPDX-License-Identifier: Apache-2.0
// Blocks over more than two bodies: W, the Newton system, the solution and both forms of files, against dense matrices.
#include <gtest/gtest.h>

#include <algorithm>

#include "repose/base/random.h"
#include "repose/contact/newton_system.h"
#include "repose/contact/operators.h"
#include "repose/contact/residual.h"
#include "tests/contact/io_support.h"
#include "tests/support/complaint.h"
#include "tests/support/dense.h"
#include "tests/support/slopes.h"

namespace repose {
namespace {

using testing::complaint;
using testing::dense_delassus;
using testing::flat;
using testing::Impulses;
using testing::in_matrix_form;
using testing::no_slopes;
using testing::set_slope;
using testing::solution;
using testing::velocity;
using Node = BodyForm::Node;

constexpr int kBodies = 7, kBlocks = 9;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// The ends of every block: two, three or all bodies, the static node (kBodies) among them.
const std::vector<std::vector<int>> kEnds{{0, 1},    {1, 2, 4},          {kBodies, 3},          {2, 3, 0, 6}, {4, 5},
                                          {5, 1, 3}, {6, kBodies, 2, 0}, {0, 1, 2, 3, 4, 5, 6}, {5, kBodies}};

/// Scaled rows of block i against a node.
void fill(Random& random, Node (&rows)[3]) {
  for (Node& row : rows)
    for (int lane = 0; lane < BodyForm::kDof; ++lane) row[lane] = random.uniform(-1, 1);
}

BodyForm some_form(std::uint64_t seed) {
  Random random(seed);
  std::vector<BodyForm::Ends> ends;
  std::vector<BodyForm::Rows> rows(kBlocks);
  std::vector<BodyForm::Further> further;
  for (int i = 0; i < kBlocks; ++i) {
    const std::vector<int>& own = kEnds[at(i)];
    ends.push_back({own[0], own[1]});
    if (own[0] < kBodies) fill(random, rows[at(i)].a);
    if (own[1] < kBodies) fill(random, rows[at(i)].b);
    for (std::size_t e = 2; e < own.size(); ++e) {
      further.push_back({i, own[e]});
      fill(random, further.back().rows);
    }
  }
  return BodyForm::from_scaled_rows(kBodies, ends, rows, {}, further);
}

/// J L as a matrix.
Eigen::MatrixXd dense_rows(const BodyForm& form) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3 * form.size(), 6 * form.bodies());
  for (int i = 0; i < form.size(); ++i)
    for (int e = 0; e < form.end_count(i); ++e) {
      const BodyForm::End end = form.end(i, e);
      if (end.node == form.bodies()) continue;
      for (int r = 0; r < 3; ++r)
        for (int lane = 0; lane < 6; ++lane) J(3 * i + r, 6 * end.node + lane) += end.rows[r][lane];
    }
  return J;
}

ContactProblem some_problem(std::uint64_t seed) {
  Random random(seed + 100);
  Impulses v_free;
  std::vector<BlockSet> sets;
  for (int i = 0; i < kBlocks; ++i) {
    v_free.push_back({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 0)});
    const bool couples = kEnds[at(i)].size() > 2;
    sets.push_back(couples ? (i % 2 == 0 ? BlockSet::interval(-0.2, 0.3) : BlockSet::bilateral(1))
                           : BlockSet::cone(0.6));
  }
  return {some_form(seed), v_free, SetList(sets)};
}

TEST(FurtherEnds, DelassusIsThatOfTheRows) {
  const ContactProblem problem = some_problem(1);
  const auto& form = std::get<BodyForm>(problem.form());
  const Eigen::MatrixXd J = dense_rows(form), W = J * J.transpose();
  EXPECT_LT((dense_delassus(problem) - W).norm(), 1e-13 * W.norm());
  for (int i = 0; i < kBlocks; ++i)
    EXPECT_NEAR(form.diagonal_trace(i), W.block(3 * i, 3 * i, 3, 3).trace(), 1e-12) << i;
  EXPECT_FALSE(problem.separable());
  Random random(3);
  Impulses x(kBlocks);
  for (ContactVec& own : x) own = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  EXPECT_LT((flat(velocity(problem, x)) - W * flat(x) - flat(problem.v_free())).norm(), 1e-12 * W.norm());
}

TEST(FurtherEnds, BlocksThatShareAFurtherBodyAloneAreCoupled) {
  std::vector<BodyForm::Rows> rows(2);
  std::vector<BodyForm::Further> further{{1, 0}};
  for (Pack& row : rows[0].a) row[0] = 1;
  for (Pack& row : further[0].rows) row[0] = 1;
  for (Pack& row : rows[1].a) row[0] = 1;
  const BodyForm form = BodyForm::from_scaled_rows(2, std::vector<BodyForm::Ends>{{0, 2}, {1, 2}}, rows, {}, further);
  const ContactProblem problem(form, Impulses(2), std::vector<double>(2, 0.5));
  EXPECT_FALSE(problem.separable());
  ASSERT_EQ(problem.coupled_pairs().size(), 1u);
  EXPECT_EQ(problem.coupling(0, 1).m[0][0], 1);
  EXPECT_EQ(problem.coupling(1, 0).m[0][0], 1);
}

TEST(FurtherEnds, NewtonSystemIsIdentityPlusWeightedRows) {
  Random random(5);
  const BodyForm form = some_form(2);
  const Eigen::MatrixXd J = dense_rows(form);
  NewtonSystem<BodyForm> system;
  ASSERT_TRUE(system.bind(form));
  SlopeArray slopes = no_slopes(kBlocks);
  for (int round = 0; round < 3; ++round) {  // slopes change one by one; one is zero
    Eigen::MatrixXd D = Eigen::MatrixXd::Zero(3 * kBlocks, 3 * kBlocks);
    for (int i = 0; i < kBlocks; ++i) {
      if (round == 0 || i % 3 == round) {
        ContactSlope<double> d;
        d.t1t1 = random.uniform(0.5, 2), d.t2t2 = random.uniform(0.5, 2), d.nn = random.uniform(0.5, 2);
        d.t1n = random.uniform(-0.3, 0.3), d.t2n = random.uniform(-0.3, 0.3);
        set_slope(slopes, i, i == 3 + round ? ContactSlope<double>{} : d);
      }
      const ContactSlope<double> d = testing::slope(slopes, i);
      Eigen::Matrix3d own;
      own << d.t1t1, d.t1t2, d.t1n, d.t2t1, d.t2t2, d.t2n, d.nt1, d.nt2, d.nn;
      D.block(3 * i, 3 * i, 3, 3) = own;
    }
    ASSERT_TRUE(system.factor(slopes));
    AlignedVector<Node> x(at(form.nodes()));
    Eigen::VectorXd b(6 * kBodies), y(6 * kBodies);
    for (int k = 0; k < 6 * kBodies; ++k) x[at(k / 6)][k % 6] = b[k] = random.uniform(-1, 1);
    system.solve(x);
    for (int k = 0; k < 6 * kBodies; ++k) y[k] = x[at(k / 6)][k % 6];
    const Eigen::MatrixXd K = Eigen::MatrixXd::Identity(6 * kBodies, 6 * kBodies) + J.transpose() * D * J;
    EXPECT_LT((K * y - b).norm(), 1e-11 * b.norm() * K.norm()) << round;
  }
}

TEST(FurtherEnds, BothFormsHaveOneSolution) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const ContactProblem body = some_problem(seed), matrix = in_matrix_form(body);
    const Impulses x = solution(body), y = solution(matrix);
    EXPECT_LT((flat(velocity(body, x)) - flat(velocity(body, y))).norm(), 1e-7) << seed;
    EXPECT_LT(certify(matrix, x).worst(), 1e-9) << seed;
  }
}

TEST(FurtherEnds, AssignTellsWhetherTheGraphIsTheSame) {
  const std::vector<BodyForm::Roots> bodies(3, {1, Mat3::identity()});
  const std::vector<BodyContact> two{point_contact(0, {}, 1, {}, {0, 0, 1})};
  BodyJacobian rows{};
  rows.linear[2] = {0, 0, 2};
  BodyForm form;
  EXPECT_FALSE(form.assign(bodies, two));
  EXPECT_FALSE(form.assign(bodies, two, std::vector<FurtherEnd>{{0, 2, rows}}));
  EXPECT_TRUE(form.assign(bodies, two, std::vector<FurtherEnd>{{0, 2, rows}}));
  EXPECT_EQ(form.diagonal_block(0).m[2][2], 2 + 4);
  EXPECT_FALSE(form.assign(bodies, two));
  EXPECT_EQ(form.diagonal_block(0).m[2][2], 2);
  EXPECT_NE(complaint([&] { form.assign(bodies, two, std::vector<FurtherEnd>{{0, 1, rows}}); }), "");
  EXPECT_NE(complaint([&] { form.assign(bodies, two, std::vector<FurtherEnd>{{1, 2, rows}}); }), "");
}

TEST(FurtherEnds, FilesKeepEveryBit) {
  const testing::TempFolder folder;
  const ContactProblem problem = some_problem(4);
  for (const FclibForm form : {FclibForm::kLocal, FclibForm::kGlobal}) {
    FclibOptions options;
    options.form = form;
    write_fclib(folder / "a.hdf5", problem, options);
    const ContactProblem back = read_stored_problem(folder / "a.hdf5").problem;
    ASSERT_TRUE(std::holds_alternative<BodyForm>(back.form()));
    const auto &x = std::get<BodyForm>(problem.form()), &y = std::get<BodyForm>(back.form());
    ASSERT_EQ(x.further().size(), y.further().size());
    EXPECT_EQ(dense_rows(x), dense_rows(y));
    EXPECT_EQ(flat(problem.v_free()), flat(back.v_free()));
    EXPECT_EQ(dense_delassus(problem), dense_delassus(back));
  }
}

}  // namespace
}  // namespace repose
