// SPDX-License-Identifier: Apache-2.0
// Where a simulation is: a bar with steps, contacts, worst residual and time left. Rewritten in place on a terminal,
// otherwise a new line every 5 s.
#pragma once

#include <chrono>

#include "repose/world/world.h"

namespace repose::cli {

class RunProgress {
 public:
  RunProgress(bool wanted, int steps);
  ~RunProgress() { erase(); }
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  /// `done` steps are behind, `worst` is the largest max(r_c, nat) of them.
  void note(int done, const StepReport& report, double worst, double tolerance);
  /// Takes the line away before something else is printed.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  const bool wanted_, on_terminal_;
  const int steps_;
  bool visible_ = false;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

}  // namespace repose::cli
