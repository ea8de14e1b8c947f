// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/scheme_options.h"

#include <algorithm>

#include "apps/terminal/exit_status.h"
#include "repose/base/error.h"

namespace repose::cli {
namespace {

/// "max_outer" → "--max-outer"
std::string flag_of(std::string_view name) {
  std::string flag(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return "--" + flag;
}

/// "fbf: fixed step size, kg (adaptive)", and below it the choices.
std::string help_of(const SchemeOption& option) {
  std::string text = option.schemes.empty() ? "" : joined(option.schemes) + ": ";
  text += option.help;
  if (!option.unit.empty()) text += ", " + option.unit;
  text += " (" + (option.value.empty() ? option.otherwise : option.value) + ")";
  return option.choices.empty() ? text : text + ":\n" + joined(option.choices);
}

const char* value_name(const SchemeOption& option) {
  return option.type == "choice" ? "NAME" : option.type == "whole" ? "N" : "X";
}

}  // namespace

void add_scheme_options(CLI::App& app, SchemeSettings& settings) {
  for (const SchemeOption& option : scheme_options()) {
    const auto keep = [&settings, name = option.name](const std::string& text) { settings.values[name] = text; };
    app.add_option_function<std::string>(flag_of(option.name), keep, help_of(option))
        ->check(CLI::Validator([&option](std::string& text) { return value_fault(option, text); }, ""))
        ->type_name(value_name(option));
  }
}

FrictionOptions friction_options(const SchemeSettings& settings, const FrictionOptions& defaults) {
  try {
    return options_from_values(settings.values, flag_of, defaults);
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace repose::cli
