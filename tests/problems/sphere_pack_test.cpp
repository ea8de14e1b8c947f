// SPDX-License-Identifier: Apache-2.0
// Balls in a box: detection against brute force, impulses by pair, and a fall with approximate solves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "problems/sphere_pack.h"
#include "repose/base/error.h"
#include "repose/set/local_coulomb.h"

namespace repose::problems {
namespace {

/// Plain Gauss-Seidel with exact local solves: rough, and independent of the solvers under test elsewhere.
std::vector<ContactVec> rough_solution(const ContactProblem& problem, std::vector<ContactVec> lambda, int sweeps) {
  const auto& form = std::get<BodyForm>(problem.form());
  AlignedVector<Pack> y(static_cast<std::size_t>(form.nodes()));
  for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[static_cast<std::size_t>(i)], y.data());
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int i = 0; i < form.size(); ++i) {
      ContactVec& l = lambda[static_cast<std::size_t>(i)];
      form.scatter(i, -1.0 * l, y.data());
      double rate = 0;
      const ContactVec b = form.gather(i, y.data()) + problem.v_free()[static_cast<std::size_t>(i)];
      l = LocalCoulomb(form.diagonal_block(i), problem.sets().mu()[static_cast<std::size_t>(i)]).solve(b, rate);
      form.scatter(i, l, y.data());
    }
  return lambda;
}

TEST(BallContacts, GridFindsWhatBruteForceFinds) {
  Random random(5);
  std::vector<Vec3> centres;
  std::vector<double> radii;
  for (int k = 0; k < 300; ++k) {
    centres.push_back({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
    radii.push_back(random.uniform(0.05, 0.15));
  }
  const double margin = 0.02;
  const auto found = find_ball_contacts(centres, radii, {}, margin);
  std::size_t next = 0;
  for (int a = 0; a < 300; ++a)
    for (int b = a + 1; b < 300; ++b) {
      const auto p = static_cast<std::size_t>(a), q = static_cast<std::size_t>(b);
      const double gap = norm(centres[q] - centres[p]) - radii[p] - radii[q];
      if (gap >= margin) continue;
      ASSERT_LT(next, found.size());
      EXPECT_EQ(found[next].ball, a);
      EXPECT_EQ(found[next].other, b);
      EXPECT_DOUBLE_EQ(found[next].gap, gap);
      ++next;
    }
  EXPECT_EQ(next, found.size());
}

TEST(BallContacts, PlanesPushBallsBack) {
  const Vec3 centre{0, 0, 0.3};
  const double radius = 0.31;
  const Plane floor{{0, 0, 1}, 0}, ceiling{{0, 0, -1}, -10};
  const Plane planes[] = {ceiling, floor};
  const auto found = find_ball_contacts({&centre, 1}, {&radius, 1}, planes, 0.02);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].other, -2);
  EXPECT_NEAR(found[0].gap, -0.01, 1e-15);
  EXPECT_EQ(found[0].normal.z, 1);
}

TEST(SpherePack, StartsLooseInsideItsBox) {
  const SpherePack pack({.n = 5});
  EXPECT_EQ(pack.positions().size(), 125u);
  for (const BallContact& c : pack.contacts()) EXPECT_GE(c.gap, -1e-12);
  for (double r : pack.radii()) EXPECT_NEAR(r, 0.1, 0.01);
}

TEST(SpherePack, FallsSettlesAndStaysInTheBox) {
  SpherePack pack({.n = 4});
  for (int step = 0; step < 90; ++step) pack.advance(rough_solution(pack.problem(), pack.warm_start(), 60));
  double deepest = 0, fastest = 0;
  for (const BallContact& c : pack.contacts()) deepest = std::min(deepest, c.gap);
  for (const Vec3& u : pack.linear()) fastest = std::max(fastest, norm(u));
  EXPECT_GT(pack.problem().size(), 150);
  EXPECT_GT(deepest, -0.01);
  EXPECT_LT(fastest, 0.5);
}

TEST(SpherePack, OnlyGravityAndWallsChangeTheMomentum) {
  SpherePack pack({.n = 3, .kick = 1});
  for (int step = 0; step < 10; ++step) pack.advance(rough_solution(pack.problem(), pack.warm_start(), 20));
  const auto mass = [&](std::size_t k) { return 2000 * 4.18879020478639098 * std::pow(pack.radii()[k], 3); };
  const auto momentum = [&] {
    Vec3 sum;
    for (std::size_t k = 0; k < pack.linear().size(); ++k) sum = sum + mass(k) * pack.linear()[k];
    return sum;
  };
  Vec3 expected = momentum();
  const auto lambda = rough_solution(pack.problem(), pack.warm_start(), 20);
  for (std::size_t k = 0; k < pack.radii().size(); ++k) expected.z -= mass(k) * 9.81 / 60;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    if (pack.contacts()[i].other >= 0) continue;
    const auto [t1, t2] = tangents(pack.contacts()[i].normal);
    expected = expected + lambda[i].t1 * t1 + lambda[i].t2 * t2 + lambda[i].n * pack.contacts()[i].normal;
  }
  pack.advance(lambda);
  EXPECT_NEAR(norm(momentum() - expected), 0, 1e-10);
}

TEST(SpherePack, ImpulsesFollowTheirPairs) {
  SpherePack pack({.n = 4});
  for (int step = 0; step < 20; ++step) pack.advance(rough_solution(pack.problem(), pack.warm_start(), 20));
  const std::vector<BallContact> before(pack.contacts().begin(), pack.contacts().end());
  const auto lambda = rough_solution(pack.problem(), pack.warm_start(), 20);
  pack.advance(lambda);
  const auto warm = pack.warm_start();
  ASSERT_EQ(warm.size(), pack.contacts().size());
  for (std::size_t i = 0; i < warm.size(); ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < before.size(); ++j)
      if (before[j].id() == pack.contacts()[i].id()) expected = lambda[j].n;
    EXPECT_EQ(warm[i].n, expected);
  }
}

TEST(SpherePack, SeedDecidesThePackAndKickChangesOnlyVelocities) {
  SpherePack a({.n = 3, .seed = 2}), b({.n = 3, .seed = 2}), c({.n = 3, .seed = 3});
  EXPECT_EQ(a.positions()[13].x, b.positions()[13].x);
  EXPECT_NE(a.positions()[13].x, c.positions()[13].x);
  ASSERT_GT(a.problem().size(), 0);
  const double v = a.problem().v_free()[0].n;
  a.kick(1);
  EXPECT_EQ(a.problem().size(), b.problem().size());
  EXPECT_NE(a.problem().v_free()[0].n, v);
}

TEST(SpherePack, RefusesALatticeThatOverlaps) {
  EXPECT_THROW(SpherePack({.spread = 0.3}), InputError);
  EXPECT_THROW(SpherePack({.n = 0}), InputError);
}

}  // namespace
}  // namespace repose::problems
