// SPDX-License-Identifier: Apache-2.0
// Cylinders against polyhedra.
//
// The axes in closed form come first: faces, caps, side against edge, side against side. The best of them is the normal
// when the closest points lie inside the features it belongs to. Otherwise a rim is involved, and the closest points,
// searched along edges and rims, define the normal. Overlapping bodies are moved apart along the last normal for this
// search; a normal that the search returns unchanged is a stationary direction of the separation s(n).
// Definitions: for one source of the host library, and for device sources (kernels_internal.h).
#pragma once

#include "repose/collision/apart_internal.h"
#include "repose/collision/cylinder_search_internal.h"

namespace repose::collision {

namespace {

// ---- cylinder and polyhedron ----------------------------------------------------------------------------------------

struct FaceSides {
  const PolyhedronView& poly;
  const PolyhedronFace& face;
  double tolerance;

  REPOSE_HD [[nodiscard]] Vec3 corner(int i) const { return poly.vertices[poly.loop[face.first + i % face.count]]; }
  REPOSE_HD [[nodiscard]] Vec3 outward(int i) const {
    return normalized(cross(corner(i + 1) - corner(i), face.normal));
  }
  REPOSE_HD bool operator()(Vec3 x) const {
    for (int i = 0; i < face.count; ++i)
      if (dot(outward(i), x - corner(i)) > tolerance) return false;
    return true;
  }
  REPOSE_HD [[nodiscard]] Overlap clip(const Segment& s) const {
    Overlap part{0, 1};
    for (int i = 0; i < face.count; ++i) {
      const double from = dot(outward(i), s.tail - corner(i)) - tolerance;
      const double to = dot(outward(i), s.head - corner(i)) - tolerance;
      if (from > 0 && to > 0) return {};
      if (from > 0) part.low = max_of(part.low, from / (from - to));
      if (to > 0) part.high = min_of(part.high, from / (from - to));
    }
    return part;
  }
};

// Vertices of a face under a flat cap, and the crossings of its edges with the rim; heights from the face to the cap.
REPOSE_HD void add_face_under_cap(const PolyhedronView& poly, int f, const PlacedCylinder& c, int cap, Vec3 n,
                                  double margin, double tolerance, Points& out) {
  const auto& face = poly.faces[f];
  const Vec3 centre = c.cap_centre(cap), up = c.cap_normal(cap);
  const auto add = [&](Vec3 x, std::uint32_t feature) {
    const double gap = dot(up, centre - x) / dot(up, n);  // along n from x to the cap's plane
    if (gap <= margin) out.push_back({x + 0.5 * gap * n, gap, feature});
  };
  const auto beyond = [&](Vec3 x) { return norm(cross(x - centre, c.axis)) - c.radius; };
  for (int i = 0; i < face.count; ++i) {
    const int v = poly.loop[face.first + i], w = poly.loop[face.first + (i + 1) % face.count];
    const Segment side{poly.vertices[v], poly.vertices[w]};
    if (beyond(side.tail) <= -tolerance) add(side.tail, feature_name(Name::kVertexOfFirst, kNearestPoint + 1 + v));
    // |w + t u|² = r² in the cap's plane
    const Vec3 u = cross(side.head - side.tail, c.axis), d = cross(side.tail - centre, c.axis);
    const double a = dot(u, u), b = dot(u, d), q = b * b - a * (dot(d, d) - c.radius * c.radius);
    if (q <= 0 || a == 0) continue;
    for (const int root : {0, 1}) {
      const double t = (-b + (root ? 1 : -1) * std::sqrt(q)) / a;
      if (t <= 0 || t >= 1) continue;
      const auto edge = static_cast<std::uint64_t>(poly.loop_edge[face.first + i]);
      add(point_at(side, t), feature_name(Name::kEdgePair, 4 * edge + 2 * cap + root));
    }
  }
}

struct CylinderAndPoly {
  const PolyhedronView& poly;
  const PlacedCylinder c;
  double margin, size;

  REPOSE_HD [[nodiscard]] double separation(Vec3 n) const {
    double top = -kFar;
    for (const Vec3 v : poly.vertices) top = max_of(top, dot(n, v));
    return c.lowest_height(n) - top;
  }

