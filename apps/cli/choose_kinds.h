// SPDX-License-Identifier: Apache-2.0
// The entries of a registry that a user named: the one of that name, or all of them for an empty name.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/exit_status.h"
#include "apps/cli/option_checks.h"

namespace repose::cli {

/// Wrong usage, with the names there are, when none fits.
template <class Kind>
[[nodiscard]] std::vector<Kind> choose_kinds(const char* command, const std::vector<Kind>& all,
                                             const std::string& name) {
  std::vector<Kind> chosen;
  std::vector<std::string> names;
  for (const Kind& kind : all) {
    names.push_back(kind.name);
    if (name.empty() || kind.name == name) chosen.push_back(kind);
  }
  require_usage(!chosen.empty(), command, ": found '", name, "', allowed ", joined(names));
  return chosen;
}

}  // namespace repose::cli
