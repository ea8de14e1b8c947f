// SPDX-License-Identifier: Apache-2.0
// A run in numbers: the JSON document of `repose run --json` and repose.run(), a line per step, and what a recording
// keeps about how it was made.
#pragma once

#include <string>

#include "repose/record/summary.h"
#include "repose/report/json_record_internal.h"

namespace repose::report {

/// Facts about a run that the world does not have.
struct RunFacts {
  std::string outer, inner;
  double tolerance = 1e-8, accept = 0, budget = 0;
  int threads = 1;
  std::string device = "cpu";
  double cpu_ms = 0;           ///< CPU time of all steps; 0: not measured
  std::string ended = "done";  ///< or what ended it: "interrupted", "broke down: …"
};

/// Of a run that is about to start.
[[nodiscard]] RunFacts run_facts(const FrictionOptions& solver, int threads);

[[nodiscard]] Json run_document(const World& world, const Summary& summary, const RunFacts& facts);
/// One line of --log, without its end.
[[nodiscard]] std::string step_line(const StepReport& report);
[[nodiscard]] double peak_memory_mib();

/// The solver's settings as JSON, for a recording.
[[nodiscard]] std::string settings_text(const RunFacts& facts, bool warm_start);
/// Returns the scene as text, for a recording; empty where it cannot be written as text.
[[nodiscard]] std::string scene_text(const Scene& scene);

}  // namespace repose::report
