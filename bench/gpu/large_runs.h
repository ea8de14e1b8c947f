// SPDX-License-Identifier: Apache-2.0
// One large problem on a device: time by part against the time of `auto` on the processor, and bits against the host.
#pragma once

#include <string>
#include <vector>

#include "repose/contact/problem.h"
#include "repose/large/swept_solver.h"

namespace repose::bench {

struct LargeProblem {
  std::string name;
  ContactProblem problem;
};
/// Bricks of 10 728 and 110 964 contacts after an impact, and the problems stored in `folder` (none: ""), smallest
/// first.
[[nodiscard]] std::vector<LargeProblem> large_problems(const std::string& folder);

/// A solve from zero.
struct LargeSolve {
  double ms = 0;  ///< bind and solve
  Certificate certificate;
  Status status = Status::kIterationLimit;
  SweptReport swept;  ///< of sweeps
};
/// `finish`: what the sweeps miss is finished by `auto`. The first solve warms up; the median of `repeats` counts.
/// Each ends after `limit` seconds.
[[nodiscard]] LargeSolve solve_by_sweeps(const ContactProblem& problem, double tolerance, const SweptOptions& options,
                                         int repeats, double limit);
/// By `auto`.
[[nodiscard]] LargeSolve solve_on_processor(const ContactProblem& problem, double tolerance, double limit);

/// Sweeps with every crew of the device and on the host.
struct LargeBits {
  int sweeps = 0;
  int crews = 0;    ///< that the device has
  int unequal = 0;  ///< crews whose impulses or residual have other bits than the host's
  double host_ms = 0;
  std::vector<double> crew_ms;  ///< of the sweeps: block, cluster, grid
};
[[nodiscard]] LargeBits check_large_bits(const ContactProblem& problem, int sweeps);

}  // namespace repose::bench
