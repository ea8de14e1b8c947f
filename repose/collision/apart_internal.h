// SPDX-License-Identifier: Apache-2.0
// A cheap test that answers most pairs of a polyhedron and a round shape that are near each other and do not touch.
#pragma once

#include <cmath>

#include "repose/collision/pair_internal.h"
#include "repose/math/scalar.h"

namespace repose::collision {

/// Half the extent of a capsule or a cylinder along a direction that makes this cosine with its axis.
REPOSE_HD inline double half_extent_along(const ShapeView& round, double cosine) {
  const double along = std::abs(cosine);
  if (round.kind == Kind::kCapsule) return round.radius + along * round.half_length;
  return round.radius * std::sqrt(max_of(0.0, 1 - along * along)) + along * round.half_length;
}

/// Whether the bounding box of a polyhedron and a capsule or cylinder at `b`, in the polyhedron's frame, are further
/// apart than the margin along an axis of the box, along the round shape's axis or from that axis to the box's centre.
/// Never true for shapes within the margin.
REPOSE_HD inline bool are_surely_apart(const PolyhedronView& poly, const ShapeView& round, const Relative& b,
                                       double margin) {
  const double beyond = margin + 1e-12 * (poly.size + round.size);  // rounding errors of this test
  const Vec3 offset = b.p - poly.centre, axis{b.R.m[0][2], b.R.m[1][2], b.R.m[2][2]};
  if (std::abs(offset.x) > poly.half.x + half_extent_along(round, axis.x) + beyond) return true;
  if (std::abs(offset.y) > poly.half.y + half_extent_along(round, axis.y) + beyond) return true;
  if (std::abs(offset.z) > poly.half.z + half_extent_along(round, axis.z) + beyond) return true;
  const auto half_box = [&](Vec3 u) {
    return std::abs(u.x) * poly.half.x + std::abs(u.y) * poly.half.y + std::abs(u.z) * poly.half.z;
  };
  const double along = dot(offset, axis);
  if (std::abs(along) > half_box(axis) + half_extent_along(round, 1) + beyond) return true;
  const Vec3 across = offset - along * axis;
  const double distance = norm(across);
  return distance * distance > half_box(across) + distance * (round.radius + beyond);
}

}  // namespace repose::collision
