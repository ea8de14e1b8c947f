// SPDX-License-Identifier: Apache-2.0
// The state before a step, restored when the step fails.
#pragma once

#include "repose/world/setup_internal.h"

namespace repose {

class Rollback {
 public:
  void save(const WorldState& state) { saved_ = state; }
  /// Restores `state` as of the last save(), and the presence of bodies in `collision`.
  void restore(WorldState& state, Collision& collision) const;
  /// Restores `state` alone. It is of the same size: nothing is allocated, and the bodies stay at their address.
  void restore(WorldState& state) const { state = saved_; }
  [[nodiscard]] const WorldState& saved() const { return saved_; }

 private:
  WorldState saved_;
};

}  // namespace repose
