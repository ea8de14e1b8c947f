// SPDX-License-Identifier: Apache-2.0
// Clarabel and SCS against an independent minimiser, and what holds for both: scale, μ = 0, failure, repetition.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "repose/base/error.h"
#include "repose/base/random.h"
#include "repose/inner/clarabel.h"
#include "repose/inner/scs.h"
#include "tests/support/complaint.h"
#include "tests/support/impulses.h"

namespace repose {
namespace {

using testing::distance;
using testing::Impulses;
using testing::length;

struct Adapter {
  const char* name;
  bool available;
  std::function<std::unique_ptr<ConeQpSolver>()> make;
};

std::array<Adapter, 2> adapters() {
  return {{{"Clarabel", !clarabel_version().empty(), [] { return make_inner(ClarabelOptions{}); }},
           {"Scs", !scs_version().empty(), [] { return make_inner(ScsOptions{}); }}}};
}

class AdapterTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    adapter_ = adapters()[static_cast<std::size_t>(GetParam())];
    if (!adapter_.available) GTEST_SKIP() << "this build has no " << adapter_.name;
  }
  Adapter adapter_;
};

std::string adapter_name(const ::testing::TestParamInfo<int>& parameter) {
  return adapters()[static_cast<std::size_t>(parameter.param)].name;
}
INSTANTIATE_TEST_SUITE_P(Inner, AdapterTest, ::testing::Values(0, 1), adapter_name);

ContactVec random_vec(Random& random) { return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; }

Impulses random_impulses(int contacts, Random& random) {
  Impulses c(static_cast<std::size_t>(contacts));
  for (ContactVec& contact : c) contact = random_vec(random);
  return c;
}

/// Contacts of free bodies in random pairs: W = J M⁻¹ Jᵀ, singular when there are more rows than degrees of freedom.
ContactProblem random_problem(int bodies, int contacts, std::vector<double> mu, std::uint64_t seed, double mass = 1) {
  Random random(seed);
  std::vector<BodyInverseMass> masses;
  for (int b = 0; b < bodies; ++b) {
    const double inverse = random.uniform(0.5, 2) / mass;
    masses.push_back({inverse, Mat3::diagonal(6 * inverse, 5 * inverse, 4 * inverse)});
  }
  const auto vec3 = [&random] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  std::vector<BodyContact> between;
  for (int i = 0; i < contacts; ++i) {
    const int a = static_cast<int>(random.uniform(0, bodies)), b = i % 3 == 0 ? kStaticBody : (a + 1) % bodies;
    between.push_back(point_contact(a, 0.5 * vec3(), b, 0.5 * vec3(), normalized(vec3())));
  }
  return {BodyForm(masses, between), Impulses(static_cast<std::size_t>(contacts)), std::move(mu)};
}

std::vector<double> random_friction(int contacts, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> mu(static_cast<std::size_t>(contacts));
  for (double& value : mu) value = random.uniform(0.1, 1);
  return mu;
}

/// The reference: accelerated projected gradient with restarts, run to rounding. Slow, and shares nothing with the
/// adapters but W and the projection.
Impulses reference(const ContactProblem& problem, double inverse_gamma, const Impulses& c) {
  DelassusOperator W;
  W.bind(problem);
  double bound = inverse_gamma;
  for (int i = 0; i < problem.size(); ++i) bound += trace(problem.diagonal_block(i));  // ≥ λ_max
  Impulses lambda(c.size()), ahead(c.size()), next(c.size()), slope(c.size());
  double momentum = 1;
  for (int iteration = 0; iteration < 400000; ++iteration) {
    W.apply(ahead, slope);
    double uphill = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const ContactVec gradient = slope[i] + inverse_gamma * ahead[i] + c[i];
      next[i] = project_onto_cone(ahead[i] - (1 / bound) * gradient, problem.sets().mu()[i]);
      uphill += dot(ahead[i] - next[i], next[i] - lambda[i]);
    }
    const double moved = distance(next, lambda);
    const double last = momentum;
    momentum = uphill > 0 ? 1 : (1 + std::sqrt(1 + 4 * last * last)) / 2;
    const double carry = uphill > 0 ? 0 : (last - 1) / momentum;
    for (std::size_t i = 0; i < c.size(); ++i) ahead[i] = next[i] + carry * (next[i] - lambda[i]);
    lambda = next;
    if (moved <= 1e-15 * length(lambda) && iteration > 100) break;
  }
  return lambda;
}

