// SPDX-License-Identifier: Apache-2.0
// Where measured numbers come from: the sources, the compiler and the machine. Every file of numbers carries this, and
// the tables in docs/ are stamped with it (__init__.py of this folder).
#pragma once

#include <nlohmann/json.hpp>

namespace repose::bench {

/// {"version", "commit", "compiler", "flags", "processor", "cores", "system", "date"}. The commit is that of the last
/// build, with "-dirty" when a source differed from it, or "unknown" outside a Git repository. The date is today, UTC.
[[nodiscard]] nlohmann::ordered_json provenance();

}  // namespace repose::bench
