// SPDX-License-Identifier: Apache-2.0
// One contact point of two shapes, touching or within the margin. Plain data for host and device code.
#pragma once

#include <cstdint>

#include "repose/math/vec3.h"

namespace repose {

struct ContactPoint {
  Vec3 position;              ///< world, half way between the two surfaces, m
  double gap = 0;             ///< signed distance along the normal, m; negative: overlap
  std::uint32_t feature = 0;  ///< id of the point within its pair, from the features that define it
};

}  // namespace repose