bool inside_cones(const ContactProblem& problem, const Impulses& lambda) {
  for (std::size_t i = 0; i < lambda.size(); ++i)
    if (tangential_norm(lambda[i]) > problem.sets().mu()[i] * lambda[i].n * (1 + 1e-14) || lambda[i].n < 0)
      return false;
  return true;
}

/// The text of the exception that making a solver throws; empty when it throws none.
template <class Options>
std::string complaint(const Options& options) {
  return testing::complaint([&] { (void)make_inner(options); });
}

TEST(Adapters, ABuildWithoutThemSaysHowToGetThem) {
  EXPECT_EQ(complaint(ClarabelOptions{}),
            clarabel_version().empty()
                ? "clarabel: expected a build with it (-DREPOSE_CLARABEL=ON, needs cargo), got one without"
                : "");
  EXPECT_EQ(
      complaint(ScsOptions{}),
      scs_version().empty()
          ? "scs: expected a build with it (-DREPOSE_SCS=ON, needs pip once, or REPOSE_SCS_ARCHIVE), got one without"
          : "");
}

TEST(Adapters, ABadOptionIsNamedWithItsValue) {
  EXPECT_EQ(complaint(ClarabelOptions{.gap_tolerance = 0}), "clarabel: gap_tolerance: expected > 0, got 0");
  EXPECT_EQ(complaint(ClarabelOptions{.max_iterations = -3}), "clarabel: max_iterations: expected >= 1, got -3");
  EXPECT_EQ(complaint(ScsOptions{.max_iterations = 0}), "scs: max_iterations: expected >= 1, got 0");
  EXPECT_EQ(complaint(ScsOptions{.absolute_tolerance = 0, .relative_tolerance = 0}),
            "scs: absolute_tolerance, relative_tolerance: expected at least one > 0, got 0 and 0");
}

TEST_P(AdapterTest, FindsTheMinimiserForManyRightHandSides) {
  const ContactProblem problem = random_problem(6, 10, random_friction(10, 3), 5);
  Random random(11);
  const auto solver = adapter_.make();
  solver->bind(problem);
  for (const double inverse_gamma : {1.0, 0.1, 10.0}) {
    solver->set_prox(inverse_gamma);
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Impulses c = random_impulses(problem.size(), random);
      Impulses lambda(c.size());
      const InnerReport report = solver->solve(c, lambda);
      EXPECT_TRUE(report.converged) << report.residual;
      EXPECT_GT(report.iterations, 0);
      EXPECT_TRUE(inside_cones(problem, lambda));
      const Impulses exact = reference(problem, inverse_gamma, c);
      EXPECT_LT(distance(lambda, exact), 1e-6 * length(exact)) << "1/gamma " << inverse_gamma;
    }
  }
}

TEST_P(AdapterTest, SingularWGivesTheRightVelocity) {
  const ContactProblem problem = random_problem(2, 12, random_friction(12, 4), 9);  // 36 rows, 12 degrees of freedom
  DelassusOperator W;
  W.bind(problem);
  Random random(2);
  const Impulses body_side = random_impulses(problem.size(), random);
  Impulses c(body_side.size());
  W.apply(body_side, c);  // in the range of W, so that the minimum exists
  const auto solver = adapter_.make();
  solver->bind(problem);
  Impulses lambda(c.size());
  const InnerReport report = solver->solve(c, lambda);
  EXPECT_TRUE(report.converged) << report.residual;
  Impulses v(c.size()), exact(c.size());
  W.apply(lambda, v);
  W.apply(reference(problem, 0, c), exact);
  EXPECT_GT(length(exact), 0.01 * length(c));
  EXPECT_LT(distance(v, exact), 1e-5 * length(c));
}

