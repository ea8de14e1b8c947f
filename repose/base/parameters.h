// SPDX-License-Identifier: Apache-2.0
// Options structs as text: one table per struct gives name, range, unit and meaning of each field. Registries, the
// command line, Python and the viewer read and set fields through it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace repose {

/// Values by the name of their field, as text: "mu" → "0.4".
using ParameterValues = std::map<std::string, std::string>;

/// A field as users see it.
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

/// The table of a struct: `const Fields<Options>& fields(const Options&)`, declared beside it.
template <class Options>
using Fields = std::vector<Field<Options>>;

/// As short as brings back the same number.
[[nodiscard]] std::string text_of(double value);
/// "a, b, c"
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const char* between = ", ");

/// Reads the whole text; InputError "<owner>: <field>: found '<text>', allowed …".
[[nodiscard]] double number_from(std::string_view owner, const Parameter& p, const std::string& text);
[[nodiscard]] bool flag_from(std::string_view owner, const Parameter& p, const std::string& text);
/// Throws InputError unless the text is a value of the parameter.
void check_value(std::string_view owner, const Parameter& p, const std::string& text);
/// Throws InputError unless min ≤ value ≤ max: for bounds that depend on other fields.
void check_range(std::string_view owner, std::string_view field, double value, double min, double max,
                 std::string_view unit);

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
void set(const Field<Options>& field, Options& options, std::string_view owner, const std::string& text) {
  const Parameter p = describe(field, options);
  check_value(owner, p, text);
  if (const auto* m = std::get_if<double Options::*>(&field.member)) options.** m = number_from(owner, p, text);
  if (const auto* m = std::get_if<int Options::*>(&field.member))
    options.** m = static_cast<int>(number_from(owner, p, text));
  if (const auto* m = std::get_if<bool Options::*>(&field.member)) options.** m = flag_from(owner, p, text);
  if (const auto* m = std::get_if<std::string Options::*>(&field.member)) options.** m = text;
}

/// All fields with the values of `defaults`, appended to `list`.
template <class Options>
void describe(const Options& defaults, std::vector<Parameter>& list) {
  for (const Field<Options>& field : fields(defaults)) list.push_back(describe(field, defaults));
}

/// `options` with those fields changed that `values` names; other names are not looked at.
template <class Options>
[[nodiscard]] Options changed(Options options, std::string_view owner, const ParameterValues& values) {
  for (const Field<Options>& field : fields(options))
    if (const auto found = values.find(field.name); found != values.end()) set(field, options, owner, found->second);
  return options;
}

/// Checks every field of the options, whoever filled them, and lists them as text.
template <class Options>
ParameterValues checked(std::string_view owner, const Options& options) {
  ParameterValues values;
  for (const Field<Options>& field : fields(options)) {
    const std::string text = get(field, options);
    check_value(owner, describe(field, options), text);
    values[field.name] = text;
  }
  return values;
}

}  // namespace repose
