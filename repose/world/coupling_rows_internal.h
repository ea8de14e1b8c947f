// SPDX-License-Identifier: Apache-2.0
// What a coupling knows of its parts before a run: their size, and the factor of its row.
#pragma once

#include <span>

#include "repose/world/joint.h"

namespace repose {

/// Moves path and thrust to the frames of the mass centres, and finds size and factor of a coupling, whose `made` has
/// what other joints have. `before`: the models of the joints before it.
void finish_coupling(std::span<const SceneBody> bodies, std::span<const BodyModel> models,
                     std::span<const JointModel> before, JointModel& made);

}  // namespace repose
