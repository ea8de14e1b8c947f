// SPDX-License-Identifier: Apache-2.0
// The default scheme: looks at the problem and the warm start, picks a method, falls back when it stalls.
//
//   warm λ already solved            → one residual
//   nothing approaches               → λ = 0
//   contacts that do not interact    → the local law, each alone
//   structures (cheap factor)        → proximal Newton warm; cold an interior-point start, then proximal Newton
//   piles (expensive factor)         → Gauss–Seidel with momentum, mode-Newton bursts for point contacts
//
// It never hands back a worse iterate than it was given, and reports each stage. Decisions count work, not time.
#pragma once

#include <memory>

#include "repose/outer/solver.h"

namespace repose {

struct AutoOptions {
  double budget = 1.0;  ///< Scales every stage's work limit; > 0. Raise it where a certificate matters more than time.
};

class AutoSolver final : public OuterSolver {
 public:
  explicit AutoSolver(const AutoOptions& options = {});
  ~AutoSolver() override;
  void bind(const ContactProblem& problem) override;
  OuterReport solve(std::span<ContactVec> lambda) override;

  class Core;  ///< one per problem form

 private:
  AutoOptions options_;
  std::unique_ptr<Core> core_;
};

}  // namespace repose
