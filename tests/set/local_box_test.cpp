// SPDX-License-Identifier: Apache-2.0
// A box at one block: the answer of a row-by-row descent that shares nothing with the cases of the kernel.
#include "repose/set/local_box.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "repose/set/local_law.h"
#include "tests/support/problem_copies.h"
#include "tests/support/random_block.h"

namespace repose {
namespace {

using testing::length;
using testing::random_spd;
using testing::random_vec;
using testing::times;

/// ½ λᵀWλ + bᵀλ over the box, one row at a time until nothing moves: for W positive definite the minimum.
ContactVec brute_force(const Mat3& W, const Bounds& box, ContactVec b) {
  ContactVec x = project_onto_box(ContactVec{}, box);
  for (int sweep = 0; sweep < 100000; ++sweep) {
    const ContactVec before = x;
    for (int r = 0; r < 3; ++r) {
      const auto row = kRows[r];
      const double v = (times(W, x) + b).*row;
      x.*row = std::clamp(x.*row - v / W.m[r][r], box.lower.*row, box.upper.*row);
    }
    if (length(x - before) == 0) break;
  }
  return x;
}

TEST(LocalBox, IsTheMinimumThatBruteForceFinds) {
  Random random(17);
  for (const double digits : {0.0, 1.0, 2.0})
    for (int trial = 0; trial < 2000; ++trial) {
      const Mat3 W = random_spd(random, digits);
      BlockSet set = testing::random_set(random);
      while (set.is_cone()) set = testing::random_set(random);
      const ContactVec b = random_vec(random, 2);
      const ContactVec exact = brute_force(W, set.bounds(), b), found = LocalBox{W, set.bounds()}.solve(b);
      ASSERT_LE(length(found - exact), 1e-11 * std::pow(10.0, digits) * (1 + length(exact)))
          << set.name() << ", trial " << trial << ", digits " << digits;
    }
}

/// The law itself, block by block: λ inside, v = 0 inside, v ≥ 0 at the lower bound, v ≤ 0 at the upper one.
TEST(LocalBox, MeetsTheLawToRounding) {
  Random random(18);
  for (const double digits : {0.0, 3.0, 6.0})
    for (int trial = 0; trial < 2000; ++trial) {
      const Mat3 W = random_spd(random, digits);
      const ContactVec low = random_vec(random), high = low + ContactVec{0.3, 0.2, 0.5}, b = random_vec(random, 2);
      const ContactVec lambda = LocalBox{W, {low, high}}.solve(b), v = times(W, lambda) + b;
      const double rounding = 1e-13 * (length(b) + length(lambda)) * std::pow(10.0, digits);
      for (const auto row : kRows) {
        ASSERT_GE(lambda.*row, low.*row - rounding);
        ASSERT_LE(lambda.*row, high.*row + rounding);
        const double at = lambda.*row;
        ASSERT_TRUE(at <= low.*row + rounding || v.*row <= rounding) << "trial " << trial;
        ASSERT_TRUE(at >= high.*row - rounding || v.*row >= -rounding) << "trial " << trial;
      }
    }
}

TEST(LocalBox, ClosedForms) {
  const Mat3 W = Mat3::diagonal(2, 4, 8);
  const auto solve = [&](const BlockSet& set, ContactVec b) { return LocalBox{W, set.bounds()}.solve(b); };
  EXPECT_EQ(length(solve(BlockSet::bilateral(), {2, 4, 8}) - ContactVec{-1, -1, -1}), 0);
  EXPECT_EQ(length(solve(BlockSet::bilateral(2), {2, 4, 8}) - ContactVec{-1, -1, 0}), 0);
  EXPECT_EQ(length(solve(BlockSet::half_line(), {2, 4, 8})), 0);
  EXPECT_EQ(length(solve(BlockSet::half_line(), {2, 4, -8}) - ContactVec{0, 0, 1}), 0);
  EXPECT_EQ(length(solve(BlockSet::interval(-0.5, 0.5), {0, 0, -8}) - ContactVec{0, 0, 0.5}), 0);
  EXPECT_EQ(length(solve(BlockSet::interval(3, 3), {0, 0, -8}) - ContactVec{0, 0, 3}), 0);
}

/// Two rows that push along the same direction: W is singular, the velocity that is left is not.
TEST(LocalBox, RedundantRowsStopTheirVelocity) {
  const Mat3 W{{{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}};
  const ContactVec b{3, 3, -2}, lambda = LocalBox{W, BlockSet::bilateral().bounds()}.solve(b);
  EXPECT_LE(length(times(W, lambda) + b), 1e-15);
}

TEST(LocalLaw, TakesTheKernelOfTheSet) {
  Random random(19);
  for (int trial = 0; trial < 200; ++trial) {
    const Mat3 W = random_spd(random, 1);
    const ContactVec b = random_vec(random);
    const BlockSet joint = BlockSet::interval(-0.1, 0.2), cone = BlockSet::cone(0.4);
    EXPECT_EQ(length(solve_locally(joint, W, b) - LocalBox{W, joint.bounds()}.solve(b)), 0);
    double rate = 0;
    EXPECT_EQ(length(solve_locally(cone, W, b) - LocalCoulomb(W, 0.4).solve(b, rate)), 0);
  }
}

}  // namespace
}  // namespace repose
