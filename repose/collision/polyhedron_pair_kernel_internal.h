// SPDX-License-Identifier: Apache-2.0
// The choice of the features of two polyhedra, with hysteresis.
// Definitions: for one source of the host library, and for device sources (kernels_internal.h).
#pragma once

#include "repose/collision/gjk_internal.h"
#include "repose/collision/polyhedron_pair_internal.h"
#include "repose/collision/segment_internal.h"
#include "repose/collision/support_internal.h"

namespace repose::collision {

namespace {

// One face of one of the two shapes as the reference: its normal in a's frame and the other shape's separation from it.
struct Reference {
  bool of_second = false;
  int face = -1;
  Vec3 normal;  // in a's frame, from a to b
  double separation = 0;
  int lowest = 0;  // vertex of the other shape
};

REPOSE_HD Reference reference_face(const PolyPair& pair, bool of_second, int face, int hint) {
  Reference r{of_second, face, {}, 0, 0};
  if (!of_second) {
    const auto& f = pair.a.faces[face];
    const Vec3 n = fused::transposed_times(pair.place.R, f.normal);
    r.normal = f.normal;
    r.lowest = lowest_vertex(pair.b, n, hint);
    r.separation = fused::dot(f.normal, placed(pair.place, pair.b.vertices[r.lowest])) - f.offset;
  } else {
    const auto& f = pair.b.faces[face];
    const Vec3 n = fused::times(pair.place.R, f.normal);
    r.normal = -n;
    r.lowest = lowest_vertex(pair.a, n, hint);
    r.separation = fused::dot(n, pair.a.vertices[r.lowest] - pair.place.p) - f.offset;
  }
  return r;
}

/// Adds the face's patch, in the frame of the face's shape. Returns whether it has points.
REPOSE_HD bool add_patch(const PolyPair& pair, const Reference& r, Scratch& scratch, Points& out) {
  const double tolerance = kFlush * pair.size;
  if (r.of_second)
    add_face_patch({pair.b, pair.a, inverse(pair.place), r.face, true, pair.margin, tolerance}, r.lowest, scratch, out);
  else
    add_face_patch({pair.a, pair.b, pair.place, r.face, false, pair.margin, tolerance}, r.lowest, scratch, out);
  return !out.empty();
}

REPOSE_HD PairResult patch_result(const PolyPair& pair, const Reference& r) {
  return {true, r.of_second, r.of_second ? pair.b.faces[r.face].normal : r.normal};
}

REPOSE_HD int squarest_face(const PolyhedronView& poly, Vec3 direction, int hint) {
  if (poly.vertices.size() > kWalkFrom)
    return squarest_face_near(poly, direction, lowest_vertex(poly, -direction, hint));
  int best = 0;
  double top = -2;
  for (int f = 0; f < poly.faces.size(); ++f) {
    const double c = fused::dot(poly.faces[f].normal, direction);
    if (c > top) top = c, best = f;
  }
  return best;
}

REPOSE_HD void remember(PairMemory& memory, const PolyPair& pair, PairMemory::Choice choice, int first, int second,
                        double best, double chosen, int face = 0) {
  memory.choice = choice;
  memory.first = first;
  memory.second = second;
  memory.face = face;
  memory.anchor = pair.place;
  memory.best = best;
  memory.chosen = chosen;
}

REPOSE_HD void remember_face(PairMemory& memory, const PolyPair& pair, const Reference& r, double best) {
  remember(memory, pair, r.of_second ? PairMemory::Choice::kFaceOfSecond : PairMemory::Choice::kFaceOfFirst,
           r.of_second ? 0 : r.face, r.of_second ? r.face : 0, best, r.separation);
  (r.of_second ? memory.hint_first : memory.hint_second) = r.lowest;
}

// Two nearly parallel faces along the best direction: one of them is the reference, whichever feature is closest.
REPOSE_HD bool try_parallel_faces(const PolyPair& pair, Vec3 direction, double best, PairMemory& memory,
                                  Scratch& scratch, Points& out, PairResult& result) {
  const int fa = squarest_face(pair.a, direction, memory.hint_first);
  const int fb = squarest_face(pair.b, fused::transposed_times(pair.place.R, -direction), memory.hint_second);
  const Vec3 na = pair.a.faces[fa].normal, nb = fused::times(pair.place.R, pair.b.faces[fb].normal);
  const double close = 1 - 0.5 * square(kPatchAngle), near = 1 - 0.5 * square(2 * kPatchAngle);
  if (fused::dot(na, nb) > -close || fused::dot(na, direction) < near) return false;
  const Reference a = reference_face(pair, false, fa, memory.hint_second);
  const Reference b = reference_face(pair, true, fb, memory.hint_first);
  // The last reference is kept unless the other one is better by the band; a new pair takes a's.
  const bool b_before = memory.choice == PairMemory::Choice::kFaceOfSecond && memory.second == fb;
  const double band = kKeepBand * pair.size;
  const bool take_b = b_before ? b.separation >= a.separation - band : b.separation > a.separation + band;
  for (const Reference& r : {take_b ? b : a, take_b ? a : b}) {
    if (add_patch(pair, r, scratch, out)) {
      remember_face(memory, pair, r, best);
      result = patch_result(pair, r);
      return true;
    }
    out.clear();
  }
  return false;
}

// ---- separate, closest at a vertex: against an edge or a vertex
// ------------------------------------------------------

struct NearestVertex {
  double distance = 1e300;
  int vertex = -1;
  Vec3 on_edge, on_vertex;  // in the frame of the edges
};

REPOSE_HD NearestVertex vertex_near_edge(const PolyhedronView& points, const PolyhedronView& edges,
                                         const Relative& place) {
  NearestVertex best;
  for (int v = 0; v < points.vertices.size(); ++v) {
    const Vec3 x = placed(place, points.vertices[v]);
    for (const auto& edge : edges.edges) {
      const Segment side{edges.vertices[edge.tail], edges.vertices[edge.head]};
      const Vec3 foot = point_at(side, nearest_parameter(side, x));
      const double distance = fused::norm(x - foot);
      if (distance < best.distance) best = {distance, v, foot, x};
    }
  }
  return best;
}

// ---- the full comparison --------------------------------------------------------------------------------------------

REPOSE_HD PairResult apart(const PolyPair& pair, double distance, PairMemory& memory) {
  remember(memory, pair, PairMemory::Choice::kApart, 0, 0, distance,
           distance);  // no features
  return {};
}

REPOSE_HD PairResult use_edges(const PolyPair& pair, const EdgeAxis& axis, double best, PairMemory& memory,
                               Scratch& scratch, Points& out) {
  add_crossing_point(pair, axis, out);
  add_crossing_faces(pair, axis, scratch, out);
  remember(memory, pair, PairMemory::Choice::kEdges, axis.first, axis.second, best, axis.separation);
  return {true, false, axis.normal};
}

REPOSE_HD PairResult use_parallel(const PolyPair& pair, const EdgeAxis& axis, double best, PairMemory& memory,
                                  Points& out) {
  add_parallel_points(pair, axis, out);
  remember(memory, pair, PairMemory::Choice::kParallelEdges, axis.first, axis.second, best, axis.separation, axis.face);
  return {true, false, axis.normal};
}

// A vertex against an edge or another vertex, with the direction between them as the normal. The feature id is that of
// a's vertex when both are vertices, so that rounding errors do not change it.
REPOSE_HD PairResult use_nearest(const PolyPair& pair, double axis, PairMemory& memory, Points& out) {
  const NearestVertex of_a = vertex_near_edge(pair.a, pair.b, inverse(pair.place));
  const NearestVertex of_b = vertex_near_edge(pair.b, pair.a, pair.place);
  const bool a_is_near = of_a.distance <= of_b.distance * (1 + 1e-12);
  const NearestVertex& near = a_is_near ? of_a : of_b;
  if (near.distance > pair.margin) return apart(pair, near.distance, memory);
  if (near.distance <= axis + kRounding * pair.size) return {};  // not better than the best axis
  remember(memory, pair, PairMemory::Choice::kNearest, 0, 0, near.distance, near.distance);
  const auto name = feature_name(a_is_near ? Name::kVertexOfFirst : Name::kVertexOfSecond, near.vertex);
  out.push_back({0.5 * (near.on_edge + near.on_vertex), near.distance, name});
  return {true, a_is_near, (1.0 / near.distance) * (near.on_vertex - near.on_edge)};
}

// The face of the last step while it is within the band of the best one, else the best.
REPOSE_HD Reference preferred_face(const PolyPair& pair, const AxisSearch& found, const PairMemory& memory) {
  const bool second_is_best = found.face_b.separation > found.face_a.separation + kRounding * pair.size;
  const Reference best = second_is_best ? reference_face(pair, true, found.face_b.face, memory.hint_first)
                                        : reference_face(pair, false, found.face_a.face, memory.hint_second);
  const int had = pair.last_face;
  if (had == 0) return best;
  const Reference last = had > 0 ? reference_face(pair, false, had - 1, memory.hint_second)
                                 : reference_face(pair, true, -1 - had, memory.hint_first);
  return last.separation >= best.separation - kKeepBand * pair.size ? last : best;
}

REPOSE_HD PairResult single_point(const PolyPair& pair, const Reference& r, Points& out) {
  const double half = 0.5 * r.separation;
  if (r.of_second) {
    const auto& face = pair.b.faces[r.face];
    const Vec3 x = inverse(pair.place) * pair.a.vertices[r.lowest];
    out.push_back({x - half * face.normal, r.separation, feature_name(Name::kVertexOfFirst, r.lowest)});
  } else {
    const Vec3 x = placed(pair.place, pair.b.vertices[r.lowest]);
    out.push_back({x - half * r.normal, r.separation, feature_name(Name::kVertexOfSecond, r.lowest)});
  }
  return patch_result(pair, r);
}

REPOSE_HD bool edges_meet(const PolyPair& pair, const EdgeAxis& axis) {
  const auto& ea = pair.a.edges[axis.first];
  const auto& eb = pair.b.edges[axis.second];
  const Segment a{pair.a.vertices[ea.tail], pair.a.vertices[ea.head]};
  const Segment b{placed(pair.place, pair.b.vertices[eb.tail]), placed(pair.place, pair.b.vertices[eb.head])};
  const SegmentPair near = nearest_parameters(a, b);
  return fused::norm(point_at(b, near.t) - point_at(a, near.s)) <= axis.separation + kRounding * pair.size;
}

REPOSE_HD PairResult compare_all(const PolyPair& pair, PairMemory& memory, Scratch& scratch, Points& out) {
  AxisSearch found;
  search_axes(pair, scratch, found);
  const double best = found.best(), rounding = kRounding * pair.size;
  if (best > pair.margin) return apart(pair, best, memory);

  const Reference face = preferred_face(pair, found, memory);
  // In a tie the face is preferred: where an edge lies on a face and ends at its rim, the crossing with the rim's edge
  // separates equally well but has only one of the two points.
  const bool edges_win = found.edges.separation > face.separation + kFlush * pair.size;
  PairResult result;
  if (try_parallel_faces(pair, edges_win ? found.edges.normal : face.normal, best, memory, scratch, out, result))
    return result;
  if (found.parallel.separation > best - kEdgeBand * pair.size && found.parallel.separation <= pair.margin)
    return use_parallel(pair, found.parallel, max_of(best, found.parallel.separation), memory, out);
  if (edges_win && (best <= 0 || edges_meet(pair, found.edges)))
    return use_edges(pair, found.edges, best, memory, scratch, out);

  bool patched = add_patch(pair, face, scratch, out);
  const bool supported = patched && smallest_gap(out) <= face.separation + rounding;
  // The part over the face may be closest although a corner beside the face is lower: an edge that crosses the face at
  // an angle. The face of the last step keeps its patch within the band, as when the end of an edge passes the rim.
  const bool had_face =
      memory.choice == (face.of_second ? PairMemory::Choice::kFaceOfSecond : PairMemory::Choice::kFaceOfFirst) &&
      (face.of_second ? memory.second : memory.first) == face.face;
  const auto as_near = [&] {
    const double near = min_of(vertex_near_edge(pair.a, pair.b, inverse(pair.place)).distance,
                               vertex_near_edge(pair.b, pair.a, pair.place).distance);
    return smallest_gap(out) <= near + (had_face ? kKeepBand * pair.size : 0);
  };
  // Separate: the axes give only a lower bound of the distance.
  if (best > 0 && (edges_win || !supported) && !(patched && as_near())) {
    out.clear();
    result = use_nearest(pair, best, memory, out);
    if (result.touching || memory.choice == PairMemory::Choice::kApart) return result;
    if (edges_win) return use_edges(pair, found.edges, best, memory, scratch, out);
    patched = add_patch(pair, face, scratch, out);
  }
  remember_face(memory, pair, face, best);
  return patched ? patch_result(pair, face) : single_point(pair, face, out);
}

// ---- many features: a local search instead of the full comparison ---------------------------------------------------

/// Above this number of edge pairs the full comparison is slower than the local search.
inline constexpr long long kCompareAll = 4096;

REPOSE_HD PairResult compare_nearby(const PolyPair& pair, PairMemory& memory, Scratch& scratch, Points& out) {
  const LocalSearch found = search_locally(pair, memory);
  const double best = found.separation;
  if (best > pair.margin) return apart(pair, best, memory);
  PairResult result;
  if (try_parallel_faces(pair, found.normal, best, memory, scratch, out, result)) return result;
  if (found.kind == LocalSearch::Kind::kEdges) {
    EdgeAxis axis;
    if (crossing_axis(pair, found.first, found.second, axis)) return use_edges(pair, axis, best, memory, scratch, out);
  }
  if (found.kind == LocalSearch::Kind::kFaceOfFirst || found.kind == LocalSearch::Kind::kFaceOfSecond) {
    const bool second = found.kind == LocalSearch::Kind::kFaceOfSecond;
    const Reference r = reference_face(pair, second, second ? found.second : found.first,
                                       second ? memory.hint_first : memory.hint_second);
    remember_face(memory, pair, r, best);
    return add_patch(pair, r, scratch, out) ? patch_result(pair, r) : single_point(pair, r, out);
  }
  remember(memory, pair, PairMemory::Choice::kNearest, 0, 0, best, best);
  out.push_back({0.5 * (found.on_a + found.on_b), best, feature_name(Name::kVertexOfSecond, memory.hint_second)});
  return {true, false, found.normal};
}

// ---- the last choice, while it is within the band -------------------------------------------------------------------

// Evaluates the feature of the last step only. Returns whether the result is valid: the signed distance cannot have
// grown by more than the motion since the anchor, so a normal whose separation has grown by as much, less the band, is
// within the band of the best one.
REPOSE_HD bool keep(const PolyPair& pair, PairMemory& memory, Scratch& scratch, Points& out, PairResult& result) {
  if (memory.choice == PairMemory::Choice::kUnknown || memory.choice == PairMemory::Choice::kNearest) return false;
  const double moved = motion_bound(pair.b, memory.anchor, pair.place);
  if (memory.choice == PairMemory::Choice::kApart) return memory.best - moved > pair.margin;
  const double least = memory.chosen + moved - kKeepBand * pair.size;
  const auto good = [&](double separation) { return separation >= least && separation <= pair.margin; };

  if (memory.choice == PairMemory::Choice::kFaceOfFirst || memory.choice == PairMemory::Choice::kFaceOfSecond) {
    const bool second = memory.choice == PairMemory::Choice::kFaceOfSecond;
    int& hint = second ? memory.hint_first : memory.hint_second;
    const Reference r = reference_face(pair, second, second ? memory.second : memory.first, hint);
    hint = r.lowest;
    if (!good(r.separation) || !add_patch(pair, r, scratch, out)) return false;
    result = patch_result(pair, r);
    return true;
  }
  EdgeAxis axis;
  if (memory.choice == PairMemory::Choice::kEdges) {
    if (!crossing_axis(pair, memory.first, memory.second, axis) || !good(axis.separation)) return false;
    add_crossing_point(pair, axis, out);
    add_crossing_faces(pair, axis, scratch, out);
  } else {
    if (!parallel_axis(pair, memory.first, memory.second, axis) || !good(axis.separation)) return false;
    memory.face = axis.face;
    add_parallel_points(pair, axis, out);
  }
  result = {true, false, axis.normal};
  return true;
}

}  // namespace

REPOSE_KERNEL PairResult polyhedron_polyhedron(const ShapeView& a, const ShapeView& b, const Relative& place,
                                               double margin, EdgeNormal edge_normal, PairMemory& memory,
                                               Scratch& scratch, Points& out) {
  const PolyPair pair{*a.polyhedron, *b.polyhedron,    place, margin, min_of(a.size, b.size),
                      edge_normal,   last_face(memory)};
  PairResult result;
  if (keep(pair, memory, scratch, out, result)) return result;
  const bool few = static_cast<long long>(pair.a.edges.size()) * pair.b.edges.size() <= kCompareAll;
  return few ? compare_all(pair, memory, scratch, out) : compare_nearby(pair, memory, scratch, out);
}

}  // namespace repose::collision
