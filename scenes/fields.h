// SPDX-License-Identifier: Apache-2.0
// One table per options struct: name, range, unit and meaning of each field. The registry sets fields from text with
// it.
#pragma once

#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "repose/base/error.h"

namespace repose::scenes {

using Values = std::map<std::string, std::string>;

/// A field as the registry shows it.
struct Parameter {
  std::string name, type;                   ///< type: number, whole, flag or choice
  std::string value;                        ///< default
  double min = 0, max = 0;                  ///< number and whole: allowed range, both ends included
  std::vector<std::string> choices;         ///< choice: what is allowed
  std::string unit, help;                   ///< unit: empty for a pure number
  [[nodiscard]] std::string range() const;  ///< "0 .. 1 m", "closed | dataset"
};

template <class Options>
struct Field {
  using Member = std::variant<double Options::*, int Options::*, bool Options::*, std::string Options::*>;
  Field(const char* name_, Member member_, double min_, double max_, const char* unit_, const char* help_,
        std::vector<std::string> choices_ = {})
      : name(name_), member(member_), min(min_), max(max_), unit(unit_), help(help_), choices(std::move(choices_)) {}
  const char* name;
  Member member;
  double min, max;
  const char *unit, *help;
  std::vector<std::string> choices;
};
template <class Options>
using Fields = std::vector<Field<Options>>;

/// As short as brings back the same number.
[[nodiscard]] std::string text_of(double value);
/// Reads the whole text; InputError "<scene>: <field>: found '<text>', allowed …".
[[nodiscard]] double number_from(std::string_view scene, const Parameter& p, const std::string& text);
[[nodiscard]] bool flag_from(std::string_view scene, const Parameter& p, const std::string& text);
/// Throws unless the text is a value of the parameter.
void check_value(std::string_view scene, const Parameter& p, const std::string& text);

template <class Options>
[[nodiscard]] std::string get(const Field<Options>& field, const Options& options) {
  struct Text {
    const Options& o;
    std::string operator()(double Options::*m) const { return text_of(o.*m); }
    std::string operator()(int Options::*m) const { return std::to_string(o.*m); }
    std::string operator()(bool Options::*m) const { return o.*m ? "true" : "false"; }
    std::string operator()(std::string Options::*m) const { return o.*m; }
  };
  return std::visit(Text{options}, field.member);
}

template <class Options>
[[nodiscard]] Parameter describe(const Field<Options>& f, const Options& defaults) {
  constexpr const char* kTypes[] = {"number", "whole", "flag", "choice"};
  return {f.name, kTypes[f.member.index()], get(f, defaults), f.min, f.max, f.choices, f.unit, f.help};
}

template <class Options>
void set(const Field<Options>& field, Options& options, std::string_view scene, const std::string& text) {
  const Parameter p = describe(field, options);
  check_value(scene, p, text);
  if (const auto* m = std::get_if<double Options::*>(&field.member)) options.** m = number_from(scene, p, text);
  if (const auto* m = std::get_if<int Options::*>(&field.member))
    options.** m = static_cast<int>(number_from(scene, p, text));
  if (const auto* m = std::get_if<bool Options::*>(&field.member)) options.** m = flag_from(scene, p, text);
  if (const auto* m = std::get_if<std::string Options::*>(&field.member)) options.** m = text;
}

/// Checks every field of the options, whoever filled them, and lists them as text.
template <class Options>
[[nodiscard]] Values checked(std::string_view scene, const Options& options) {
  Values values;
  for (const Field<Options>& field : fields(options)) {
    const std::string text = get(field, options);
    check_value(scene, describe(field, options), text);
    values[field.name] = text;
  }
  return values;
}

}  // namespace repose::scenes