  // Patch of a face, or of a cap parallel to it.
  REPOSE_HD bool add_face_patch(int f, Points& out) const {
    const auto& face = poly.faces[f];
    const FaceSides sides{poly, face, kFlush * size};
    add_rim_points(
        c, face.normal, face.offset, margin, sides, [&](const Segment& s) { return sides.clip(s); }, out);
    for (const int cap : {0, 1})
      if (dot(c.cap_normal(cap), face.normal) < -(1 - 0.5 * square(kPatchAngle)))
        add_face_under_cap(poly, f, c, cap, face.normal, margin, kFlush * size, out);
    sort_features(out);
    return !out.empty();
  }

  // Vertices under a cap, heights along the cap's normal (host frame: normal from the polyhedron to the cylinder).
  REPOSE_HD bool add_cap_patch(int cap, Points& out) const {
    const Vec3 centre = c.cap_centre(cap), up = c.cap_normal(cap);
    for (int v = 0; v < poly.vertices.size(); ++v) {
      const Vec3 x = poly.vertices[v];
      const double gap = dot(up, x - centre);
      if (gap > margin || norm(cross(x - centre, c.axis)) > c.radius + kFlush * size) continue;
      out.push_back({x - 0.5 * gap * up, gap, feature_name(Name::kVertexOfFirst, kNearestPoint + 1 + v)});
    }
    sort_features(out);
    return !out.empty();
  }

  struct Axes {
    int face = -1, cap = 0, edge = -1, vertex = -1, line = -1;
    double face_s = -kFar, cap_s = -kFar, edge_s = -kFar, vertex_s = -kFar, line_s = -kFar;
    double line_slack = 0;  ///< allowance for edges that are not exactly parallel to the axis, m
    Vec3 edge_n, vertex_n, line_n;
    REPOSE_HD [[nodiscard]] double best() const { return max_of(max_of(face_s, cap_s, edge_s), vertex_s, line_s); }
  };

  REPOSE_HD [[nodiscard]] Axes axes() const {
    Axes found;
    for (int f = 0; f < poly.faces.size(); ++f) {
      const double s = c.lowest_height(poly.faces[f].normal) - poly.faces[f].offset;
      if (s > found.face_s) found.face_s = s, found.face = f;
    }
    for (const int cap : {0, 1}) {
      double lowest = kFar;
      for (const Vec3 v : poly.vertices) lowest = min_of(lowest, dot(c.cap_normal(cap), v - c.cap_centre(cap)));
      if (lowest > found.cap_s) found.cap_s = lowest, found.cap = cap;
    }
    for (int e = 0; e < poly.edges.size(); ++e) {
      const auto& edge = poly.edges[e];
      const Vec3 l = poly.faces[edge.left].normal, r = poly.faces[edge.right].normal;
      if (dot(l, c.axis) * dot(r, c.axis) >= 0) continue;
      const Vec3 tail = poly.vertices[edge.tail];
      Vec3 n = cross(poly.vertices[edge.head] - tail, c.axis);
      const double length = norm(n);
      if (length <= 1e-7 * norm(poly.vertices[edge.head] - tail)) continue;  // parallel: search_lines()
      n = (dot(n, l + r) < 0 ? -1.0 : 1.0) / length * n;
      const double s = dot(n, c.centre - tail) - c.radius;
      if (s > found.edge_s) found.edge_s = s, found.edge = e, found.edge_n = n;
    }
    search_vertices(found);
    search_lines(found);
    return found;
  }

  // An edge along the side: the direction perpendicular to the axis in the middle of the overlap.
  REPOSE_HD void search_lines(Axes& found) const {
    for (int e = 0; e < poly.edges.size(); ++e) {
      const Segment side{poly.vertices[poly.edges[e].tail], poly.vertices[poly.edges[e].head]};
      const Vec3 along = side.head - side.tail;
      if (norm(cross(along, c.axis)) > kPatchAngle * norm(along)) continue;
      const Overlap part = overlap_along({c.cap_centre(0), c.cap_centre(1)}, side);
      if ((part.high - part.low) * norm(along) <= kFlush * size) continue;
      const Vec3 arm = point_at(side, 0.5 * (part.low + part.high)) - c.centre;
      const Vec3 across = arm - dot(arm, c.axis) * c.axis;
      if (norm(across) == 0) continue;
      const Vec3 n = (-1.0 / norm(across)) * across;
      const double s = separation(n), slack = 0.5 * (part.high - part.low) * norm(cross(along, c.axis));
      const bool extreme = norm(across) - c.radius <= s + slack + kRounding * size;  // excludes edges of the far side
      if (s <= found.line_s || !extreme) continue;
      found.line_s = s, found.line = e, found.line_n = n, found.line_slack = slack;
    }
  }

