// SPDX-License-Identifier: Apache-2.0
// The end of a step:
//
//   v ← v_free + M⁻¹ Jᵀ λ,   x ← x + h v,   q ← free rotation of (q, L)
//
// A body that has contacts and moves by at most 1e-11 of the smallest body of its island keeps its pose to the bit;
// what it moves is added up and shown when the sum exceeds that. Bodies with a prescribed motion get its pose.
#pragma once

#include "repose/world/island_set_internal.h"
#include "repose/world/setup_internal.h"

namespace repose {

/// Displaces a body by a shift (m) and a rotation vector (rad). The angular momentum in world axes is kept.
void displace(const BodyModel& model, Vec3 shift, Vec3 turn, BodyState& state);

/// Poses and velocities at the end of the step, in place.
void integrate(const WorldSetup& setup, std::span<const StepBody> bodies, const IslandSet& islands, WorldState& state);

/// Moves the poses of islands whose joints do not hold with the velocities found to the nearest ones where they do.
void place_loose_joints(const WorldSetup& setup, const IslandSet& islands, WorldState& state);

/// Says that the state of a moving body is not finite or outside the scene by orders of magnitude. Null: no fault.
[[nodiscard]] const char* find_fault(const WorldSetup& setup, std::span<const StepBody> bodies,
                                     const WorldState& state);

/// The same before contacts act: forces that would take a body out of the scene within the step.
[[nodiscard]] const char* find_free_fault(const WorldSetup& setup, std::span<const StepBody> bodies);

}  // namespace repose
