// SPDX-License-Identifier: Apache-2.0
// What every stage of a combined scheme is told: how good is good enough, when to stop, whom to tell.
#pragma once

#include <functional>

#include "repose/base/stop.h"
#include "repose/contact/residual.h"

namespace repose {

using Observer = std::function<void(int, const Certificate&)>;

struct StageContext {
  double tolerance = 1e-8;
  const StopToken* stop = nullptr;
  const Observer* observer = nullptr;
  int done_before = 0;  ///< outer iterations of earlier stages

  [[nodiscard]] bool stopped() const { return stop->asked() != StopReason::kGoOn; }
  void observe(int iterations, const Certificate& now) const {
    if (observer && *observer) (*observer)(done_before + iterations, now);
  }
};

}  // namespace repose
