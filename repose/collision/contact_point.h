// SPDX-License-Identifier: Apache-2.0
// One point where two shapes touch or nearly do. Plain data that host and device code can share.
#pragma once

#include <cstdint>

#include "repose/math/vec3.h"

namespace repose {

struct ContactPoint {
  Vec3 position;              ///< world, half way between the two surfaces, m
  double gap = 0;             ///< signed distance along the normal, m; negative: overlap
  std::uint32_t feature = 0;  ///< names the point within its pair by the features that make it
};

}  // namespace repose
