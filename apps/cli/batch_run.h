// SPDX-License-Identifier: Apache-2.0
// `repose run --worlds N`: many worlds of one scene at once. See docs/gpu.md.
#pragma once

#include "apps/cli/run_session.h"

namespace repose::cli {

/// Throws UsageError for options that a batch does not have, InputError for scenes that it refuses.
[[nodiscard]] Exit run_batch(const RunSettings& settings);

}  // namespace repose::cli
