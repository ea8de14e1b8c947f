// SPDX-License-Identifier: Apache-2.0
// The bodies of a step before contacts act:
//
//   v ← v + h (g + f/m),  ω ← ω + h I⁻¹ τ
//
// and the rigid displacement of bodies with a prescribed motion.
#pragma once

#include "repose/world/setup_internal.h"
#include "repose/world/step_data_internal.h"

namespace repose {

/// A body with a prescribed motion that goes from `state` to `end` in the step.
[[nodiscard]] StepBody driven_body(const BodyState& state, const Pose& end, double h);

/// Adds up the forces and torques of this step, and subtracts the step from the time left of active pushes.
void sum_loads(const WorldSetup& setup, WorldState& state, Loads& loads);

/// Velocities and mass data of the bodies for the contacts of the step that starts at `state`.
void free_motion(const WorldSetup& setup, const WorldState& state, const Loads& loads, std::vector<StepBody>& bodies);

/// Poses at the start of the step with the velocities of `bodies`.
void fill_free_states(const WorldState& state, std::span<const StepBody> bodies, std::vector<BodyState>& free);

}  // namespace repose