  REPOSE_HD bool add_line_points(const Axes& found, Points& out) const {
    const auto& edge = poly.edges[found.line];
    const Segment side{poly.vertices[edge.tail], poly.vertices[edge.head]}, axis{c.cap_centre(0), c.cap_centre(1)};
    const Overlap part = overlap_along(axis, side);
    for (const int end : {0, 1}) {
      const Vec3 x = point_at(side, end ? part.high : part.low);
      const Vec3 y = point_at(axis, repose::collision::nearest_parameter(axis, x));
      const double gap = dot(found.line_n, y - x) - c.radius;
      if (gap <= margin)
        out.push_back({x + 0.5 * gap * found.line_n, gap,
                       feature_name(Name::kCorner, 2 * static_cast<std::uint64_t>(found.line) + end)});
    }
    return !out.empty();
  }

  // Overlap at a rim, which no axis in closed form describes: starts from the direction between the centres.
  REPOSE_HD [[nodiscard]] Nearest from_centres() const {
    const Vec3 way = c.centre - poly.centre;
    if (norm(way) == 0) return {};
    return signed_distance(
        normalized(way), size, [&](Vec3 shift) { return distance(shift); }, [&](Vec3 n) { return separation(n); });
  }

  // A corner against the side: the direction perpendicular to the axis, if the corner is a support point for it.
  REPOSE_HD void search_vertices(Axes& found) const {
    for (int v = 0; v < poly.vertices.size(); ++v) {
      const Vec3 arm = poly.vertices[v] - c.centre;
      const double z = dot(arm, c.axis);
      const Vec3 across = arm - z * c.axis;
      const double rho = norm(across), s = rho - c.radius;
      if (std::abs(z) > c.half || s > margin || s <= found.vertex_s || rho == 0) continue;
      const Vec3 n = (-1.0 / rho) * across;
      const double limit = dot(n, poly.vertices[v]) + kRounding * size;
      bool extreme = true;
      for (int w = 0; w < poly.vertices.size() && extreme; ++w) extreme = !(dot(n, poly.vertices[w]) > limit);
      if (extreme) found.vertex_s = s, found.vertex = v, found.vertex_n = n;
    }
  }

  // Side of the cylinder on an edge: valid when the closest points of axis and edge lie inside both.
  REPOSE_HD bool add_edge_point(const Axes& found, Points& out) const {
    const auto& edge = poly.edges[found.edge];
    const Segment side{poly.vertices[edge.tail], poly.vertices[edge.head]};
    const Segment axis{c.cap_centre(0), c.cap_centre(1)};
    const SegmentPair near = nearest_parameters(side, axis);
    const Vec3 way = point_at(axis, near.t) - point_at(side, near.s);
    if (norm(way - dot(way, found.edge_n) * found.edge_n) > kRounding * size) return false;
    const double gap = found.edge_s;
    out.push_back({point_at(side, near.s) + 0.5 * gap * found.edge_n, gap,
                   feature_name(Name::kEdgePair, 0x20000000u + static_cast<unsigned>(found.edge))});
    return true;
  }

