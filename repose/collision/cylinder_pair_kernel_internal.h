// SPDX-License-Identifier: Apache-2.0
// Two cylinders: caps and sides in closed form, rims by Newton's method, in the order of
// polyhedron_cylinder_kernel_internal.h.
// Definitions: for one source of the host library, and for device sources (kernels_internal.h).
#pragma once

#include "repose/collision/cylinder_normal_internal.h"

namespace repose::collision {

namespace {

struct TwoCylinders {
  const PlacedCylinder a, b;
  double margin, size;

  REPOSE_HD [[nodiscard]] double separation(Vec3 n) const { return separation_of(a, b, n); }

  struct Disc {
    const PlacedCylinder& c;
    double tolerance;
    REPOSE_HD bool operator()(Vec3 x) const { return norm(cross(x - c.centre, c.axis)) <= c.radius + tolerance; }
    REPOSE_HD [[nodiscard]] Overlap clip(const Segment& s) const {
      const Vec3 u = cross(s.head - s.tail, c.axis), d = cross(s.tail - c.centre, c.axis);
      const double qa = dot(u, u), qb = dot(u, d), root = qb * qb - qa * (dot(d, d) - square(c.radius + tolerance));
      if (root < 0 || qa == 0) return {};
      return {max_of(0.0, (-qb - std::sqrt(root)) / qa), min_of(1.0, (-qb + std::sqrt(root)) / qa)};
    }
  };

  // `guest` over a cap of `host`. The feature ids of the two rims differ by an offset, so that the roles may change.
  REPOSE_HD bool add_cap_patch(const PlacedCylinder& host, int cap, const PlacedCylinder& guest, bool swapped,
                               Points& out) const {
    const Vec3 n = host.cap_normal(cap), centre = host.cap_centre(cap);
    const double offset = dot(n, centre), tolerance = kFlush * size;
    const Disc disc{host, tolerance};
    add_rim_points(
        guest, n, offset, margin, disc, [&](const Segment& s) { return disc.clip(s); }, out);
    const std::uint32_t guest_name = swapped ? 64 : 0, host_name = swapped ? 0 : 64;
    for (ContactPoint& p : out) p.feature += guest_name;
    for (const int other : {0, 1})
      if (dot(guest.cap_normal(other), n) < -(1 - 0.5 * square(kPatchAngle)))
        add_host_rim(host, cap, guest, other, n, host_name, tolerance, out);
    sort_features(out);
    return !out.empty();
  }

  // Rim points of the host's cap strictly inside the guest's disc, and the intersections of the two circles.
  REPOSE_HD void add_host_rim(const PlacedCylinder& host, int cap, const PlacedCylinder& guest, int other, Vec3 n,
                              std::uint32_t name, double tolerance, Points& out) const {
    const Vec3 centre = host.cap_centre(cap), plane = guest.cap_centre(other), up = guest.cap_normal(other);
    const auto add = [&](Vec3 x, std::uint32_t feature) {
      const double gap = dot(up, plane - x) / dot(up, n);
      if (gap <= margin) out.push_back({x + 0.5 * gap * n, gap, feature});
    };
    for (std::uint32_t k = 0; k < kRimPoints; ++k) {
      const Vec3 x = rim_point(host, cap, eighth_cosine(k), eighth_cosine(k + 6));
      if (norm(cross(x - plane, guest.axis)) <= guest.radius - tolerance) add(x, name + cap * kRimPoints + k);
    }
    const Vec3 way = plane - centre - dot(plane - centre, n) * n;
    const double d = norm(way), along = (d * d + square(host.radius) - square(guest.radius)) / (2 * d);
    const double across2 = square(host.radius) - along * along;
    if (d <= tolerance || !(across2 > square(tolerance))) return;
    const Vec3 u = (1.0 / d) * way, v = cross(n, u);
    for (const int side : {0, 1})
      add(fused::plus_scaled(centre + along * u, (side ? 1 : -1) * std::sqrt(across2), v),
          128 + 4 * cap + 2 * other + side);
  }

  // Side against side. Parallel axes: two points at the ends of the overlap.
  REPOSE_HD bool add_side_points(Vec3 n, double s, Points& out) const {
    const Segment first{a.cap_centre(0), a.cap_centre(1)}, second{b.cap_centre(0), b.cap_centre(1)};
    const double sine = norm(cross(a.axis, b.axis));
    if (sine <= kPatchAngle) {
      const Overlap part = overlap_along(first, second);
      if ((part.high - part.low) * 2 * b.half <= kFlush * size) return false;
      for (const double t : {part.low, part.high}) {
        const Vec3 y = point_at(second, t), x = point_at(first, nearest_parameter(first, y));
        const double gap = dot(n, y - x) - a.radius - b.radius;
        if (gap <= margin) out.push_back({x + (a.radius + 0.5 * gap) * n, gap, 32u + (t == part.low ? 1 : 2)});
      }
      return !out.empty();
    }
    const SegmentPair near = nearest_parameters(first, second);
    const Vec3 x = point_at(first, near.s), way = point_at(second, near.t) - x;
    if (norm(way - dot(way, n) * n) > kRounding * size) return false;
    out.push_back({x + (a.radius + 0.5 * s) * n, s, kNearestPoint});
    return true;
  }

