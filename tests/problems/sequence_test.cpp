// SPDX-License-Identifier: Apache-2.0
// Time steps of a structure: mechanics that hold for any λ, and the kicks.
#include <gtest/gtest.h>

#include <cmath>

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/sequence.h"
#include "problems/simple.h"
#include "repose/base/error.h"
#include "repose/contact/residual.h"

namespace repose::problems {
namespace {

Vec3 momentum(const Sequence& s) {
  Vec3 sum;
  for (std::size_t k = 0; k < s.linear().size(); ++k) sum = sum + s.structure().bodies[k].mass * s.linear()[k];
  return sum;
}

std::vector<ContactVec> random_impulses(std::size_t count, double size) {
  Random random(3);
  std::vector<ContactVec> lambda(count);
  for (ContactVec& l : lambda) l = {random.uniform(-size, size), random.uniform(-size, size), random.uniform(0, size)};
  return lambda;
}

TEST(Sequence, OnlyGravityAndStaticContactsChangeTheMomentum) {
  Sequence s(wall());
  const auto lambda = random_impulses(s.structure().contacts.size(), 0.1);
  Vec3 expected;
  for (const Body& body : s.structure().bodies)
    expected = expected + body.mass * s.structure().h * s.structure().gravity;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const Contact& c = s.structure().contacts[i];
    const auto [t1, t2] = tangents(c.normal);
    if (c.a == kStaticBody) expected = expected + lambda[i].t1 * t1 + lambda[i].t2 * t2 + lambda[i].n * c.normal;
  }
  s.advance(lambda);
  EXPECT_NEAR(norm(momentum(s) - expected), 0, 1e-12 * norm(expected));
}

TEST(Sequence, VelocityOfTheProblemIsThatOfTheBodiesPlusBias) {
  Sequence s(arch(), {.random = 1, .random_spin = 1});
  const auto lambda = random_impulses(s.structure().contacts.size(), 100);
  DelassusOperator W;
  W.bind(s.problem());
  std::vector<ContactVec> v(lambda.size()), u(lambda.size());
  W.velocity(lambda, v);
  s.advance(lambda);
  contact_velocities(s.structure(), s.linear(), s.angular(), u);
  for (std::size_t i = 0; i < v.size(); ++i) {  // the gaps were 0, hence no bias
    EXPECT_NEAR(v[i].t1, u[i].t1, 1e-12);
    EXPECT_NEAR(v[i].t2, u[i].t2, 1e-12);
    EXPECT_NEAR(v[i].n, u[i].n, 1e-12);
    EXPECT_NEAR(s.gaps()[i], s.structure().h * u[i].n, 1e-12);
  }
}

TEST(Sequence, BallFallsOntoTheGroundAndNoFurther) {
  Sequence s(ball({.speed = 0, .spin = 0, .gap = 0.1}));
  const double m = s.structure().bodies[0].mass;
  for (int k = 0; k < 30; ++k) {  // one frictionless contact: λ_N = m max(0, −v_fN)
    const ContactVec lambda{0, 0, m * std::max(0.0, -s.problem().v_free()[0].n)};
    EXPECT_LT(certify(s.problem(), {&lambda, 1}).worst(), 1e-12);
    s.advance({&lambda, 1});
    EXPECT_GE(s.gaps()[0], -1e-15);
  }
  EXPECT_NEAR(s.gaps()[0], 0, 1e-15);
  EXPECT_NEAR(s.linear()[0].z, 0, 1e-15);
}

TEST(Sequence, BiasFollowsTheGap) {
  const GapBias bias{.slop = 1e-3, .recovery = 0.2};
  EXPECT_DOUBLE_EQ(bias(0.01, 0.1), 0.1);
  EXPECT_DOUBLE_EQ(bias(1e-3, 0.1), 0);
  EXPECT_DOUBLE_EQ(bias(-1e-3, 0.1), 0);
  EXPECT_DOUBLE_EQ(bias(-0.011, 0.1), -0.02);
}

TEST(Sequence, RestKicksEveryStepImpactOnceAtItsStep) {
  Sequence rest(arch(), {.rest = 1e-3}), hit(arch(), {.impact = 2});
  const std::vector<ContactVec> none(96);
  const Vec3 fall = rest.structure().h * rest.structure().gravity;
  std::vector<Vec3> before(23);
  for (int step = 0; step < 4; ++step) {
    rest.advance(none);
    hit.advance(none);
    for (std::size_t k = 0; k < 23; ++k) {
      const double kick = norm(rest.linear()[k] - before[k] - fall);
      EXPECT_GT(kick, 0);
      EXPECT_LE(kick, 1e-3 + 1e-15);
      const bool struck = k >= 10 && k <= 12 && step >= 2;
      EXPECT_NEAR(hit.linear()[k].z, (step + 1) * fall.z - (struck ? 2 : 0), 1e-12);
    }
    before.assign(rest.linear().begin(), rest.linear().end());
  }
}

TEST(Sequence, SeedDecidesTheKicks) {
  Sequence a(arch(), {.random = 1, .seed = 4}), b(arch(), {.random = 1, .seed = 4}),
      c(arch(), {.random = 1, .seed = 5});
  EXPECT_EQ(a.problem().v_free()[7].n, b.problem().v_free()[7].n);
  EXPECT_NE(a.problem().v_free()[7].n, c.problem().v_free()[7].n);
}

TEST(Sequence, WarmStartIsTheLastImpulse) {
  Sequence s(box());
  EXPECT_EQ(s.warm_start()[2].n, 0);
  s.advance(std::vector<ContactVec>(4, {0, 0, 7}));
  EXPECT_EQ(s.warm_start()[2].n, 7);
  EXPECT_EQ(s.step(), 1);
}

TEST(Sequence, RefusesAnImpactWithoutATarget) {
  Structure s = box();
  s.struck.clear();
  EXPECT_THROW(Sequence(s, {.impact = 1}), InputError);
  EXPECT_THROW(Sequence(box(), {.recovery = 2}), InputError);
}

}  // namespace
}  // namespace repose::problems
