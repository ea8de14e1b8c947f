// SPDX-License-Identifier: Apache-2.0
// The cone QP by Clarabel, a primal-dual interior point method (Goulart & Chen 2024), on an explicit W.
//
// It takes 10 to 25 iterations at any condition number and does not use a warm start. It reaches a natural map of 1e-8
// to 1e-10 on the public test problems, 5e-8 at worst, which is the rounding floor of its linear systems. Sweeps of
// block Gauss–Seidel then improve its answer, or the warm start if that is better; a second solve with the same c runs
// the sweeps only. Forming W takes memory for every pair of contacts that share a body. Clarabel allocates while it
// solves: the rule "no allocation after bind()" does not hold for it.
#pragma once

#include <memory>
#include <string_view>

#include "repose/inner/cone_qp.h"

namespace repose {

/// The tolerances hold for the scaled problem, where c has root mean square 1 and W a diagonal of about 1.
struct ClarabelOptions {
  double tolerance = 1e-7;       ///< Natural map of the returned λ that counts as converged, > 0, dimensionless.
  double gap_tolerance = 1e-14;  ///< Duality gap, absolute or relative, > 0: about the square of λ's error.
  double feasibility_tolerance = 1e-10;  ///< Primal and dual residual, > 0; below 1e-12 it often stops early.
  int max_iterations = 100;              ///< Interior point iterations per solve, ≥ 1.
  int polish_sweeps = 30;                ///< Block Gauss–Seidel sweeps on its answer, ≥ 0; 0: none.
};

void validate(const ClarabelOptions& options);
/// Throws InputError in a build without Clarabel. When Clarabel finds no answer (for example because the QP is
/// unbounded), the solver keeps λ, projected onto K, and does not report convergence.
[[nodiscard]] std::unique_ptr<ConeQpSolver> make_inner(const ClarabelOptions& options);
/// "0.11.1", or empty in a build without Clarabel.
[[nodiscard]] std::string_view clarabel_version();

}  // namespace repose
