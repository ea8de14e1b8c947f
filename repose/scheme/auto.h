// SPDX-License-Identifier: Apache-2.0
// The default scheme: looks at the problem and the warm start, picks a method, falls back when it stalls.
//
//   warm λ already solved          → one residual
//   contacts that do not interact  → the local law, each alone
//   patches, chains, structures    → warm: one sweep, proximal Newton; cold: interior-point start, then proximal Newton
//   … with a dear factor, or tiny  → Gauss–Seidel sweeps, then proximal Newton
//   packs of point contacts        → Gauss–Seidel with momentum and mode-Newton bursts, then proximal Newton
//   factor too large for memory    → Gauss–Seidel with one momentum for all
//   stalled structure              → rounds of long Newton runs and path following, from the best iterate and anew
//   stalled pack                   → rounds of both with growing budgets, from the best iterate, from zero, prestressed
//
// It never hands back a worse iterate than it was given, and reports each stage. Decisions count work, not time.
#pragma once

#include <memory>

#include "repose/scheme/solver.h"

namespace repose {

struct AutoOptions {
  int rounds = 12;  ///< Rounds of fallback before it gives up; ≥ 0.
};

class AutoSolver final : public OuterSolver {
 public:
  explicit AutoSolver(const AutoOptions& options = {});
  ~AutoSolver() override;
  void bind(const ContactProblem& problem) override;
  /// Costs the judge's look at W; the rest waits for a warm start that misses.
  void refresh(const ContactProblem& problem) override;
  OuterReport solve(std::span<ContactVec> lambda) override;

 private:
  struct Runner;
  AutoOptions options_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace repose
