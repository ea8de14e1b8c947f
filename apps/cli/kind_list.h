// SPDX-License-Identifier: Apache-2.0
// A registry as `repose scenes` and `repose generate --list` show it: names, summaries, parameters.
#pragma once

#include <string>
#include <vector>

#include "repose/base/registry.h"

namespace repose::cli {

/// All kinds (`name` empty) or the one of that name, on standard output, for people or as JSON. `command` begins the
/// message of the UsageError for a name that is not there.
void list_kinds(const char* command, const std::vector<Kind>& all, const std::string& name, bool json);

}  // namespace repose::cli
