// SPDX-License-Identifier: Apache-2.0
// The entry point: a contact problem in, impulses, velocities and their certificate out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "repose/contact/problem.h"
#include "repose/scheme/options.h"
#include "repose/scheme/solver.h"

namespace repose {

struct Solution {
  std::vector<ContactVec> lambda;  ///< impulses, N·s
  std::vector<ContactVec> v;       ///< velocities W λ + v_f, m/s
  OuterReport report;
  std::string outer, inner;  ///< the scheme and the inner solver used; inner is "none" for schemes without
};

/// The scheme with its limits set. Bind it, then solve as often as wanted: this is the way that does not allocate.
/// Throws InputError, naming field and value, when an option is out of its range.
[[nodiscard]] std::unique_ptr<OuterSolver> make_solver(const FrictionOptions& options = {});

/// Solves one problem from `lambda0` (empty: from zero). Not converged is an ordinary result: read the report.
[[nodiscard]] Solution solve(const ContactProblem& problem, const FrictionOptions& options = {},
                             std::span<const ContactVec> lambda0 = {});

}  // namespace repose
