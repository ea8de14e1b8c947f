// SPDX-License-Identifier: Apache-2.0
// Kernels of models with prescribed motions and events.
#define REPOSE_UNCONTRACTED repose_uncontracted_2
#include "repose/batch/host_class_internal.h"

namespace repose::batch::host {

void advance_2(const std::byte* tables, std::byte* state, long long target) { advance_class<2>(tables, state, target); }

}  // namespace repose::batch::host
