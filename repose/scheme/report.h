// SPDX-License-Identifier: Apache-2.0
// What happened in a solve.
#pragma once

#include <array>
#include <cstdint>

#include "repose/base/stop.h"
#include "repose/contact/residual.h"

namespace repose {

enum class Status { kConverged, kIterationLimit, kTimeLimit, kStalled, kNumericalFailure, kInterrupted };

/// "converged", "iteration_limit", …: the words of `repose solve --json`.
[[nodiscard]] const char* to_string(Status status);

/// One stage of a scheme that combines others (auto): which method ran and how far it came.
struct Stage {
  const char* method = "";  ///< a string literal: "local", "newton", "interior_point", …
  int iterations = 0;
  double worst = 0;  ///< max(r_c, nat) after it
};

struct OuterReport {
  Status status = Status::kIterationLimit;
  int outer_iterations = 0;
  int inner_iterations = 0;
  Certificate certificate;
  int fallbacks = 0;               ///< stages beyond the first that were needed
  std::array<Stage, 12> stages{};  ///< the first `stage_count` are filled
  int stage_count = 0;
  double gamma = 0;       ///< last step size, kg (fbf)
  int gamma_shrinks = 0;  ///< rejected trial steps (fbf)

  void add_stage(const char* method, int iterations, double worst) {
    if (stage_count < static_cast<int>(stages.size()))
      stages[static_cast<std::size_t>(stage_count++)] = {method, iterations, worst};
  }
};

}  // namespace repose