TEST_P(AdapterTest, ContactsWithoutFrictionPushAlongTheNormalOnly) {
  std::vector<double> mu = random_friction(9, 6);
  mu[0] = mu[4] = mu[8] = 0;
  const ContactProblem problem = random_problem(5, 9, mu, 8);
  Random random(3);
  const auto solver = adapter_.make();
  solver->bind(problem);
  solver->set_prox(0.5);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Impulses c = random_impulses(problem.size(), random);
    Impulses lambda = random_impulses(problem.size(), random);  // an infeasible start, too
    const InnerReport report = solver->solve(c, lambda);
    EXPECT_TRUE(report.converged) << report.residual;
    for (const std::size_t i : {0, 4, 8}) EXPECT_EQ(tangential_norm(lambda[i]), 0);
    const Impulses exact = reference(problem, 0.5, c);
    EXPECT_LT(distance(lambda, exact), 1e-6 * length(exact));
  }
}

TEST_P(AdapterTest, OneContactWithoutFrictionHasAClosedForm) {
  const std::vector<DelassusBlock> block{{0, 0, Mat3::diagonal(2, 2, 4)}};
  const ContactProblem problem(MatrixForm(1, block), Impulses(1), {0.0});
  const auto solver = adapter_.make();
  solver->bind(problem);
  Impulses lambda(1);
  ASSERT_TRUE(solver->solve(Impulses{{3, 0, -2}}, lambda).converged);
  EXPECT_NEAR(lambda[0].n, 0.5, 1e-7);
  ASSERT_TRUE(solver->solve(Impulses{{3, 0, 2}}, lambda).converged);
  EXPECT_NEAR(lambda[0].n, 0, 1e-7);
}

TEST_P(AdapterTest, LargeMassRatiosAndFrictionOfAnySize) {
  for (const double mu : {1e-3, 30.0}) {
    std::vector<DelassusBlock> blocks;
    for (int i = 0; i < 6; ++i) blocks.push_back({i, i, (i % 2 ? 1000.0 : 1.0) * Mat3::diagonal(2, 2, 1)});
    for (int i = 0; i + 1 < 6; ++i) {
      blocks.push_back({i, i + 1, 0.5 * Mat3::identity()});
      blocks.push_back({i + 1, i, 0.5 * Mat3::identity()});
    }
    const ContactProblem problem(MatrixForm(6, blocks), Impulses(6), std::vector<double>(6, mu));
    Random random(1);
    Impulses c = random_impulses(6, random);
    for (ContactVec& contact : c) contact.n = -1;
    const auto solver = adapter_.make();
    solver->bind(problem);
    Impulses lambda(6);
    const InnerReport report = solver->solve(c, lambda);
    EXPECT_TRUE(report.converged) << "mu " << mu << " residual " << report.residual;
    const Impulses exact = reference(problem, 0, c);
    EXPECT_LT(distance(lambda, exact), 1e-6 * length(exact)) << "mu " << mu;
  }
}

TEST_P(AdapterTest, UnitsDoNotMatter) {
  const std::vector<double> mu = random_friction(8, 12);
  Random random(7);
  const Impulses c = random_impulses(8, random);
  const auto solve = [&](double mass, double speed) {
    const ContactProblem problem = random_problem(5, 8, mu, 21, mass);
    Impulses scaled = c, lambda(c.size());
    for (ContactVec& contact : scaled) contact = speed * contact;
    const auto solver = adapter_.make();
    solver->bind(problem);
    solver->set_prox(0.3 / mass);
    const InnerReport report = solver->solve(scaled, lambda);
    EXPECT_TRUE(report.converged) << "mass " << mass << " speed " << speed << " residual " << report.residual;
    for (ContactVec& contact : lambda) contact = 1 / (mass * speed) * contact;
    return std::pair(lambda, report.iterations);
  };
  const auto [plain, iterations] = solve(1, 1);
  for (const auto& [mass, speed] : {std::pair(0x1p10, 1.0), std::pair(1.0, 0x1p-30), std::pair(0x1p-20, 0x1p10)}) {
    const auto [lambda, count] = solve(mass, speed);  // these units do not round: not a bit may change
    EXPECT_EQ(distance(lambda, plain), 0);
    EXPECT_EQ(count, iterations);
  }
  for (const auto& [mass, speed] : {std::pair(1000.0, 1.0), std::pair(1.0, 1e-9), std::pair(1e-6, 1e3)}) {
    const auto [lambda, count] = solve(mass, speed);
    EXPECT_LT(distance(lambda, plain), 1e-6 * length(plain));
    EXPECT_NEAR(count, iterations, 1);  // the tolerance is near rounding, which may decide the last step
  }
}

