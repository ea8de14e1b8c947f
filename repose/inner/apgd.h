// SPDX-License-Identifier: Apache-2.0
// The cone QP by accelerated projected gradient (Nesterov 1983; restart: O'Donoghue & Candès 2015).
//
//   λ⁺ = Π_K(η − (Lρ)⁻¹ ((W + γ⁻¹I) η + c)),   η⁺ = λ⁺ + β (λ⁺ − λ),   ρ_i = tr(W_ii)/3 + γ⁻¹
//
// One number ρ_i per contact compensates for different masses and keeps the Euclidean projection exact. An iteration
// takes one W product and one projection, without factorisation; every operation runs over all contacts at once. The
// number of iterations grows with the square root of the condition number.
#pragma once

#include <memory>

#include "repose/inner/cone_qp.h"

namespace repose {

struct ApgdOptions {
  double tolerance = 1e-8;    ///< Stop when the scaled natural map of the QP is below this, > 0, dimensionless.
  int max_iterations = 5000;  ///< Gradient steps per solve, ≥ 1.
};

void validate(const ApgdOptions& options);
[[nodiscard]] std::unique_ptr<ConeQpSolver> make_inner(const ApgdOptions& options);

}  // namespace repose
