// SPDX-License-Identifier: Apache-2.0
#include "repose/world/rollback_internal.h"

namespace repose {

void Rollback::restore(WorldState& state, Collision& collision) const {
  for (std::size_t b = 0; b < state.present.size(); ++b)
    if (state.present[b] != saved_.present[b]) collision.set_present(static_cast<int>(b), saved_.present[b]);
  restore(state);
}

}  // namespace repose
