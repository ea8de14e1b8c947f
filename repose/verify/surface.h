// SPDX-License-Identifier: Apache-2.0
// The surfaces of shapes, to verify contact points and to find overlap that no contact accounts for. The collision code
// does not enter. Lengths in m, in the shape's own frame.
#pragma once

#include "repose/math/pose.h"
#include "repose/shape/geometry.h"

namespace repose::verify {

/// Zero on the surface, positive outside, negative inside. Outside an edge or a corner it is at most the distance.
[[nodiscard]] double height_over(const Geometry& shape, Vec3 point);

/// The farthest point of a shape in a direction. A half-space has none: {}.
[[nodiscard]] Vec3 farthest(const Geometry& shape, Vec3 direction);

/// Half the diameter of a shape about its own origin; of a half-space infinite.
[[nodiscard]] double reach(const Geometry& shape);

/// A ball around a shape: about the middle of a hull, whose origin may lie far from it, and about the origin of others.
struct Ball {
  Vec3 middle;
  double radius = 0;
};
[[nodiscard]] Ball ball_around(const Geometry& shape);

/// Whether two placed shapes overlap by more than `depth` in every direction that was tried: a separating direction
/// shows that they do not.
[[nodiscard]] bool overlap_deeper(const Geometry& a, const Pose& at_a, const Geometry& b, const Pose& at_b,
                                  double depth);

}  // namespace repose::verify
