// SPDX-License-Identifier: Apache-2.0
// Free rotation: momentum kept to rounding, energy without drift, exact when two moments are equal, second order
// otherwise.
#include "repose/world/rotor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace repose {
namespace {

constexpr double kStep = 1.0 / 60;

double distance(Vec3 a, Vec3 b) { return norm(a - b); }

TEST(Rotor, RootSquaresToTheInverseInertia) {
  const Mat3 inertia{{{3, 0.4, -0.2}, {0.4, 2, 0.1}, {-0.2, 0.1, 4}}};
  const Quat turned = normalized({0.3, -0.5, 0.7, 0.2});
  const Rotor rotor = make_rotor(inertia);
  const Mat3 L = inverse_inertia_root(rotor, turned), R = to_matrix(turned);
  const Mat3 world = R * inertia * transpose(R), unit = L * transpose(L) * world;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(unit.m[r][c], r == c ? 1 : 0, 1e-13);
  const Vec3 w{1, -2, 0.5}, momentum = angular_momentum(rotor, turned, w);
  EXPECT_LE(distance(momentum, world * w), 1e-13);
  EXPECT_LE(distance(angular_velocity(rotor, turned, momentum), w), 1e-13);
  EXPECT_NEAR(spin_energy(rotor, turned, w), 0.5 * dot(w, world * w), 1e-13);
}

TEST(Rotor, DiagonalInertiaKeepsItsAxes) {
  const Rotor rotor = make_rotor(Mat3::diagonal(3, 1, 2));
  EXPECT_EQ(rotor.axes.w, 1);
  EXPECT_EQ(rotor.moments.x, 3);
  EXPECT_EQ(rotor.moments.z, 2);
}

/// A body with three different moments, tumbling for 10 000 steps.
TEST(Rotor, TumblingKeepsMomentumAndEnergy) {
  const Rotor rotor = make_rotor(Mat3::diagonal(1, 2, 3));
  Quat q = normalized({0.9, 0.1, -0.3, 0.2});
  Vec3 w{0.7, 2.0, -1.1};  // ‖ω‖ h = 0.04
  const Vec3 start = angular_momentum(rotor, q, w);
  const double energy = spin_energy(rotor, q, w);
  double momentum_error = 0, energy_error = 0, early = 0;
  for (int k = 0; k < 10000; ++k) {
    rotate_freely(rotor, kStep, q, w);
    momentum_error = std::max(momentum_error, distance(angular_momentum(rotor, q, w), start) / norm(start));
    energy_error = std::max(energy_error, std::abs(spin_energy(rotor, q, w) / energy - 1));
    if (k == 1000) early = energy_error;
  }
  EXPECT_LE(momentum_error, 1e-12);
  EXPECT_LE(energy_error, 1e-4);
  EXPECT_LE(energy_error, 1.01 * early + 1e-12) << "the error swings, it does not grow";
}

TEST(Rotor, ErrorFallsWithTheSquareOfTheStep) {
  const Rotor rotor = make_rotor(Mat3::diagonal(1, 2, 3));
  const auto after_a_second = [&](int steps) {
    Quat q;
    Vec3 w{0.7, 2.0, -1.1};
    for (int k = 0; k < steps; ++k) rotate_freely(rotor, 1.0 / steps, q, w);
    return w;
  };
  const Vec3 fine = after_a_second(4000);
  const double coarse = distance(after_a_second(50), fine), half = distance(after_a_second(100), fine);
  EXPECT_NEAR(coarse / half, 4, 0.2);
}

/// A box that spins fast against the step: the energy swings within a small band at any rate.
TEST(Rotor, FastSpinsKeepTheirEnergy) {
  const Rotor rotor = make_rotor(Mat3::diagonal(0.13, 0.1, 0.05));
  for (const double rate : {50.0, 100.0, 300.0, 3000.0}) {
    for (const Vec3 axis : {Vec3{1, 0.1, 0.2}, Vec3{0.05, 1, 0.1}, Vec3{0.6, 0.6, 0.6}}) {
      Quat q;
      Vec3 w = (rate / norm(axis)) * axis;
      const Vec3 start = angular_momentum(rotor, q, w);
      const double energy = spin_energy(rotor, q, w);
      for (int k = 0; k < 600; ++k) {
        rotate_freely(rotor, kStep, q, w);
        ASSERT_NEAR(spin_energy(rotor, q, w) / energy, 1, 1e-3) << rate << " rad/s, step " << k;
      }
      EXPECT_LE(distance(angular_momentum(rotor, q, w), start), 1e-11 * norm(start));
    }
  }
}

/// A thin rod whose two large moments differ by little takes one cycle however fast it turns, and no energy comes in.
TEST(Rotor, AlmostSymmetricRodsTakeOneCycle) {
  for (const double thin : {0.5, 0.1, 1e-3, 1e-5})
    for (const double turn : {0.6, 2.0, 3.1, 6.3, 15.0}) {  // of the faster part, rad a step
      const double apart = 1 / thin - 1, momentum = turn / (kStep * apart);
      const double slow = 0.99e-4 / std::sqrt(apart);  // of the slower part, at the bound
      const double share = slow / (kStep * momentum);  // 1 − 1/I
      const Rotor rotor = make_rotor(Mat3::diagonal(thin, 1, 1 / (1 - share)));
      for (const double along : {1.0, 0.3, std::sqrt(thin)}) {
        Vec3 l{along, 0.6, 0.8};
        l = (momentum / norm(l)) * l;
        Quat q;
        Vec3 w{l.x / thin, l.y, l.z * (1 - share)};
        ASSERT_EQ(rotor_cycles(rotor, kStep, momentum), 1) << thin << ' ' << turn;
        const double energy = spin_energy(rotor, q, w);
        for (int k = 0; k < 2000; ++k) {
          rotate_freely(rotor, kStep, q, w);
          ASSERT_NEAR(spin_energy(rotor, q, w) / energy, 1, 5e-4) << thin << ' ' << turn << ' ' << along << ' ' << k;
        }
      }
      EXPECT_GT(rotor_cycles(make_rotor(Mat3::diagonal(thin, 1, 1 / (1 - 1.1 * share))), kStep, momentum), 1);
    }
}

/// A symmetric top precesses with L/I₁ about its momentum: exact for any step.
TEST(Rotor, SymmetricTopIsExact) {
  const double I1 = 2, I3 = 0.5;
  const Rotor rotor = make_rotor(Mat3::diagonal(I1, I1, I3));
  Quat q = exponential({0.4, 0, 0});
  const Vec3 l{0, 0, 3};  // momentum along z: the axis of the top circles around it
  Vec3 w = angular_velocity(rotor, q, l);
  const Vec3 axis = rotate(q, {0, 0, 1});
  for (int k = 0; k < 7; ++k) rotate_freely(rotor, 0.9, q, w);
  const double turned = 7 * 0.9 * norm(l) / I1;
  const Vec3 expected = rotate(exponential({0, 0, turned}), axis);
  EXPECT_LE(distance(rotate(q, {0, 0, 1}), expected), 1e-13);
}

TEST(Rotor, BallTurnsByTheExponentialMap) {
  const Rotor rotor = make_rotor(Mat3::diagonal(0.4, 0.4, 0.4));
  Quat q;
  Vec3 w{0, -200, 0};
  rotate_freely(rotor, kStep, q, w);
  EXPECT_EQ(w.y, -200);
  const Quat expected = exponential({0, -200 * kStep, 0});
  EXPECT_NEAR(q.w, expected.w, 1e-15);
  EXPECT_NEAR(q.y, expected.y, 1e-15);
}

/// The wing nut of the Rigid-IPC data: 180°/s about its middle axis, tilted by 3°. Exact free motion changes the sign
/// of the middle-axis rate at 2.365 s and then every 4.731 s.
TEST(Rotor, WingNutFlipsOnTime) {
  const double I1 = 0.01244, I2 = 0.03599, I3 = 0.04296;
  for (const double step : {0.01, kStep}) {
    const Rotor rotor = make_rotor(Mat3::diagonal(I1, I2, I3));
    const double tilt = 3 * std::numbers::pi / 180;
    // The best fit of the published times: the tilt turns the body about the axis of least inertia or of the most.
    Quat q;
    Vec3 w = std::numbers::pi * Vec3{0, std::cos(tilt), std::sin(tilt)};
    std::vector<double> flips;
    double last = rotate_back(q, w).y;
    for (int k = 1; k * step < 12; ++k) {
      rotate_freely(rotor, step, q, w);
      const double rate = rotate_back(q, w).y;
      if (rate * last < 0) flips.push_back(step * (k - 1 + last / (last - rate)));
      last = rate;
    }
    ASSERT_GE(flips.size(), 2U);
    EXPECT_NEAR(flips[0], 2.365, 0.03);
    EXPECT_NEAR(flips[1] - flips[0], 4.731, 0.05);
  }
}

}  // namespace
}  // namespace repose
