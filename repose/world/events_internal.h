// SPDX-License-Identifier: Apache-2.0
// Events of a scene that are due at the start of a step: bodies appear, disappear or get a velocity, pushes start.
#pragma once

#include "repose/world/setup_internal.h"

namespace repose {

/// Applies what is due at the state's time. Presence changes in `state` and in `collision`.
void apply_due_events(const WorldSetup& setup, WorldState& state, Collision& collision);

}  // namespace repose
