// SPDX-License-Identifier: Apache-2.0
// True cylinders. Where a face, a cap or the side defines the normal there are closed forms. Rims against edges and
// rims need a root of the derivative of a distance in one variable, so that the normal is exact to rounding as well.
// This header has what all pairs with cylinders share, and cylinders against half-spaces, spheres and capsules.
#pragma once

#include "repose/collision/pair_internal.h"
#include "repose/collision/segment_internal.h"

namespace repose::collision {

struct PlacedCylinder {
  Vec3 centre, axis, e1, e2;  ///< e1, e2: fixed to the body, perpendicular to the axis
  double radius = 0, half = 0;

  REPOSE_HD [[nodiscard]] Vec3 cap_centre(int cap) const { return centre + (cap ? half : -half) * axis; }
  REPOSE_HD [[nodiscard]] Vec3 cap_normal(int cap) const { return cap ? axis : -axis; }
  /// Returns the point of the solid with the smallest n · x.
  REPOSE_HD [[nodiscard]] Vec3 lowest(Vec3 n) const;
  REPOSE_HD [[nodiscard]] double lowest_height(Vec3 n) const {
    const double along = dot(axis, n);
    return dot(centre, n) - half * std::abs(along) - radius * norm(n - along * axis);
  }
};

struct SolidPoint {
  double distance = 0;
  Vec3 normal, foot;
};

/// Feature ids of the points of one cylinder over a plane.
inline constexpr std::uint32_t kRimPoints = 8;      ///< per cap, fixed to the body: 0 … 15
inline constexpr std::uint32_t kLowestRim = 16;     ///< the lowest point of cap 0 and of cap 1: 16, 17
inline constexpr std::uint32_t kNearestPoint = 32;  ///< the single point of a pair without a patch

/// Returns the unit direction in the caps' planes along which n · x falls fastest, and the sine of the angle between
/// axis and n.
struct Lean {
  Vec3 down;
  double sine = 0;
};

/// Lean, rad, below which a cap counts as flat: its lowest point is not defined.
inline constexpr double kFlatLean = 1e-6;

[[nodiscard]] REPOSE_KERNEL PlacedCylinder placed_cylinder(const ShapeView& shape, const Relative& place);
[[nodiscard]] REPOSE_KERNEL Lean lean_of(const PlacedCylinder& c, Vec3 n);
/// Returns the closest point of the surface; the distance is negative inside. Inside, where side and cap are equally
/// far within `tie`, the side is taken: the deepest point of a line often lies there, and rounding errors must not
/// choose.
[[nodiscard]] REPOSE_KERNEL SolidPoint nearest_on_cylinder(const PlacedCylinder& c, Vec3 x, double tie = 0);
/// Returns the point of a segment with the smallest signed distance from the cylinder, which is convex along a line.
[[nodiscard]] REPOSE_KERNEL double nearest_parameter(const PlacedCylinder& c, const Segment& s);
REPOSE_KERNEL PairResult halfspace_cylinder(const ShapeView& cylinder, const Relative& b, double margin, Points& out);
REPOSE_KERNEL PairResult cylinder_sphere(const ShapeView& a, const ShapeView& sphere, const Relative& b, double margin,
                                         Points& out);
REPOSE_KERNEL PairResult cylinder_capsule(const ShapeView& a, const ShapeView& capsule, const Relative& b,
                                          double margin, Points& out);
REPOSE_KERNEL PairResult polyhedron_cylinder(const ShapeView& a, const ShapeView& cylinder, const Relative& b,
                                             double margin, Points& out);
REPOSE_KERNEL PairResult cylinder_cylinder(const ShapeView& a, const ShapeView& cylinder, const Relative& b,
                                           double margin, Points& out);

/// Returns the cosine of k eighths of a turn; the sine is eighth_cosine(k + 6).
REPOSE_HD constexpr double eighth_cosine(std::uint32_t k) {
  constexpr double kDiagonal = 0.70710678118654752440;
  constexpr double kCosine[8] = {1, kDiagonal, 0, -kDiagonal, -1, -kDiagonal, 0, kDiagonal};
  return kCosine[k % 8];
}
/// Returns the point of a rim at an angle with this cosine and sine.
REPOSE_HD inline Vec3 rim_point(const PlacedCylinder& c, int cap, double cosine, double sine) {
  return c.cap_centre(cap) + c.radius * (cosine * c.e1 + sine * c.e2);
}

/// Adds points of the cylinder's rims over a plane n · x = offset: the whole rim of a cap that is nearly parallel to
/// the plane, the lowest point of each cap, both ends when the cylinder lies on its side. `inside(x)`: whether x is
/// over the surface; `clip(segment)`: the part of the segment that is.
template <class Inside, class Clip>
REPOSE_HD void add_rim_points(const PlacedCylinder& c, Vec3 n, double offset, double margin, const Inside& inside,
                              const Clip& clip, Points& out) {
  const auto add = [&](Vec3 x, std::uint32_t feature) {
    const double gap = dot(n, x) - offset;
    if (gap <= margin) out.push_back({x - 0.5 * gap * n, gap, feature});
  };
  const Lean lean = lean_of(c, n);
  if (std::abs(dot(c.axis, n)) <= kPatchAngle) {  // on its side
    const Segment line{c.cap_centre(0) + c.radius * lean.down, c.cap_centre(1) + c.radius * lean.down};
    const Overlap part = clip(line);
    if (part.low > part.high) return;
    add(point_at(line, part.low), kLowestRim);
    add(point_at(line, part.high), kLowestRim + 1);
    return;
  }
  for (const int cap : {0, 1}) {
    const Vec3 centre = c.cap_centre(cap);
    const bool faces = dot(c.cap_normal(cap), n) < 0;
    if (lean.sine <= kPatchAngle && faces)
      for (std::uint32_t k = 0; k < kRimPoints; ++k) {
        const Vec3 x = rim_point(c, cap, eighth_cosine(k), eighth_cosine(k + 6));
        if (inside(x)) add(x, cap * kRimPoints + k);
      }
    const Vec3 low = centre + c.radius * lean.down;
    if (lean.sine > (faces ? kFlatLean : 0.5) && inside(low)) add(low, kLowestRim + cap);
  }
}

}  // namespace repose::collision
