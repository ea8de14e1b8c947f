// SPDX-License-Identifier: Apache-2.0
#include "scenes/fields.h"

#include <algorithm>

namespace repose::scenes {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

}  // namespace

std::string text_of(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string Parameter::range() const {
  if (type == "flag") return "true | false";
  if (type == "choice") return joined(choices, " | ");
  return text_of(min) + " .. " + text_of(max) + (unit.empty() ? "" : " " + unit);
}

double number_from(std::string_view scene, const Parameter& p, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = p.type != "whole" || value == std::floor(value);
  require(error == std::errc() && end == text.data() + text.size() && value >= p.min && value <= p.max && whole, scene,
          ": ", p.name, ": found '", text, "', allowed ", p.type == "whole" ? "a whole number, " : "", p.range());
  return value;
}

bool flag_from(std::string_view scene, const Parameter& p, const std::string& text) {
  const bool yes = text == "true" || text == "1" || text == "yes" || text == "on";
  require(yes || text == "false" || text == "0" || text == "no" || text == "off", scene, ": ", p.name, ": found '",
          text, "', allowed true or false");
  return yes;
}

void check_value(std::string_view scene, const Parameter& p, const std::string& text) {
  if (p.type == "flag") return (void)flag_from(scene, p, text);
  if (p.type != "choice") return (void)number_from(scene, p, text);
  require(std::find(p.choices.begin(), p.choices.end(), text) != p.choices.end(), scene, ": ", p.name, ": found '",
          text, "', allowed ", joined(p.choices, ", "));
}

}  // namespace repose::scenes
