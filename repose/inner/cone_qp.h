// SPDX-License-Identifier: Apache-2.0
// The interface between an outer scheme and its convex solver: one strongly convex cone QP, many right-hand sides.
#pragma once

#include <memory>
#include <span>

#include "repose/contact/problem.h"

namespace repose {

struct InnerReport {
  int iterations = 0;      ///< the solver's own unit: sweeps, gradient steps, factorisations
  double residual = 0;     ///< scaled natural map of the QP at the returned λ, if the solver computes it
  bool converged = false;  ///< the solver's own tolerance is met (false is possible after a fixed number of sweeps)
};

/// argmin over λ ∈ K_μ of ½ λᵀ(W + γ⁻¹I)λ + cᵀλ, for one symmetric W and many c.  [paper eq:backward]
class ConeQpSolver {
 public:
  virtual ~ConeQpSolver() = default;
  /// Called once per time step; claims memory. W must be symmetric (ContactProblem::symmetric_part()); v_f is not used.
  virtual void bind(const ContactProblem& problem) = 0;
  /// γ⁻¹ ≥ 0, 1/kg; 0 for Picard and the relaxed law.
  virtual void set_prox(double inverse_gamma) = 0;
  /// `lambda` is the warm start and becomes the minimiser, inside K_μ.
  virtual InnerReport solve(std::span<const ContactVec> c, std::span<ContactVec> lambda) = 0;
};

}  // namespace repose
