// SPDX-License-Identifier: Apache-2.0
// The Alart–Curnier map: its fixed points are the exact law, and its slope is its derivative.
#include "repose/set/alart_curnier.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "repose/set/coulomb_cone.h"
#include "tests/support/generators.h"
#include "tests/support/slopes.h"

namespace repose {
namespace {

using testing::lane;
using testing::length;
using testing::packed_lanes;

/// ‖λ − Π_K(λ − ṽ)‖: zero iff the law holds.  [paper eq:fixedpoint]
double law_residual(ContactVec lambda, ContactVec v, double mu) {
  return length(lambda - project_onto_cone(lambda - augmented(v, mu), mu));
}

double map_residual(ContactVec lambda, ContactVec v, double g, double mu) {
  return length(lambda - alart_curnier(lambda, v, g, mu));
}

RC_GTEST_PROP(AlartCurnier, EveryPairThatMeetsTheLawIsAFixedPoint, ()) {
  const double mu = *testing::any_friction(), g = std::pow(10.0, *rc::gen::inRange(-3, 4));
  const ContactVec x = *testing::unit_vec();
  const double n = std::fabs(x.n) + 0.1, angle = 3 * x.t1, slip = std::fabs(x.t2);
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const ContactVec open_v{x.t1, x.t2, n};
  RC_ASSERT(map_residual({}, open_v, g, mu) == 0);
  const ContactVec stick{0.9 * mu * n * cosine, 0.9 * mu * n * sine, n};
  RC_ASSERT(map_residual(stick, {}, g, mu) <= 1e-15 * length(stick));
  const ContactVec slide{mu * n * cosine, mu * n * sine, n}, slide_v{-slip * cosine, -slip * sine, 0};
  RC_ASSERT(map_residual(slide, slide_v, g, mu) <= 4e-15 * (length(slide) + g * slip));
  RC_ASSERT(law_residual(slide, slide_v, mu) <= 4e-15 * (length(slide) + (1 + mu) * slip));
}

RC_GTEST_PROP(AlartCurnier, NoOtherPairIsAFixedPoint, ()) {
  const double mu = *rc::gen::elementOf(std::vector<double>{0, 0.1, 0.3, 0.8, 1.6, 5});
  const ContactVec lambda = project_onto_cone(*testing::unit_vec(), mu), v = *testing::unit_vec();
  // Both maps are Lipschitz around the law's set; off the set neither may vanish.
  const double law = law_residual(lambda, v, mu);
  RC_PRE(law > 1e-6);
  RC_ASSERT(map_residual(lambda, v, 1.0, mu) > 1e-3 * law);
}

/// dAC = −D dv
template <class R>
ContactVecT<R> minus_slope_times(const ContactSlope<R>& D, ContactVecT<R> dv) {
  const ContactVecT<R> change = testing::slope_times(D, dv);
  return {-change.t1, -change.t2, -change.n};
}

/// Distance of (λ − g v) to the seams between open, stick and slide, where there is no derivative.
double seam_distance(ContactVec lambda, ContactVec v, double g, double mu) {
  const ContactVec y{lambda.t1 - g * v.t1, lambda.t2 - g * v.t2, lambda.n - g * v.n};
  return std::min(std::fabs(y.n), std::fabs(tangential_norm(y) - mu * y.n));
}

RC_GTEST_PROP(AlartCurnier, SlopeIsTheDerivative, ()) {
  const double mu = *rc::gen::elementOf(std::vector<double>{0, 0.3, 0.8, 5}), g = 0.7, h = 1e-6;
  const ContactVec lambda = *testing::unit_vec(), v = *testing::unit_vec(), dv = *testing::unit_vec();
  RC_PRE(seam_distance(lambda, v, g, mu) > 1e-3);
  RC_PRE(tangential_norm(ContactVec{lambda.t1 - g * v.t1, lambda.t2 - g * v.t2, 0}) > 1e-2);
  ContactSlope<double> D;
  const ContactVec value = alart_curnier(lambda, v, g, mu, D);
  RC_ASSERT(length(value - alart_curnier(lambda, v, g, mu)) <= 1e-15 * (1 + mu));
  const ContactVec ahead = alart_curnier(lambda, v + h * dv, g, mu), behind = alart_curnier(lambda, v - h * dv, g, mu);
  const ContactVec difference = (0.5 / h) * (ahead - behind);
  RC_ASSERT(length(difference - minus_slope_times(D, dv)) <= 1e-6 * (1 + mu));
}

RC_GTEST_PROP(DeSaxce, SlopeIsTheDerivative, ()) {
  const double mu = *rc::gen::elementOf(std::vector<double>{0, 0.3, 0.8, 5}), g = 0.7, h = 1e-6;
  const ContactVec lambda = *testing::unit_vec(), v = *testing::unit_vec(), dv = *testing::unit_vec();
  const ContactVec z = lambda - g * augmented(v, mu);
  const double slip = tangential_norm(z);
  RC_PRE(std::min({std::fabs(slip - mu * z.n), std::fabs(mu * slip + z.n)}) > 1e-3);  // seams of the projection
  RC_PRE(slip > 1e-2 && tangential_norm(v) > 1e-2);
  ContactSlope<double> D;
  const ContactVec value = de_saxce(lambda, v, g, mu, D);
  RC_ASSERT(length(value - de_saxce(lambda, v, g, mu)) <= 1e-14 * (1 + mu));
  const ContactVec difference = (0.5 / h) * (de_saxce(lambda, v + h * dv, g, mu) - de_saxce(lambda, v - h * dv, g, mu));
  RC_ASSERT(length(difference - minus_slope_times(D, dv)) <= 1e-6 * (1 + mu) * (1 + mu));
}

RC_GTEST_PROP(AlartCurnier, EightLanesAgreeWithOne, ()) {
  ContactVec lambda[kLanes], v[kLanes], dv[kLanes];
  Pack mu{}, g{};
  for (int k = 0; k < kLanes; ++k) {
    lambda[k] = *testing::unit_vec(), v[k] = *testing::unit_vec(), dv[k] = *testing::unit_vec();
    mu[k] = *testing::any_friction(), g[k] = 0.1 * (k + 1);
  }
  ContactSlope<Pack> D;
  const ContactPack value = alart_curnier(packed_lanes(lambda), packed_lanes(v), g, mu, D),
                    plain = alart_curnier(packed_lanes(lambda), packed_lanes(v), g, mu);
  const ContactPack change = minus_slope_times(D, packed_lanes(dv));
  for (int k = 0; k < kLanes; ++k) {
    ContactSlope<double> one;
    const ContactVec expected = alart_curnier(lambda[k], v[k], g[k], mu[k], one);
    const double size = 1 + mu[k];
    RC_ASSERT(length(lane(value, k) - expected) <= 4e-15 * size);
    RC_ASSERT(length(lane(plain, k) - expected) <= 4e-15 * size);
    if (seam_distance(lambda[k], v[k], g[k], mu[k]) < 1e-12) continue;  // either branch is right on a seam
    RC_ASSERT(length(lane(change, k) - minus_slope_times(one, dv[k])) <= 1e-13 * size);
  }
}

}  // namespace
}  // namespace repose
