// SPDX-License-Identifier: Apache-2.0
// The interface of the outer schemes: bind once per contact problem, solve from a warm start.
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
  /// An answer within tolerance but above `aim` gets one short Newton polish (auto only); 0: none. Without it, a
  /// simulation whose steps are warm-started would keep an error of up to `tolerance` in every step.
  double aim = 0;
  double accept = 0;  ///< an answer above tolerance counts as accepted when r_c and nat are both at most this; 0: never
  /// Work per contact, in block products (repose/stage/work.h), after which an acceptable answer is taken (auto,
  /// newton); 0: no limit. An answer that is not acceptable is worked on as long as the scheme knows how.
  double budget = 0;
};

class OuterSolver {
 public:
  virtual ~OuterSolver() = default;
  /// Claims all memory for this problem (its operator, μ and size). v_f may change between the solves after one bind().
  virtual void bind(const ContactProblem& problem) = 0;
  /// Announces new numbers in the problem of the last bind() on the same contact graph (ContactProblem::assign()
  /// returned true). A scheme may keep what depends on the graph alone; otherwise the same as bind().
  virtual void refresh(const ContactProblem& problem) { bind(problem); }
  /// `lambda` is the warm start (zeros: cold) and becomes the solution, or the best iterate. Does not allocate.
  virtual OuterReport solve(std::span<ContactVec> lambda) = 0;

  /// Returns the state that a scheme keeps between solves apart from `lambda` (fbf: its step size), as one number. A
  /// restored run that passes it to set_memory() continues with the same bits.
  [[nodiscard]] virtual double memory() const { return 0; }
  virtual void set_memory(double) {}

  SolveLimits limits;
  StopToken stop;
  /// Called after each outer iteration if set: iteration number and certificate.
  std::function<void(int, const Certificate&)> observer;
};

}  // namespace repose
