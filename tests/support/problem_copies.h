// SPDX-License-Identifier: Apache-2.0
// The same contact problem with another form, other friction or other sets, and its solution.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "repose/base/random.h"
#include "repose/contact/problem.h"
#include "repose/scheme/solve.h"
#include "tests/support/impulses.h"

namespace repose::testing {

[[nodiscard]] inline Impulses free_velocities(const ContactProblem& problem) {
  return {problem.v_free().begin(), problem.v_free().end()};
}

/// The blocks of W that are not zero, without compliance.
[[nodiscard]] inline std::vector<DelassusBlock> delassus_blocks(const ContactProblem& problem) {
  std::vector<DelassusBlock> blocks;
  for (int i = 0; i < problem.size(); ++i) blocks.push_back({i, i, problem.coupling(i, i)});
  for (const auto& [i, j] : problem.coupled_pairs()) {
    blocks.push_back({i, j, problem.coupling(i, j)});
    blocks.push_back({j, i, problem.coupling(j, i)});
  }
  return blocks;
}

[[nodiscard]] inline ContactProblem in_matrix_form(const ContactProblem& problem) {
  return {MatrixForm(problem.size(), delassus_blocks(problem)), free_velocities(problem), problem.sets()};
}

[[nodiscard]] inline ContactProblem with_sets(const ContactProblem& problem, const std::vector<BlockSet>& sets) {
  return {problem.form(), free_velocities(problem), SetList(sets)};
}

/// The same μ at every contact.
[[nodiscard]] inline ContactProblem with_friction(const ContactProblem& problem, double mu) {
  return {problem.form(), free_velocities(problem), std::vector<double>(static_cast<std::size_t>(problem.size()), mu)};
}

/// One of every kind of set, soft or not, with bounds and compliances of the given sizes.
[[nodiscard]] inline BlockSet random_set(Random& random, double impulse = 1, double compliance = 1) {
  const auto number = [&] { return impulse * random.uniform(-1, 1); };
  const auto width = [&] { return impulse * random.uniform(0.1, 1); };
  BlockSet set = BlockSet::cone(random.uniform(0, 1.5));
  switch (static_cast<int>(random.uniform(0, 7))) {
    case 0: set = BlockSet::bilateral(1 + static_cast<int>(random.uniform(0, 3))); break;
    case 1: set = BlockSet::half_line(); break;
    case 2: set = BlockSet::interval(-width(), width()); break;
    case 3: {
      const ContactVec low{number(), number(), number()};
      set = BlockSet::box({low, low + ContactVec{width(), width(), width()}});
      break;
    }
    case 4: set = BlockSet::box({{-width(), 0, -kUnbounded}, {width(), 0, width()}}); break;
    default: break;
  }
  if (random.uniform() < 0.5) return set;
  const double tangent = compliance * random.uniform();
  return set.with_compliance({tangent, tangent, compliance * random.uniform()});
}

[[nodiscard]] inline std::vector<BlockSet> random_sets(Random& random, int blocks, double impulse = 1,
                                                       double compliance = 1) {
  std::vector<BlockSet> sets;
  for (int i = 0; i < blocks; ++i) sets.push_back(random_set(random, impulse, compliance));
  return sets;
}

/// The answer of the default scheme, certified to `tolerance`.
[[nodiscard]] inline Impulses solution(const ContactProblem& problem, double tolerance = 1e-10) {
  Impulses lambda(static_cast<std::size_t>(problem.size()));
  const auto solver = make_solver({.tolerance = tolerance});
  solver->bind(problem);
  EXPECT_EQ(solver->solve(lambda).status, Status::kConverged);
  return lambda;
}

/// v = (W + C) λ + v_f.
[[nodiscard]] inline Impulses velocity(const ContactProblem& problem, const Impulses& lambda) {
  Impulses v(lambda.size());
  DelassusOperator W;
  W.bind(problem);
  W.velocity(lambda, v);
  return v;
}

}  // namespace repose::testing
