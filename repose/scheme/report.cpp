// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/report.h"

#include <cmath>

namespace repose {

const char* to_string(Status status) {
  switch (status) {
    case Status::kConverged: return "converged";
    case Status::kAccepted: return "accepted";
    case Status::kIterationLimit: return "iteration_limit";
    case Status::kTimeLimit: return "time_limit";
    case Status::kStalled: return "stalled";
    case Status::kNumericalFailure: return "numerical_failure";
    case Status::kInterrupted: return "interrupted";
  }
  return "unknown";
}

std::optional<Status> verdict(bool solved, double measure, const StopToken& stop) {
  if (solved) return Status::kConverged;
  if (!(measure < HUGE_VAL)) return Status::kNumericalFailure;
  switch (stop.asked()) {
    case StopReason::kTimeLimit: return Status::kTimeLimit;
    case StopReason::kInterrupted: return Status::kInterrupted;
    case StopReason::kContinue: break;
  }
  return std::nullopt;
}

void OuterReport::grade(Status end, double accept) {
  const bool own_end = end == Status::kIterationLimit || end == Status::kStalled;
  stalled = end == Status::kStalled;
  status = own_end && accept > 0 && certificate.solved(accept) ? Status::kAccepted : end;
}

}  // namespace repose
