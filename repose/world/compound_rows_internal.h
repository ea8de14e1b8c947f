// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repose/world/joint.h"

namespace repose {

/// Fills `frames.compound` from the two joint frames: coordinates, starting from those `known`, and rows.
void place_compound(const JointModel& joint, const JointValues& known, JointFrames& frames);

/// J̇ v of a coordinate of a compound, rad/s² or m/s².
[[nodiscard]] double compound_drift(const JointModel& joint, int coordinate, const JointFrames& frames,
                                    const JointMotion& motion);

}  // namespace repose
