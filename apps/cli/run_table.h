// SPDX-License-Identifier: Apache-2.0
// What `repose run` tells people about a run: one line at the start, a table at the end.
#pragma once

#include <string>

#include "apps/terminal/console.h"
#include "repose/report/run_report_internal.h"

namespace repose::cli {

void print_head(const Console& console, const World& world, int steps, const report::RunFacts& facts);
void print_certificate(const Console& console, const Summary& summary, const report::RunFacts& facts);
/// "3 of 600 steps above 1e-8 (17, 18, 230); the worst at 3.1e-6"
[[nodiscard]] std::string accepted_text(const Summary& summary, const report::RunFacts& facts);
[[nodiscard]] std::string unsolved_text(const Summary& summary, const report::RunFacts& facts);
[[nodiscard]] std::string rounding_text(const Summary& summary, const report::RunFacts& facts);
[[nodiscard]] std::string imprecise_text(const Summary& summary);
[[nodiscard]] std::string missed_text(const Summary& summary);
[[nodiscard]] std::string squeezed_text(const Summary& summary, const Scene& scene);
/// Returns the residual above which a step is unsolved.
[[nodiscard]] inline double limit_of(const report::RunFacts& facts) { return std::max(facts.tolerance, facts.accept); }

}  // namespace repose::cli
