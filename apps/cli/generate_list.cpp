// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/generate_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "apps/cli/choose_kinds.h"
#include "apps/cli/console.h"
#include "apps/cli/exit_status.h"
#include "apps/cli/json_output.h"
#include "apps/cli/option_checks.h"
#include "problems/registry.h"

namespace repose::cli {
namespace {

using problems::Parameter;
using problems::ProblemKind;

Json parameter_record(const Parameter& p) {
  JsonRecord record;
  record.put("name", p.name);
  record.put("default", p.value);
  record.put("min", p.min);
  record.put("max", p.max);
  record.put("unit", p.unit);
  record.put("whole", p.whole);
  record.put("help", p.help);
  return record.finish();
}

Json kind_record(const ProblemKind& kind) {
  JsonRecord record;
  record.put("name", kind.name);
  record.put("summary", kind.summary);
  Json parameters = Json::array();
  for (const Parameter& p : kind.parameters) parameters.push_back(parameter_record(p));
  record.put("parameters", parameters);
  return record.finish();
}

std::string range_text(const Parameter& p) {
  return fmt::format("{:g} .. {:g}{}{}", p.min, p.max, p.unit.empty() ? "" : " ", p.unit);
}

void print_kind(const Console& console, const ProblemKind& kind) {
  console.line(console.paint(Style::kBold, kind.name) + "  " + kind.summary);
  std::size_t name_width = 0, range_width = 0;
  for (const Parameter& p : kind.parameters) {
    name_width = std::max(name_width, p.name.size());
    range_width = std::max(range_width, range_text(p).size());
  }
  for (const Parameter& p : kind.parameters)
    console.line(fmt::format("  {:<{}} = {:<10}  {}  {}", p.name, name_width, fmt::format("{:.6g}", p.value),
                             console.paint(Style::kDim, fmt::format("{:<{}}", range_text(p), range_width)), p.help));
  console.line();
}

}  // namespace

void list_kinds(const std::string& name, bool json) {
  const std::vector<ProblemKind> kinds = choose_kinds("generate", problems::list(), name);
  if (json) {
    Json list = Json::array();
    for (const ProblemKind& kind : kinds) list.push_back(kind_record(kind));
    return write_json("-", list);
  }
  const Console console(stdout);
  for (const ProblemKind& kind : kinds) print_kind(console, kind);
}

}  // namespace repose::cli
