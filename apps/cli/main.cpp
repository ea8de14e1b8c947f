// SPDX-License-Identifier: Apache-2.0
// The program `repose`: finds the command, runs it, turns trouble into one line and an exit status.
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/terminal/program.h"
#include "repose/base/version.h"

namespace repose::cli {
namespace {

constexpr const char* kAbout =
    "Rigid bodies in contact under the exact Coulomb law, with a certificate for every answer.";
constexpr const char* kMainExample =
    "Example:\n"
    "  repose run arch --set stones=25 --record arch.h5\n"
    "  repose check arch.h5\n\n"
    "repose COMMAND --help explains a command.";

/// The command whose options were being read when parsing ended.
std::string place(const std::vector<Command>& commands) {
  for (const Command& command : commands)
    if (command.options->parsed()) return " (repose " + command.options->get_name() + " --help)";
  return " (repose --help)";
}

std::string names(const std::vector<Command>& commands) {
  std::string list;
  for (const Command& command : commands) list += (list.empty() ? "" : ", ") + command.options->get_name();
  return list;
}

void check_command(const std::vector<Command>& commands, const std::string& found) {
  bool known = found.starts_with('-');
  for (const Command& command : commands) known |= command.options->get_name() == found;
  require_usage(known, "command: expected ", names(commands), ", got '", found, "' (repose --help)");
}

Exit parse_and_run(CLI::App& program, const std::vector<Command>& commands, int argc, char** argv) {
  if (argc > 1) check_command(commands, argv[1]);
  if (argc > 1 && std::string_view(argv[1]) == "bench") become_bench({argv + 2, argv + argc});
  program.parse(argc, argv);
  for (const Command& command : commands)
    if (command.options->parsed()) return command.run();
  throw UsageError("command: expected " + names(commands) + ", got none (repose --help)");
}

Exit repose_program(int argc, char** argv) {
  CLI::App program(kAbout, "repose");
  program.footer(kMainExample);
  program.set_version_flag("--version", "repose " + std::string(kVersion));
  const std::vector<Command> commands{add_scenes(program), add_devices(program), add_run(program),
                                      add_check(program),  add_view(program),    add_export(program),
                                      add_render(program), add_solve(program),   add_generate(program),
                                      add_score(program),  add_bench(program)};
  return guarded(
      program, [&] { return parse_and_run(program, commands, argc, argv); }, [&] { return place(commands); });
}

}  // namespace
}  // namespace repose::cli

int main(int argc, char** argv) {
  return repose::cli::run_main([&] { return repose::cli::repose_program(argc, argv); });
}
