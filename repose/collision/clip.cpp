// SPDX-License-Identifier: Apache-2.0
// The complete patch of a face: incident faces clipped against the sides of the reference face.
#include <array>

#include "repose/collision/polyhedron_pair_internal.h"
#include "repose/collision/support_internal.h"

namespace repose::collision {
namespace {

// Incident faces count when they face the reference nearly as squarely as the best one around the lowest vertex; ties
// are all in, so that a cube on its edge or corner has the same points whatever the rounding.
constexpr double kNearlyAsSquare = 0.9;

struct ClipVertex {
  Vec3 x;                 // on the incident face, reference frame
  std::uint32_t feature;  // name
  int out;                // what the polygon's edge after this vertex lies on: incident edge, or side −1 − i
  double side;            // distance outside the side plane being cut, m
};

struct Clipper {
  const FacePatch& patch;
  std::vector<ClipVertex>& from;
  std::vector<ClipVertex>& to;

  [[nodiscard]] std::uint32_t vertex_name(bool of_incident, int v) const {
    return feature_name(of_incident != patch.swapped ? Name::kVertexOfSecond : Name::kVertexOfFirst, v);
  }
  [[nodiscard]] std::uint32_t edge_name(int incident_edge, int reference_edge) const {
    const int a = patch.swapped ? incident_edge : reference_edge, b = patch.swapped ? reference_edge : incident_edge;
    const Polyhedron& second = patch.swapped ? patch.reference : patch.incident;
    return feature_name(Name::kEdgePair, static_cast<std::uint64_t>(a) * second.edges.size() + b);
  }
  // Where the polygon's edge `out` meets side i.
  [[nodiscard]] std::uint32_t cut_name(int out, int i) const {
    const auto& face = patch.reference.faces[patch.face];
    if (out >= 0) return edge_name(out, patch.reference.loop_edge[face.first + i]);
    const int j = -1 - out;
    if ((j + 1) % face.count == i) return vertex_name(false, patch.reference.loop[face.first + i]);
    if ((i + 1) % face.count == j) return vertex_name(false, patch.reference.loop[face.first + j]);
    return feature_name(Name::kCorner, static_cast<std::uint64_t>(std::min(i, j)) * face.count + std::max(i, j));
  }

  void start(int incident_face) {
    const auto& face = patch.incident.faces[incident_face];
    from.clear();
    for (int k = 0; k < face.count; ++k) {
      const int v = patch.incident.loop[face.first + k];
      from.push_back({patch.place * patch.incident.vertices[v], vertex_name(true, v),
                      patch.incident.loop_edge[face.first + k], 0});
    }
  }

  void cut(int i, double tolerance) {
    const auto& face = patch.reference.faces[patch.face];
    const Vec3 tail = patch.reference.vertices[patch.reference.loop[face.first + i]];
    const Vec3 head = patch.reference.vertices[patch.reference.loop[face.first + (i + 1 == face.count ? 0 : i + 1)]];
    const Vec3 outward = normalized(cross(head - tail, face.normal));
    const double offset = dot(outward, tail);
    bool all_inside = true;
    for (ClipVertex& p : from) {
      p.side = dot(outward, p.x) - offset;
      all_inside = all_inside && p.side <= tolerance;
    }
    if (all_inside) return;
    to.clear();
    for (std::size_t k = 0; k < from.size(); ++k) {
      const ClipVertex& p = from[k];
      const ClipVertex& q = from[k + 1 == from.size() ? 0 : k + 1];
      const bool p_in = p.side <= tolerance, q_in = q.side <= tolerance;
      if (p_in) to.push_back(p);
      if (p_in == q_in) continue;
      if (p_in && p.side > -tolerance) {  // p is the cut itself
        to.back().out = -1 - i;
        continue;
      }
      if (q_in && q.side > -tolerance) continue;  // and so is q
      const double t = p.side / (p.side - q.side);
      to.push_back({p.x + t * (q.x - p.x), cut_name(p.out, i), p_in ? -1 - i : p.out, 0});
    }
    std::swap(from, to);
  }
};

void add_incident_face(const FacePatch& patch, int incident_face, Points& out) {
  thread_local std::vector<ClipVertex> one, two;  // grow to the largest face met, then stay
  Clipper clip{patch, one, two};
  const auto& face = patch.reference.faces[patch.face];
  clip.start(incident_face);
  for (int i = 0; i < face.count && !clip.from.empty(); ++i) clip.cut(i, patch.tolerance);
  for (const ClipVertex& p : clip.from) {
    const double gap = dot(face.normal, p.x) - face.offset;
    if (gap <= patch.margin) out.push_back({p.x - 0.5 * gap * face.normal, gap, p.feature});
  }
}

// Incident faces around vertices within the margin, walking from the lowest one. For hulls with many faces.
void add_walked_faces(const FacePatch& patch, Vec3 down, double squareness, int lowest, Points& out) {
  thread_local std::vector<int> faces;
  faces.clear();
  const Polyhedron& poly = patch.incident;
  const auto& reference = patch.reference.faces[patch.face];
  const double limit = patch.margin + reference.offset - dot(reference.normal, patch.place.p);
  for_vertices_below(poly, -down, limit, lowest, [&](int v) {
    for (int i = poly.ring_first[v]; i < poly.ring_first[v + 1]; ++i)
      if (dot(poly.faces[poly.face_ring[i]].normal, down) >= squareness) faces.push_back(poly.face_ring[i]);
  });
  std::sort(faces.begin(), faces.end());
  faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
  for (const int f : faces) add_incident_face(patch, f, out);
}

}  // namespace

void add_face_patch(const FacePatch& patch, int lowest, Points& out) {
  const std::size_t before = out.size();
  const Polyhedron& poly = patch.incident;
  const Vec3 down = turn_back(patch.place.R, -patch.reference.faces[patch.face].normal);
  double squarest = -1;
  for (int i = poly.ring_first[lowest]; i < poly.ring_first[lowest + 1]; ++i)
    squarest = std::max(squarest, dot(poly.faces[poly.face_ring[i]].normal, down));
  const double squareness = kNearlyAsSquare * squarest;
  if (static_cast<int>(poly.vertices.size()) > kWalkFrom) {
    add_walked_faces(patch, down, squareness, lowest, out);
  } else {
    for (int f = 0; f < static_cast<int>(poly.faces.size()); ++f)
      if (dot(poly.faces[f].normal, down) >= squareness) add_incident_face(patch, f, out);
  }
  sort_features(out, before);
}

}  // namespace repose::collision
