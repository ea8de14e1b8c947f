// SPDX-License-Identifier: Apache-2.0
// The seam of the outer schemes: bind once per contact problem, solve from a warm start.
#pragma once

#include <functional>
#include <span>

#include "repose/base/stop.h"
#include "repose/contact/problem.h"
#include "repose/scheme/report.h"

namespace repose {

/// Limits that every scheme obeys.
struct SolveLimits {
  double tolerance = 1e-8;  ///< solved when r_c ≤ tolerance and nat ≤ tolerance; > 0
  int max_iterations = 0;   ///< outer iterations, ≥ 1; 0 takes the scheme's own default
  /// An answer within tolerance but above `aim` gets one short Newton polish (auto only); 0: none. A simulation whose
  /// steps start from each other's impulses would otherwise keep an error of up to `tolerance` in every step.
  double aim = 0;
};

class OuterSolver {
 public:
  virtual ~OuterSolver() = default;
  /// Claims all memory for this problem (its operator, μ and size). v_f may change between solves of one bind.
  virtual void bind(const ContactProblem& problem) = 0;
  /// The problem of the last bind() has new numbers on the same contact graph (ContactProblem::assign() said so).
  /// Schemes that can keep what depends on the graph only; no other difference to bind().
  virtual void refresh(const ContactProblem& problem) { bind(problem); }
  /// `lambda` enters as warm start (zeros: cold) and leaves as the solution, or the best iterate seen.
  /// Does not allocate.
  virtual OuterReport solve(std::span<ContactVec> lambda) = 0;

  /// What a scheme keeps from solve to solve besides memory (fbf: its step size), as one number. A run that goes on
  /// elsewhere hands it over, so that it goes on with the same bits.
  [[nodiscard]] virtual double memory() const { return 0; }
  virtual void set_memory(double) {}

  SolveLimits limits;
  StopToken stop;
  /// Called after each outer iteration, where set: iteration number and its certificate.
  std::function<void(int, const Certificate&)> observer;
};

}  // namespace repose
