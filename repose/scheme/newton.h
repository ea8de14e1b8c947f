// SPDX-License-Identifier: Apache-2.0
// `newton`: proximal semismooth Newton (prox_newton.h) with an implicit coupling, alone or after an interior-point
// start (interior_point.h). It is the first part of `auto`, without fallback.
#pragma once

#include <memory>

#include "repose/scheme/solver.h"

namespace repose {

struct NewtonOptions {
  double alpha = 1e2;          ///< First proximal step, in units of 1/ρ_i; > 0.
  bool interior_point = true;  ///< Starts from the interior-point method when the warm start is far from a solution.
  int failures = 25;           ///< Failed proximal steps before the solve ends; ≥ 0.
};

class NewtonSolver final : public OuterSolver {
 public:
  explicit NewtonSolver(const NewtonOptions& options = {});
  ~NewtonSolver() override;
  void bind(const ContactProblem& problem) override;
  OuterReport solve(std::span<ContactVec> lambda) override;

 private:
  struct Runner;
  NewtonOptions options_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace repose
