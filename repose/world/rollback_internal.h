// SPDX-License-Identifier: Apache-2.0
// The state before a step, for a step that cannot be taken.
#pragma once

#include "repose/world/setup_internal.h"

namespace repose {

class Rollback {
 public:
  void save(const WorldState& state) { saved_ = state; }
  /// Makes `state` what it was when save() was called; presence in `collision` follows.
  void restore(WorldState& state, Collision& collision) const;

 private:
  WorldState saved_;
};

}  // namespace repose