  // The direction between the axes, from a to b.
  REPOSE_HD [[nodiscard]] Vec3 side_direction() const {
    const Vec3 way = b.centre - a.centre, n = cross(a.axis, b.axis);
    if (norm(n) > kPatchAngle) return normalized(dot(n, way) < 0 ? -n : n);
    const Segment first{a.cap_centre(0), a.cap_centre(1)}, second{b.cap_centre(0), b.cap_centre(1)};
    const Overlap part = overlap_along(first, second);
    const Vec3 y = point_at(second, clamped(0.5 * (part.low + part.high), 0.0, 1.0));
    const Vec3 arm = y - a.centre, across = arm - dot(arm, a.axis) * a.axis;
    return norm(across) > 0 ? normalized(across) : a.e1;
  }

  REPOSE_HD [[nodiscard]] Nearest distance(Vec3 shift) const {
    PlacedCylinder moved = b;
    moved.centre = b.centre + shift;
    Nearest best;
    for (const int cap : {0, 1}) {
      const Vec3 x = nearest_of_rim(moved, cap, a);
      const SolidPoint on_a = nearest_on_cylinder(a, x);
      if (on_a.distance < best.distance) best = {on_a.distance, on_a.normal, on_a.foot, x};
      const Vec3 y = nearest_of_rim(a, cap, moved);
      const SolidPoint on_b = nearest_on_cylinder(moved, y);
      if (on_b.distance < best.distance) best = {on_b.distance, -on_b.normal, y, on_b.foot};
    }
    const Segment first{a.cap_centre(0), a.cap_centre(1)}, second{moved.cap_centre(0), moved.cap_centre(1)};
    const SegmentPair near = nearest_parameters(first, second);
    const Vec3 x = point_at(first, near.s), way = point_at(second, near.t) - x;
    const double length = norm(way), gap = length - a.radius - moved.radius;
    const bool across = std::abs(dot(way, a.axis)) + std::abs(dot(way, b.axis)) <= 1e-12 * length;
    if (length > 0 && across && gap > 0 && gap < best.distance) {
      const Vec3 n = (1.0 / length) * way;
      best = {gap, n, x + a.radius * n, x + (a.radius + gap) * n};
    }
    return best;
  }

  // Closest points, or the direction of least depth, where a rim is involved. A ridge needs no search when the closed
  // forms have it. Where Newton's method does not converge, the closest points are searched around the rims.
  REPOSE_HD [[nodiscard]] Nearest at_rims(Vec3 start, bool ridges_are_known) const {
    Nearest found;
    NormalOfRims search(a, b, margin, size);
    const NormalOfRims::Outcome outcome = search.find(start, found);
    if (outcome == NormalOfRims::Outcome::kFound) return found;
    found.distance = -kFar;
    if (ridges_are_known && outcome == NormalOfRims::Outcome::kRidge) return found;
    return signed_distance(
        start, size, [&](Vec3 shift) { return distance(shift); }, [&](Vec3 n) { return separation(n); });
  }
};

}  // namespace

REPOSE_KERNEL PairResult cylinder_cylinder(const ShapeView& a, const ShapeView& cylinder, const Relative& b,
                                           double margin, Points& out) {
  const TwoCylinders pair{placed_cylinder(a, {Mat3::identity(), {}}), placed_cylinder(cylinder, b), margin,
                          min_of(a.size, cylinder.size)};
  const Vec3 way = pair.b.centre - pair.a.centre;
  const int cap_a = dot(way, pair.a.axis) > 0, cap_b = dot(way, pair.b.axis) < 0;
  const Vec3 na = pair.a.cap_normal(cap_a), nb = -pair.b.cap_normal(cap_b), ns = pair.side_direction();
  const double sa = pair.separation(na), sb = pair.separation(nb), ss = pair.separation(ns);
  const double best = max_of(sa, sb, ss), rounding = kRounding * pair.size;
  if (best > margin) return {};

  const auto supported = [&](double s, Vec3 n) {
    return smallest_gap(out) <= s + slack(pair.a, n, pair.size) + slack(pair.b, n, pair.size);
  };
  const bool parallel = norm(cross(pair.a.axis, pair.b.axis)) <= kPatchAngle;
  const Vec3 start = sa >= best ? na : (sb >= best ? nb : ns);
  if (best < -kDeep * pair.size && norm(way) > 0) {
    const Nearest rim = pair.at_rims(normalized(way), true);
    if (rim.distance > margin) return {};
    // Sides along each other form a patch, although a rim is less deep (rule 1 of docs/collision.md).
    const double along = max_of(std::abs(dot(rim.normal, pair.a.axis)), std::abs(dot(rim.normal, pair.b.axis)));
    if (rim.distance > best + rounding && !(parallel && along <= kPatchAngle)) return single(rim, out);
  }
  if (sa >= best - rounding) {
    if (pair.add_cap_patch(pair.a, cap_a, pair.b, false, out) && supported(sa, na)) return {true, false, na};
    out.clear();
  }
  if (sb >= best - rounding) {
    if (pair.add_cap_patch(pair.b, cap_b, pair.a, true, out) && supported(sb, nb)) return {true, false, nb};
    out.clear();
  }
  if (ss >= best - rounding || parallel) {
    const double across = dot(ns, pair.b.centre - pair.a.centre) - pair.a.radius - pair.b.radius;
    const double s = parallel ? ss : across;
    if ((parallel ? ss >= best - kPatchAngle * pair.size : s >= best - rounding) && pair.add_side_points(ns, s, out))
      return {true, false, ns};
    out.clear();
  }
  const Nearest near = pair.at_rims(start, false);
  if (near.distance > margin) return {};
  return single(near, out);
}

}  // namespace repose::collision
