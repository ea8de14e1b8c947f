// SPDX-License-Identifier: Apache-2.0
// Barriers for the rows of boxes, and compliant cones, each against dense linear algebra.
#include "repose/stage/box_barrier.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "repose/contact/primal_dual_cones.h"
#include "repose/stage/soft_cones.h"
#include "tests/support/dense.h"
#include "tests/support/random_block.h"
#include "tests/support/slopes.h"

namespace repose {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::flat;
using testing::Impulses;
using testing::packed;
using testing::random_set;
using testing::random_vec;
using testing::unflat;
using testing::unpacked;

/// min ½ λᵀ(W + C)λ + bᵀλ over boxes, W dense and positive definite.
struct BoxQp {
  MatrixXd W;
  VectorXd b, compliance, lower, upper;
  std::vector<BlockSet> sets;

  BoxQp(int blocks, std::uint64_t seed) {
    Random random(seed);
    const Index rows = 3 * blocks;
    const MatrixXd A = MatrixXd::NullaryExpr(rows, rows, [&] { return random.uniform(-1, 1); });
    W = A * A.transpose() / static_cast<double>(rows) + 0.1 * MatrixXd::Identity(rows, rows);
    b = VectorXd::NullaryExpr(rows, [&] { return random.uniform(-1, 1); });
    Impulses low, high, soft;
    while (static_cast<int>(sets.size()) < blocks) {
      const BlockSet set = random_set(random);
      if (set.is_cone()) continue;
      sets.push_back(set);
      low.push_back(set.bounds().lower), high.push_back(set.bounds().upper), soft.push_back(set.compliance());
    }
    lower = flat(low), upper = flat(high), compliance = flat(soft);
  }
  [[nodiscard]] int blocks() const { return static_cast<int>(sets.size()); }
  [[nodiscard]] VectorXd velocity(const VectorXd& lambda) const {
    return W * lambda + compliance.cwiseProduct(lambda) + b;
  }
  [[nodiscard]] ScalarArray inverse_rho() const {
    ScalarArray inverse;
    inverse.resize(blocks());
    for (int i = 0; i < blocks(); ++i) inverse.set(i, 3 / W.diagonal().segment<3>(3 * i).sum());
    return inverse;
  }
  /// One row at a time until nothing moves.
  [[nodiscard]] VectorXd reference() const {
    VectorXd x = VectorXd::Zero(b.size()).cwiseMax(lower).cwiseMin(upper);
    for (int sweep = 0; sweep < 100000; ++sweep) {
      const VectorXd before = x;
      for (Index r = 0; r < x.size(); ++r) {
        const double v = W.row(r).dot(x) + compliance[r] * x[r] + b[r];
        x[r] = std::clamp(x[r] - v / (W(r, r) + compliance[r]), lower[r], upper[r]);
      }
      if ((x - before).norm() <= 1e-16 * x.norm()) break;
    }
    return x;
  }
};

MatrixXd diagonal_slopes(const SlopeArray& D, int blocks) {
  VectorXd d(3 * blocks);
  for (int i = 0; i < blocks; ++i) {
    const ContactSlope<double> s = testing::slope(D, i);
    d.segment<3>(3 * i) = Eigen::Vector3d(s.t1t1, s.t2t2, s.nn);
  }
  return d.asDiagonal();
}

/// The barrier driven by dense linear algebra: a predictor and a corrector per iteration, as the interior point does.
class Driver {
 public:
  explicit Driver(const BoxQp& qp) : qp_(qp), list_(qp.sets), D_(testing::no_slopes(qp.blocks())) {
    boxes.bind(list_, qp.inverse_rho(), 1e-9);
    lambda.resize(qp.blocks());
    dv.resize(qp.blocks());
    at.resize(boxes.rows());
    step.resize(boxes.rows());
    boxes.start(lambda, 1, 1, at);
    boxes.put_impulse(at, lambda);
  }
  [[nodiscard]] double mean() const { return boxes.bounds() > 0 ? boxes.complementarity(at) / boxes.bounds() : 0; }
  void iterate() {
    const double centre = mean();
    boxes.put_slopes(at, D_);
    std::fill(step.begin(), step.end(), BoxBarrier::RowStep{});
    direction(0);
    const double rest = 1 - PrimalDualCones::step_length(boxes.inverse_step(at, step));
    direction(rest * rest * rest * centre);
    BoxBarrier::move(at, step, PrimalDualCones::step_length(boxes.inverse_step(at, step)), at);
    boxes.put_impulse(at, lambda);
  }
  [[nodiscard]] VectorXd impulses() const { return flat(unpacked(lambda)); }

