// SPDX-License-Identifier: Apache-2.0
// The cone QP by a primal-dual interior point method: Nesterov–Todd scaling, Mehrotra's predictor and corrector.
//
//   x = T⁻¹λ,  z = T((W + γ⁻¹I)λ + c),  x ∘ z = σ m 1  in Lorentz cones,   T = diag(μ, μ, 1) or diag(1, 1, 1/μ)
//
// Each iteration factorises I + R D G once (body space in body form) with D = T (H⁻² + γ⁻¹T²)⁻¹ T, H the scaling, and
// solves twice. The number of iterations hardly depends on size or conditioning. A contact without friction
// (T = diag(0, 0, 1)) is a half line: its tangential components stay zero.
#pragma once

#include <memory>

#include "repose/inner/cone_qp.h"

namespace repose {

struct IpmOptions {
  double tolerance = 1e-10;  ///< Stop when the scaled natural map of the QP is below this, > 0, dimensionless.
  int max_iterations = 60;   ///< Factorisations per solve, ≥ 1.
};

void validate(const IpmOptions& options);
[[nodiscard]] std::unique_ptr<ConeQpSolver> make_inner(const IpmOptions& options);

}  // namespace repose
