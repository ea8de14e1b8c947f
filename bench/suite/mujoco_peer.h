// SPDX-License-Identifier: Apache-2.0
// MuJoCo on the same scene, through bench/peers/mujoco/steps.py, where its Python package is installed.
#pragma once

#include <optional>

#include "repose/scene/scene.h"

namespace repose::bench {

/// How a scene is stepped, here and there.
struct StepPlan {
  int settle = 120, steps = 300;  ///< before the clock counts; while it does
  double kick = 0;                ///< random velocity added to every body before each step, m/s
  bool impact = false;            ///< bodies that wait appear when the clock starts
};

struct PeerTimes {
  double ms_median = 0, ms_p95 = 0;
  int contacts = 0;
};

/// Nothing when the package is not there, or could not run the scene.
[[nodiscard]] std::optional<PeerTimes> time_mujoco(const Scene& scene, const StepPlan& plan);

}  // namespace repose::bench
