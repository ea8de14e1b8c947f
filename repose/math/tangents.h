// SPDX-License-Identifier: Apache-2.0
// The two tangents of a contact frame, as a function of its normal.
#pragma once

#include <cmath>

#include "repose/math/vec3.h"

namespace repose {

struct TangentPair {
  Vec3 t1, t2;  ///< unit, t1 × t2 = normal
};

/// Returns the tangents, a continuous function of the normal except at one point.  [Duff et al. 2017, "Building an
/// orthonormal basis, revisited": no branch on the smallest component]
REPOSE_HD [[nodiscard]] inline TangentPair tangent_pair(Vec3 normal) {
  const double sign = std::copysign(1.0, normal.z);
  const double a = -1.0 / (sign + normal.z), b = normal.x * normal.y * a;
  return {{1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x},
          {b, sign + normal.y * normal.y * a, -normal.y}};
}

}  // namespace repose
