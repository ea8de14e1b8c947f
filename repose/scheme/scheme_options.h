// SPDX-License-Identifier: Apache-2.0
// The options of a solve as users know them: one table of names, defaults, units, ranges and meanings. The command line
// (--max-outer), Python (max_outer=) and the documentation read it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "repose/base/parameters.h"
#include "repose/scheme/options.h"

namespace repose {

struct SchemeOption : Parameter {
  std::string otherwise;             ///< what holds when it is not given, in words, where `value` is empty
  std::vector<std::string> schemes;  ///< the outer schemes that look at it; empty: all
};

[[nodiscard]] const std::vector<SchemeOption>& scheme_options();

/// How messages write the name of an option: "max_outer", "--max-outer".
using OptionNames = std::function<std::string(std::string_view)>;

/// The choice that `values` (by the names of the table) describe. Throws InputError for a name that is not in the
/// table, a value out of range, a solver that this build lacks, and an option that the chosen scheme would not look at:
/// silence would read as obedience.
[[nodiscard]] FrictionOptions options_from_values(const ParameterValues& values, const OptionNames& shown = {});

}  // namespace repose
