// SPDX-License-Identifier: Apache-2.0
// One run of `repose run`: the world, everything that is written while it goes on, and how it ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/scheme_options.h"
#include "apps/terminal/exit_status.h"
#include "repose/scene/scene.h"

namespace repose::cli {

struct RunSettings : SchemeSettings {
  std::string what;                 ///< built-in scene or file
  std::vector<std::string> values;  ///< key=value
  std::optional<double> time, dt, baumgarte;
  std::optional<int> steps;
  std::optional<long long> seed;
  std::string gravity;  ///< "x,y,z"
  int threads = 1;
  std::string device = "cpu";  ///< cpu: one World; cpu-batch, cuda: a Batch
  std::optional<int> worlds;   ///< of a batch
  double kick = 0;             ///< m/s, random velocities of a batch
  bool no_warm_start = false, strict = false, quiet = false, dump_unsolved = false, compact = false;
  bool dump_global = false;  ///< FCLIB's global form instead of the local one
  std::string record, log, dump, from, checkpoint, json, ctrl;
  std::optional<int> dump_every;
  std::vector<int> dump_steps;  ///< empty: all
};

/// The scene with what the options change about it. Throws UsageError or InputError.
[[nodiscard]] Scene scene_for(const RunSettings& settings);
[[nodiscard]] int steps_for(const RunSettings& settings, const Scene& scene);

/// Throws UsageError or InputError before anything is written.
[[nodiscard]] Exit run_scene(const RunSettings& settings);

}  // namespace repose::cli
