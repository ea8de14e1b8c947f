// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repose/world/setup_internal.h"
#include "repose/world/step_data_internal.h"

namespace repose {

/// Adds the drag of the scene's medium to all other loads of the step.
void add_drag(const WorldSetup& setup, const WorldState& state, Loads& loads);

}  // namespace repose
