// SPDX-License-Identifier: Apache-2.0
#include "repose/set/local_cone_qp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "tests/support/random_block.h"

namespace repose {
namespace {

using testing::length;
using testing::random_spd;
using testing::random_vec;
using testing::times;

double energy(const Mat3& W, ContactVec b, ContactVec lambda) {
  return 0.5 * dot(lambda, times(W, lambda)) + dot(b, lambda);
}

/// Worst of ‖λ − Π_K λ‖/‖λ‖, ‖v − Π_K* v‖/s and |vᵀλ|/(s‖λ‖), s = max|W| ‖λ‖ + ‖b‖: zero iff λ is the minimiser.
double optimality(const Mat3& W, ContactVec b, double mu, ContactVec lambda) {
  const ContactVec v = times(W, lambda) + b;
  const double size = std::max(length(lambda), 1e-300), speed = testing::largest_entry(W) * size + length(b);
  const double force = length(lambda - project_onto_cone(lambda, mu)) / size;
  const double velocity = length(v - project_onto_dual_cone(v, mu)) / speed;
  return std::max({force, velocity, std::fabs(dot(v, lambda)) / (speed * size)});
}

/// Right-hand sides of three kinds: anything; nearly open; nearly sticking.
ContactVec random_rhs(Random& random, const Mat3& W, double mu, int kind) {
  ContactVec b = random_vec(random);
  if (kind == 1) b.n = mu * tangential_norm(b) * (1 - std::pow(10.0, random.uniform(-14, 0)));
  if (kind != 2) return b;
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const double slip = mu * (1 + std::pow(10.0, random.uniform(-15, 0)));
  return -1.0 * times(W, {slip * std::cos(angle), slip * std::sin(angle), 1.0});
}

/// Minimum over K by brute force: the surface n (μ cos a, μ sin a, 1), refined around the best angle, and the inside.
double brute_force_energy(const Mat3& W, ContactVec b, double mu) {
  const auto on_ray = [&](double angle) {
    const ContactVec d{mu * std::cos(angle), mu * std::sin(angle), 1};
    const double slope = std::min(dot(b, d), 0.0);
    return -0.5 * slope * slope / dot(d, times(W, d));
  };
  double best = 0, at = 0, step = 2 * std::numbers::pi / 720;
  for (int k = 0; k < 720; ++k)
    if (const double e = on_ray(k * step); e < best) best = e, at = k * step;
  for (; step > 1e-9; step *= 0.5)
    for (double angle : {at - step, at + step})
      if (const double e = on_ray(angle); e < best) best = e, at = angle;
  return best;
}

TEST(LocalConeQp, MeetsTheOptimalityConditions) {
  Random random(11);
  for (double digits : {0.0, 2.0, 5.0, 8.0})
    for (double mu : testing::kFrictions)
      for (int trial = 0; trial < 3000; ++trial) {
        const Mat3 W = random_spd(random, digits);
        const ContactVec b = random_rhs(random, W, mu, trial % 3);
        const ContactVec lambda = LocalConeQp(W, mu).solve(b);
        ASSERT_LE(optimality(W, b, mu, lambda), 5e-14) << "mu " << mu << ", digits " << digits << ", trial " << trial;
      }
}

TEST(LocalConeQp, NoPointOfTheConeIsLower) {
  Random random(12);
  for (double digits : {0.0, 3.0, 6.0})
    for (double mu : {0.0, 0.1, 0.8, 5.0})
      for (int trial = 0; trial < 200; ++trial) {
        const Mat3 W = random_spd(random, digits);
        const ContactVec b = random_vec(random);
        const ContactVec lambda = LocalConeQp(W, mu).solve(b);
        const double found = energy(W, b, lambda), rounding = 1e-14 * (1 + squared_norm(lambda));
        ASSERT_LE(found, brute_force_energy(W, b, mu) + rounding);
        for (int k = 0; k < 20; ++k) {
          const ContactVec other = project_onto_cone(random_vec(random, 3.0), mu);
          ASSERT_LE(found, energy(W, b, other) + rounding);
        }
      }
}

TEST(LocalConeQp, ScalesWithMassAndUnits) {
  Random random(13);
  for (int trial = 0; trial < 2000; ++trial) {
    const Mat3 W = random_spd(random, 3);
    const ContactVec b = random_vec(random);
    const double mu = random.uniform(0, 2);
    const ContactVec lambda = LocalConeQp(W, mu).solve(b);
    const ContactVec scaled = LocalConeQp(0x1p-30 * W, mu).solve(0x1p40 * b);  // powers of two: exact to the bit
    EXPECT_NEAR(length(0x1p-70 * scaled - lambda), 0, 1e-15 * length(lambda));
  }
}

TEST(LocalConeQp, BeatsSolvingThenProjecting) {
  Random random(14);
  int worse = 0;
  double most = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Mat3 W = random_spd(random, 1.5);
    const ContactVec b = random_vec(random);
    const double mu = 0.5;
    const ContactVec exact = LocalConeQp(W, mu).solve(b);
    const ContactVec free = LocalConeQp(W, 1e9).solve(b);  // sticking without bound
    const ContactVec common = project_onto_cone(free, mu);
    ASSERT_LE(energy(W, b, exact), energy(W, b, common) + 1e-14);
    const double loss = energy(W, b, common) - energy(W, b, exact);
    worse += loss > 1e-6;
    most = std::max(most, loss);
  }
  EXPECT_GT(worse, 500);  // not a rare corner: most sliding contacts
  EXPECT_GT(most, 0.1);
}

TEST(LocalConeQp, SingularBlocksStayFinite) {
  const Mat3 flat = Mat3::diagonal(1, 0, 1);  // nothing resists t2
  const ContactVec lambda = LocalConeQp(flat, 0.5).solve({0.1, 0, -1});
  EXPECT_NEAR(lambda.n, 1.0, 1e-10);
  EXPECT_NEAR(lambda.t1, -0.1, 1e-10);
  const ContactVec none = LocalConeQp(Mat3{}, 0.5).solve({1, 2, -3});
  EXPECT_EQ(length(none), 0);
}

}  // namespace
}  // namespace repose
