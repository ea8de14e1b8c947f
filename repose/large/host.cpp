// SPDX-License-Identifier: Apache-2.0
// Sweeps on the host, with the bits of a device. As repose/batch/host_room_internal.h, in a namespace of its own.
#define repose repose_uncontracted_large
#include "repose/large/sweeps_internal.h"
#undef repose

// backend_internal.h declares it, and cannot be included: its headers have been, under the other name.
namespace repose::large::host {

void sweep(const void* arrays, const void* goal, long long until);
void sweep(const void* arrays, const void* goal, long long until) {
  namespace kernel = repose_uncontracted_large::large;
  kernel::Sweeps<kernel::Alone>(*static_cast<const kernel::Arrays*>(arrays), kernel::Alone{})
      .run(*static_cast<const kernel::Goal*>(goal), until);
}

}  // namespace repose::large::host
