// SPDX-License-Identifier: Apache-2.0
// Separating axes of two small polyhedra, and the normals of edge contacts.
// Definitions: for one source of the host library, and for device sources (kernels_internal.h).
#pragma once

#include "repose/collision/polyhedron_pair_internal.h"

namespace repose::collision {

namespace {

// Edges whose directions differ by less than this (1 − |cos|) are treated as parallel.
inline constexpr double kParallelCosine = 2e-4;
// Angle by which the common normal of two edges may lie beside their arcs, rad.
inline constexpr double kBesideArc = 1e-4;

REPOSE_HD EdgeView edge_of_a(const PolyPair& pair, int e) {
  const auto& edge = pair.a.edges[e];
  const Vec3 tail = pair.a.vertices[edge.tail], head = pair.a.vertices[edge.head];
  return {tail,
          head,
          fused::normalized(head - tail),
          pair.a.faces[edge.left].normal,
          pair.a.faces[edge.right].normal,
          face_code(false, edge.left),
          face_code(false, edge.right)};
}

// In a's frame, with face normals reversed, for comparison with the normals of a.
REPOSE_HD EdgeView edge_of_b(const PolyPair& pair, int e) {
  const auto& edge = pair.b.edges[e];
  const Vec3 tail = placed(pair.place, pair.b.vertices[edge.tail]),
             head = placed(pair.place, pair.b.vertices[edge.head]);
  return {tail,
          head,
          fused::normalized(head - tail),
          -(fused::times(pair.place.R, pair.b.faces[edge.left].normal)),
          -(fused::times(pair.place.R, pair.b.faces[edge.right].normal)),
          face_code(true, edge.left),
          face_code(true, edge.right)};
}

// Two edges support a common direction when their arcs on the Gauss sphere cross: the ends of either arc lie on
// different sides of the other's great circle, and on the same half of the sphere. (left × right points along the
// edge.)
REPOSE_HD bool arcs_cross(const EdgeView& a, const EdgeView& b) {
  const double bl = fused::dot(b.left, a.direction), br = fused::dot(b.right, a.direction);
  const double al = fused::dot(a.left, b.direction), ar = fused::dot(a.right, b.direction);
  return bl * br < 0 && al * ar < 0 && bl * ar > 0;
}

// Normals of merged faces are perpendicular to their edges up to the faces' roughness only. Where two edges are almost
// parallel, that lets arcs_cross accept a common normal which points anywhere.
REPOSE_HD bool on_arc(const EdgeView& edge, Vec3 n) {
  return fused::dot(fused::cross(edge.left, n), edge.direction) >= -kBesideArc &&
         fused::dot(fused::cross(n, edge.right), edge.direction) >= -kBesideArc;
}

REPOSE_HD bool crossing(const EdgeView& a, const EdgeView& b, EdgeAxis& axis) {
  if (!arcs_cross(a, b)) return false;
  const Vec3 n = fused::cross(a.direction, b.direction);
  const double sine = fused::norm(n);
  if (sine < 1e-7) return false;  // no common normal: faces or the rule for parallel edges apply
  axis.normal = (fused::dot(n, a.left + a.right) < 0 ? -1.0 : 1.0) / sine * n;
  axis.separation = fused::dot(axis.normal, b.tail - a.tail);
  return on_arc(a, axis.normal) && on_arc(b, axis.normal);
}

// Range of angles about the edge, from `zero` towards `quarter`, of the normals that both edges support. Each end is
// the normal of a face of a or of b.
struct WedgeEnd {
  Vec3 normal;
  int face = 0;
};
struct Wedge {
  Vec3 zero, quarter;
  double low = 0, high = -1;
  bool low_of_b = false, high_of_b = false;
};

REPOSE_HD Wedge common_wedge(const EdgeView& a, const EdgeView& b) {
  Wedge wedge;
  wedge.zero = fused::normalized(a.left + a.right);
  wedge.quarter = fused::cross(a.direction, wedge.zero);
  const auto angle = [&](Vec3 n) { return arc_tangent(fused::dot(n, wedge.quarter), fused::dot(n, wedge.zero)); };
  // left × right is along the edge, so angles grow from left to right.
  const double middle_b = angle(b.left + b.right);
  const double half_a = 0.5 * arc_cosine(clamped(fused::dot(a.left, a.right), -1.0, 1.0));
  const double half_b = 0.5 * arc_cosine(clamped(fused::dot(b.left, b.right), -1.0, 1.0));
  wedge.low = max_of(-half_a, middle_b - half_b);
  wedge.high = min_of(half_a, middle_b + half_b);
  wedge.low_of_b = middle_b - half_b > -half_a;
  wedge.high_of_b = middle_b + half_b < half_a;
  return wedge;
}

REPOSE_HD WedgeEnd low_end(const Wedge& wedge, const EdgeView& a, const EdgeView& b) {
  if (!wedge.low_of_b) return {a.left, a.left_face};
  return fused::dot(a.direction, b.direction) > 0 ? WedgeEnd{b.left, b.left_face} : WedgeEnd{b.right, b.right_face};
}
REPOSE_HD WedgeEnd high_end(const Wedge& wedge, const EdgeView& a, const EdgeView& b) {
  if (!wedge.high_of_b) return {a.right, a.right_face};
  return fused::dot(a.direction, b.direction) > 0 ? WedgeEnd{b.right, b.right_face} : WedgeEnd{b.left, b.left_face};
}

// The overlap of two nearly parallel edges: its ends on b (parameters) and the middle offset from a to b.
struct SideBySide {
  double low = 0, high = -1;  // along a's direction from a.tail, m
  Vec3 offset;
};

REPOSE_HD SideBySide side_by_side(const EdgeView& a, const EdgeView& b) {
  SideBySide shared;
  const double length = fused::dot(a.head - a.tail, a.direction);
  const double from = fused::dot(b.tail - a.tail, a.direction), to = fused::dot(b.head - a.tail, a.direction);
  shared.low = max_of(0.0, min_of(from, to));
  shared.high = min_of(length, max_of(from, to));
  const double middle = 0.5 * (shared.low + shared.high);
  const Vec3 on_a = a.tail + middle * a.direction;
  const Vec3 on_b = b.tail + (middle - from) / (to - from) * (b.head - b.tail);
  shared.offset = on_b - on_a;
  return shared;
}

// The end of the wedge that a separating-axis test chooses: the face with the larger separation. Where the two differ
// by no more than the band, the face of the last step is kept; a new pair takes a's.
REPOSE_HD bool takes_high(const PolyPair& pair, const WedgeEnd& low, const WedgeEnd& high, Vec3 offset) {
  const double better = fused::dot(high.normal, offset) - fused::dot(low.normal, offset);
  if (std::abs(better) > kKeepBand * pair.size) return better > 0;
  if (pair.last_face == low.face || pair.last_face == high.face) return pair.last_face == high.face;
  return low.face < 0 && high.face > 0;
}

// EdgeNormal::kFace: the normal of a face while the edges are within the band of each other. With a larger offset the
// normal turns to the direction between the closest points. With the face's normal an edge that moves past a face would
// collide with the extended plane of that face.
REPOSE_HD bool on_face(const PolyPair& pair, const EdgeView& a, const EdgeView& b, const Wedge& wedge, Vec3 offset,
                       EdgeAxis& axis) {
  const double band = kEdgeBand * pair.size;
  const WedgeEnd low = low_end(wedge, a, b), high = high_end(wedge, a, b);
  const bool take_high = takes_high(pair, low, high, offset);
  const WedgeEnd& end = take_high ? high : low;
  const Vec3 into_wedge = fused::normalized((take_high ? -1.0 : 1.0) * fused::cross(a.direction, end.normal));
  const double along = fused::dot(offset, end.normal), beside = fused::dot(offset, into_wedge);
  if (beside < -band) return false;  // over the face: the face's patch applies
  const double turn = arc_tangent(max_of(beside - band, 0.0), max_of(along, 0.0) + band);
  axis.face = end.face;
  axis.normal = turn > 0 ? fused::normalized(cosine(turn) * end.normal + sine(turn) * into_wedge) : end.normal;
  axis.separation = fused::dot(axis.normal, offset);
  return true;
}

REPOSE_HD bool parallel(const PolyPair& pair, const EdgeView& a, const EdgeView& b, EdgeAxis& axis) {
  const double band = kEdgeBand * pair.size;
  const SideBySide shared = side_by_side(a, b);
  const double length = shared.high - shared.low;
  if (length <= kFlush * pair.size) return false;
  const double shorter = min_of(fused::norm(a.head - a.tail), fused::norm(b.head - b.tail));
  if (fused::norm(fused::cross(a.direction, b.direction)) * 0.5 * shorter > band) return false;
  const Vec3 offset = shared.offset - fused::dot(shared.offset, a.direction) * a.direction;
  if (fused::dot(offset, offset) > square(pair.margin + band)) return false;
  const Wedge wedge = common_wedge(a, b);
  if (wedge.high - wedge.low <= kPatchAngle) return false;
  if (pair.edge_normal == EdgeNormal::kFace) return on_face(pair, a, b, wedge, offset, axis);
  // At touch every normal of the wedge is admissible, and the direction between the closest points is determined by
  // rounding errors. The normal is the middle of the wedge and turns to that direction as the offset exceeds the band.
  const double middle = 0.5 * (wedge.low + wedge.high);
  const Vec3 bisector = cosine(middle) * wedge.zero + sine(middle) * wedge.quarter;
  const Vec3 across = fused::cross(a.direction, bisector);
  const double along = fused::dot(offset, bisector), beside = fused::dot(offset, across);
  const double turn = arc_tangent(beside, max_of(along, 0.0) + band);
  if (std::abs(turn) >= 0.5 * (wedge.high - wedge.low)) return false;  // over a face: the face's normal applies
  axis.normal = cosine(turn) * bisector + sine(turn) * across;
  axis.separation = fused::dot(axis.normal, offset);
  return true;
}

REPOSE_HD void search_faces(const PolyPair& pair, const Buffer<Vec3>& vertices_b, AxisSearch& found) {
  for (int f = 0; f < pair.a.faces.size(); ++f) {
    double lowest = 1e300;
    for (const Vec3& v : vertices_b) lowest = min_of(lowest, fused::dot(pair.a.faces[f].normal, v));
    const double s = lowest - pair.a.faces[f].offset;
    if (s > found.face_a.separation) found.face_a = {f, s};
  }
  if (found.face_a.separation > pair.margin) return;
  for (int f = 0; f < pair.b.faces.size(); ++f) {
    const Vec3 n = fused::times(pair.place.R, pair.b.faces[f].normal);
    double lowest = 1e300;
    for (const Vec3& v : pair.a.vertices) lowest = min_of(lowest, fused::dot(n, v));
    const double s = lowest - fused::dot(n, pair.place.p) - pair.b.faces[f].offset;
    if (s > found.face_b.separation) found.face_b = {f, s};
  }
}

REPOSE_HD void search_edges(const PolyPair& pair, const Buffer<EdgeView>& edges_b, AxisSearch& found) {
  for (int i = 0; i < pair.a.edges.size(); ++i) {
    const EdgeView a = edge_of_a(pair, i);
    for (int j = 0; j < edges_b.size(); ++j) {
      const EdgeView& b = edges_b[j];
      EdgeAxis axis{i, j, 0, {}, 0};
      if (1 - std::abs(fused::dot(a.direction, b.direction)) < kParallelCosine && parallel(pair, a, b, axis) &&
          axis.separation > found.parallel.separation)
        found.parallel = axis;
      if (crossing(a, b, axis) && axis.separation > found.edges.separation) found.edges = axis;
    }
  }
}

}  // namespace

REPOSE_KERNEL void search_axes(const PolyPair& pair, Scratch& scratch, AxisSearch& found) {
  scratch.vertices.clear();
  for (const Vec3& v : pair.b.vertices) scratch.vertices.push_back(placed(pair.place, v));
  search_faces(pair, scratch.vertices, found);
  if (found.best() > pair.margin) return;
  scratch.edges.clear();
  for (int e = 0; e < pair.b.edges.size(); ++e) scratch.edges.push_back(edge_of_b(pair, e));
  search_edges(pair, scratch.edges, found);
}

REPOSE_KERNEL bool crossing_axis(const PolyPair& pair, int edge_a, int edge_b, EdgeAxis& axis) {
  axis = {edge_a, edge_b, 0, {}, 0};
  return crossing(edge_of_a(pair, edge_a), edge_of_b(pair, edge_b), axis);
}

REPOSE_KERNEL bool parallel_axis(const PolyPair& pair, int edge_a, int edge_b, EdgeAxis& axis) {
  axis = {edge_a, edge_b, 0, {}, 0};
  return parallel(pair, edge_of_a(pair, edge_a), edge_of_b(pair, edge_b), axis);
}

REPOSE_KERNEL void add_crossing_point(const PolyPair& pair, const EdgeAxis& axis, Points& out) {
  const EdgeView a = edge_of_a(pair, axis.first), b = edge_of_b(pair, axis.second);
  // Closest points of the two lines, which cross in the projection along the normal.
  const Vec3 way = b.tail - a.tail;
  const double c = fused::dot(a.direction, b.direction), da = fused::dot(way, a.direction),
               db = fused::dot(way, b.direction);
  const double sine2 = fused::dot(fused::cross(a.direction, b.direction), fused::cross(a.direction, b.direction));
  const Vec3 on_a = a.tail + (da - c * db) / sine2 * a.direction;
  const auto name = static_cast<std::uint64_t>(axis.first) * pair.b.edges.size() + axis.second;
  out.push_back({on_a + 0.5 * axis.separation * axis.normal, axis.separation, feature_name(Name::kEdgePair, name)});
}

REPOSE_KERNEL void add_parallel_points(const PolyPair& pair, const EdgeAxis& axis, Points& out) {
  const EdgeView a = edge_of_a(pair, axis.first), b = edge_of_b(pair, axis.second);
  const auto& edge_a = pair.a.edges[axis.first];
  const auto& edge_b = pair.b.edges[axis.second];
  const SideBySide shared = side_by_side(a, b);
  const double length = fused::dot(a.head - a.tail, a.direction), tolerance = kFlush * pair.size;
  const double from = fused::dot(b.tail - a.tail, a.direction), to = fused::dot(b.head - a.tail, a.direction);
  for (const double at : {shared.low, shared.high}) {
    const Vec3 on_a = a.tail + at * a.direction;
    const Vec3 on_b = b.tail + (at - from) / (to - from) * (b.head - b.tail);
    const double gap = fused::dot(axis.normal, on_b - on_a);
    // The end of the overlap is an end of a or of b; in a tie, of a.
    std::uint32_t name = feature_name(Name::kVertexOfSecond, at == from ? edge_b.tail : edge_b.head);
    if (at <= tolerance) name = feature_name(Name::kVertexOfFirst, edge_a.tail);
    if (at >= length - tolerance) name = feature_name(Name::kVertexOfFirst, edge_a.head);
    if (gap <= pair.margin) out.push_back({0.5 * (on_a + on_b), gap, name});
  }
  sort_features(out);
}

}  // namespace repose::collision