  BoxBarrier boxes;
  BoxBarrier::Point at;
  BoxBarrier::Step step;
  ContactArray lambda, dv;

 private:
  /// (I + D W) dλ = D r, then dw = W dλ.
  void direction(double centre) {
    ContactArray right;
    right.resize(qp_.blocks());
    boxes.put_second_order(at, step, packed(unflat(qp_.velocity(impulses()))), centre, right);
    const MatrixXd A = MatrixXd::Identity(qp_.W.rows(), qp_.W.cols()) + diagonal_slopes(D_, qp_.blocks()) * qp_.W;
    const VectorXd change = A.partialPivLu().solve(flat(unpacked(right)));
    dv = packed(unflat(qp_.W * change));
    boxes.take_step(at, dv, step);
  }

  const BoxQp& qp_;
  SetList list_;
  SlopeArray D_;
};

TEST(BoxBarrier, SolvesARandomBoxQp) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const BoxQp qp(4 + static_cast<int>(seed) % 9, seed);
    Driver driver(qp);
    int iterations = 0;
    while (iterations < 2 || (driver.mean() > 1e-20 && iterations < 60)) driver.iterate(), ++iterations;
    EXPECT_LT(iterations, 60) << "seed " << seed;
    const VectorXd exact = qp.reference();
    EXPECT_LE((driver.impulses() - exact).norm(), 1e-8 * (1 + exact.norm())) << "seed " << seed;
  }
}

TEST(BoxBarrier, EveryIterateIsInsideItsBounds) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const BoxQp qp(6, seed);
    Driver driver(qp);
    for (int k = 0; k == 0 || driver.mean() > 1e-20; ++k, driver.iterate()) {
      ASSERT_LT(k, 60);
      const VectorXd x = driver.impulses();
      for (Index r = 0; r < x.size(); ++r) {
        if (qp.lower[r] == qp.upper[r]) {
          EXPECT_EQ(x[r], qp.lower[r]) << "a prescribed impulse";
          continue;
        }
        EXPECT_GE(x[r], qp.lower[r]) << seed << ' ' << k;
        EXPECT_LE(x[r], qp.upper[r]) << seed << ' ' << k;
      }
    }
  }
}

TEST(BoxBarrier, CountsItsBounds) {
  const std::vector<BlockSet> sets{BlockSet::cone(0.5), BlockSet::bilateral(), BlockSet::half_line(),
                                   BlockSet::interval(-1, 1), BlockSet::interval(2, 2)};
  ScalarArray inverse_rho;
  inverse_rho.resize(5);
  const SetList list(sets);
  BoxBarrier boxes;
  boxes.bind(list, inverse_rho, 1e-9);
  EXPECT_FALSE(boxes.empty());
  EXPECT_EQ(boxes.bounds(), 0 + 0 + 1 + 2 + 0);
  const std::vector<BlockSet> fixed(5, BlockSet::interval(2, 2));
  const SetList prescribed(fixed);
  boxes.bind(prescribed, inverse_rho, 1e-9);
  EXPECT_FALSE(boxes.empty()) << "prescribed impulses are impulses";
  const std::vector<BlockSet> cones(5, BlockSet::cone(0.5));
  const SetList plain(cones);
  boxes.bind(plain, inverse_rho, 1e-9);
  EXPECT_TRUE(boxes.empty());
}

