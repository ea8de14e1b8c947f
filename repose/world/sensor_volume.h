// SPDX-License-Identifier: Apache-2.0
// Which contacts are within the volume of a touch sensor's site.
#pragma once

#include "repose/math/pose.h"
#include "repose/scene/sensor.h"

namespace repose {

/// Whether a point is in the volume, or the ray from it along `direction` (any length) meets it; both in the site's
/// frame.
[[nodiscard]] bool meets(const SensorVolume& volume, Vec3 point, Vec3 direction);

}  // namespace repose
