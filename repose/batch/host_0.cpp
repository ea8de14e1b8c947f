// SPDX-License-Identifier: Apache-2.0
// Kernels of models without features.
#define REPOSE_UNCONTRACTED repose_uncontracted_0
#include "repose/batch/host_class_internal.h"

namespace repose::batch::host {

void advance_0(const std::byte* tables, std::byte* state, long long target) { advance_class<0>(tables, state, target); }

}  // namespace repose::batch::host
