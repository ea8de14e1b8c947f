// SPDX-License-Identifier: Apache-2.0
#include "repose/base/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "repose/base/error.h"

namespace repose {
namespace {

std::optional<double> parsed(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// 100000 and not 1e+05, where six digits say it all.
std::string bound_text(double value) {
  char text[32];
  const std::string plain(text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr);
  return parsed(plain) == value ? plain : text_of(value);
}

std::string range_text(double min, double max, std::string_view unit) {
  std::string text = bound_text(min) + " .. " + bound_text(max);
  if (!unit.empty()) (text += ' ') += unit;
  return text;
}

}  // namespace

std::string text_of(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

std::string Parameter::range() const {
  if (type == "flag") return "true | false";
  if (type == "choice") return joined(choices, " | ");
  return range_text(min, max, unit);
}

double number_from(std::string_view owner, const Parameter& p, const std::string& text) {
  const double value = parsed(text).value_or(std::nan(""));
  const bool whole = p.type != "whole" || value == std::floor(value);
  require(value >= p.min && value <= p.max && whole, owner, ": ", p.name, ": found '", text, "', allowed ",
          p.type == "whole" ? "a whole number, " : "", p.range());
  return value;
}

bool flag_from(std::string_view owner, const Parameter& p, const std::string& text) {
  const bool yes = text == "true" || text == "1" || text == "yes" || text == "on";
  require(yes || text == "false" || text == "0" || text == "no" || text == "off", owner, ": ", p.name, ": found '",
          text, "', allowed true or false");
  return yes;
}

void check_value(std::string_view owner, const Parameter& p, const std::string& text) {
  if (p.type == "flag") return (void)flag_from(owner, p, text);
  if (p.type != "choice") return (void)number_from(owner, p, text);
  require(std::find(p.choices.begin(), p.choices.end(), text) != p.choices.end(), owner, ": ", p.name, ": found '",
          text, "', allowed ", joined(p.choices));
}

void check_range(std::string_view owner, std::string_view field, double value, double min, double max,
                 std::string_view unit) {
  require(value >= min && value <= max, owner, ": ", field, ": found ", bound_text(value), ", allowed ",
          range_text(min, max, unit));
}

}  // namespace repose
