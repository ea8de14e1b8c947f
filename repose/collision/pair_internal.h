// SPDX-License-Identifier: Apache-2.0
// What the pair functions share: shapes as plain views, the placement of one in the frame of the other, the result.
//
// A pair function works in the frame of one of its two shapes, the host, so that nothing depends on where in the world
// the pair is. It writes points to memory that the caller keeps; there is no other memory. All of them are plain
// functions that a device compiler takes: no allocation, no exceptions, no virtual calls.
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
/// `b` seen from `a`, both given in one frame.
REPOSE_HD inline Relative seen_from(const Relative& a, const Relative& b) {
  return {transpose(a.R) * b.R, turn_back(a.R, b.p - a.p)};
}
REPOSE_HD inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }

/// By ascending number of features; pair_table_internal.h says which of two shapes is the host.
enum class Kind : std::uint8_t { kHalfSpace, kSphere, kCapsule, kCylinder, kPolyhedron };
inline constexpr int kKinds = 5;

/// A shape without ownership.
struct ShapeView {
  Kind kind = Kind::kSphere;
  double radius = 0, half_length = 0;  ///< of spheres, capsules, cylinders, m
  const PolyhedronView* polyhedron = nullptr;
  double size = 0;  ///< what tolerances are relative to, m
};

/// Normal in the host's frame, away from the host, and points in a list that was empty.
struct PairResult {
  bool touching = false;        ///< there are points
  bool host_is_second = false;  ///< frame of the result: that of the second shape of the pair
  Vec3 normal;
};

/// No point, no distance.
inline constexpr double kFar = std::numeric_limits<double>::infinity();

// Tolerances, all relative to the smaller shape of a pair.

/// A vertex this close to a side plane of the reference face counts as inside: bodies that stand flush keep the same
/// points whatever the rounding and while they settle.
inline constexpr double kFlush = 1e-5;
/// A feature is kept while the best other one is not better by more than this.
inline constexpr double kKeepBand = 1e-4;
/// Differences below this are rounding.
inline constexpr double kRounding = 1e-12;
/// Parallel edges closer than about this share the normal that halves their admissible range.
inline constexpr double kEdgeBand = 1e-3;
/// Faces within this angle of each other (radians) make a patch contact, whichever feature is nearest.
inline constexpr double kPatchAngle = 0.02;

// Names of contact points: by what makes them, so the choice of a reference face does not show.
enum class Name : std::uint32_t { kVertexOfFirst = 0, kVertexOfSecond = 1, kEdgePair = 2, kCorner = 3 };
REPOSE_HD inline std::uint32_t feature_name(Name kind, std::uint64_t index) {
  return static_cast<std::uint32_t>(kind) << 30 | static_cast<std::uint32_t>(index & 0x3fffffffu);
}

/// Any unit vector at right angles to n.
REPOSE_HD inline Vec3 perpendicular(Vec3 n) {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  if (x <= y && x <= z) return normalized(cross(n, {1, 0, 0}));
  return normalized(cross(n, y <= z ? Vec3{0, 1, 0} : Vec3{0, 0, 1}));
}

}  // namespace repose::collision
