// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/residual.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "problems/arch.h"
#include "problems/manufactured.h"
#include "repose/contact/spectrum.h"

namespace repose {
namespace {

/// One contact with W = w I.
ContactProblem single(double w, ContactVec v_free, double mu) {
  const DelassusBlock block{0, 0, Mat3::diagonal(w, w, w)};
  return {MatrixForm(1, std::span(&block, 1)), {v_free}, {mu}};
}

TEST(Residual, VanishesWhereTheLawHolds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto made = problems::manufactured_problem({.contacts = 12, .seed = seed});
    EXPECT_LT(certify(made.problem, made.lambda).worst(), 1e-12) << "seed " << seed;
  }
}

TEST(Residual, DoesNotVanishElsewhere) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto made = problems::manufactured_problem({.contacts = 12, .seed = seed});
    double size = 0;
    for (const ContactVec& l : made.lambda) size += squared_norm(l);
    made.lambda[3].n += 1e-3 * std::sqrt(size);
    EXPECT_GT(certify(made.problem, made.lambda).worst(), 1e-6) << "seed " << seed;
  }
}

TEST(Residual, PartsAreThePapers) {
  // λ = (0.3, 0, 0.1) is outside K_½ by hand: foot n = (0.1 + 0.15)/1.25 = 0.2, t = 0.1, distance √(0.2² + 0.1²).
  const ContactProblem problem = single(2.0, {0, 0, -1}, 0.5);
  const std::vector<ContactVec> lambda{{0.3, 0, 0.1}};
  // v = (0.6, 0, −0.8), ṽ_N = −0.8 + 0.5·0.6 = −0.5; λ̂_max = 2; s_r = max(‖λ‖, ½), s_u = max(‖ṽ‖, 1) with λ⁰ = λ.
  const Certificate c = certify(problem, lambda);
  const double s_r = 0.5, s_u = 1.0;
  EXPECT_NEAR(c.residual.force, std::sqrt(0.05) / s_r, 1e-14);
  EXPECT_NEAR(c.residual.gap, std::abs(0.6 * 0.3 - 0.5 * 0.1) / (s_r * s_u), 1e-14);
  // ṽ = (0.6, −0.5) against K* (v_N ≥ ½ v_T): foot of the boundary ray (2, 1)/√5, length (1.2 − 0.5)/√5.
  const double along = (2 * 0.6 - 0.5) / std::sqrt(5.0), size = std::hypot(0.6, 0.5);
  EXPECT_NEAR(c.residual.velocity, std::sqrt(size * size - along * along) / s_u, 1e-14);
}

/// A block with its set, an impulse and a velocity that answer each other, all in numbers that lose no digit.
struct Answer {
  const char* name;
  BlockSet set;
  ContactVec lambda, v;
};

std::vector<Answer> exact_answers() {
  const BlockSet cone = BlockSet::cone(0.5), box = BlockSet::box({{-1, -2, 0}, {1, 4, kUnbounded}});
  return {{"open", cone, {}, {1, -2, 0.5}},
          {"stick", cone, {1, -1, 4}, {}},
          {"slide", cone, {-3, -4, 10}, {3, 4, 0}},
          {"slides slowly", cone, {-3, -4, 10}, {0.375, 0.5, 0}},
          {"soft stick", cone.with_compliance({2, 2, 4}), {1, -1, 4}, {}},
          {"soft slide", cone.with_compliance({2, 2, 4}), {-3, -4, 10}, {3, 4, 0}},
          {"frictionless", BlockSet::cone(0), {0, 0, 2}, {3, 4, 0}},
          {"bilateral", BlockSet::bilateral(), {1, -2, 3}, {}},
          {"two rows", BlockSet::bilateral(2), {1, -2, 0}, {0, 0, 5}},
          {"half line loaded", BlockSet::half_line(), {0, 0, 3}, {1, 2, 0}},
          {"half line open", BlockSet::half_line(), {}, {1, 2, 3}},
          {"interval inside", BlockSet::interval(-1, 2), {0, 0, 1}, {}},
          {"interval at its lower bound", BlockSet::interval(-1, 2), {0, 0, -1}, {0, 0, 7}},
          {"interval at its upper bound", BlockSet::interval(-1, 2), {0, 0, 2}, {0, 0, -7}},
          {"prescribed", BlockSet::interval(3, 3), {0, 0, 3}, {0, 0, -7}},
          {"box", box, {-1, 4, 2}, {2, -3, 0}},
          {"soft box", box.with_compliance({1, 2, 4}), {-1, 4, 2}, {2, -3, 0}}};
}

