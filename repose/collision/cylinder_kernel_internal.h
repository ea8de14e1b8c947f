// SPDX-License-Identifier: Apache-2.0
// Cylinders against half-spaces, spheres and capsules.
// Definitions: for one source of the host library, and for device sources (kernels_internal.h).
#pragma once

#include "repose/collision/cylinder_internal.h"

namespace repose::collision {

REPOSE_KERNEL PlacedCylinder placed_cylinder(const ShapeView& shape, const Relative& place) {
  const auto column = [&](int i) { return Vec3{place.R.m[0][i], place.R.m[1][i], place.R.m[2][i]}; };
  return {place.p, column(2), column(0), column(1), shape.radius, shape.half_length};
}

REPOSE_KERNEL Lean lean_of(const PlacedCylinder& c, Vec3 n) {
  // (axis × n) × axis is the part of n perpendicular to the axis, without the cancellation of n − (n·axis) axis.
  const Vec3 across = cross(cross(c.axis, n), c.axis);
  const double sine = norm(across);
  return {sine > 0 ? (-1.0 / sine) * across : Vec3{}, sine};
}

REPOSE_KERNEL Vec3 PlacedCylinder::lowest(Vec3 n) const {
  return cap_centre(dot(axis, n) > 0 ? 0 : 1) + radius * lean_of(*this, n).down;
}

REPOSE_KERNEL SolidPoint nearest_on_cylinder(const PlacedCylinder& c, Vec3 x, double tie) {
  const Vec3 arm = x - c.centre;
  const double z = dot(arm, c.axis);
  const Vec3 across = arm - z * c.axis;
  const double rho = norm(across), beyond_side = rho - c.radius, beyond_cap = std::abs(z) - c.half;
  const Vec3 radial = rho > 0 ? (1.0 / rho) * across : c.e1, cap = z < 0 ? -c.axis : c.axis;
  if (beyond_side > 0 && beyond_cap > 0) {
    const double distance = std::sqrt(beyond_side * beyond_side + beyond_cap * beyond_cap);
    const Vec3 n = (beyond_side / distance) * radial + (beyond_cap / distance) * cap;
    return {distance, n, x - distance * n};
  }
  if (beyond_side > beyond_cap - (beyond_cap < 0 ? tie : 0.0)) return {beyond_side, radial, x - beyond_side * radial};
  return {beyond_cap, cap, x - beyond_cap * cap};
}

REPOSE_KERNEL double nearest_parameter(const PlacedCylinder& c, const Segment& s) {
  const Vec3 along = s.head - s.tail;
  const auto slope = [&](double t) { return dot(nearest_on_cylinder(c, point_at(s, t)).normal, along); };
  double low = 0, high = 1, at_low = slope(0), at_high = slope(1);
  if (at_low >= 0) return 0;
  if (at_high <= 0) return 1;
  // The slope grows along the segment: regula falsi (Illinois), then bisection.
  int side = 0;
  for (int i = 0; i < 120 && high - low > 1e-16 * (low + high); ++i) {
    double t = i < 40 ? (low * at_high - high * at_low) / (at_high - at_low) : 0.5 * (low + high);
    if (!(t > low && t < high)) t = 0.5 * (low + high);
    const double at = slope(t);
    if (at == 0) return t;
    if (at < 0) {
      low = t, at_low = at;
      if (side < 0) at_high *= 0.5;
      side = -1;
    } else {
      high = t, at_high = at;
      if (side > 0) at_low *= 0.5;
      side = 1;
    }
    if (t == low && t == high) break;
  }
  return 0.5 * (low + high);
}

REPOSE_KERNEL PairResult halfspace_cylinder(const ShapeView& cylinder, const Relative& b, double margin, Points& out) {
  add_rim_points(
      placed_cylinder(cylinder, b), {0, 0, 1}, 0, margin, [](Vec3) { return true; },
      [](const Segment&) {
        return Overlap{0, 1};
      },
      out);
  sort_features(out);
  return {!out.empty(), false, {0, 0, 1}};
}

REPOSE_KERNEL PairResult cylinder_sphere(const ShapeView& a, const ShapeView& sphere, const Relative& b, double margin,
                                         Points& out) {
  const PlacedCylinder c = placed_cylinder(a, {Mat3::identity(), {}});
  const SolidPoint near = nearest_on_cylinder(c, b.p);
  const double gap = near.distance - sphere.radius;
  if (gap > margin) return {};
  out.push_back({near.foot + 0.5 * gap * near.normal, gap, 0});
  return {true, false, near.normal};
}

namespace {

// The part of a line over the disc of a cap, or between the caps.
REPOSE_HD Overlap part_over_disc(const PlacedCylinder& c, const Segment& s) {
  const Vec3 along = s.head - s.tail, arm = s.tail - c.centre;
  const Vec3 u = along - dot(along, c.axis) * c.axis, w = arm - dot(arm, c.axis) * c.axis;
  const double a = dot(u, u), b = dot(u, w), d = b * b - a * (dot(w, w) - c.radius * c.radius);
  if (d < 0 || a == 0) return {};
  return {max_of(0.0, (-b - std::sqrt(d)) / a), min_of(1.0, (-b + std::sqrt(d)) / a)};
}
REPOSE_HD Overlap part_between_caps(const PlacedCylinder& c, const Segment& s) {
  return overlap_along({c.cap_centre(0), c.cap_centre(1)}, s);
}

}  // namespace

REPOSE_KERNEL PairResult cylinder_capsule(const ShapeView& a, const ShapeView& capsule, const Relative& b,
                                          double margin, Points& out) {
  const PlacedCylinder c = placed_cylinder(a, {Mat3::identity(), {}});
  const Segment core{b * Vec3{0, 0, -capsule.half_length}, b * Vec3{0, 0, capsule.half_length}};
  const double t = capsule.half_length > 0 ? nearest_parameter(c, core) : 0.0;
  const SolidPoint near = nearest_on_cylinder(c, point_at(core, t), 1e-6 * c.radius);
  const double gap = near.distance - capsule.radius;
  if (gap > margin) return {};

  // Parallel to the cap or to the side: both ends of the part over it.
  const Vec3 along = core.head - core.tail;
  const double length = norm(along), tolerance = kFlush * min_of(a.size, capsule.size);
  const bool on_cap = std::abs(near.normal.z) > 1 - 1e-12, on_side = std::abs(near.normal.z) < 1e-6;
  if (length > 0 && std::abs(dot(near.normal, along)) <= kPatchAngle * length && (on_cap || on_side)) {
    const bool parallel = norm(cross(along, c.axis)) <= kPatchAngle * length;
    const Overlap part = on_cap ? part_over_disc(c, core) : (parallel ? part_between_caps(c, core) : Overlap{});
    if ((part.high - part.low) * length > tolerance)
      for (const double end : {part.low, part.high}) {
        const Vec3 x = point_at(core, end);
        const double height = dot(near.normal, x - near.foot) - capsule.radius;
        if (height <= margin)
          out.push_back({x - (capsule.radius + 0.5 * height) * near.normal, height, end == part.low ? 1u : 2u});
      }
  }
  if (out.empty()) out.push_back({near.foot + 0.5 * gap * near.normal, gap, 0});
  return {true, false, near.normal};
}

}  // namespace repose::collision
