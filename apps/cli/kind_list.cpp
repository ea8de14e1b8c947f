// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/kind_list.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/terminal/console.h"
#include "apps/terminal/exit_status.h"
#include "repose/report/kind_report_internal.h"

namespace repose::cli {
namespace {

std::vector<Kind> chosen_of(const char* command, const std::vector<Kind>& all, const std::string& name) {
  std::vector<Kind> chosen;
  std::vector<std::string> names;
  for (const Kind& kind : all) {
    names.push_back(kind.name);
    if (name.empty() || kind.name == name) chosen.push_back(kind);
  }
  require_usage(!chosen.empty(), command, ": expected ", joined(names), ", got '", name, "'");
  return chosen;
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
    report::Json list = report::Json::array();
    for (const Kind& kind : kinds) list.push_back(report::kind_record(kind));
    return report::write_json("-", list);
  }
  const Console console(stdout);
  for (const Kind& kind : kinds) print_kind(console, kind);
}

}  // namespace repose::cli
