// SPDX-License-Identifier: Apache-2.0
// The cone QP by SCS, operator splitting on the homogeneous embedding (O'Donoghue 2021) with Anderson acceleration, on
// an explicit W.
//
// Cheap iterations after one factorisation, with a warm start: 25 to 100 of them with γ⁻¹ > 0, hundreds to thousands
// with a singular W and γ⁻¹ = 0, where it may stop at its iteration limit with a natural map of 1e-6. SCS cannot change
// its matrix: the first solve after set_prox() factorises again. It allocates there and while it solves: the rule "no
// allocation after bind()" does not hold for it.
#pragma once

#include <memory>
#include <string_view>

#include "repose/inner/cone_qp.h"

namespace repose {

/// The tolerances hold for the scaled problem, where c has root mean square 1 and W a diagonal of about 1.
struct ScsOptions {
  double tolerance = 1e-7;           ///< Natural map of the returned λ that counts as converged, > 0, dimensionless.
  double absolute_tolerance = 1e-9;  ///< Primal and dual residual and gap, ≥ 0, dimensionless.
  double relative_tolerance = 1e-9;  ///< The same relative to the terms they consist of, ≥ 0. Not both 0.
  int max_iterations = 20000;        ///< Splitting iterations per solve, ≥ 1.
  int acceleration_memory = 10;      ///< Iterates that Anderson acceleration uses, ≥ 0; 0 turns it off.
};

void validate(const ScsOptions& options);
/// Throws InputError in a build without SCS. When SCS finds no answer (for example because the QP is unbounded), the
/// solver keeps λ, projected onto K, and does not report convergence.
[[nodiscard]] std::unique_ptr<ConeQpSolver> make_inner(const ScsOptions& options);
/// "3.3.1", or empty in a build without SCS.
[[nodiscard]] std::string_view scs_version();

}  // namespace repose
