// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/schemes_by_name.h"

#include "repose/scheme/solve.h"

namespace repose::bench {

std::unique_ptr<OuterSolver> scheme(std::string_view outer, std::string_view inner, double tolerance,
                                    int max_iterations) {
  FrictionOptions options = options_from_names(outer, inner);
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  return make_solver(options);
}

}  // namespace repose::bench
