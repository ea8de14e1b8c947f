// SPDX-License-Identifier: Apache-2.0
// Closest points of points, segments and polyhedra in closed form.
#pragma once

#include "repose/collision/pair_internal.h"

namespace repose::collision {

struct Segment {
  Vec3 tail, head;
};

/// Returns the parameter in [0, 1] of the segment's point that is closest to x.
REPOSE_HD inline double nearest_parameter(const Segment& s, Vec3 x) {
  const Vec3 along = s.head - s.tail;
  const double length2 = dot(along, along);
  return length2 > 0 ? clamped(dot(along, x - s.tail) / length2, 0.0, 1.0) : 0.0;
}
REPOSE_HD inline Vec3 point_at(const Segment& s, double t) { return s.tail + t * (s.head - s.tail); }

struct SegmentPair {
  double s = 0, t = 0;  ///< parameters on the first and second segment, in [0, 1]
};

/// Returns the part of segment b whose projection onto segment a lies inside a, as parameters of b; empty when low >
/// high.
struct Overlap {
  double low = 0, high = -1;
};

/// The point of a polyhedron's surface that is closest to a given point.
struct SurfacePoint {
  double distance = 0;  ///< negative inside, m
  Vec3 normal;          ///< from the surface to the point; a face's own normal where the foot is inside the face
  Vec3 foot;
  int face = -1;  ///< the face when the foot is inside it, else −1
};

[[nodiscard]] REPOSE_KERNEL Overlap overlap_along(const Segment& a, const Segment& b);
/// Returns the closest points of two segments; for parallel ones, the middle of their overlap.
[[nodiscard]] REPOSE_KERNEL SegmentPair nearest_parameters(const Segment& a, const Segment& b);
/// Returns the closest point of the surface to x; inside, that of the face with the least depth.
[[nodiscard]] REPOSE_KERNEL SurfacePoint nearest_on_surface(const PolyhedronView& poly, Vec3 x);

}  // namespace repose::collision
