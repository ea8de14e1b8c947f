// SPDX-License-Identifier: Apache-2.0
// The program `repose`: finds the command, runs it, turns trouble into one line and an exit status.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/interrupt.h"
#include "repose/base/error.h"
#include "repose/base/version.h"

namespace repose::cli {
namespace {

constexpr const char* kAbout =
    "Rigid bodies in contact under the exact Coulomb law, with a certificate for every answer.";
constexpr const char* kExample =
    "Example:\n"
    "  repose run arch --set stones=25 --record arch.h5\n"
    "  repose check arch.h5\n\n"
    "repose COMMAND --help explains a command.";

/// One line, whatever the library said.
Exit complain(std::string text, Exit status) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  fmt::print(stderr, "repose: {}\n", text);
  return status;
}

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
  require_usage(known, "command: found '", found, "', allowed ", names(commands), " (repose --help)");
}

Exit parse_and_run(CLI::App& program, const std::vector<Command>& commands, int argc, char** argv) {
  if (argc > 1) check_command(commands, argv[1]);
  program.parse(argc, argv);
  for (const Command& command : commands)
    if (command.options->parsed()) return command.run();
  throw UsageError("command: found none, allowed " + names(commands) + " (repose --help)");
}

Exit guarded(int argc, char** argv) {
  CLI::App program(kAbout, "repose");
  program.footer(kExample);
  program.set_version_flag("--version", "repose " + std::string(kVersion));
  const std::vector<Command> commands{
      add_scenes(program), add_run(program),   add_check(program),    add_view(program),  add_export(program),
      add_render(program), add_solve(program), add_generate(program), add_score(program), add_bench(program)};
  try {
    return parse_and_run(program, commands, argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return static_cast<Exit>(program.exit(asked_for_help));
  } catch (const CLI::ParseError& error) {
    return complain(error.what() + place(commands), Exit::kUsage);
  } catch (const UsageError& error) {
    return complain(error.what(), Exit::kUsage);
  } catch (const InputError& error) {
    return complain(error.what(), Exit::kBadInput);
  } catch (const std::bad_alloc&) {
    return complain("more memory needed than this machine has", Exit::kBadInput);
  } catch (const std::exception& error) {
    return complain(error.what(), Exit::kBadInput);
  }
}

}  // namespace
}  // namespace repose::cli

int main(int argc, char** argv) try {
  repose::cli::catch_interrupts();
  return static_cast<int>(repose::cli::guarded(argc, argv));
} catch (...) {
  std::fputs("repose: standard error cannot be written, or a fault of the program\n", stderr);
  return 1;
}
