// SPDX-License-Identifier: Apache-2.0
// The pieces of a block's law and the kinks between them: each piece is the Newton map on its own cell, and the kink
// offered first is where the mode of the moving trial impulse really changes.
#include "repose/set/mode_change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "tests/support/problem_copies.h"
#include "tests/support/random_block.h"
#include "tests/support/slopes.h"

namespace repose {
namespace {

using testing::length;
using testing::random_set;
using testing::random_vec;
using testing::slope_times;

TEST(BlockMode, RowsAreKeptApart) {
  for (const RowMode a : {RowMode::kLower, RowMode::kInside, RowMode::kUpper})
    for (const RowMode b : {RowMode::kLower, RowMode::kInside, RowMode::kUpper})
      for (const RowMode c : {RowMode::kLower, RowMode::kInside, RowMode::kUpper}) {
        const BlockMode mode = BlockMode().with_row(2, c).with_row(0, a).with_row(1, b).with_row(0, a);
        EXPECT_EQ(mode.row(0), a);
        EXPECT_EQ(mode.row(1), b);
        EXPECT_EQ(mode.row(2), c);
      }
}

TEST(BlockMode, CasesOfTheTrialImpulse) {
  EXPECT_EQ(mode_of(ContactVec{1, 0, -1}, 0.5), ContactMode::kOpen);
  EXPECT_EQ(mode_of(ContactVec{1, 0, 0}, 0.5), ContactMode::kOpen);
  EXPECT_EQ(mode_of(ContactVec{1, 0, 2}, 0.5), ContactMode::kStick);
  EXPECT_EQ(mode_of(ContactVec{1, 0, 1.9}, 0.5), ContactMode::kSlip);
  EXPECT_EQ(row_mode(-1, 0, 1), RowMode::kLower);
  EXPECT_EQ(row_mode(0.5, 0, 1), RowMode::kInside);
  EXPECT_EQ(row_mode(1, 0, 1), RowMode::kUpper);
  EXPECT_EQ(row_mode(5, -kUnbounded, kUnbounded), RowMode::kInside);
}

TEST(ModeChange, EveryPieceIsTheNewtonMapOnItsCell) {
  Random random(51);
  for (int trial = 0; trial < 5000; ++trial) {
    const BlockSet set = random_set(random);
    const ContactVec lambda = random_vec(random), w = random_vec(random), dw = random_vec(random);
    const double g = random.uniform(0.2, 3);
    const ContactVec p = trial_impulse(set.ref(), lambda, w, g);
    ContactSlope<double> piece, map;
    const ContactVec P = impulse_in_mode(set.ref(), mode_of(set.ref(), p), p, trial_steps(set.ref(), g), piece);
    const ContactVec Q = newton_map(set.ref(), lambda, w, g, map);
    piece.t2t1 = piece.t1t2;  // the piece leaves the symmetric entry to its user
    ASSERT_LE(length(P - Q), 1e-14 * (1 + set.mu())) << set.name() << ' ' << trial;
    ASSERT_LE(length(slope_times(piece, dw) - slope_times(map, dw)), 2e-14 * (1 + g) * (1 + set.mu()))
        << set.name() << ' ' << trial;
  }
}

/// A piece goes on beyond its cell: still the derivative of itself there.
TEST(ModeChange, PiecesAreSmoothBeyondTheirCells) {
  Random random(52);
  const double h = 1e-6;
  for (int trial = 0; trial < 2000; ++trial) {
    const BlockSet set = random_set(random);
    const ContactVec lambda = random_vec(random), w = random_vec(random), dw = random_vec(random);
    const double g = 0.7;
    const auto trial_at = [&](ContactVec u) { return trial_impulse(set.ref(), lambda, u, g); };
    const ContactVec steps = trial_steps(set.ref(), g), p = trial_at(w);
    const BlockMode mode = mode_of(set.ref(), random_vec(random));
    if (tangential_norm(p) < 1e-1) continue;  // the direction of slip turns quickly
    ContactSlope<double> D, ignored;
    (void)impulse_in_mode(set.ref(), mode, p, steps, D);
    D.t2t1 = D.t1t2;
    const ContactVec ahead = impulse_in_mode(set.ref(), mode, trial_at(w + h * dw), steps, ignored);
    const ContactVec behind = impulse_in_mode(set.ref(), mode, trial_at(w - h * dw), steps, ignored);
    ASSERT_LE(length((0.5 / h) * (ahead - behind) + slope_times(D, dw)), 1e-7) << set.name() << ' ' << trial;
  }
}

/// The pair (λ, v) solves the law, in the mode that is returned, and λ has hardly moved.
TEST(ModeChange, NearestAllowedVelocitySatisfiesTheLaw) {
  Random random(53);
  for (int trial = 0; trial < 5000; ++trial) {
    const BlockSet set = random_set(random);
    const ContactVec given = project(set.ref(), random_vec(random)), v = random_vec(random);
    const double g = random.uniform(0.2, 3), spread = random.uniform(0.5, 1.5);
    ContactVec lambda = given;
    BlockMode mode;
    const ContactVec allowed = nearest_allowed_velocity(set.ref(), v, spread, lambda, mode);
    const ContactVec w = without_compliance(set.ref(), allowed, lambda);
    ContactSlope<double> ignored;
    ASSERT_LE(length(newton_map(set.ref(), lambda, w, g, ignored) - lambda), 1e-14 * (1 + set.mu())) << set.name();
    ASSERT_EQ(mode_of(set.ref(), trial_impulse(set.ref(), lambda, w, g)), mode) << set.name() << ' ' << trial;
    ASSERT_LE(length(lambda - given), 1.6e-7 * (1 + set.mu()));
  }
}

/// First sign change from below to above, by a fine march over [0, 10].
std::optional<double> marched_rise(double a, double b, double c) {
  const auto value = [&](double t) { return (a * t + 2 * b) * t + c; };
  const double step = 1e-4;
  if (value(0) > 0 && b > 0) return 0.0;
  for (double t = 0; t < 10; t += step)
    if (value(t) <= 0 && value(t + step) > 0) return t;
  return std::nullopt;
}

TEST(ModeChange, FirstRiseIsWhereTheParabolaRisesThroughZero) {
  Random random(53);
  int risen = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double a = random.uniform(-2, 2), b = random.uniform(-2, 2), c = random.uniform(-2, 0);
    const double found = first_rise(a, b, c);
    const std::optional<double> marched = marched_rise(a, b, c);
    if (found > 9.9) {
      EXPECT_FALSE(marched.has_value() && *marched < 9.8) << a << ' ' << b << ' ' << c;
      continue;
    }
    ASSERT_TRUE(marched.has_value()) << a << ' ' << b << ' ' << c;
    EXPECT_NEAR(found, *marched, 2e-4) << a << ' ' << b << ' ' << c;
    ++risen;
  }
  EXPECT_GT(risen, 100);
}

struct Kink {
  double step = HUGE_VAL;
  BlockMode next;
};

Kink first_kink(const SetRef<double>& set, BlockMode mode, ContactVec p, ContactVec rate) {
  Kink first;
  offer_mode_changes(
      set, mode, p, rate, HUGE_VAL,
      [&](double step, BlockMode next) {
        if (step < first.step) first = {step, next};
      },
      [](double) {});
  return first;
}

TEST(ModeChange, TheFirstKinkIsWhereTheModeChanges) {
  Random random(54);
  int changed = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const BlockSet set = random_set(random);
    const ContactVec p = random_vec(random), rate = random_vec(random);
    const BlockMode mode = mode_of(set.ref(), p);
    const Kink kink = first_kink(set.ref(), mode, p, rate);
    const auto mode_at = [&](double s) { return mode_of(set.ref(), p + s * rate); };
    const double end = std::min(kink.step, 100.0);
    for (const double share : {0.1, 0.5, 0.9, 0.999})
      ASSERT_TRUE(mode_at(share * end) == mode) << set.name() << ' ' << trial << " at " << share;
    if (kink.step >= 100) continue;
    ASSERT_TRUE(mode_at(kink.step * (1 + 1e-9) + 1e-9) == kink.next) << set.name() << ' ' << trial;
    ASSERT_TRUE(enters_mode(set.ref(), mode, kink.next, p + kink.step * rate, rate)) << set.name() << ' ' << trial;
    ASSERT_FALSE(enters_mode(set.ref(), mode, kink.next, p + kink.step * rate, -1.0 * rate))
        << set.name() << ' ' << trial;
    ++changed;
  }
  EXPECT_GT(changed, 1000);
}

/// The slip direction turns by asin(…) on the way; the step offered keeps the turn below the limit to first order.
TEST(ModeChange, ATurningSlipDirectionAsksForAPause) {
  const double turn = 0.1;
  double pause = HUGE_VAL;
  offer_mode_changes(
      BlockSet::cone(0.5).ref(), BlockMode(ContactMode::kSlip), {2, 0, 1}, {0, 1, 0}, turn, [](double, BlockMode) {},
      [&](double step) { pause = step; });
  EXPECT_DOUBLE_EQ(pause, 0.2);  // an impulse of 2 that moves across at 1: an angle of 0.1 after 0.2
}

}  // namespace
}  // namespace repose
