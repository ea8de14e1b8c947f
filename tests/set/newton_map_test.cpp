// SPDX-License-Identifier: Apache-2.0
// The Newton map of every kind of set: its fixed-point equation with compliance, and its slope as a derivative.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "repose/set/block_mode.h"
#include "repose/set/fixed_mode.h"
#include "tests/support/problem_copies.h"
#include "tests/support/random_block.h"
#include "tests/support/slopes.h"

namespace repose {
namespace {

using testing::length;
using testing::random_vec;
using testing::slope_times;

struct Kind {
  const char* name;
  BlockSet set;
};

std::vector<Kind> kinds() {
  std::vector<Kind> list;
  const ContactVec soft{0.7, 0.7, 0.4}, rows{0.7, 1.3, 0.4};
  for (const double mu : {0.0, 0.3, 1.5}) {
    list.push_back({"cone", BlockSet::cone(mu)});
    list.push_back({"cone without compliance on the general path", BlockSet::cone(mu).with_compliance({})});
    list.push_back({"soft cone", BlockSet::cone(mu).with_compliance(soft)});
    list.push_back({"cone with a soft normal", BlockSet::cone(mu).with_compliance({0, 0, 2})});
    list.push_back({"cone with soft tangents", BlockSet::cone(mu).with_compliance({2, 2, 0})});
  }
  for (const BlockSet& set :
       {BlockSet::bilateral(1), BlockSet::bilateral(2), BlockSet::bilateral(), BlockSet::half_line(),
        BlockSet::interval(-0.4, 0.3), BlockSet::interval(0.2, 0.2), BlockSet::interval(-kUnbounded, 0.1),
        BlockSet::box({{-0.5, -kUnbounded, 0}, {0.2, 0.3, kUnbounded}})}) {
    list.push_back({set.name(), set});
    list.push_back({set.name(), set.with_compliance(rows)});
  }
  return list;
}

/// Distance of a trial impulse from the kinks of its set, where there is no derivative.
double kink_distance(const BlockSet& set, ContactVec trial) {
  if (set.is_cone()) return std::min(std::fabs(trial.n), std::fabs(tangential_norm(trial) - set.mu() * trial.n));
  double nearest = HUGE_VAL;
  for (const auto row : kRows)
    nearest = std::min(
        {nearest, std::fabs(trial.*row - set.bounds().lower.*row), std::fabs(trial.*row - set.bounds().upper.*row)});
  return nearest;
}

TEST(NewtonMap, SlopeIsTheDerivativeForEveryKindOfSet) {
  Random random(41);
  const double h = 1e-6;
  for (const Kind& kind : kinds()) {
    int compared = 0;
    for (int trial = 0; trial < 400; ++trial) {
      const ContactVec lambda = random_vec(random), w = random_vec(random), dw = random_vec(random);
      const double g = random.uniform(0.2, 3);
      const SetRef<double> set = kind.set.ref();
      const ContactVec p = trial_impulse(set, lambda, w, g);
      if (kink_distance(kind.set, p) < 1e-3 || (kind.set.is_cone() && tangential_norm(p) < 1e-2)) continue;
      ContactSlope<double> D;
      (void)newton_map(set, lambda, w, g, D);
      const ContactVec ahead = newton_map(set, lambda, w + h * dw, g), behind = newton_map(set, lambda, w - h * dw, g);
      // The second derivative is at most μ n/t² ≤ 1e4 g² here; its part of the difference quotient is h² times more.
      ASSERT_LE(length((0.5 / h) * (ahead - behind) + slope_times(D, dw)), 1e-6) << kind.name << ' ' << trial;
      ++compared;
    }
    EXPECT_GT(compared, 100) << kind.name;
  }
}

/// P = Π(λ − g v) in the sense of Alart and Curnier with v = w + C P: compliance acts on the impulse that comes out.
TEST(NewtonMap, SolvesItsFixedPointEquation) {
  Random random(42);
  for (const Kind& kind : kinds())
    for (int trial = 0; trial < 400; ++trial) {
      const ContactVec lambda = random_vec(random), w = random_vec(random);
      const double g = random.uniform(0.2, 3);
      const ContactVec P = newton_map(kind.set.ref(), lambda, w, g), v = with_compliance(kind.set.ref(), w, P);
      const ContactVec again = kind.set.is_cone() ? alart_curnier(lambda, v, g, kind.set.mu())
                                                  : project_onto_box(lambda - g * v, kind.set.bounds());
      ASSERT_LE(length(again - P), 1e-14 * (1 + g) * (1 + kind.set.mu())) << kind.name << ' ' << trial;
    }
}

/// What the solvers look for: (λ, v) obeys the law iff λ is a fixed point, for any step.
TEST(NewtonMap, AnswersAreItsFixedPoints) {
  Random random(43);
  for (const Kind& kind : kinds())
    for (int trial = 0; trial < 200; ++trial) {
      const ContactVec x = random_vec(random);
      const ContactVec lambda = project(kind.set.ref(), x), v_aug = lambda - x;
      ContactVec v = v_aug;
      if (kind.set.is_cone()) v.n -= kind.set.mu() * tangential_norm(v_aug);
      const ContactVec w = without_compliance(kind.set.ref(), v, lambda);
      for (const double g : {0.1, 1.0, 10.0})
        ASSERT_LE(length(newton_map(kind.set.ref(), lambda, w, g) - lambda), 1e-14 * (1 + g) * (1 + kind.set.mu()))
            << kind.name << ' ' << trial;
    }
}

TEST(NewtonMap, DeSaxceMapHasTheSameFixedPoints) {
  Random random(44);
  for (const Kind& kind : kinds())
    for (int trial = 0; trial < 200; ++trial) {
      const ContactVec x = random_vec(random), lambda = project(kind.set.ref(), x), v_aug = lambda - x;
      ContactVec v = v_aug;
      if (kind.set.is_cone()) v.n -= kind.set.mu() * tangential_norm(v_aug);
      ContactSlope<double> D;
      const ContactVec w = without_compliance(kind.set.ref(), v, lambda);
      ASSERT_LE(length(de_saxce_map(kind.set.ref(), lambda, w, 2.0, D) - lambda), 1e-13) << kind.name << ' ' << trial;
    }
}

/// At an answer the map has one mode, whether it is read from the velocity or held from the impulse: so has its slope,
/// up to the rounding of the direction of slip.
TEST(NewtonMap, AnImpulseHoldsTheModeOfItsAnswer) {
  Random random(47);
  for (const Kind& kind : kinds())
    for (int trial = 0; trial < 200; ++trial) {
      const SetRef<double> set = kind.set.ref();
      const ContactVec x = random_vec(random), lambda = project(set, x), v_aug = lambda - x;
      ContactVec v = v_aug;
      if (kind.set.is_cone()) v.n -= kind.set.mu() * tangential_norm(v_aug);
      const ContactVec w = without_compliance(set, v, lambda);
      const double g = 1e3;
      const ContactVec held = velocity_that_holds_mode(set, lambda, w, g);
      ContactSlope<double> D, D_held;
      const ContactVec P = newton_map(set, lambda, w, g, D), P_held = newton_map(set, lambda, held, g, D_held);
      ASSERT_LE(length(P - P_held), 1e-6 * (1 + length(P))) << kind.name << ' ' << trial;
      ASSERT_NEAR(D.nn, D_held.nn, 1e-6 * g) << kind.name << ' ' << trial;
      ASSERT_NEAR(D.t1n, D_held.t1n, 1e-6 * g) << kind.name << ' ' << trial;
      ASSERT_NEAR(D.t2n, D_held.t2n, 1e-6 * g) << kind.name << ' ' << trial;
    }
}

// ---- the mode held -------------------------------------------------------------------------------------------------

/// Inside a box, and while a contact sticks or is open, holding the mode changes nothing: the map is that of step α g.
TEST(FixedMode, IsTheNewtonMapOfTheLongStepWhereTheModeStays) {
  Random random(45);
  for (const Kind& kind : kinds()) {
    const ContactVec c = kind.set.compliance();
    if (kind.set.is_cone() && length(c) > 0) continue;  // a cone with compliance takes an approximate step
    for (int trial = 0; trial < 400; ++trial) {
      const ContactVec lambda = random_vec(random), v = 0.3 * random_vec(random);
      const double g = 0.5, alpha = 4;
      const SetRef<double> set = kind.set.ref();
      const ContactVec w = without_compliance(set, v, lambda);
      const BlockMode now = mode_of(set, lambda - g * v), then = mode_of(set, trial_impulse(set, lambda, w, alpha * g));
      if (now != then || (kind.set.is_cone() && now.contact() == ContactMode::kSlip)) continue;
      ContactSlope<double> held, moved;
      const ContactVec P = fixed_mode(set, lambda, v, g, alpha, held), Q = newton_map(set, lambda, w, alpha * g, moved);
      const ContactVec dw = random_vec(random);
      ASSERT_LE(length(P - Q), 1e-14) << kind.name << ' ' << trial;
      ASSERT_LE(length(slope_times(held, dw) - slope_times(moved, dw)), 1e-14) << kind.name << ' ' << trial;
    }
  }
}

/// A sliding contact has λ_T = −μ λ_N v_T/‖v_T‖: turning v_T turns λ_T, which is the slope across the direction of
/// slip.
TEST(FixedMode, SlidingSlopeIsThatOfTheLaw) {
  Random random(46);
  const double mu = 0.6, h = 1e-6;
  for (int trial = 0; trial < 200; ++trial) {
    const double n = random.uniform(0.5, 2), slip = random.uniform(0.5, 2), angle = random.uniform(0, 6.283);
    const ContactVec d{std::cos(angle), std::sin(angle), 0}, across{-d.t2, d.t1, 0};
    const auto friction = [&](ContactVec v) { return (-mu * n / tangential_norm(v)) * ContactVec{v.t1, v.t2, 0}; };
    const ContactVec v = -slip * d;
    const ContactVec lambda = friction(v) + ContactVec{0, 0, n};
    ContactSlope<double> D;
    const ContactVec held = fixed_mode(BlockSet::cone(mu).ref(), lambda, v, 0.8, 1e9, D);
    EXPECT_LE(length(held - lambda), 1e-6 * length(lambda)) << "an answer is its own fixed mode";
    const ContactVec turned = (0.5 / h) * (friction(v + h * across) - friction(v - h * across));
    EXPECT_LE(length(turned + slope_times(D, across)), 1e-8) << trial;
    EXPECT_LE(length(slope_times(D, d)), 1e-12 * D.nn) << "none along the slip";
    // More pressure, more friction: dλ_T = μ dλ_N d.
    EXPECT_NEAR(D.t1n, mu * D.nn * d.t1, 1e-12 * D.nn);
    EXPECT_NEAR(D.t2n, mu * D.nn * d.t2, 1e-12 * D.nn);
  }
}

TEST(FixedMode, ClipPutsImpulsesBackIntoTheSetAndLeavesThoseInside) {
  Random random(47);
  for (const Kind& kind : kinds())
    for (int trial = 0; trial < 100; ++trial) {
      const ContactVec clipped = clip(kind.set.ref(), random_vec(random));
      ASSERT_LE(length(project(kind.set.ref(), clipped) - clipped), 1e-15) << kind.name;
      ASSERT_LE(length(clip(kind.set.ref(), clipped) - clipped), 1e-15) << kind.name;
    }
}

}  // namespace
}  // namespace repose
