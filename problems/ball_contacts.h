// SPDX-License-Identifier: Apache-2.0
// Contacts of balls with each other and with planes: distances below a margin, found on a uniform grid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "repose/math/vec3.h"

namespace repose::problems {

/// The half-space dot(normal, x) ≥ offset is free.
struct Plane {
  Vec3 normal;    ///< unit length
  double offset;  ///< m
};

/// Contact of `ball` with `other` > ball, or with plane −1 − other when other < 0.
struct BallContact {
  int ball = 0, other = 0;
  Vec3 normal;     ///< unit length, away from `ball` when other ≥ 0, towards it when other is a plane
  double gap = 0;  ///< m; negative: penetration
  /// Names the pair for as long as it exists; contacts are sorted by it.
  [[nodiscard]] std::uint64_t id() const {
    return static_cast<std::uint64_t>(ball) << 32 | static_cast<std::uint32_t>(other);
  }
};

/// All pairs with gap < margin, sorted by id.
[[nodiscard]] std::vector<BallContact> find_ball_contacts(std::span<const Vec3> centres, std::span<const double> radii,
                                                          std::span<const Plane> planes, double margin);

}  // namespace repose::problems
