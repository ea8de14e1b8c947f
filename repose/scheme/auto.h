// SPDX-License-Identifier: Apache-2.0
// The default scheme: classifies the problem, runs the method that is cheapest for its class, and falls back to others
// where that one stalls. docs/algorithms/auto.md has the table of cases; auto_policy.h has every number.
//
//   warm λ already solved          → one residual
//   blocks that do not interact    → the local law, each block alone
//   patches, chains, structures    → warm: one sweep, proximal Newton; cold: interior point, then proximal Newton
//   … with an expensive factor     → Gauss–Seidel sweeps, then proximal Newton
//   no friction                    → Newton's method on a convex function
//   packs of point contacts        → Gauss–Seidel with momentum and mode-Newton steps, then proximal Newton
//   factor too large for memory    → Gauss–Seidel with one momentum for all contacts
//   stalled structure              → rounds of long Newton runs and path following, with different settings
//   stalled pack                   → rounds of both with growing budgets, from different starting points
//
// The iterate returned is never worse than the start, and the report lists each stage. Decisions count work instead of
// time, so that runs are repeatable.
#pragma once

#include <memory>

#include "repose/scheme/auto_policy.h"
#include "repose/scheme/solver.h"

namespace repose {

struct AutoOptions {
  int rounds = 12;      ///< Limit on the rounds of fallback; ≥ 0.
  AutoPolicy policy{};  ///< Every other number; `repose bench policy` measures each at its extremes.
};

class AutoSolver final : public OuterSolver {
 public:
  explicit AutoSolver(const AutoOptions& options = {});
  ~AutoSolver() override;
  void bind(const ContactProblem& problem) override;
  /// Binds the judge only; the stages are bound when a warm start is not solved already.
  void refresh(const ContactProblem& problem) override;
  OuterReport solve(std::span<ContactVec> lambda) override;

 private:
  struct Runner;
  AutoOptions options_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace repose
