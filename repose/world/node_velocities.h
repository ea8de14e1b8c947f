// SPDX-License-Identifier: Apache-2.0
// Velocities of all bodies of an island.
#pragma once

#include <vector>

#include "repose/math/vec3.h"

namespace repose {

/// Velocities that a solve adds to every body of the island, by node, m/s and rad/s.
struct NodeVelocities {
  std::vector<Vec3> linear, angular;
};

}  // namespace repose
