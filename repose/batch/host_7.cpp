// SPDX-License-Identifier: Apache-2.0
// Kernels of models with joints and everything else.
#define REPOSE_UNCONTRACTED repose_uncontracted_7
#include "repose/batch/host_class_internal.h"

namespace repose::batch::host {

void advance_7(const std::byte* tables, std::byte* state, long long target) { advance_class<7>(tables, state, target); }

}  // namespace repose::batch::host
