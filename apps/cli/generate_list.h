// SPDX-License-Identifier: Apache-2.0
// repose generate --list: the kinds of problems and what can be set about them.
#pragma once

#include <string>

namespace repose::cli {

/// All kinds (`name` empty) or one of them, on standard output. Throws UsageError for a name that is not there.
void list_kinds(const std::string& name, bool json);

}  // namespace repose::cli