TEST_P(AdapterTest, NothingToDo) {
  const auto solver = adapter_.make();
  const ContactProblem empty;
  solver->bind(empty);
  solver->set_prox(1);
  EXPECT_TRUE(solver->solve({}, {}).converged);

  const ContactProblem problem = random_problem(3, 4, random_friction(4, 1), 2);
  solver->bind(problem);
  Random random(5);
  Impulses lambda = random_impulses(4, random);
  EXPECT_TRUE(solver->solve(Impulses(4), lambda).converged);  // c = 0
  EXPECT_EQ(length(lambda), 0);
}

TEST_P(AdapterTest, TroubleLeavesTheStartAndSaysSo) {
  // Two contacts squeeze a body between walls that close in: equal impulses cancel, and c asks for ever more of them.
  const std::vector<BodyInverseMass> body{{1, Mat3::identity()}};
  const std::vector<BodyContact> squeeze{point_contact(kStaticBody, {}, 0, {0, 0, -1}, {0, 0, 1}),
                                         point_contact(kStaticBody, {}, 0, {0, 0, 1}, {0, 0, -1})};
  const ContactProblem problem(BodyForm(body, squeeze), Impulses(2), {0.5, 0.0});
  const auto solver = adapter_.make();
  solver->bind(problem);
  Impulses lambda{{0, 0, 1}, {0, 0, 2}};
  EXPECT_FALSE(solver->solve(Impulses{{0, 0, -1}, {0, 0, -1}}, lambda).converged);
  EXPECT_TRUE(inside_cones(problem, lambda));
  EXPECT_EQ(distance(lambda, Impulses{{0, 0, 1}, {0, 0, 2}}), 0);

  const ContactProblem ordinary = random_problem(3, 4, random_friction(4, 1), 2);
  solver->bind(ordinary);
  Impulses start(4), c(4);
  start[1].n = 1;
  c[2].t1 = std::numeric_limits<double>::quiet_NaN();
  lambda = start;
  const InnerReport broken = solver->solve(c, lambda);
  EXPECT_FALSE(broken.converged);
  EXPECT_EQ(broken.residual, HUGE_VAL);
  EXPECT_EQ(distance(lambda, start), 0);
}

TEST_P(AdapterTest, TheSameBitsEveryTime) {
  const ContactProblem problem = random_problem(6, 10, random_friction(10, 3), 5);
  Random random(17);
  const Impulses c = random_impulses(10, random);
  std::array<Impulses, 2> found{Impulses(10), Impulses(10)};
  for (Impulses& lambda : found) {
    const auto solver = adapter_.make();
    solver->bind(problem);
    solver->set_prox(0.01);
    (void)solver->solve(c, lambda);
  }
  EXPECT_EQ(distance(found[0], found[1]), 0);
}

TEST_P(AdapterTest, BindingAgainForgetsTheOldProblem) {
  const auto solver = adapter_.make();
  Random random(23);
  for (const int contacts : {7, 3, 9}) {
    const ContactProblem problem = random_problem(4, contacts, random_friction(contacts, 3), 31);
    solver->bind(problem);
    solver->set_prox(0.2);
    const Impulses c = random_impulses(contacts, random);
    Impulses lambda(c.size());
    EXPECT_TRUE(solver->solve(c, lambda).converged);
    const Impulses exact = reference(problem, 0.2, c);
    EXPECT_LT(distance(lambda, exact), 1e-6 * length(exact));
  }
}

TEST(Adapters, ScsGainsFromAWarmStart) {
  if (scs_version().empty()) GTEST_SKIP() << "this build has no SCS";
  const ContactProblem problem = random_problem(6, 10, random_friction(10, 3), 5);
  Random random(19);
  const Impulses c = random_impulses(10, random);
  const auto solver = make_inner(ScsOptions{});
  solver->bind(problem);
  solver->set_prox(0.1);
  Impulses lambda(10);
  const int cold = solver->solve(c, lambda).iterations;
  const int warm = solver->solve(c, lambda).iterations;
  EXPECT_LT(warm, cold);
}

}  // namespace
}  // namespace repose