TEST(BoxBarrier, LanesOfConesStayAsTheyAre) {
  const std::vector<BlockSet> sets{BlockSet::cone(0.5), BlockSet::interval(-1, 1)};
  const SetList list(sets);
  ScalarArray inverse_rho;
  inverse_rho.resize(2);
  BoxBarrier boxes;
  boxes.bind(list, inverse_rho, 1e-9);
  ContactArray lambda = packed(Impulses{{1, 2, 3}, {4, 5, 6}});
  BoxBarrier::Point at(boxes.rows());
  boxes.start(lambda, 1, 1, at);
  boxes.put_impulse(at, lambda);
  EXPECT_EQ(testing::length(lambda[0] - ContactVec{1, 2, 3}), 0);
  EXPECT_EQ(lambda[1].t1, 0) << "a row that the block does not use";
  EXPECT_LT(lambda[1].n, 1);
}

// ---- cones with compliance -----------------------------------------------------------------------------------------

Eigen::Matrix3d matrix(const ContactSlope<double>& s) {
  Eigen::Matrix3d D;
  D << s.t1t1, s.t1t2, s.t1n, s.t2t1, s.t2t2, s.t2n, s.nt1, s.nt2, s.nn;
  return D;
}

/// dλ = p − D dv and dv = dw + C dλ, solved for dλ and dv by dense elimination.
TEST(SoftCones, EliminateTheComplianceOfEveryBlock) {
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const std::vector<BlockSet> sets = testing::random_sets(random, 11, 1, 3);
    const SetList list(sets);
    SlopeArray D = testing::no_slopes(11);
    Impulses p(11), dw(11);
    std::vector<Eigen::Matrix3d> slopes;
    for (int i = 0; i < 11; ++i) {
      const Mat3 S = testing::random_spd(random, 2);
      const double skew = random.uniform(-0.1, 0.1);  // the slopes of the exact law are not symmetric
      testing::set_slope(D, i,
                         {S.m[0][0], S.m[0][1], S.m[1][1], S.m[0][2] + skew, S.m[1][2], S.m[2][2], S.m[2][0] - skew,
                          S.m[2][1], S.m[1][0]});
      slopes.push_back(matrix(testing::slope(D, i)));
      p[static_cast<std::size_t>(i)] = random_vec(random), dw[static_cast<std::size_t>(i)] = random_vec(random);
    }
    SoftCones soft;
    soft.bind(list);
    ContactArray right = packed(p), dv = packed(dw);
    soft.soften(D);
    soft.soften(right);
    soft.add_compliance(right, dv);
    for (int i = 0; i < 11; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const BlockSet& set = sets[k];
      const Eigen::Vector3d C =
          set.is_cone() ? Eigen::Vector3d(flat(std::vector{set.compliance()})) : Eigen::Vector3d::Zero();
      const Eigen::Matrix3d A = Eigen::Matrix3d::Identity() + slopes[k] * C.asDiagonal();
      const Eigen::Vector3d P = flat(std::vector{p[k]}), w = flat(std::vector{dw[k]});
      const Eigen::Vector3d dlambda = A.inverse() * (P - slopes[k] * w), v = w + C.cwiseProduct(dlambda);
      const double rounding = 1e-13 * A.norm() * A.inverse().norm();
      EXPECT_LE((matrix(testing::slope(D, i)) - A.inverse() * slopes[k]).norm(), rounding) << set.name();
      EXPECT_LE((Eigen::Vector3d(flat(std::vector{right[i]})) - A.inverse() * P).norm(), rounding) << set.name();
      EXPECT_LE((Eigen::Vector3d(flat(std::vector{dv[i]})) - v).norm(), rounding) << set.name();
    }
  }
}

}  // namespace
}  // namespace repose
