// SPDX-License-Identifier: Apache-2.0
// repose scenes: the built-in scenes, what they show and what can be set about them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/choose_kinds.h"
#include "apps/cli/commands.h"
#include "apps/cli/console.h"
#include "apps/cli/exit_status.h"
#include "apps/cli/json_output.h"
#include "apps/cli/option_checks.h"
#include "scenes/registry.h"

namespace repose::cli {
namespace {

using scenes::Parameter;
using scenes::SceneKind;

constexpr const char* kExample =
    "Examples:\n"
    "  repose scenes\n"
    "  repose scenes arch\n"
    "  repose scenes --json\n\n"
    "Set parameters with repose run NAME --set key=value.";

struct Settings {
  std::string name;
  bool json = false;
};

/// The default as JSON: a number, true or false, or text.
Json value_record(const Parameter& p) {
  if (p.type == "flag") return p.value == "true";
  if (p.type == "choice") return p.value;
  if (p.type == "whole") return std::stoll(p.value);
  return parse_number(p.value).value_or(0);
}

Json parameter_record(const Parameter& p) {
  JsonRecord record;
  record.put("name", p.name);
  record.put("type", p.type);
  record.put("default", value_record(p));
  if (p.type == "number" || p.type == "whole") {
    record.put("min", p.min);
    record.put("max", p.max);
  }
  if (p.type == "choice") record.put("choices", p.choices);
  record.put("unit", p.unit);
  record.put("help", p.help);
  return record.finish();
}

Json kind_record(const SceneKind& kind) {
  JsonRecord record;
  record.put("name", kind.name);
  record.put("summary", kind.summary);
  Json parameters = Json::array();
  for (const Parameter& p : kind.parameters) parameters.push_back(parameter_record(p));
  record.put("parameters", parameters);
  return record.finish();
}

void print_kind(const Console& console, const SceneKind& kind) {
  console.line(console.paint(Style::kBold, kind.name) + "  " + kind.summary);
  std::size_t name_width = 0, value_width = 0, range_width = 0;
  for (const Parameter& p : kind.parameters) {
    name_width = std::max(name_width, p.name.size());
    value_width = std::max(value_width, p.value.size());
    range_width = std::max(range_width, p.range().size());
  }
  for (const Parameter& p : kind.parameters)
    console.line(fmt::format("  {:<{}} = {:<{}}  {}  {}", p.name, name_width, p.value, value_width,
                             console.paint(Style::kDim, fmt::format("{:<{}}", p.range(), range_width)), p.help));
  console.line();
}

Exit run_scenes(const Settings& s) {
  const std::vector<SceneKind> kinds = choose_kinds("scenes", scenes::list(), s.name);
  if (s.json) {
    Json list = Json::array();
    for (const SceneKind& kind : kinds) list.push_back(kind_record(kind));
    write_json("-", list);
    return Exit::kDone;
  }
  const Console console(stdout);
  for (const SceneKind& kind : kinds) print_kind(console, kind);
  return Exit::kDone;
}

}  // namespace

Command add_scenes(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("scenes", "List the built-in scenes and their parameters");
  app.footer(kExample);
  const auto s = std::make_shared<Settings>();
  app.add_option("NAME", s->name, "only this scene")->type_name("");
  app.add_flag("--json", s->json, "the list as JSON on standard output");
  return {&app, [s] { return run_scenes(*s); }};
}

}  // namespace repose::cli
