// SPDX-License-Identifier: Apache-2.0
// MuJoCo on the same scene, through bench/peers/mujoco/steps.py, where its Python package is installed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repose/scene/scene.h"

namespace repose::bench {

/// How a scene is stepped, here and there.
struct StepPlan {
  int settle = 120, steps = 300;  ///< before the clock counts; while it does
  double kick = 0;                ///< random velocity added to every body before each step, m/s
  bool impact = false;            ///< bodies that wait appear when the clock starts
};

/// What MuJoCo is asked for beyond the plan.
struct PeerOptions {
  std::string cone = "elliptic";    ///< or pyramidal
  double impratio = 100;            ///< friction against normal impedance; it advises against high ones for pyramids
  double limit = 0;                 ///< CPU seconds after which its run ends; 0: never
  std::vector<double> thickness{};  ///< smallest width of each body, m; empty: no overlap is measured
};

struct PeerTimes {
  double ms_median = 0, ms_p95 = 0;
  int contacts = 0;
  std::vector<double> ms{};  ///< of each step
  double overlap = 0;        ///< deepest one as a share of the thinner body's thickness
  bool dropped = false;      ///< its memory ran out and contacts were left out
  bool finite = true;        ///< its state has no NaN
};

/// Nothing when the package is not there, or could not run the scene.
[[nodiscard]] std::optional<PeerTimes> time_mujoco(const Scene& scene, const StepPlan& plan,
                                                   const PeerOptions& options = {});

}  // namespace repose::bench
