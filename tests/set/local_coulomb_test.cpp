// SPDX-License-Identifier: Apache-2.0
// The exact law at one contact, from every side: symmetric and skewed blocks, ill conditioned, huge friction, Painlevé.
#include "repose/set/local_coulomb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/random_block.h"

namespace repose {
namespace {

using testing::length;
using testing::random_spd;
using testing::random_vec;
using testing::times;

/// Worst of: λ outside K, ṽ outside K*, |ṽᵀλ|, each divided by the size of the terms it is made of.
double law_residual(const Mat3& W, ContactVec b, double mu, ContactVec lambda) {
  const ContactVec u = augmented(times(W, lambda) + b, mu);
  const double size = std::max(length(lambda), 1e-300);
  const double speed = (1 + mu) * (testing::largest_entry(W) * size + length(b));
  const double force = length(lambda - project_onto_cone(lambda, mu)) / size;
  const double velocity = length(u - project_onto_dual_cone(u, mu)) / speed;
  return std::max({force, velocity, std::fabs(dot(u, lambda)) / (speed * size)});
}

/// b that would leave a contact on the edge of sticking: −W λ with λ just outside the cone.
ContactVec nearly_sticking(Random& random, const Mat3& W, double mu) {
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const double slip = mu * (1 + std::pow(10.0, random.uniform(-15, 0)));
  return -1.0 * times(W, {slip * std::cos(angle), slip * std::sin(angle), 1.0});
}

double worst_residual(Random& random, double digits, double mu, double skew, int trials) {
  double worst = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Mat3 W = random_spd(random, digits);
    if (skew > 0) {
      const double a = skew * random.uniform(-1, 1), b = skew * random.uniform(-1, 1);
      W.m[0][2] += a, W.m[2][0] -= a, W.m[1][2] += b, W.m[2][1] -= b;
    }
    const ContactVec b = trial % 2 == 0 ? random_vec(random) : nearly_sticking(random, W, mu);
    double rate = 0;
    const ContactVec cold = LocalCoulomb(W, mu).solve(b, rate);
    worst = std::max(worst, law_residual(W, b, mu, cold));
    rate *= std::pow(10.0, random.uniform(-3, 3));  // a warm start from anywhere
    worst = std::max(worst, law_residual(W, b, mu, LocalCoulomb(W, mu).solve(b, rate)));
  }
  return worst;
}

TEST(LocalCoulomb, SymmetricBlocksMeetTheLaw) {
  Random random(21);
  for (double mu : testing::kFrictions) EXPECT_LE(worst_residual(random, 1, mu, 0, 4000), 1e-13) << "mu " << mu;
}

TEST(LocalCoulomb, SlightlySkewedBlocksMeetTheLaw) {
  Random random(22);
  for (double mu : testing::kFrictions) EXPECT_LE(worst_residual(random, 1, mu, 1e-3, 4000), 1e-13) << "mu " << mu;
}

TEST(LocalCoulomb, IllConditionedBlocksMeetTheLaw) {
  Random random(23);
  for (double digits : {4.0, 8.0})
    for (double mu : {0.0, 0.3, 0.8, 1.6, 5.0})
      EXPECT_LE(worst_residual(random, digits, mu, 0, 4000), 1e-13) << "mu " << mu << ", digits " << digits;
}

/// A rod of angle a on the ground: strong coupling of normal and tangent; with μ > tan-like limits the sliding normal
/// response W_NN − μ W_NT turns negative (Painlevé's paradox).
TEST(LocalCoulomb, PainleveRodMeetsTheLaw) {
  Random random(24);
  for (double mu : {0.5, 1.4, 1.6, 3.0})
    for (int trial = 0; trial < 4000; ++trial) {
      const double angle = random.uniform(0.1, 1.5), s = std::sin(angle), c = std::cos(angle);
      const Mat3 W{{{1 + 3 * s * s, 0, -3 * s * c}, {0, 1, 0}, {-3 * s * c, 0, 1 + 3 * c * c}}};
      const ContactVec b{random.uniform(-1, 1), trial % 3 == 0 ? 0.0 : random.uniform(-0.1, 0.1),
                         random.uniform(-1, 0.2)};
      double rate = 0;
      ASSERT_LE(law_residual(W, b, mu, LocalCoulomb(W, mu).solve(b, rate)), 1e-13)
          << "mu " << mu << ", angle " << angle << ", trial " << trial;
    }
}

TEST(LocalCoulomb, OpensAndSticksInClosedForm) {
  const Mat3 W = Mat3::diagonal(2, 2, 4);
  double rate = 1;
  EXPECT_EQ(length(LocalCoulomb(W, 0.5).solve({1, 1, 0.1}, rate)), 0);
  EXPECT_EQ(rate, 0);
  const ContactVec stuck = LocalCoulomb(W, 0.5).solve({0.2, 0, -4}, rate);
  EXPECT_NEAR(length(stuck - ContactVec{-0.1, 0, 1}), 0, 1e-15);
  const ContactVec slides = LocalCoulomb(W, 0.5).solve({6, 0, -4}, rate);
  EXPECT_NEAR(length(slides - ContactVec{-0.5, 0, 1}), 0, 1e-15);
  EXPECT_NEAR(rate, 10, 1e-13);  // v_T = 6 − 2·0.5 = 5 = −k λ_T
}

}  // namespace
}  // namespace repose
