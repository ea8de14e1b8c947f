// SPDX-License-Identifier: Apache-2.0
// The entry point: takes a contact problem, returns impulses, velocities and their certificate.
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
  std::string outer, inner;  ///< the scheme and the inner solver used; inner is "none" for schemes without one
};

/// Makes the scheme with its limits set. After one bind() any number of solve() calls allocate nothing.
/// Throws InputError, naming field and value, when an option is out of its range.
[[nodiscard]] std::unique_ptr<OuterSolver> make_solver(const FrictionOptions& options = {});

/// Solves one problem from `lambda0` (empty: from zero). Not converged is an ordinary result: see the report.
[[nodiscard]] Solution solve(const ContactProblem& problem, const FrictionOptions& options = {},
                             std::span<const ContactVec> lambda0 = {});

}  // namespace repose
