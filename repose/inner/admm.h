// SPDX-License-Identifier: Apache-2.0
// The cone QP by the alternating direction method of multipliers (Boyd et al. 2011), over-relaxed.
//
//   λ = (W + γ⁻¹I + rρ)⁻¹ (rρ(s − u) − c),   s⁺ = Π_K(αλ + (1−α)s + u),   u⁺ = u + αλ + (1−α)s − s⁺
//
// ρ_i = tr(W_ii)/3 + γ⁻¹ compensates for different masses. One factorisation, of I + Jᵀ(γ⁻¹ + rρ)⁻¹J in body space
// (body form) or of its counterpart in contact space (matrix form), serves all iterations until the penalty r is
// changed to balance the two residuals. The best of the first-order methods on stiff chains of contacts.
#pragma once

#include <memory>

#include "repose/inner/cone_qp.h"

namespace repose {

struct AdmmOptions {
  double tolerance = 1e-8;    ///< Stop when the scaled natural map of the QP is below this, > 0, dimensionless.
  int max_iterations = 5000;  ///< Projections per solve, ≥ 1.
  double penalty = 1.0;       ///< r at the start, in units of ρ, > 0.
  double relaxation = 1.7;    ///< α, in (0, 2).
  int adapt_every = 20;       ///< Iterations before the penalty may change, ≥ 1; the interval grows with each change.
};

void validate(const AdmmOptions& options);
[[nodiscard]] std::unique_ptr<ConeQpSolver> make_inner(const AdmmOptions& options);

}  // namespace repose
