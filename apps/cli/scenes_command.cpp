// SPDX-License-Identifier: Apache-2.0
// repose scenes: the built-in scenes, what they show and what can be set about them.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/cli/commands.h"
#include "apps/cli/kind_list.h"
#include "scenes/registry.h"

namespace repose::cli {
namespace {

constexpr const char* kScenesExample =
    "Examples:\n"
    "  repose scenes\n"
    "  repose scenes arch\n"
    "  repose scenes --json\n\n"
    "Set parameters with repose run NAME --set key=value.";

struct ScenesSettings {
  std::string name;
  bool json = false;
};

Exit run_scenes(const ScenesSettings& s) {
  list_kinds("scenes", scenes::list(), s.name, s.json);
  return Exit::kDone;
}

}  // namespace

Command add_scenes(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("scenes", "List the built-in scenes and their parameters");
  app.footer(kScenesExample);
  const auto s = std::make_shared<ScenesSettings>();
  app.add_option("NAME", s->name, "only this scene")->type_name("");
  app.add_flag("--json", s->json, "the list as JSON on standard output");
  return {&app, [s] { return run_scenes(*s); }};
}

}  // namespace repose::cli
