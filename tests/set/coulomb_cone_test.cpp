// SPDX-License-Identifier: Apache-2.0
// Projections onto the Coulomb cone and its dual: what every projection satisfies, and the traps of signed zeros.
#include "repose/set/coulomb_cone.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/generators.h"

namespace repose {
namespace {

using testing::any_friction;
using testing::any_vec;
using testing::length;
using testing::unit_vec;

constexpr double kRounding = 4e-15;

ContactVec minus(ContactVec x) { return {-x.t1, -x.t2, -x.n}; }

RC_GTEST_PROP(CoulombCone, ProjectionLiesInTheCone, ()) {
  const double mu = *any_friction();
  const ContactVec x = *any_vec(), p = project_onto_cone(x, mu);
  RC_ASSERT(p.n >= 0);
  RC_ASSERT(tangential_norm(p) <= mu * p.n * (1 + kRounding));
}

RC_GTEST_PROP(CoulombCone, ProjectionIsIdempotent, ()) {
  const double mu = *any_friction();
  const ContactVec p = project_onto_cone(*any_vec(), mu);
  RC_ASSERT(length(project_onto_cone(p, mu) - p) <= kRounding * length(p));
}

RC_GTEST_PROP(CoulombCone, MoreauSplitsAVectorIntoOrthogonalParts, ()) {
  const double mu = *any_friction();
  const ContactVec x = *any_vec();
  const ContactVec p = project_onto_cone(x, mu), d = project_onto_dual_cone(minus(x), mu);
  RC_ASSERT(length(p - d - x) <= kRounding * length(x));                         // x = Π_K(x) − Π_K*(−x)
  RC_ASSERT(std::fabs(dot(p, d)) <= kRounding * squared_norm(x));                // and they are orthogonal
  RC_ASSERT(mu * tangential_norm(d) <= d.n + kRounding * (1 + mu) * length(x));  // with the second part in K*
}

RC_GTEST_PROP(CoulombCone, DualConeIsTheConeOfTheReciprocal, ()) {
  const double mu = *rc::gen::elementOf(std::vector<double>{0.1, 0.3, 1.0, 1.6, 5.0});
  const ContactVec v = *any_vec();
  RC_ASSERT(length(project_onto_dual_cone(v, mu) - project_onto_cone(v, 1 / mu)) <= kRounding * length(v));
}

RC_GTEST_PROP(CoulombCone, ProjectionDoesNotExpand, ()) {
  const double mu = *any_friction();
  const ContactVec x = *any_vec(), y = *any_vec();
  const double before = length(x - y), rounding = kRounding * (length(x) + length(y));
  RC_ASSERT(length(project_onto_cone(x, mu) - project_onto_cone(y, mu)) <= before + rounding);
  RC_ASSERT(length(project_onto_dual_cone(x, mu) - project_onto_dual_cone(y, mu)) <= before + rounding);
}

RC_GTEST_PROP(CoulombCone, NoPointOfTheConeIsNearer, ()) {
  const double mu = *any_friction();
  const ContactVec x = *unit_vec(), other = project_onto_cone(*unit_vec(), mu);
  RC_ASSERT(length(x - project_onto_cone(x, mu)) <= length(x - other) + kRounding);
}

RC_GTEST_PROP(CoulombCone, EightLanesAgreeWithOne, ()) {
  ContactPack packed, result, dual;
  Pack mu{};
  ContactVec x[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    x[lane] = *any_vec();
    mu[lane] = *any_friction();
    packed.t1[lane] = x[lane].t1, packed.t2[lane] = x[lane].t2, packed.n[lane] = x[lane].n;
  }
  result = project_onto_cone(packed, mu);
  dual = project_onto_dual_cone(packed, mu);
  for (int lane = 0; lane < kLanes; ++lane) {
    const ContactVec one = project_onto_cone(x[lane], mu[lane]), one_dual = project_onto_dual_cone(x[lane], mu[lane]);
    const ContactVec p{result.t1[lane], result.t2[lane], result.n[lane]};
    const ContactVec d{dual.t1[lane], dual.t2[lane], dual.n[lane]};
    RC_ASSERT(length(p - one) <= kRounding * length(x[lane]));  // a multiplication and addition may round once or twice
    RC_ASSERT(length(d - one_dual) <= kRounding * length(x[lane]));
  }
}

RC_GTEST_PROP(CoulombCone, AugmentedVelocityOfASlidingContactIsOnTheDualSurface, ()) {
  const double mu = *any_friction();
  ContactVec v = *any_vec();
  v.n = 0;
  const ContactVec u = augmented(v, mu);
  RC_ASSERT(std::fabs(u.n - mu * tangential_norm(u)) <= kRounding * u.n);
}

TEST(CoulombCone, WithoutFrictionItIsAHalfLine) {
  for (double zero : {0.0, -0.0}) {
    const ContactVec pressed = project_onto_cone(ContactVec{3, -4, 2}, zero);
    EXPECT_EQ(pressed.t1, 0);
    EXPECT_EQ(pressed.t2, 0);
    EXPECT_EQ(pressed.n, 2);
    for (double t : {0.0, -0.0, 1.0}) {
      const ContactVec pulled = project_onto_cone(ContactVec{t, t, -2}, zero);
      EXPECT_EQ(length(pulled), 0) << "a pulling contact must not survive, t = " << t;
    }
    EXPECT_EQ(length(project_onto_dual_cone(ContactVec{3, -4, -2}, zero) - ContactVec{3, -4, 0}), 0);
  }
}

TEST(CoulombCone, SignedZerosStayHarmless) {
  for (double mu : testing::kFrictions)
    for (double t : {0.0, -0.0})
      for (double n : {0.0, -0.0}) {
        EXPECT_EQ(length(project_onto_cone(ContactVec{t, t, n}, mu)), 0);
        EXPECT_EQ(length(project_onto_dual_cone(ContactVec{t, t, n}, mu)), 0);
      }
}

}  // namespace
}  // namespace repose
