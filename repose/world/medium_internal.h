// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repose/scene/scene.h"
#include "repose/world/body.h"

namespace repose {

struct Drag {
  Vec3 force, torque;  ///< at the mass centre, world axes, N and N m
};
/// Of a dynamic body.
[[nodiscard]] Drag drag_on(const BodyModel& model, const BodyState& state, const Medium& medium);

}  // namespace repose
