// SPDX-License-Identifier: Apache-2.0
// The cone QP by block Gauss–Seidel: each contact in turn takes its exact minimiser while the others are fixed.
//
//   λ_i ← argmin over K_μ of ½ λᵀ(W_ii + γ⁻¹I)λ + (c_i + Σ_{j≠i} W_ij λ_j)ᵀλ         [paper eq:backward, sec.
//   inner-solve]
//
// A sweep takes one exact 3×3 cone solve, one gather and one scatter per contact. The energy decreases in every step,
// so that any number of sweeps improves the start; long chains of contacts make it slow.
#pragma once

#include <memory>

#include "repose/inner/cone_qp.h"

namespace repose {

struct BgsOptions {
  int sweeps = 10;           ///< Limit on the sweeps per solve, ≥ 1; the paper takes 10, and 30 on the arch.
  double tolerance = 1e-12;  ///< Stop earlier when the scaled natural map of the QP is below this, ≥ 0, dimensionless.
};

void validate(const BgsOptions& options);
[[nodiscard]] std::unique_ptr<ConeQpSolver> make_inner(const BgsOptions& options);

}  // namespace repose
