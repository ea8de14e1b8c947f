// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/report.h"

namespace repose {

const char* to_string(Status status) {
  switch (status) {
    case Status::kConverged: return "converged";
    case Status::kIterationLimit: return "iteration_limit";
    case Status::kTimeLimit: return "time_limit";
    case Status::kStalled: return "stalled";
    case Status::kNumericalFailure: return "numerical_failure";
    case Status::kInterrupted: return "interrupted";
  }
  return "unknown";
}

}  // namespace repose
