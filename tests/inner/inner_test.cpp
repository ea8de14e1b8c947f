// SPDX-License-Identifier: Apache-2.0
// Every inner solver on the same cone QPs: they agree in v, and scale, order and memory behave.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "repose/base/error.h"
#include "repose/inner/options.h"
#include "tests/inner/random_qp.h"

#define REPOSE_COUNT_ALLOCATIONS
#include "tests/support/allocation_counter.h"

namespace repose {
namespace {

using testing::arch;
using testing::distance;
using testing::falling;
using testing::Heap;
using testing::Impulses;
using testing::in_matrix_form;
using testing::length;
using testing::loose;
using testing::tower;

/// The four of our own, pressed for accuracy.
std::vector<InnerOptions> own_solvers() {
  return {BgsOptions{.sweeps = 200000, .tolerance = 1e-9}, ApgdOptions{.tolerance = 1e-9, .max_iterations = 200000},
          AdmmOptions{.tolerance = 1e-9, .max_iterations = 200000}, IpmOptions{.tolerance = 1e-10}};
}

struct Solved {
  Impulses lambda, v;  ///< v = W λ
  InnerReport report;
};

Solved solve(const ContactProblem& problem, double inverse_gamma, const InnerOptions& options, Impulses lambda = {}) {
  lambda.resize(static_cast<std::size_t>(problem.size()));
  const auto solver = make_inner(options);
  solver->bind(problem);
  solver->set_prox(inverse_gamma);
  const InnerReport report = solver->solve(problem.v_free(), lambda);
  Impulses v(lambda.size());
  DelassusOperator W;
  W.bind(problem);
  W.apply(lambda, v);
  return {lambda, v, report};
}

double largest_block(const ContactProblem& problem) {
  double top = 0;
  for (int i = 0; i < problem.size(); ++i) top = std::max(top, trace(problem.diagonal_block(i)));
  return top;
}

/// Energy of the QP, kept apart from the solvers' own arithmetic.
double energy(const ContactProblem& problem, double inverse_gamma, const Impulses& lambda) {
  Impulses v(lambda.size());
  DelassusOperator W;
  W.bind(problem);
  W.apply(lambda, v);
  double total = 0;
  for (std::size_t i = 0; i < lambda.size(); ++i)
    total += 0.5 * dot(lambda[i], v[i] + inverse_gamma * lambda[i]) + dot(problem.v_free()[i], lambda[i]);
  return total;
}

struct Case {
  std::string name;
  ContactProblem problem;
  double inverse_gamma;
};

std::vector<double> mixed_friction(std::size_t contacts, Random& random) {
  const double choices[] = {0, 0.3, 0.8, 5};
  std::vector<double> mu(contacts);
  for (double& value : mu) value = choices[static_cast<int>(random.uniform(0, 4))];
  return mu;
}

/// 1 to 40 contacts; redundant patches; mass ratio 1000; μ = 0, 0.3, 5 and mixed; γ⁻¹ from 0 to the paper's.
std::vector<Case> cases() {
  std::vector<Case> list;
  Random random(31);
  const auto add = [&](const std::string& name, const Heap& heap, double speed, std::vector<double> mu) {
    const ContactProblem problem = falling(heap, random, speed, mu);
    for (double share : {0.0, 1e-2, 1.0})
      list.push_back({name + ", share " + std::to_string(share), problem, share * largest_block(problem)});
  };
  const auto same = [](const Heap& heap, double mu) { return std::vector<double>(heap.contacts.size(), mu); };
  add("one contact", loose(random, 1, 1, 1), 0.5, {0.8});
  for (double mu : {0.0, 0.3, 5.0}) {
    add("box, mu " + std::to_string(mu), tower(1), 0.5, same(tower(1), mu));
    const Heap heap = loose(random, 8, 14, 10);
    add("loose, mu " + std::to_string(mu), heap, 0.5, same(heap, mu));
  }
  add("three boxes", tower(3), 0.1, same(tower(3), 0.8));
  add("three boxes, 1000:1", tower(3, 1000), 0.1, same(tower(3), 0.8));
  const Heap stones = arch(9), many = loose(random, 15, 40, 1000);
  add("arch", stones, 0.3, same(stones, 0.8));
  add("forty, mixed", many, 0.5, mixed_friction(many.contacts.size(), random));
  return list;
}

TEST(Inner, AllAgreeInVelocity) {
  for (const Case& test : cases()) {
    const Solved best = solve(test.problem, test.inverse_gamma, IpmOptions{.tolerance = 1e-12});
    EXPECT_LT(best.report.residual, 1e-10) << test.name;
    const double size = length(best.v) + length({test.problem.v_free().begin(), test.problem.v_free().end()});
    const ContactProblem matrix = in_matrix_form(test.problem);
    for (const InnerOptions& options : own_solvers())
      for (const ContactProblem* problem : {&test.problem, &matrix}) {
        const Solved found = solve(*problem, test.inverse_gamma, options);
        EXPECT_LT(found.report.residual, 1e-8) << name(options) << " on " << test.name;
        EXPECT_LT(distance(found.v, best.v), 1e-5 * size) << name(options) << " on " << test.name;
        if (test.inverse_gamma > 0) {  // strongly convex: λ is unique too
          EXPECT_TRUE(found.report.converged) << name(options) << " on " << test.name;
          EXPECT_LT(distance(found.lambda, best.lambda), 1e-6 * (length(best.lambda) + 1e-9)) << name(options);
        }
      }
  }
}

TEST(Inner, NoRandomPointOfTheConesIsLower) {
  Random random(32);
  for (const Case& test : cases()) {
    const Solved best = solve(test.problem, test.inverse_gamma, IpmOptions{.tolerance = 1e-12});
    const double least = energy(test.problem, test.inverse_gamma, best.lambda);
    const double step = (length(best.lambda) + 0.1) / std::sqrt(static_cast<double>(best.lambda.size()));
    for (int trial = 0; trial < 50; ++trial) {
      Impulses other = best.lambda;
      const double reach = step * std::pow(10.0, random.uniform(-6, 0));
      for (std::size_t i = 0; i < other.size(); ++i) {
        const ContactVec push{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
        other[i] = project_onto_cone(other[i] + reach * push, test.problem.sets().mu()[i]);
      }
      EXPECT_LE(least, energy(test.problem, test.inverse_gamma, other) + 1e-12 * (std::abs(least) + step)) << test.name;
    }
  }
}

TEST(Inner, ImpulsesLieInTheirCones) {
  for (const Case& test : cases())
    for (const InnerOptions& options :
         {InnerOptions(BgsOptions{.sweeps = 2}), InnerOptions(ApgdOptions{.max_iterations = 3}),
          InnerOptions(AdmmOptions{.max_iterations = 3}), InnerOptions(IpmOptions{.max_iterations = 3})}) {
      const Solved found = solve(test.problem, test.inverse_gamma, options);
      for (std::size_t i = 0; i < found.lambda.size(); ++i) {
        const double mu = test.problem.sets().mu()[i];
        EXPECT_LE(tangential_norm(found.lambda[i]), mu * found.lambda[i].n * (1 + 1e-14)) << name(options);
        EXPECT_GE(found.lambda[i].n, 0) << name(options);
      }
    }
}

TEST(Inner, NoAllocationAfterBind) {
  Random random(33);
  const Heap heap = loose(random, 10, 30, 10);
  const ContactProblem body = falling(heap, random, 0.5, mixed_friction(30, random)), matrix = in_matrix_form(body);
  for (const InnerOptions& options : own_solvers())
    for (const ContactProblem* problem : {&body, &matrix}) {
      const auto solver = make_inner(options);
      solver->bind(*problem);
      Impulses lambda(30);
      const testing::AllocationScope scope;
      for (double share : {1.0, 0.01, 0.0}) {
        solver->set_prox(share * largest_block(body));
        (void)solver->solve(problem->v_free(), lambda);
      }
      EXPECT_EQ(scope.count(), 0) << name(options);
    }
}

TEST(Inner, RebindingTheSameProblemRepeatsTheSameBits) {
  Random random(34);
  const Heap heap = loose(random, 6, 20, 10);
  const ContactProblem problem = falling(heap, random, 0.5, mixed_friction(20, random));
  for (const InnerOptions& options : own_solvers()) {
    const auto solver = make_inner(options);
    Impulses first(20), second(20);
    for (Impulses* lambda : {&first, &second}) {
      solver->bind(problem);
      solver->set_prox(0.01 * largest_block(problem));
      (void)solver->solve(problem.v_free(), *lambda);
    }
    EXPECT_EQ(distance(first, second), 0) << name(options);
  }
}

TEST(Inner, WarmStartIsUsed) {
  Random random(35);
  const ContactProblem problem = falling(arch(9), random, 0.3, std::vector<double>(40, 0.8));
  const double inverse_gamma = 0.01 * largest_block(problem);
  for (const InnerOptions& options : own_solvers()) {
    const Solved cold = solve(problem, inverse_gamma, options);
    const Solved again = solve(problem, inverse_gamma, options, cold.lambda);
    EXPECT_LE(again.report.iterations, 1) << name(options);
  }
}

/// Masses × `mass` and velocities × `speed`: λ must scale by their product. Powers of two scale without rounding.
void expect_scaling(double mass, double speed, double tolerance, int slack) {
  Random random(36);
  const Heap heap = loose(random, 8, 20, 10);
  Heap heavy = heap;
  for (BodyInverseMass& body : heavy.bodies) {
    body.inverse_mass /= mass;
    body.inverse_inertia = (1 / mass) * body.inverse_inertia;
  }
  const std::vector<double> mu = mixed_friction(20, random);
  const ContactProblem problem = falling(heap, random, 0.5, mu);
  Impulses c(problem.v_free().begin(), problem.v_free().end());
  for (ContactVec& contact : c) contact = speed * contact;
  const ContactProblem scaled(BodyForm(heavy.bodies, heavy.contacts), c, mu);
  const double inverse_gamma = 0.01 * largest_block(problem);
  for (const InnerOptions& options : own_solvers()) {
    const Solved one = solve(problem, inverse_gamma, options), two = solve(scaled, inverse_gamma / mass, options);
    EXPECT_NEAR(one.report.iterations, two.report.iterations, slack) << name(options);
    Impulses back = two.lambda;
    for (ContactVec& contact : back) contact = (1 / (mass * speed)) * contact;
    EXPECT_LE(distance(back, one.lambda), tolerance * length(one.lambda)) << name(options);
  }
}

TEST(Inner, UnitsThatArePowersOfTwoChangeNothing) {
  expect_scaling(1024, 1, 1e-14, 0);
  expect_scaling(1, 1.0 / 4096, 1e-14, 0);
}

TEST(Inner, MassesTimesThousandChangeNoIterationCount) { expect_scaling(1000, 1000, 1e-7, 2); }

TEST(Inner, OrderOfContactsDoesNotMatter) {
  Random random(37);
  Heap heap = loose(random, 8, 20, 10);
  const std::vector<double> mu = mixed_friction(20, random);
  const ContactProblem problem = falling(heap, random, 0.5, mu);
  const auto turned = [](auto list) { return decltype(list)(list.rbegin(), list.rend()); };
  const Impulses c(problem.v_free().begin(), problem.v_free().end());
  const ContactProblem reversed(BodyForm(heap.bodies, turned(heap.contacts)), turned(c), turned(mu));
  const double inverse_gamma = 0.1 * largest_block(problem);
  for (const InnerOptions& options : own_solvers()) {
    const Solved one = solve(problem, inverse_gamma, options), two = solve(reversed, inverse_gamma, options);
    EXPECT_LE(distance(turned(two.lambda), one.lambda), 1e-6 * length(one.lambda)) << name(options);
  }
}

TEST(Inner, NothingToDoIsDone) {
  Random random(38);
  const ContactProblem empty(BodyForm({}, {}), {}, {});
  const Heap heap = loose(random, 3, 6, 10);
  const ContactProblem resting(BodyForm(heap.bodies, heap.contacts), Impulses(6), std::vector<double>(6, 0.5));
  const BodyContact between_walls;  // both ends static: W = 0, nothing moves
  const ContactProblem walls(BodyForm({}, {&between_walls, 1}), {{0, 0, 1}}, {0.5});
  for (const InnerOptions& options : own_solvers()) {
    EXPECT_TRUE(solve(empty, 0, options).report.converged) << name(options);
    const Solved rest = solve(resting, 0, options, Impulses(6, {0, 0, 1}));
    EXPECT_LE(length(rest.v), 1e-6) << name(options);
    EXPECT_EQ(length(solve(walls, 0, options).lambda), 0) << name(options);
  }
}

TEST(Inner, NumbersThatAreNotFiniteDoNotSpread) {
  Random random(39);
  const double nan = std::nan("");
  const ContactProblem problem = falling(loose(random, 3, 6, 10), random, 0.5, std::vector<double>(6, 0.5));
  const double inverse_gamma = largest_block(problem);
  for (const InnerOptions& options : own_solvers()) {
    const Solved good = solve(problem, inverse_gamma, options);
    const Solved from_nan = solve(problem, inverse_gamma, options, Impulses(6, {nan, 0, 1}));
    EXPECT_EQ(distance(good.lambda, from_nan.lambda), 0) << name(options);
    const auto solver = make_inner(options);
    solver->bind(problem);
    Impulses lambda(6, {0, 0, 1});
    EXPECT_FALSE(solver->solve(Impulses(6, {0, nan, -1}), lambda).converged) << name(options);
    EXPECT_EQ(distance(lambda, Impulses(6, {0, 0, 1})), 0) << name(options);
  }
}

TEST(Inner, NamesAndOptions) {
  for (const char* known : {"bgs", "apgd", "admm", "ipm", "clarabel", "scs"})
    EXPECT_EQ(name(inner_options(known)), known);
  try {
    (void)inner_options("simplex");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "inner: expected bgs, apgd, admm, ipm, clarabel, scs, got 'simplex'");
  }
  EXPECT_THROW((void)make_inner(ApgdOptions{.tolerance = 0}), InputError);
  EXPECT_THROW((void)make_inner(AdmmOptions{.relaxation = 2}), InputError);
  EXPECT_THROW((void)make_inner(AdmmOptions{.penalty = -1}), InputError);
  EXPECT_THROW((void)make_inner(IpmOptions{.max_iterations = 0}), InputError);
  EXPECT_THROW(make_inner(BgsOptions{})->set_prox(-1), InputError);
}

}  // namespace
}  // namespace repose
