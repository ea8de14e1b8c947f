// SPDX-License-Identifier: Apache-2.0
// Poses that satisfy the position constraint of joints: the nearest ones, by Gauss–Newton steps in the metric of the
// masses,
//
//   min ‖δ‖²_M  subject to  g + J δ = 0 (least squares where rows depend on each other)
//
// For the start of a run, and after steps whose joints were held at velocity level. Velocities stay; the angular
// momentum in world axes is kept.
#pragma once

#include <span>

#include "repose/world/setup_internal.h"

namespace repose {

/// Moves these bodies, which move freely, until their joints hold.
void place_joints(const WorldSetup& setup, std::span<const int> bodies, WorldState& state);

/// The same for all bodies with a joint, after poses were displaced without regard to joints.
void place_all_joints(const WorldSetup& setup, std::span<const StepBody> bodies, WorldState& state);

/// The initial state with bodies moved to where the joints hold. Throws InputError, naming the joint, when a joint's
/// bodies start more than a hundredth of their size apart from it.
[[nodiscard]] WorldState placed_state(const WorldSetup& setup);

}  // namespace repose
