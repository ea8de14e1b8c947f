// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/kind_list.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/console.h"
#include "apps/cli/exit_status.h"
#include "apps/cli/json_output.h"
#include "apps/cli/option_checks.h"

namespace repose::cli {
namespace {

std::vector<Kind> chosen_of(const char* command, const std::vector<Kind>& all, const std::string& name) {
  std::vector<Kind> chosen;
  std::vector<std::string> names;
  for (const Kind& kind : all) {
    names.push_back(kind.name);
    if (name.empty() || kind.name == name) chosen.push_back(kind);
  }
  require_usage(!chosen.empty(), command, ": found '", name, "', allowed ", joined(names));
  return chosen;
}

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
    record.put("whole", p.type == "whole");
  }
  if (p.type == "choice") record.put("choices", p.choices);
  record.put("unit", p.unit);
  record.put("help", p.help);
  return record.finish();
}

Json kind_record(const Kind& kind) {
  JsonRecord record;
  record.put("name", kind.name);
  record.put("summary", kind.summary);
  Json parameters = Json::array();
  for (const Parameter& p : kind.parameters) parameters.push_back(parameter_record(p));
  record.put("parameters", parameters);
  return record.finish();
}

/// 1/60 in six digits; JSON has all of them.
std::string value_text(const Parameter& p) {
  return p.type == "number" ? fmt::format("{:.6g}", parse_number(p.value).value_or(0)) : p.value;
}

void print_kind(const Console& console, const Kind& kind) {
  console.line(console.paint(Style::kBold, kind.name) + "  " + kind.summary);
  std::size_t name_width = 0, value_width = 0, range_width = 0;
  for (const Parameter& p : kind.parameters) {
    name_width = std::max(name_width, p.name.size());
    value_width = std::max(value_width, value_text(p).size());
    range_width = std::max(range_width, p.range().size());
  }
  for (const Parameter& p : kind.parameters)
    console.line(fmt::format("  {:<{}} = {:<{}}  {}  {}", p.name, name_width, value_text(p), value_width,
                             console.paint(Style::kDim, fmt::format("{:<{}}", p.range(), range_width)), p.help));
  console.line();
}

}  // namespace

void list_kinds(const char* command, const std::vector<Kind>& all, const std::string& name, bool json) {
  const std::vector<Kind> kinds = chosen_of(command, all, name);
  if (json) {
    Json list = Json::array();
    for (const Kind& kind : kinds) list.push_back(kind_record(kind));
    return write_json("-", list);
  }
  const Console console(stdout);
  for (const Kind& kind : kinds) print_kind(console, kind);
}

}  // namespace repose::cli
