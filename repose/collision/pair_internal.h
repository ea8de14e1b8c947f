// SPDX-License-Identifier: Apache-2.0
// Shared by the pair functions: shapes as views, the placement of one shape in the frame of the other, the result.
//
// A pair function works in the frame of one of its two shapes, the host, so that the result does not depend on the
// pair's position in the world. It writes to memory of the caller only. Pair functions are plain functions that a
// device compiler accepts: no allocation, no exceptions, no virtual calls.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "repose/collision/contact_point.h"
#include "repose/collision/points_internal.h"
#include "repose/math/fused.h"
#include "repose/math/scalar.h"
#include "repose/shape/edge_normal.h"
#include "repose/shape/polyhedron_view.h"

namespace repose::collision {

/// Placement of another shape in the host's frame: x_host = R x + p.
struct Relative {
  Mat3 R;
  Vec3 p;
};

REPOSE_HD inline Vec3 placed(const Relative& place, Vec3 x) { return fused::times(place.R, x) + place.p; }
REPOSE_HD inline Vec3 operator*(const Relative& place, Vec3 x) { return place.R * x + place.p; }
REPOSE_HD inline Vec3 turn_back(const Mat3& R, Vec3 x) {  // Rᵀ x
  return {R.m[0][0] * x.x + R.m[1][0] * x.y + R.m[2][0] * x.z, R.m[0][1] * x.x + R.m[1][1] * x.y + R.m[2][1] * x.z,
          R.m[0][2] * x.x + R.m[1][2] * x.y + R.m[2][2] * x.z};
}
REPOSE_HD inline Relative inverse(const Relative& place) {
  return {transpose(place.R), -1.0 * turn_back(place.R, place.p)};
}
/// Returns the placement of `b` in the frame of `a`; both are given in one frame.
REPOSE_HD inline Relative seen_from(const Relative& a, const Relative& b) {
  return {transpose(a.R) * b.R, turn_back(a.R, b.p - a.p)};
}
REPOSE_HD inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }

/// Ordered by the number of features. pair_table_internal.h selects the host of two shapes.
enum class Kind : std::uint8_t { kHalfSpace, kSphere, kCapsule, kCylinder, kPolyhedron };
inline constexpr int kKinds = 5;

/// A view of a shape.
struct ShapeView {
  Kind kind = Kind::kSphere;
  double radius = 0, half_length = 0;  ///< of spheres, capsules, cylinders, m
  const PolyhedronView* polyhedron = nullptr;
  double size = 0;  ///< longest edge of the bounding box, the unit of the tolerances, m
};

/// The normal in the host's frame, away from the host. The points are in the caller's list, which was empty.
struct PairResult {
  bool touching = false;        ///< there is at least one point
  bool host_is_second = false;  ///< the result is in the frame of the second shape of the pair
  Vec3 normal;
};

/// Stands for "no point" and "no distance".
inline constexpr double kFar = std::numeric_limits<double>::infinity();

// Tolerances, relative to the size of the smaller shape of a pair.

/// Distance from a side plane of the reference face within which a vertex counts as inside: bodies with flush sides
/// keep the same points under rounding errors and while they settle.
inline constexpr double kFlush = 1e-5;
/// Hysteresis: the last feature is kept until another one is better by more than this.
inline constexpr double kKeepBand = 1e-4;
/// Differences below this are rounding errors.
inline constexpr double kRounding = 1e-12;
/// Parallel edges closer than about this take the bisector of their admissible range of normals.
inline constexpr double kEdgeBand = 1e-3;
/// Faces within this angle of each other (rad) form a patch, whichever feature is closest.
inline constexpr double kPatchAngle = 0.02;

// Feature ids encode what defines a point. They do not depend on the choice of the reference face.
enum class Name : std::uint32_t { kVertexOfFirst = 0, kVertexOfSecond = 1, kEdgePair = 2, kCorner = 3 };
REPOSE_HD inline std::uint32_t feature_name(Name kind, std::uint64_t index) {
  return static_cast<std::uint32_t>(kind) << 30 | static_cast<std::uint32_t>(index & 0x3fffffffu);
}

/// Returns a unit vector perpendicular to n.
REPOSE_HD inline Vec3 perpendicular(Vec3 n) {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  if (x <= y && x <= z) return normalized(cross(n, {1, 0, 0}));
  return normalized(cross(n, y <= z ? Vec3{0, 1, 0} : Vec3{0, 0, 1}));
}

}  // namespace repose::collision