  // Separate: search along every edge (corners included), unless a face is closer than all of them.
  REPOSE_HD [[nodiscard]] Nearest distance(Vec3 shift) const {
    PlacedCylinder moved = c;
    moved.centre = c.centre + shift;
    Nearest best;
    for (const auto& edge : poly.edges) {
      const Segment side{poly.vertices[edge.tail], poly.vertices[edge.head]};
      const double reach = 0.5 * norm(side.head - side.tail);
      if (nearest_on_cylinder(moved, point_at(side, 0.5)).distance - reach > best.distance) continue;
      const Vec3 x = point_at(side, nearest_parameter(moved, side));
      const SolidPoint near = nearest_on_cylinder(moved, x);
      if (near.distance < best.distance) best = {near.distance, -near.normal, x, near.foot};
    }
    for (const auto& face : poly.faces) {
      const double s = moved.lowest_height(face.normal) - face.offset;
      if (s <= 0 || s >= best.distance) continue;
      const Vec3 x = moved.lowest(face.normal);
      if (FaceSides{poly, face, 0}(x)) best = {s, face.normal, x - s * face.normal, x};
    }
    return best;
  }
};

// Adds the patch of a face whose normal is close to the direction found, if the cylinder lies along that face.
REPOSE_HD int face_along(const CylinderAndPoly& pair, Vec3 n) {
  for (int f = 0; f < pair.poly.faces.size(); ++f) {
    const Vec3 m = pair.poly.faces[f].normal;
    const double along = std::abs(dot(m, pair.c.axis));
    const bool lies = along <= kPatchAngle || along >= 1 - 0.5 * square(kPatchAngle);
    if (lies && dot(m, n) > 1 - 0.5 * square(2 * kPatchAngle)) return f;
  }
  return -1;
}

}  // namespace

REPOSE_KERNEL PairResult polyhedron_cylinder(const ShapeView& a, const ShapeView& cylinder, const Relative& b,
                                             double margin, Points& out) {
  if (are_surely_apart(*a.polyhedron, cylinder, b, margin)) return {};
  const CylinderAndPoly pair{*a.polyhedron, placed_cylinder(cylinder, b), margin, min_of(a.size, cylinder.size)};
  const auto axes = pair.axes();
  const double best = axes.best(), rounding = kRounding * pair.size;
  if (best > margin) return {};
  const auto supported = [&](double s, Vec3 n) {
    if (smallest_gap(out) <= s + slack(pair.c, n, pair.size)) return true;
    out.clear();
    return false;
  };
  const auto face_normal = [&](int f) { return pair.poly.faces[f].normal; };

  if (best < -kDeep * pair.size)
    if (const Nearest rim = pair.from_centres(); rim.distance < kFar && rim.distance > best + rounding)
      return rim.distance <= margin ? single(rim, out) : PairResult{};

  const Vec3 cap_n = -pair.c.cap_normal(axes.cap);
  Vec3 lead = axes.edge_n;  // the normal of the best axis
  if (axes.vertex_s >= best - rounding) lead = axes.vertex_n;
  if (axes.line_s >= best - rounding) lead = axes.line_n;
  if (axes.cap_s >= best - rounding) lead = cap_n;
  if (axes.face_s >= best - rounding) lead = face_normal(axes.face);

  if (axes.face_s >= best - rounding && pair.add_face_patch(axes.face, out) && supported(axes.face_s, lead))
    return {true, false, lead};
  if (const int f = face_along(pair, lead); f >= 0 && pair.add_face_patch(f, out)) return {true, false, face_normal(f)};
  if (axes.cap_s >= best - rounding && pair.add_cap_patch(axes.cap, out) && supported(axes.cap_s, cap_n))
    return {true, false, cap_n};
  if (axes.line_s >= best - rounding - axes.line_slack && pair.add_line_points(axes, out))
    return {true, false, axes.line_n};
  if (axes.vertex_s >= best - rounding) {
    const Vec3 x = pair.poly.vertices[axes.vertex];
    out.push_back({x + 0.5 * axes.vertex_s * axes.vertex_n, axes.vertex_s,
                   feature_name(Name::kVertexOfFirst, kNearestPoint + 1 + axes.vertex)});
    return {true, false, axes.vertex_n};
  }
  if (axes.edge_s >= best - rounding && pair.add_edge_point(axes, out)) return {true, false, axes.edge_n};

  const Nearest near = signed_distance(
      lead, pair.size, [&](Vec3 shift) { return pair.distance(shift); }, [&](Vec3 n) { return pair.separation(n); });
  if (near.distance > margin) return {};
  if (const int f = face_along(pair, near.normal); f >= 0 && pair.add_face_patch(f, out))
    return {true, false, face_normal(f)};
  return single(near, out);
}

}  // namespace repose::collision
