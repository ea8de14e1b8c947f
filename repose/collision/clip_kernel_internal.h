// SPDX-License-Identifier: Apache-2.0
// The complete patch of a face: incident faces clipped by the side planes of the reference face.
// Definitions: for one source of the host library, and for device sources (kernels_internal.h).
#pragma once

#include "repose/collision/polyhedron_pair_internal.h"
#include "repose/collision/support_internal.h"

namespace repose::collision {

namespace {

// Incident faces are those whose normals oppose the reference face nearly as well, by this share of the cosine, as the
// best one at the lowest vertex. All faces of a tie are included: a cube on its edge or corner has the same points
// under rounding errors.
inline constexpr double kNearlyAsSquare = 0.9;

// Faces at crossing edges count as flat when their normals differ by less than 0.1 rad from that of the edges.
inline constexpr double kFlatCosine = 0.995;

struct Clipper {
  const FacePatch& patch;
  Buffer<ClipVertex>& from;
  Buffer<ClipVertex>& to;

  REPOSE_HD [[nodiscard]] std::uint32_t vertex_name(bool of_incident, int v) const {
    return feature_name(of_incident != patch.swapped ? Name::kVertexOfSecond : Name::kVertexOfFirst, v);
  }
  REPOSE_HD [[nodiscard]] std::uint32_t edge_name(int incident_edge, int reference_edge) const {
    const int a = patch.swapped ? incident_edge : reference_edge, b = patch.swapped ? reference_edge : incident_edge;
    const PolyhedronView& second = patch.swapped ? patch.reference : patch.incident;
    return feature_name(Name::kEdgePair, static_cast<std::uint64_t>(a) * second.edges.size() + b);
  }
  // Where the polygon's edge `out` meets side i.
  REPOSE_HD [[nodiscard]] std::uint32_t cut_name(int out, int i) const {
    const auto& face = patch.reference.faces[patch.face];
    if (out >= 0) return edge_name(out, patch.reference.loop_edge[face.first + i]);
    const int j = -1 - out;
    if ((j + 1) % face.count == i) return vertex_name(false, patch.reference.loop[face.first + i]);
    if ((i + 1) % face.count == j) return vertex_name(false, patch.reference.loop[face.first + j]);
    return feature_name(Name::kCorner, static_cast<std::uint64_t>(min_of(i, j)) * face.count + max_of(i, j));
  }

  REPOSE_HD void start(int incident_face) {
    const auto& face = patch.incident.faces[incident_face];
    from.clear();
    for (int k = 0; k < face.count; ++k) {
      const int v = patch.incident.loop[face.first + k];
      from.push_back({placed(patch.place, patch.incident.vertices[v]), vertex_name(true, v),
                      patch.incident.loop_edge[face.first + k], 0});
    }
  }

