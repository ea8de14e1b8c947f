// SPDX-License-Identifier: Apache-2.0
// Closest points of points, segments and polyhedra in closed form.
// Definitions: for one source of the host library, and for device sources (kernels_internal.h).
#pragma once

#include "repose/collision/segment_internal.h"

namespace repose::collision {

REPOSE_KERNEL Overlap overlap_along(const Segment& a, const Segment& b) {
  const Vec3 along = b.head - b.tail;
  const double scale = 1.0 / dot(along, along);
  double from = scale * dot(along, a.tail - b.tail), to = scale * dot(along, a.head - b.tail);
  if (from > to) exchange(from, to);
  return {max_of(from, 0.0), min_of(to, 1.0)};
}

REPOSE_KERNEL SegmentPair nearest_parameters(const Segment& a, const Segment& b) {
  const Vec3 u = a.head - a.tail, v = b.head - b.tail, w = a.tail - b.tail;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
  if (uu == 0 || vv == 0) {
    const double s = uu == 0 ? 0.0 : nearest_parameter(a, b.tail);
    return {s, vv == 0 ? 0.0 : nearest_parameter(b, point_at(a, s))};
  }
  const Vec3 normal = cross(u, v);
  const double sine2 = dot(normal, normal) / (uu * vv);
  if (sine2 < 1e-20) {  // parallel to rounding: all points of the overlap are equally close; the middle is taken
    const Overlap shared = overlap_along(a, b);
    const double t = clamped(0.5 * (shared.low + shared.high), 0.0, 1.0);
    const double s = nearest_parameter(a, point_at(b, t));
    return {s, nearest_parameter(b, point_at(a, s))};
  }
  const double s = clamped((uv * vw - vv * uw) / dot(normal, normal), 0.0, 1.0);
  const double t = (s * uv + vw) / vv;
  if (t >= 0 && t <= 1) return {s, t};
  const double end = clamped(t, 0.0, 1.0);
  return {nearest_parameter(a, point_at(b, end)), end};
}

namespace {

// Closest point of a face's boundary, and whether the projection of x lies inside the face.
struct Boundary {
  bool inside = true;
  double distance2 = kFar;
  Vec3 foot;
};

REPOSE_HD Boundary nearest_on_boundary(const PolyhedronView& poly, const PolyhedronFace& face, Vec3 x) {
  Boundary found;
  for (int i = 0; i < face.count; ++i) {
    const Segment side{poly.vertices[poly.loop[face.first + i]],
                       poly.vertices[poly.loop[face.first + (i + 1 == face.count ? 0 : i + 1)]]};
    if (dot(cross(side.head - side.tail, face.normal), x - side.tail) <= 0) continue;
    found.inside = false;
    const Vec3 foot = point_at(side, nearest_parameter(side, x));
    const double distance2 = dot(x - foot, x - foot);
    if (distance2 < found.distance2) found.distance2 = distance2, found.foot = foot;
  }
  return found;
}

}  // namespace

REPOSE_KERNEL SurfacePoint nearest_on_surface(const PolyhedronView& poly, Vec3 x) {
  SurfacePoint deepest{-kFar, {}, {}, -1};
  for (int f = 0; f < poly.faces.size(); ++f) {
    const double height = dot(poly.faces[f].normal, x) - poly.faces[f].offset;
    if (height > deepest.distance) deepest = {height, poly.faces[f].normal, {}, f};
  }
  deepest.foot = x - deepest.distance * deepest.normal;
  if (deepest.distance <= 0) return deepest;  // inside: the face with the least depth

  double best2 = kFar;
  SurfacePoint nearest;
  for (int f = 0; f < poly.faces.size(); ++f) {
    const auto& face = poly.faces[f];
    const double height = dot(face.normal, x) - face.offset;
    if (height <= 0 || height * height >= best2) continue;  // a face is not closer than its plane
    const Boundary boundary = nearest_on_boundary(poly, face, x);
    if (boundary.inside) return {height, face.normal, x - height * face.normal, f};
    if (boundary.distance2 < best2) {
      best2 = boundary.distance2;
      const double distance = std::sqrt(best2);
      nearest = {distance, (1.0 / distance) * (x - boundary.foot), boundary.foot, -1};
    }
  }
  return nearest;
}

}  // namespace repose::collision
