// SPDX-License-Identifier: Apache-2.0
// Kernels of models with cylinders, prescribed motions and events.
#define REPOSE_UNCONTRACTED repose_uncontracted_3
#include "repose/batch/host_class_internal.h"

namespace repose::batch::host {

void advance_3(const std::byte* tables, std::byte* state, long long target) { advance_class<3>(tables, state, target); }

}  // namespace repose::batch::host
