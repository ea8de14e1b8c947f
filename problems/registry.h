// SPDX-License-Identifier: Apache-2.0
// Every kind of problem by name, with its parameters: what the command line offers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/source.h"
#include "repose/base/registry.h"

namespace repose::problems {

/// All kinds, in the order in which they are shown.
[[nodiscard]] const std::vector<Kind>& list();

/// The kind `name` with some parameters changed from their defaults. Unknown names and values out of range throw
/// InputError with one line that says what is allowed.
[[nodiscard]] std::unique_ptr<Source> make(std::string_view name, const std::map<std::string, double>& parameters = {},
                                           std::uint64_t seed = 1);

}  // namespace repose::problems
