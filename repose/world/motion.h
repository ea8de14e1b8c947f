// SPDX-License-Identifier: Apache-2.0
// Prescribed motions of kinematic bodies, and the rigid displacement of such a body over a step.
#pragma once

#include "repose/math/pose.h"
#include "repose/scene/scene.h"

namespace repose {

/// Pose of the body's frame at time t, s. `start`: its pose at t = 0 (tables and scripts give absolute poses).
[[nodiscard]] Pose pose_at(const Motion& motion, const Pose& start, double time);

/// Rotation vector of a unit quaternion, length in [0, π].
[[nodiscard]] Vec3 logarithm(Quat rotation);

/// The rigid displacement of a body over one step, x ↦ x + shift + (turn − 1)(x − pivot).
struct Displacement {
  Vec3 pivot, shift;
  Quat turn;
  Vec3 angle;  ///< logarithm of `turn`
};
[[nodiscard]] Displacement displacement(const Pose& from, const Pose& to);
/// Displacement of the point x, m.
[[nodiscard]] Vec3 moved_by(const Displacement& displacement, Vec3 x);

}  // namespace repose
