// SPDX-License-Identifier: Apache-2.0
// The options of a solve as shown to users: one table of names, defaults, units, ranges and meanings. The command line
// (--max-outer), Python (max_outer=) and the documentation use it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "repose/base/parameters.h"
#include "repose/scheme/options.h"

namespace repose {

struct SchemeOption : Parameter {
  std::string otherwise;             ///< the behaviour without it, in words, where `value` is empty
  std::vector<std::string> schemes;  ///< the outer schemes that use it; empty: all
};

[[nodiscard]] const std::vector<SchemeOption>& scheme_options();

/// Returns an option's name as messages show it: "max_outer", "--max-outer".
using OptionNames = std::function<std::string(std::string_view)>;

/// Returns the options that `values` (by the names of the table) describe; polish, accept and budget are those of
/// `defaults` where no value is given. Throws InputError for a name that is not in the table, a value out of range, a
/// solver that this build lacks, and an option that the chosen scheme does not use.
[[nodiscard]] FrictionOptions options_from_values(const ParameterValues& values, const OptionNames& shown = {},
                                                  const FrictionOptions& defaults = {});

}  // namespace repose
