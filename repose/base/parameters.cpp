// SPDX-License-Identifier: Apache-2.0
#include "repose/base/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "repose/base/error.h"

namespace repose {
namespace {

/// Returns 100000 instead of 1e+05, where six digits are exact.
std::string bound_text(double value) {
  char text[32];
  const std::string plain(text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr);
  return parse_number(plain) == value ? plain : text_of(value);
}

std::string range_text(double min, double max, std::string_view unit, bool above_min = false) {
  std::string text = bound_text(min);
  if (above_min || std::isinf(max)) text = (above_min ? "> " : ">= ") + text;
  if (!std::isinf(max)) text += (above_min ? ", <= " : " .. ") + bound_text(max);
  if (!unit.empty()) (text += ' ') += unit;
  return text;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string text_of(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void assign(double& value, const std::string& text) { value = parse_number(text).value_or(value); }
void assign(int& value, const std::string& text) { value = static_cast<int>(parse_number(text).value_or(value)); }
void assign(bool& value, const std::string& text) { value = is_yes(text); }

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

std::string Parameter::range() const {
  if (type == "flag") return "true | false";
  if (type == "choice") return joined(choices, " | ");
  return range_text(min, max, unit, above_min);
}

bool is_yes(std::string_view text) { return text == "true" || text == "1" || text == "yes" || text == "on"; }

std::string value_fault(const Parameter& p, const std::string& text) {
  const auto wanted = [&](const std::string& what) { return "expected " + what + ", got '" + text + "'"; };
  if (p.type == "choice") {
    const bool known = std::find(p.choices.begin(), p.choices.end(), text) != p.choices.end();
    return known ? "" : wanted(joined(p.choices));
  }
  if (p.type == "flag") {
    const bool no = text == "false" || text == "0" || text == "no" || text == "off";
    return no || is_yes(text) ? "" : wanted("true or false");
  }
  const double value = parse_number(text).value_or(std::nan(""));
  const bool low = p.above_min ? value > p.min : value >= p.min;
  const bool whole = p.type != "whole" || value == std::floor(value);
  return low && value <= p.max && whole ? "" : wanted((p.type == "whole" ? "a whole number, " : "") + p.range());
}

void check_value(std::string_view owner, const Parameter& p, const std::string& text) {
  const std::string fault = value_fault(p, text);
  require(fault.empty(), owner, ": ", p.name, ": ", fault);
}

void check_range(std::string_view owner, std::string_view field, double value, double min, double max,
                 std::string_view unit) {
  require(value >= min && value <= max, owner, ": ", field, ": expected ", range_text(min, max, unit), ", got ",
          bound_text(value));
}

}  // namespace repose
