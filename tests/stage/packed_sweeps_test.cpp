// SPDX-License-Identifier: Apache-2.0
// Sweeps over eight pairs of bodies at a time: the local law lane by lane, and the method of gauss_seidel.h.
#include "repose/stage/packed_sweeps.h"

#include <gtest/gtest.h>

#include "problems/bricks.h"
#include "problems/families.h"
#include "repose/base/random.h"
#include "repose/scheme/solve.h"
#include "tests/stage/rig.h"

namespace repose::testing {
namespace {

using problems::make_problem;

/// A random symmetric positive definite 3×3 block: L Lᵀ, and for a share of them nearly singular.
Mat3 random_block(Random& random) {
  double L[3][3];
  for (auto& row : L)
    for (double& x : row) x = random.uniform(-1, 1);
  if (random.uniform(0, 1) < 0.2)
    for (int c = 0; c < 3; ++c) L[1][c] = L[0][c] + 1e-2 * L[1][c];  // delicate
  Mat3 W;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k) W.m[r][c] += L[r][k] * L[c][k];
  return W;
}

TEST(PackedCoulomb, EveryLaneIsTheLocalLaw) {
  Random random(7);
  for (int trial = 0; trial < 500; ++trial) {
    PackedCoulomb packed;
    LocalCoulomb laws[kLanes];
    ContactPack b;
    Mat3 W[kLanes];
    Pack rate{};
    double rates[kLanes] = {};
    for (int lane = 0; lane < kLanes; ++lane) {
      W[lane] = random_block(random);
      const double mu = random.uniform(0, 1) < 0.1 ? 0.0 : random.uniform(0.1, 1.2);
      laws[lane] = LocalCoulomb(W[lane], mu);
      packed.set(lane, W[lane], mu);
      b.t1[lane] = random.uniform(-1, 1), b.t2[lane] = random.uniform(-1, 1), b.n[lane] = random.uniform(-1, 0.3);
      rates[lane] = rate[lane] = random.uniform(0, 1) < 0.5 ? 0 : random.uniform(0, 5);
    }
    const ContactPack found = packed.solve(b, rate);
    for (int lane = 0; lane < kLanes; ++lane) {
      const ContactVec one = laws[lane].solve({b.t1[lane], b.t2[lane], b.n[lane]}, rates[lane]);
      const double size = 1e-9 * (1e-9 + std::sqrt(squared_norm(one)));
      EXPECT_NEAR(found.t1[lane], one.t1, size);
      EXPECT_NEAR(found.t2[lane], one.t2, size);
      EXPECT_NEAR(found.n[lane], one.n, size);
    }
  }
}

ContactProblem bricks() { return make_problem(problems::pile({.nx = 5, .ny = 5, .nz = 4})); }

Impulses swept(const ContactProblem& problem, const Impulses& from, int sweeps) {
  PackedSweeps sweeper;
  sweeper.bind(std::get<BodyForm>(problem.form()), problem);
  sweeper.start(packed(from));
  for (int k = 0; k < sweeps; ++k) sweeper.sweep_momentum(1.5);
  sweeper.refresh();
  ContactArray lambda = packed(from);
  sweeper.store(lambda);
  return unpacked(lambda);
}

TEST(PackedSweeps, StartAndStoreAreInverse) {
  const ContactProblem problem = bricks();
  Random random(3);
  Impulses start(static_cast<std::size_t>(problem.size()));
  for (ContactVec& l : start) l = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0, 2)};
  const Impulses after = swept(problem, start, 0);
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_TRUE(after[i].t1 == start[i].t1 && after[i].t2 == start[i].t2 && after[i].n == start[i].n) << i;
}

TEST(PackedSweeps, AnAnswerIsAFixedPoint) {
  const ContactProblem problem = bricks();
  const Solution answer = solve(problem, {.tolerance = 1e-12});
  ASSERT_TRUE(answer.report.certificate.solved(1e-12));
  const Impulses after = swept(problem, answer.lambda, 5);
  EXPECT_LE(distance(after, answer.lambda), 1e-9 * length(answer.lambda));
}

/// As many sweeps as Gauss–Seidel in the order of the contacts, within a factor of two.
TEST(PackedSweeps, ConvergeLikeSweepsOverSingleContacts) {
  const ContactProblem problem = bricks();
  const Impulses zero(static_cast<std::size_t>(problem.size()));
  GaussSeidel<BodyForm> single;
  single.bind(std::get<BodyForm>(problem.form()), problem);
  single.start(packed(zero));
  int needed = 0;
  for (ContactArray lambda = packed(zero); needed < 2000; needed += 10) {
    for (int k = 0; k < 10; ++k) single.sweep_momentum(1.5);
    single.store(lambda);
    if (certify(problem, unpacked(lambda)).solved(1e-4)) break;
  }
  ASSERT_LT(needed, 2000);
  EXPECT_TRUE(certify(problem, swept(problem, zero, 2 * needed + 20)).solved(1e-4)) << needed;
}

TEST(PackedSweeps, TheSameObjectSweepsOtherProblems) {
  const ContactProblem first = bricks(), second = make_problem(problems::family_structure("spheres_27", 0.5, 1));
  PackedSweeps sweeper;
  for (const ContactProblem* problem : {&first, &second, &first}) {
    const Impulses zero(static_cast<std::size_t>(problem->size()));
    sweeper.bind(std::get<BodyForm>(problem->form()), *problem);
    sweeper.start(packed(zero));
    for (int k = 0; k < 20; ++k) sweeper.sweep_momentum(1.5);
    ContactArray lambda = packed(zero);
    sweeper.store(lambda);
    const Impulses fresh = swept(*problem, zero, 20), used = unpacked(lambda);
    for (std::size_t i = 0; i < used.size(); ++i) EXPECT_EQ(used[i].n, fresh[i].n) << i;
  }
}

}  // namespace
}  // namespace repose::testing
