// SPDX-License-Identifier: Apache-2.0
// What the pair functions share: shapes as plain views, the placement of one in the frame of the other, the result.
//
// A pair function works in the frame of one of its two shapes, the host, so that nothing depends on where in the world
// the pair is. It appends points to a buffer that the caller keeps; there is no other memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "repose/collision/collision.h"
#include "repose/shape/polyhedron.h"

namespace repose::collision {

/// Placement of another shape in the host's frame: x_host = R x + p.
struct Relative {
  Mat3 R;
  Vec3 p;
};

inline Vec3 operator*(const Relative& place, Vec3 x) { return place.R * x + place.p; }
inline Vec3 turn_back(const Mat3& R, Vec3 x) {  // Rᵀ x
  return {R.m[0][0] * x.x + R.m[1][0] * x.y + R.m[2][0] * x.z, R.m[0][1] * x.x + R.m[1][1] * x.y + R.m[2][1] * x.z,
          R.m[0][2] * x.x + R.m[1][2] * x.y + R.m[2][2] * x.z};
}
inline Relative inverse(const Relative& place) { return {transpose(place.R), -1.0 * turn_back(place.R, place.p)}; }
/// `b` seen from `a`, both given in one frame.
inline Relative seen_from(const Relative& a, const Relative& b) {
  return {transpose(a.R) * b.R, turn_back(a.R, b.p - a.p)};
}
inline double square(double x) { return x * x; }
inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }

/// In this order: a pair is handled with the lower kind as its host unless a function says otherwise.
enum class Kind : std::uint8_t { kHalfSpace, kSphere, kCapsule, kCylinder, kPolyhedron };

/// A shape without ownership.
struct ShapeView {
  Kind kind = Kind::kSphere;
  double radius = 0, half_length = 0;  ///< of spheres, capsules, cylinders, m
  const Polyhedron* polyhedron = nullptr;
  double size = 0;  ///< what tolerances are relative to, m
};

/// Normal in the host's frame, away from the host, and points appended to a buffer.
struct PairResult {
  bool touching = false;        ///< some point was appended
  bool host_is_second = false;  ///< frame of the result: that of the second shape of the pair
  Vec3 normal;
};

using Points = std::vector<ContactPoint>;

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
inline std::uint32_t feature_name(Name kind, std::uint64_t index) {
  return static_cast<std::uint32_t>(kind) << 30 | static_cast<std::uint32_t>(index & 0x3fffffffu);
}

/// Sorts the points from `first` on by feature and drops repeated ones.
inline void sort_features(Points& points, std::size_t first) {
  const auto begin = points.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, points.end(), [](const ContactPoint& a, const ContactPoint& b) { return a.feature < b.feature; });
  points.erase(std::unique(begin, points.end(),
                           [](const ContactPoint& a, const ContactPoint& b) { return a.feature == b.feature; }),
               points.end());
}

/// Any unit vector at right angles to n.
inline Vec3 perpendicular(Vec3 n) {
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  if (x <= y && x <= z) return normalized(cross(n, {1, 0, 0}));
  return normalized(cross(n, y <= z ? Vec3{0, 1, 0} : Vec3{0, 0, 1}));
}

}  // namespace repose::collision
