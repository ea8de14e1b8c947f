// SPDX-License-Identifier: Apache-2.0
// Points of mechanisms that cannot touch within a step.
//
// Most of the points that the links of a robot have within the margins stay open in every step: round feet are hulls
// with hundreds of corners. The motion before the step tells which: a point is idle when its gap stays open under it,
// with room for forces and for the terms of second order. Idle points have no contacts in the step's problems. When the
// velocities at the end are known, their gaps are looked at again: points that would close become contacts, and the
// islands are solved once more. A contact that stays open obeys the law with no impulse, so that the answer is that of
// the problem with all contacts.
#pragma once

#include <span>
#include <vector>

#include "repose/world/look_ahead_internal.h"
#include "repose/world/setup_internal.h"
#include "repose/world/step_data_internal.h"

namespace repose {

/// Marks the points of `collision` that are idle. Empty, without marks, where the scene has no joints.
void mark_idle(const WorldSetup& setup, const Collision& collision, std::span<const StepBody> bodies,
               std::vector<char>& idle);

/// Takes the marks from the points that may close with these velocities. Returns whether there are any.
bool wake_points(const WorldSetup& setup, const Collision& collision, std::span<const StepBody> bodies,
                 std::span<const PredictedMotion> motion, std::vector<char>& idle);

}  // namespace repose
