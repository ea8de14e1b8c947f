// SPDX-License-Identifier: Apache-2.0
#include "repose/report/kind_report_internal.h"

namespace repose::report {
namespace {

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

}  // namespace

Json kind_record(const Kind& kind) {
  JsonRecord record;
  record.put("name", kind.name);
  record.put("summary", kind.summary);
  Json parameters = Json::array();
  for (const Parameter& p : kind.parameters) parameters.push_back(parameter_record(p));
  record.put("parameters", parameters);
  return record.finish();
}

}  // namespace repose::report
