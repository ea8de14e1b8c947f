// SPDX-License-Identifier: Apache-2.0
// The options that choose a scheme, the same for every command that solves.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "repose/scheme/options.h"

namespace repose::cli {

struct SchemeSettings {
  std::string outer = "auto", inner = "auto";
  double tolerance = 1e-8;
  std::string stop;                     ///< empty: the certificate
  std::optional<double> gamma, safety;  ///< of fbf
  std::optional<int> max_outer, inner_iterations, acceleration;
};

void add_scheme_options(CLI::App& app, SchemeSettings& settings);

/// Throws UsageError for options that the chosen scheme would not look at: silence would read as obedience.
[[nodiscard]] FrictionOptions friction_options(const SchemeSettings& settings);

}  // namespace repose::cli
