// SPDX-License-Identifier: Apache-2.0
// Solvers as the benchmarks ask for them.
#pragma once

#include <memory>
#include <string_view>

#include "repose/scheme/solver.h"

namespace repose::bench {

/// The scheme with its defaults, `tolerance` and, where > 0, `max_iterations`; `inner` empty takes the default.
[[nodiscard]] std::unique_ptr<OuterSolver> scheme(std::string_view outer, std::string_view inner, double tolerance,
                                                  int max_iterations = 0);
[[nodiscard]] inline std::unique_ptr<OuterSolver> auto_scheme(double tolerance) {
  return scheme("auto", "", tolerance);
}

}  // namespace repose::bench