/// v_f for which λ gives v, W = diag(2, 2, 4).
ContactProblem problem_of(const Answer& answer) {
  const DelassusBlock W{0, 0, Mat3::diagonal(2, 2, 4)};
  const ContactVec l = answer.lambda, c = answer.set.compliance();
  const ContactVec free = answer.v - ContactVec{(2 + c.t1) * l.t1, (2 + c.t2) * l.t2, (4 + c.n) * l.n};
  const std::vector<BlockSet> sets{answer.set};
  return {MatrixForm(1, std::span(&W, 1)), {free}, SetList(sets)};
}

TEST(Residual, ItsThreePartsVanishExactlyAtAnswers) {
  for (const Answer& answer : exact_answers()) {
    const std::vector<ContactVec> lambda{answer.lambda};
    const Certificate c = certify(problem_of(answer), lambda);
    EXPECT_EQ(c.residual.force, 0) << answer.name;
    EXPECT_EQ(c.residual.velocity, 0) << answer.name;
    EXPECT_EQ(c.residual.gap, 0) << answer.name;
    EXPECT_LE(c.nat, 4 * std::numeric_limits<double>::epsilon()) << answer.name;
  }
}

TEST(Residual, EachPartSeesItsOwnViolation) {
  for (const Answer& answer : exact_answers()) {
    const ContactVec outside = answer.lambda - ContactVec{0, 0, 100};  // below any lower bound there is
    const double out = squared_norm(outside - project(answer.set.ref(), outside));
    const std::vector<ContactVec> lambda{outside};
    EXPECT_EQ(certify(problem_of(answer), lambda).residual.force > 0, out > 0) << answer.name;
  }
  const std::vector<ContactVec> none{{}}, push{{0, 0, 1}};
  const Certificate approaching = certify(problem_of({"", BlockSet::half_line(), {}, {0, 0, -1}}), none);
  EXPECT_GT(approaching.residual.velocity, 0);
  EXPECT_EQ(approaching.residual.force + approaching.residual.gap, 0);
  const Certificate sticky = certify(problem_of({"", BlockSet::half_line(), {0, 0, 1}, {0, 0, 1}}), push);
  EXPECT_GT(sticky.residual.gap, 0);
  EXPECT_EQ(sticky.residual.force + sticky.residual.velocity, 0);
}

TEST(Residual, FinalScaleLiftsThePapersRoundingFloor) {
  // A cold start: the paper's s_r is ‖v_f‖/λ̂_max, ours takes the larger final ‖λ‖.
  const auto made = problems::manufactured_problem({.contacts = 20, .seed = 4});
  const std::vector<ContactVec> cold(made.lambda.size());
  Judge judge;
  judge.bind(made.problem);
  judge.start(cold);
  const Certificate c = judge.certify(made.lambda);
  EXPECT_LE(c.residual.gap, c.paper.gap);
}

TEST(Residual, NoContactsAreSolved) {
  const ContactProblem none(MatrixForm(0, {}), {}, {});
  EXPECT_TRUE(certify(none, {}).solved(1e-300));
}

TEST(Residual, BrokenNumbersNeverPass) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const ContactVec broken : {ContactVec{nan, 0, 1}, ContactVec{0, 0, nan}, ContactVec{0, 0, HUGE_VAL}}) {
    const std::vector<ContactVec> lambda{broken};
    EXPECT_FALSE(certify(single(1, {0, 0, -1}, 0.5), lambda).solved(1e300));
  }
}

