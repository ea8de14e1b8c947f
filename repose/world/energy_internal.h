// SPDX-License-Identifier: Apache-2.0
// The energy account of a step, J. A gain of mechanical energy beyond the work of external forces and prescribed
// motions is an error of the step.
#pragma once

#include "repose/world/setup_internal.h"
#include "repose/world/step_data_internal.h"

namespace repose {

/// Kinetic and potential energy of the dynamic bodies that are present.
[[nodiscard]] double mechanical_energy(const WorldSetup& setup, const WorldState& state);
/// The same with the kinematics of the state.
[[nodiscard]] double mechanical_energy(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints);

/// Work of forces, torques and prescribed motions on the dynamic bodies during a step that ended in `state`.
[[nodiscard]] double external_work(const WorldSetup& setup, const StepData& step, const WorldState& state);

}  // namespace repose
