// SPDX-License-Identifier: Apache-2.0
// Half-spaces, spheres and capsules against each other and against polyhedra: closed forms.
// Definitions: for one source of the host library, and for device sources (kernels_internal.h).
#pragma once

#include "repose/collision/apart_internal.h"
#include "repose/collision/round_pairs_internal.h"
#include "repose/collision/segment_internal.h"
#include "repose/collision/support_internal.h"

namespace repose::collision {

namespace {

REPOSE_HD Segment core(const ShapeView& capsule, const Relative& b) {
  return {b * Vec3{0, 0, -capsule.half_length}, b * Vec3{0, 0, capsule.half_length}};
}
REPOSE_HD Segment core(const ShapeView& capsule) { return {{0, 0, -capsule.half_length}, {0, 0, capsule.half_length}}; }

// Balls of radius ra around x and rb around y. `fallback`: normal when the centres coincide.
REPOSE_HD PairResult two_balls(Vec3 x, double ra, Vec3 y, double rb, Vec3 fallback, double margin, Points& out) {
  const Vec3 way = y - x;
  const double distance = norm(way), gap = distance - ra - rb;
  if (gap > margin) return {};
  const Vec3 n = distance > 0 ? (1.0 / distance) * way : fallback;
  out.push_back({x + (ra + 0.5 * gap) * n, gap, 0});
  return {true, false, n};
}

REPOSE_HD void add_plane_point(Vec3 centre, double radius, std::uint32_t feature, double margin, Points& out) {
  const double gap = centre.z - radius;
  if (gap <= margin) out.push_back({{centre.x, centre.y, 0.5 * gap}, gap, feature});
}

}  // namespace

REPOSE_KERNEL PairResult halfspace_sphere(const ShapeView& sphere, const Relative& b, double margin, Points& out) {
  add_plane_point(b.p, sphere.radius, 0, margin, out);
  return {!out.empty(), false, {0, 0, 1}};
}

REPOSE_KERNEL PairResult halfspace_capsule(const ShapeView& capsule, const Relative& b, double margin, Points& out) {
  const Segment axis = core(capsule, b);
  add_plane_point(axis.tail, capsule.radius, 0, margin, out);
  add_plane_point(axis.head, capsule.radius, 1, margin, out);
  return {!out.empty(), false, {0, 0, 1}};
}

REPOSE_KERNEL PairResult halfspace_polyhedron(const ShapeView& poly, const Relative& b, double margin, int& start,
                                              Scratch& scratch, Points& out) {
  for_vertices_below(*poly.polyhedron, {b.R.m[2][0], b.R.m[2][1], b.R.m[2][2]}, margin - b.p.z, start, scratch,
                     [&](int v) {
                       const Vec3 x = b * poly.polyhedron->vertices[v];
                       if (x.z <= margin)
                         out.push_back({{x.x, x.y, 0.5 * x.z}, x.z, feature_name(Name::kVertexOfSecond, v)});
                     });
  sort_features(out);
  return {!out.empty(), false, {0, 0, 1}};
}

REPOSE_KERNEL PairResult sphere_sphere(const ShapeView& a, const ShapeView& sphere, const Relative& b, double margin,
                                       Points& out) {
  return two_balls({}, a.radius, b.p, sphere.radius, {0, 0, 1}, margin, out);
}

REPOSE_KERNEL PairResult capsule_sphere(const ShapeView& a, const ShapeView& sphere, const Relative& b, double margin,
                                        Points& out) {
  const Segment axis = core(a);
  const Vec3 nearest = point_at(axis, nearest_parameter(axis, b.p));
  return two_balls(nearest, a.radius, b.p, sphere.radius, {1, 0, 0}, margin, out);
}

REPOSE_KERNEL PairResult polyhedron_sphere(const ShapeView& a, const ShapeView& sphere, const Relative& b,
                                           double margin, Points& out) {
  const SurfacePoint near = nearest_on_surface(*a.polyhedron, b.p);
  const double gap = near.distance - sphere.radius;
  if (gap > margin) return {};
  out.push_back({near.foot + 0.5 * gap * near.normal, gap, 0});
  return {true, false, near.normal};
}

REPOSE_KERNEL PairResult capsule_capsule(const ShapeView& a, const ShapeView& capsule, const Relative& b, double margin,
                                         Points& out) {
  const Segment first = core(a), second = core(capsule, b);
  const SegmentPair near = nearest_parameters(first, second);
  const Vec3 x = point_at(first, near.s), y = point_at(second, near.t);
  const Vec3 fallback = perpendicular(normalized(second.head - second.tail));
  const PairResult single = two_balls(x, a.radius, y, capsule.radius, fallback, margin, out);
  if (!single.touching) return single;

  // Parallel: both ends of the overlap, with one normal.
  const Vec3 u = first.head - first.tail, v = second.head - second.tail;
  const double length = min_of(norm(u), norm(v));
  const Overlap shared = overlap_along(first, second);
  if (norm(cross(u, v)) > kPatchAngle * norm(u) * norm(v)) return single;
  if ((shared.high - shared.low) * norm(v) <= kFlush * length || length == 0) return single;
  out.clear();
  for (const double t : {shared.low, shared.high}) {
    const Vec3 q = point_at(second, t), p = point_at(first, nearest_parameter(first, q));
    const double gap = dot(single.normal, q - p) - a.radius - capsule.radius;
    // The feature id is the direction along the host's axis, which does not change when the ends pass each other.
    const bool upper = (q.z > 0.5 * (point_at(second, shared.low).z + point_at(second, shared.high).z));
    if (gap <= margin) out.push_back({p + (a.radius + 0.5 * gap) * single.normal, gap, upper ? 2u : 1u});
  }
  sort_features(out);
  return {!out.empty(), false, single.normal};
}

namespace {

// The direction of the closest points of a segment and a polyhedron, and the features it belongs to.
struct SegmentContact {
  double distance = -kFar;  ///< signed, from the core to the surface, m
  Vec3 normal;              ///< from the polyhedron to the segment
  int face = -1, edge = -1;
  double t = 0;  ///< on the segment
};

REPOSE_HD SegmentContact deepest_axis(const PolyhedronView& poly, const Segment& axis) {
  SegmentContact best;
  for (int f = 0; f < poly.faces.size(); ++f) {
    const double tail = dot(poly.faces[f].normal, axis.tail), head = dot(poly.faces[f].normal, axis.head);
    const double height = min_of(tail, head) - poly.faces[f].offset;
    if (height > best.distance) best = {height, poly.faces[f].normal, f, -1, tail <= head ? 0.0 : 1.0};
  }
  const Vec3 along = axis.head - axis.tail;
  for (int e = 0; e < poly.edges.size(); ++e) {
    const auto& edge = poly.edges[e];
    const Vec3 a = poly.faces[edge.left].normal, b = poly.faces[edge.right].normal;
    if (dot(a, along) * dot(b, along) >= 0) continue;  // the segment's great circle misses the arc of this edge
    const Segment side{poly.vertices[edge.tail], poly.vertices[edge.head]};
    Vec3 n = cross(side.head - side.tail, along);
    const double size = norm(n);
    if (size == 0) continue;
    n = (dot(n, a + b) < 0 ? -1.0 : 1.0) / size * n;
    const double height = dot(n, axis.tail - side.tail);
    if (height > best.distance) best = {height, n, -1, e, nearest_parameters(side, axis).t};
  }
  return best;
}

REPOSE_HD SegmentContact nearest_feature(const PolyhedronView& poly, const Segment& axis) {
  SegmentContact best;
  best.distance = kFar;
  for (const double t : {0.0, 1.0}) {
    const SurfacePoint near = nearest_on_surface(poly, point_at(axis, t));
    if (near.distance < best.distance) best = {near.distance, near.normal, near.face, -1, t};
  }
  for (int e = 0; e < poly.edges.size(); ++e) {
    const Segment side{poly.vertices[poly.edges[e].tail], poly.vertices[poly.edges[e].head]};
    const SegmentPair near = nearest_parameters(side, axis);
    const Vec3 way = point_at(axis, near.t) - point_at(side, near.s);
    const double distance = norm(way);
    // An end of the segment over a face or edge has its exact normal from above: only a gain beyond rounding replaces
    // it.
    if (distance < best.distance * (1 - 1e-14) && distance > 0)
      best = {distance, (1.0 / distance) * way, -1, e, near.t};
  }
  return best;
}

// The part of the segment over a face: parameters between the side planes.
REPOSE_HD Overlap part_over_face(const PolyhedronView& poly, int f, const Segment& axis, double tolerance) {
  Overlap part{0, 1};
  const auto& face = poly.faces[f];
  for (int i = 0; i < face.count && part.low <= part.high; ++i) {
    const Vec3 tail = poly.vertices[poly.loop[face.first + i]];
    const Vec3 head = poly.vertices[poly.loop[face.first + (i + 1 == face.count ? 0 : i + 1)]];
    const Vec3 side = normalized(cross(head - tail, face.normal));
    const double from = dot(side, axis.tail - tail) - tolerance, to = dot(side, axis.head - tail) - tolerance;
    if (from > 0 && to > 0) return {0, -1};
    if (from > 0) part.low = max_of(part.low, from / (from - to));
    if (to > 0) part.high = min_of(part.high, from / (from - to));
  }
  return part;
}

// Returns the face that is parallel to the segment for this normal, or −1.
REPOSE_HD int face_along(const PolyhedronView& poly, const SegmentContact& near, Vec3 direction) {
  if (near.face >= 0) return std::abs(dot(near.normal, direction)) <= kPatchAngle ? near.face : -1;
  for (int f = 0; f < poly.faces.size(); ++f)
    if (dot(poly.faces[f].normal, near.normal) > 1 - 0.5 * square(2 * kPatchAngle) &&
        std::abs(dot(poly.faces[f].normal, direction)) <= kPatchAngle)
      return f;
  return -1;
}

}  // namespace

REPOSE_KERNEL PairResult polyhedron_capsule(const ShapeView& a, const ShapeView& capsule, const Relative& b,
                                            double margin, Points& out) {
  const PolyhedronView& poly = *a.polyhedron;
  if (are_surely_apart(poly, capsule, b, margin)) return {};
  const Segment axis = core(capsule, b);
  SegmentContact near = deepest_axis(poly, axis);
  if (near.distance > capsule.radius + margin) return {};
  if (near.distance > 0) near = nearest_feature(poly, axis);
  if (near.distance > capsule.radius + margin) return {};

  const auto add = [&](double t, Vec3 on_surface, Vec3 n, std::uint32_t feature) {
    const double gap = dot(n, point_at(axis, t) - on_surface) - capsule.radius;
    const Vec3 lowest = point_at(axis, t) - capsule.radius * n;
    if (gap <= margin) out.push_back({lowest - 0.5 * gap * n, gap, feature});
  };
  const Vec3 along = axis.head - axis.tail;
  const double length = norm(along), tolerance = kFlush * min_of(a.size, capsule.size);
  // Parallel to a face: the ends of the part over it.
  if (const int f = length > 0 ? face_along(poly, near, (1.0 / length) * along) : -1; f >= 0) {
    const Overlap part = part_over_face(poly, f, axis, tolerance);
    const Vec3 on_face = poly.faces[f].offset * poly.faces[f].normal;
    if (part.low <= part.high) {
      add(part.low, on_face, poly.faces[f].normal, 1);
      if ((part.high - part.low) * length > tolerance) add(part.high, on_face, poly.faces[f].normal, 2);
      if (!out.empty()) return {true, false, poly.faces[f].normal};
    }
  }
  // Parallel to an edge: the ends of the overlap.
  if (near.edge >= 0 && length > 0) {
    const Segment side{poly.vertices[poly.edges[near.edge].tail], poly.vertices[poly.edges[near.edge].head]};
    const Vec3 edge = side.head - side.tail;
    const Overlap part = overlap_along(side, axis);
    if (norm(cross(edge, along)) <= kPatchAngle * norm(edge) * length && (part.high - part.low) * length > tolerance) {
      for (const double t : {part.low, part.high})
        add(t, point_at(side, nearest_parameter(side, point_at(axis, t))), near.normal, t == part.low ? 1 : 2);
      if (!out.empty()) return {true, false, near.normal};
    }
  }
  const Vec3 centre = point_at(axis, near.t);
  const double gap = near.distance - capsule.radius;
  out.push_back({centre - (capsule.radius + 0.5 * gap) * near.normal, gap, 0});
  return {true, false, near.normal};
}

}  // namespace repose::collision
