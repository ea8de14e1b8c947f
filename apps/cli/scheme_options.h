// SPDX-License-Identifier: Apache-2.0
// The options that choose a scheme, the same for every command that solves: those of the library's table.
#pragma once

#include <CLI/CLI.hpp>

#include "repose/scheme/scheme_options.h"

namespace repose::cli {

struct SchemeSettings {
  ParameterValues values;  ///< of the options that were given, by their names in the table
};

void add_scheme_options(CLI::App& app, SchemeSettings& settings);

/// Returns the options; `defaults` as in options_from_values(). Throws UsageError for options that the chosen scheme
/// would not look at.
[[nodiscard]] FrictionOptions friction_options(const SchemeSettings& settings, const FrictionOptions& defaults = {});

}  // namespace repose::cli