TEST(Spectrum, ReferenceValuesOfTheClosedCatenaryArch) {
  // Reference values to the digits given there: 4 points a joint, 1000 kg/m³.
  const std::pair<int, double> reference[] = {{25, 1.629e-4}, {101, 7.12e-4}, {501, 3.76e-3}, {951, 7.17e-3}};
  for (const auto& [stones, value] : reference) {
    const ContactProblem problem = problems::make_problem(problems::catenary_arch({.stones = stones}));
    const SpectralEstimate found = largest_eigenvalue(problem, {.accuracy = 1e-7});
    EXPECT_NEAR(found.largest / value, 1.0, 2e-3) << stones << " stones";
    EXPECT_LE(found.accuracy, 1e-7);
    // γ_safe = 0.5/(μ λ̂_max) of the default accuracy stays within a percent.
    EXPECT_NEAR(largest_eigenvalue(problem).largest / found.largest, 1.0, 1e-2) << stones << " stones";
  }
}

TEST(Spectrum, ThreeByThreeInClosedForm) {
  // R diag(d) Rᵀ for a rotation R has the eigenvalues d, simple or not; a skew part does not count.
  const Vec3 a = normalized({1, 2, 3}), b = normalized(cross(a, {0, 1, 0})), c = cross(a, b);
  for (const Vec3 d : {Vec3{3, 2, 1}, Vec3{2, 2, 1}, Vec3{2, 1, 1}, Vec3{1, 1, 1}, Vec3{1, 0, 0}, Vec3{0, 0, 0}}) {
    Mat3 A;
    const double r[3][3] = {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}, e[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) A.m[i][j] += r[i][k] * e[k] * r[j][k];
    A.m[0][1] += 0.25, A.m[1][0] -= 0.25;
    EXPECT_NEAR(largest_eigenvalue(A), d.x, 1e-8) << d.x << ' ' << d.y << ' ' << d.z;
  }
}

TEST(Spectrum, TridiagonalGrowsToItsClosedForm) {
  // Twos with ones beside them: 2 + 2 cos(π/(n + 1)), and the last component of the eigenvector √(2/(n+1))
  // sin(π/(n+1)).
  GrowingTridiagonal T;
  for (int n = 1; n <= 60; ++n) {
    T.grow(2, n == 1 ? 0 : 1);
    const auto [value, last_squared] = T.largest();
    const double angle = std::numbers::pi / (n + 1);
    EXPECT_NEAR(value, 2 + 2 * std::cos(angle), 1e-9) << n;
    EXPECT_NEAR(last_squared, 2.0 / (n + 1) * std::sin(angle) * std::sin(angle), 1e-4) << n;
  }
}

TEST(Spectrum, LanczosNeedsFewProductsAndDoesNotPassTheLargest) {
  const ContactProblem problem = problems::make_problem(problems::catenary_arch({.stones = 101}));
  const double largest = 7.118935951200e-4;  // of the dense matrix, 1/kg
  double last = 0;
  for (const double accuracy : {1e-3, 1e-4, 1e-6, 1e-8, 1e-12}) {
    const SpectralEstimate found = largest_eigenvalue(problem, {.accuracy = accuracy});
    EXPECT_LE(found.accuracy, accuracy);
    EXPECT_LE(found.products, 100);
    EXPECT_LE(found.largest, largest * (1 + 1e-9));
    EXPECT_GE(found.largest, last);
    EXPECT_NEAR(found.largest / largest, 1, std::sqrt(accuracy)) << accuracy;
    last = found.largest;
  }
  EXPECT_NEAR(last / largest, 1, 1e-10);
}

TEST(Spectrum, DiagonalIsExact) { EXPECT_NEAR(largest_eigenvalue(single(3.5, {}, 0)).largest, 3.5, 1e-12); }

}  // namespace
}  // namespace repose