  REPOSE_HD void cut(int i, double tolerance) {
    const auto& face = patch.reference.faces[patch.face];
    const Vec3 tail = patch.reference.vertices[patch.reference.loop[face.first + i]];
    const Vec3 head = patch.reference.vertices[patch.reference.loop[face.first + (i + 1 == face.count ? 0 : i + 1)]];
    const Vec3 outward = fused::normalized(fused::cross(head - tail, face.normal));
    const double offset = fused::dot(outward, tail);
    bool all_inside = true;
    for (ClipVertex& p : from) {
      p.side = fused::dot(outward, p.x) - offset;
      all_inside = all_inside && p.side <= tolerance;
    }
    if (all_inside) return;
    to.clear();
    for (int k = 0; k < from.size(); ++k) {
      const ClipVertex& p = from[k];
      const ClipVertex& q = from[k + 1 == from.size() ? 0 : k + 1];
      const bool p_in = p.side <= tolerance, q_in = q.side <= tolerance;
      if (p_in) to.push_back(p);
      if (p_in == q_in) continue;
      if (p_in && p.side > -tolerance) {  // p lies on the side plane
        to.back().out = -1 - i;
        continue;
      }
      if (q_in && q.side > -tolerance) continue;  // and so is q
      const double t = p.side / (p.side - q.side);
      to.push_back({p.x + t * (q.x - p.x), cut_name(p.out, i), p_in ? -1 - i : p.out, 0});
    }
    exchange(from, to);
  }
};

/// Returns the part of the incident face over the reference face.
REPOSE_HD const Buffer<ClipVertex>& clipped_face(const FacePatch& patch, int incident_face, Scratch& scratch) {
  Clipper clip{patch, scratch.polygon, scratch.cut};
  clip.start(incident_face);
  const int sides = patch.reference.faces[patch.face].count;
  for (int i = 0; i < sides && !clip.from.empty(); ++i) clip.cut(i, patch.tolerance);
  return clip.from;
}

REPOSE_HD void add_incident_face(const FacePatch& patch, int incident_face, Scratch& scratch, Points& out) {
  const auto& face = patch.reference.faces[patch.face];
  for (const ClipVertex& p : clipped_face(patch, incident_face, scratch)) {
    const double gap = fused::dot(face.normal, p.x) - face.offset;
    if (gap <= patch.margin) out.push_back({p.x - 0.5 * gap * face.normal, gap, p.feature});
  }
}

// The same with gaps along a normal that is not quite the face's. Both ends of a gap are points of the bodies, so that
// none is smaller than the separation along that normal, up to the tolerance of the side planes.
REPOSE_HD void add_leaning_face(const FacePatch& patch, int incident_face, Vec3 normal, double separation,
                                Scratch& scratch, Points& out) {
  const auto& face = patch.reference.faces[patch.face];
  const double lean = fused::dot(normal, face.normal);
  for (const ClipVertex& p : clipped_face(patch, incident_face, scratch)) {
    const double height = fused::dot(face.normal, p.x) - face.offset, gap = max_of(lean * height, separation);
    if (gap <= patch.margin) out.push_back({p.x - 0.5 * height * face.normal, gap, p.feature});
  }
}

// Incident faces at vertices within the margin, by a traversal from the lowest one. For hulls with many faces.
REPOSE_HD void add_walked_faces(const FacePatch& patch, Vec3 down, double squareness, int lowest, Scratch& scratch,
                                Points& out) {
  Buffer<int>& faces = scratch.faces;
  faces.clear();
  const PolyhedronView& poly = patch.incident;
  const auto& reference = patch.reference.faces[patch.face];
  const double limit = patch.margin + reference.offset - fused::dot(reference.normal, patch.place.p);
  for_vertices_below(poly, -down, limit, lowest, scratch, [&](int v) {
    for (int i = poly.ring_first[v]; i < poly.ring_first[v + 1]; ++i)
      if (fused::dot(poly.faces[poly.face_ring[i]].normal, down) >= squareness) faces.push_back(poly.face_ring[i]);
  });
  stable_sort(faces.data, scratch.spare_faces, faces.count, [](int a, int b) { return a < b; });
  for (int i = 0; i < faces.count; ++i)
    if (i == 0 || faces[i] != faces[i - 1]) add_incident_face(patch, faces[i], scratch, out);
}

}  // namespace

REPOSE_KERNEL void add_crossing_faces(const PolyPair& pair, const EdgeAxis& axis, Scratch& scratch, Points& out) {
  const auto& edge_a = pair.a.edges[axis.first];
  const auto& edge_b = pair.b.edges[axis.second];
  const Vec3 down = fused::transposed_times(pair.place.R, -axis.normal);
  const auto flat_of_a = [&](int f) { return fused::dot(pair.a.faces[f].normal, axis.normal) >= kFlatCosine; };
  const auto flat_of_b = [&](int f) { return fused::dot(pair.b.faces[f].normal, down) >= kFlatCosine; };
  const double tolerance = kFlush * pair.size;
  for (const int fa : {edge_a.left, edge_a.right}) {
    if (!flat_of_a(fa)) continue;
    const FacePatch patch{pair.a, pair.b, pair.place, fa, false, pair.margin, tolerance};
    for (const int fb : {edge_b.left, edge_b.right})
      add_leaning_face(patch, fb, axis.normal, axis.separation, scratch, out);
  }
  const int first = out.size();
  for (const int fb : {edge_b.left, edge_b.right}) {
    if (!flat_of_b(fb)) continue;
    const FacePatch patch{pair.b, pair.a, inverse(pair.place), fb, true, pair.margin, tolerance};
    for (const int fa : {edge_a.left, edge_a.right})
      if (!flat_of_a(fa)) add_leaning_face(patch, fa, down, axis.separation, scratch, out);
  }
  for (int i = first; i < out.size(); ++i) out[i].position = placed(pair.place, out[i].position);
  if (out.size() > 1) sort_features(out);
}

REPOSE_KERNEL void add_face_patch(const FacePatch& patch, int lowest, Scratch& scratch, Points& out) {
  const PolyhedronView& poly = patch.incident;
  const Vec3 down = fused::transposed_times(patch.place.R, -patch.reference.faces[patch.face].normal);
  double squarest = -1;
  for (int i = poly.ring_first[lowest]; i < poly.ring_first[lowest + 1]; ++i)
    squarest = max_of(squarest, fused::dot(poly.faces[poly.face_ring[i]].normal, down));
  const double squareness = kNearlyAsSquare * squarest;
  if (poly.vertices.size() > kWalkFrom) {
    add_walked_faces(patch, down, squareness, lowest, scratch, out);
  } else {
    for (int f = 0; f < poly.faces.size(); ++f)
      if (fused::dot(poly.faces[f].normal, down) >= squareness) add_incident_face(patch, f, scratch, out);
  }
  sort_features(out);
}

}  // namespace repose::collision
