// SPDX-License-Identifier: Apache-2.0
// Options structs as text: one table per struct gives name, range, unit and meaning of each field. Registries, the
// command line, Python and the viewer read and set fields through it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace repose {

/// Values by the name of their field, as text: "mu" → "0.4".
using ParameterValues = std::map<std::string, std::string>;

/// A field as shown to users.
struct Parameter {
  std::string name, type;                   ///< type: number, whole, flag or choice
  std::string value;                        ///< default
  double min = 0, max = 0;                  ///< number and whole: allowed range, both ends included
  std::vector<std::string> choices;         ///< choice: the allowed values
  std::string unit, help;                   ///< unit: empty for a pure number
  bool above_min = false;                   ///< min itself is not allowed
  [[nodiscard]] std::string range() const;  ///< "0 .. 1 m", "> 0 kg", "closed | dataset"
};

/// Convert a field's value to text and back; check_value() must come first.
[[nodiscard]] std::string text_of(double value);  ///< the shortest text that reads back as the same number
[[nodiscard]] inline std::string text_of(int value) { return std::to_string(value); }
[[nodiscard]] inline std::string text_of(bool value) { return value ? "true" : "false"; }
[[nodiscard]] inline std::string text_of(const std::string& value) { return value; }
void assign(double& value, const std::string& text);
void assign(int& value, const std::string& text);
void assign(bool& value, const std::string& text);
inline void assign(std::string& value, const std::string& text) { value = text; }
/// "number", "whole", "flag", "choice"
[[nodiscard]] constexpr const char* type_name(const double&) { return "number"; }
[[nodiscard]] constexpr const char* type_name(const int&) { return "whole"; }
[[nodiscard]] constexpr const char* type_name(const bool&) { return "flag"; }
[[nodiscard]] inline const char* type_name(const std::string&) { return "choice"; }

template <class Options>
struct Field {
  /// `member`: a double, int, bool or std::string of the struct; `choices`: the allowed texts.
  template <class Value>
  Field(const char* name_, Value Options::*member, double min_, double max_, const char* unit_, const char* help_,
        std::vector<std::string> choices_ = {})
      : name(name_),
        type(type_name(Value{})),
        get([member](const Options& options) { return text_of(options.*member); }),
        set([member](Options& options, const std::string& text) { assign(options.*member, text); }),
        min(min_),
        max(max_),
        unit(unit_),
        help(help_),
        choices(std::move(choices_)) {}

  const char *name, *type;
  std::function<std::string(const Options&)> get;
  std::function<void(Options&, const std::string&)> set;
  double min, max;
  const char *unit, *help;
  std::vector<std::string> choices;
};

/// The table of a struct: `const Fields<Options>& fields(const Options&)`, declared beside it.
template <class Options>
using Fields = std::vector<Field<Options>>;

/// Returns the whole text as a finite number.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// "a, b, c"
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const char* between = ", ");

/// Returns why the text is not a value of the parameter, "expected …, got '<text>'"; empty when it is one.
[[nodiscard]] std::string value_fault(const Parameter& p, const std::string& text);
/// Throws InputError "<owner>: <field>: expected …, got '<text>'" unless the text is a value of the parameter.
void check_value(std::string_view owner, const Parameter& p, const std::string& text);
/// Returns true for "true", "1", "yes" and "on".
[[nodiscard]] bool is_yes(std::string_view text);
/// Throws InputError unless min ≤ value ≤ max. For bounds that depend on other fields.
void check_range(std::string_view owner, std::string_view field, double value, double min, double max,
                 std::string_view unit);

template <class Options>
[[nodiscard]] Parameter describe(const Field<Options>& f, const Options& defaults) {
  return {f.name, f.type, f.get(defaults), f.min, f.max, f.choices, f.unit, f.help};
}

/// Appends all fields with the values of `defaults` to `list`.
template <class Options>
void describe(const Options& defaults, std::vector<Parameter>& list) {
  for (const Field<Options>& field : fields(defaults)) list.push_back(describe(field, defaults));
}

/// Returns `options` with the fields that `values` names changed; other names are ignored.
template <class Options>
[[nodiscard]] Options changed(Options options, std::string_view owner, const ParameterValues& values) {
  for (const Field<Options>& field : fields(options))
    if (const auto found = values.find(field.name); found != values.end()) {
      check_value(owner, describe(field, options), found->second);
      field.set(options, found->second);
    }
  return options;
}

/// Checks every field of the options, however it was set, and returns all of them as text.
template <class Options>
ParameterValues checked(std::string_view owner, const Options& options) {
  ParameterValues values;
  for (const Field<Options>& field : fields(options)) {
    const Parameter p = describe(field, options);
    check_value(owner, p, p.value);
    values[field.name] = p.value;
  }
  return values;
}

}  // namespace repose
