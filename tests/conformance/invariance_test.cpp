// SPDX-License-Identifier: Apache-2.0
// Units and the order of contacts are the caller's choice: neither may change an answer, and units not even the number
// of iterations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "problems/arch.h"
#include "problems/simple.h"
#include "repose/base/random.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/choices.h"

namespace repose::testing {
namespace {

using problems::Structure;

struct Units {
  const char* name;
  double mass, length, time;  ///< how many new units one old unit is
};

Structure in_units(Structure s, const Units& u) {
  for (problems::Body& b : s.bodies) {
    b.mass *= u.mass;
    b.inertia = u.mass * u.length * u.length * b.inertia;
    b.position = u.length * b.position;
    b.linear = u.length / u.time * b.linear;
    b.angular = 1 / u.time * b.angular;
  }
  for (problems::Contact& c : s.contacts) {
    c.point = u.length * c.point;
    c.gap *= u.length;
  }
  s.gravity = u.length / (u.time * u.time) * s.gravity;
  s.h *= u.time;
  s.size *= u.length;
  return s;
}

std::vector<Structure> structures() {
  return {problems::box({.slope = 0.5, .mu = 0.3}), problems::rod({.mu = 0.7, .slide = -1}),
          problems::arch({.stones = 9}), scattered(tripods(3), 0.5, 5)};
}

std::vector<Choice> every_choice() {
  std::vector<Choice> list = exact_choices(1e-8, 300);
  FrictionOptions options = relaxed(1e-8);
  list.push_back({"relaxed", "bgs", options});
  return list;
}

class Invariance : public ::testing::TestWithParam<Units> {};

/// Scaling by powers of four only moves exponents (square roots of masses included): every bit must agree.
TEST_P(Invariance, PowersOfFourKeepEveryBit) {
  const Units u = GetParam();
  for (const Structure& s : structures())
    for (const Choice& choice : every_choice()) {
      const Solution before = solve(problems::make_problem(s), choice.options);
      const Solution after = solve(problems::make_problem(in_units(s, u)), choice.options);
      EXPECT_EQ(before.report.outer_iterations, after.report.outer_iterations) << s.name << " " << choice.label();
      EXPECT_EQ(before.report.inner_iterations, after.report.inner_iterations) << s.name << " " << choice.label();
      const double impulse = u.mass * u.length / u.time;
      for (std::size_t i = 0; i < before.lambda.size(); ++i) {
        EXPECT_EQ(impulse * before.lambda[i].n, after.lambda[i].n) << s.name << " " << choice.label();
        EXPECT_EQ(impulse * before.lambda[i].t1, after.lambda[i].t1) << s.name << " " << choice.label();
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Unit, Invariance,
                         ::testing::Values(Units{"mass", 1024, 1, 1}, Units{"length", 1, 1024, 1},
                                           Units{"time", 1, 1, 1024}, Units{"all", 4096, 1.0 / 256, 64}),
                         [](const auto& units) { return units.param.name; });

/// Any other factor changes rounding; the answer stays, the number of iterations up to a few.
TEST(Invariance, ThousandfoldMassesKeepTheAnswer) {
  for (const Structure& s : structures())
    for (const Choice& choice : every_choice()) {
      const Solution before = solve(problems::make_problem(s), choice.options);
      const Solution after = solve(problems::make_problem(in_units(s, {"mass", 1000, 1, 1})), choice.options);
      const int change = std::abs(before.report.outer_iterations - after.report.outer_iterations);
      EXPECT_LE(change, 2 + before.report.outer_iterations / 20) << s.name << " " << choice.label();
      if (before.report.status != Status::kConverged) continue;
      for (std::size_t i = 0; i < before.v.size(); ++i)
        EXPECT_LE(squared_norm(before.v[i] - after.v[i]), 1e-12) << s.name << " " << choice.label();
    }
}

TEST(Invariance, OrderOfContactsDoesNotMatter) {
  for (const Structure& s : structures()) {
    std::vector<std::size_t> order(s.contacts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random random(9);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
    Structure shuffled = s;
    for (std::size_t i = 0; i < order.size(); ++i) shuffled.contacts[i] = s.contacts[order[i]];
    for (const Choice& choice : exact_choices(1e-8)) {
      if (choice.outer == "fbf" && s.contacts.size() > 4) continue;  // too slow to compare its answers
      if (choice.outer == "staggered" && s.name == "rod") continue;  // cycles
      const Solution before = solve(problems::make_problem(s), choice.options);
      const Solution after = solve(problems::make_problem(shuffled), choice.options);
      EXPECT_EQ(after.report.status, Status::kConverged) << s.name << " " << choice.label();
      for (std::size_t i = 0; i < order.size(); ++i)
        EXPECT_LE(squared_norm(before.v[order[i]] - after.v[i]), 1e-12) << s.name << " " << choice.label();
    }
  }
}

TEST(Repeatable, SameInputSameBits) {
  for (const Structure& s : structures())
    for (const Choice& choice : every_choice()) {
      const ContactProblem problem = problems::make_problem(s);
      const Solution first = solve(problem, choice.options), second = solve(problem, choice.options);
      for (std::size_t i = 0; i < first.lambda.size(); ++i)
        EXPECT_EQ(first.lambda[i].n, second.lambda[i].n) << s.name << " " << choice.label();
    }
}

}  // namespace
}  // namespace repose::testing
