// SPDX-License-Identifier: Apache-2.0
// What `repose run` says about a run: the JSON document of the interface, a line per step, a table for people.
#pragma once

#include <string>

#include "apps/cli/console.h"
#include "apps/cli/json_output.h"
#include "repose/record/summary.h"

namespace repose::cli {

struct RunFacts {
  std::string outer, inner;
  double tolerance = 1e-8;
  int threads = 1;
  std::string device = "cpu";
  double cpu_ms = 0;           ///< CPU time of all steps; 0: not measured
  std::string ended = "done";  ///< or what ended it: "interrupted", "broke down: …"
};

[[nodiscard]] Json run_document(const World& world, const Summary& summary, const RunFacts& facts);
/// One line of --log, without its end.
[[nodiscard]] std::string step_line(const StepReport& report);
[[nodiscard]] double peak_memory_mib();

void print_head(const Console& console, const World& world, int steps, const RunFacts& facts);
void print_certificate(const Console& console, const Summary& summary, const RunFacts& facts);
/// "3 of 600 steps above 1e-8 (17, 18, 230); the worst at 3.1e-6"
[[nodiscard]] std::string unsolved_text(const Summary& summary, const RunFacts& facts);

}  // namespace repose::cli
