// SPDX-License-Identifier: Apache-2.0
// How our programs end: trouble becomes one line on standard error and an exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "apps/terminal/exit_status.h"

namespace repose::cli {

/// Runs `body`, which parses the options of `program` and does the work. `place` is added to messages about the
/// command line: where help is.
[[nodiscard]] Exit guarded(const CLI::App& program, const std::function<Exit()>& body,
                           const std::function<std::string()>& place);

/// For main(): catches Ctrl-C, and what not even guarded() could say.
[[nodiscard]] int run_main(const std::function<Exit()>& body);

}  // namespace repose::cli
