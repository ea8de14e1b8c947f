// SPDX-License-Identifier: Apache-2.0
// Prescribed motions of kinematic bodies.
#pragma once

#include "repose/math/pose.h"
#include "repose/scene/scene.h"
#include "repose/world/motion_kernel.h"

namespace repose {

/// Pose of the body's frame at time t, s. `start`: its pose at t = 0 (tables and scripts give absolute poses).
[[nodiscard]] Pose pose_at(const Motion& motion, const Pose& start, double time);

/// The same motion as plain data, valid as long as `motion`; it must not be a script.
[[nodiscard]] MotionView view_of(const Motion& motion);

}  // namespace repose
