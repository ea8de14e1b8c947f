// SPDX-License-Identifier: Apache-2.0
// What every stage of a combined scheme is given: the tolerance, the request to stop, the observer and the limit on
// work.
#pragma once

#include <functional>

#include "repose/base/stop.h"
#include "repose/contact/residual.h"
#include "repose/stage/work.h"

namespace repose {

using Observer = std::function<void(int, const Certificate&)>;

struct StageContext {
  double tolerance = 1e-8;
  const StopToken* stop = nullptr;
  const Observer* observer = nullptr;
  int done_before = 0;  ///< number of outer iterations of earlier stages
  WorkLimit limit{};    ///< without one by default

  [[nodiscard]] bool stopped() const { return stop->asked() != StopReason::kContinue; }
  void observe(int iterations, const Certificate& now) const {
    if (observer && *observer) (*observer)(done_before + iterations, now);
  }
};

}  // namespace repose
