// SPDX-License-Identifier: Apache-2.0
// The commands of the program, one source file each: <name>_command.cpp declares its options and runs it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/terminal/exit_status.h"

namespace CLI {
class App;
}

namespace repose::cli {

struct Command {
  CLI::App* options;          ///< the subcommand as the parser knows it
  std::function<Exit()> run;  ///< called after parsing when the subcommand was given; may throw UsageError, InputError
};

[[nodiscard]] Command add_scenes(CLI::App& program);
[[nodiscard]] Command add_devices(CLI::App& program);
[[nodiscard]] Command add_run(CLI::App& program);
[[nodiscard]] Command add_check(CLI::App& program);
[[nodiscard]] Command add_export(CLI::App& program);
[[nodiscard]] Command add_render(CLI::App& program);
[[nodiscard]] Command add_view(CLI::App& program);
[[nodiscard]] Command add_solve(CLI::App& program);
[[nodiscard]] Command add_generate(CLI::App& program);
[[nodiscard]] Command add_score(CLI::App& program);
[[nodiscard]] Command add_bench(CLI::App& program);

/// Becomes repose-bench: every word after `bench` is its own, so that this program's parser does not see them. Throws
/// InputError, with how to build it, when it is not there.
[[noreturn]] void become_bench(const std::vector<std::string>& arguments);

}  // namespace repose::cli
