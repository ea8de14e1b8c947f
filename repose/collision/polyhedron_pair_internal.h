// SPDX-License-Identifier: Apache-2.0
// Two convex polyhedra: features, normal and contact points.
//
// All rules use one function of a direction n, the separation
//     s(n) = min over x ∈ B, y ∈ A of n · (x − y),
// whose maximum over all unit n is the signed distance. For overlapping polyhedra the maximum is at a face normal or at
// the cross product of two edges (separating-axis theorem); for separate ones a vertex and an edge or two vertices may
// define it as well.
#pragma once

#include "repose/collision/pair_internal.h"

namespace repose::collision {

/// History of a pair from step to step. Plain data that checkpoints contain.
struct PairMemory {
  enum class Choice : std::uint8_t { kUnknown, kApart, kFaceOfFirst, kFaceOfSecond, kEdges, kParallelEdges, kNearest };
  Choice choice = Choice::kUnknown;
  int first = 0, second = 0;  ///< the face, or the edges; searches over large hulls start here
  int hint_first = 0, hint_second = 0;
  int face = 0;       ///< EdgeNormal::kFace: face_code() of the face whose normal parallel edges took
  Relative anchor;    ///< placement of B in A when all features were last compared
  double best = 0;    ///< signed distance at the anchor, or a lower bound of it when separate, m
  double chosen = 0;  ///< separation along the chosen normal at the anchor, m
};

/// Encodes a face of one of the two shapes in one number; 0: none.
REPOSE_HD inline int face_code(bool of_second, int face) { return of_second ? -1 - face : 1 + face; }
/// Returns the face whose normal the last step had, 0 if there was none.
REPOSE_HD inline int last_face(const PairMemory& memory) {
  using Choice = PairMemory::Choice;
  if (memory.choice == Choice::kFaceOfFirst) return face_code(false, memory.first);
  if (memory.choice == Choice::kFaceOfSecond) return face_code(true, memory.second);
  return memory.choice == Choice::kParallelEdges ? memory.face : 0;
}

/// A pair of polyhedra in the frame of its first shape.
struct PolyPair {
  const PolyhedronView& a;
  const PolyhedronView& b;
  Relative place;  ///< of b in a's frame
  double margin;   ///< m
  double size;     ///< of the smaller one, m
  EdgeNormal edge_normal = EdgeNormal::kBisecting;
  int last_face = 0;  ///< of the step before
};

struct FaceAxis {
  int face = -1;
  double separation = -1e300;
};
struct EdgeAxis {
  int first = -1, second = -1;
  double separation = -1e300;
  Vec3 normal;   ///< in a's frame, from a to b
  int face = 0;  ///< face_code() of the face whose normal parallel edges took; 0: none
};
/// The best axis of each kind.
struct AxisSearch {
  FaceAxis face_a, face_b;
  EdgeAxis edges, parallel;
  REPOSE_HD [[nodiscard]] double best() const { return max_of(face_a.separation, face_b.separation, edges.separation); }
};

/// Points of one face against the other polyhedron, in the frame of the face's polyhedron (the reference).
/// `swapped`: the reference is the second shape of the pair; used for feature ids only.
struct FacePatch {
  const PolyhedronView& reference;
  const PolyhedronView& incident;
  Relative place;  ///< of the incident one in the reference's frame
  int face;
  bool swapped;
  double margin, tolerance;  ///< m
};

/// Returns an upper bound on the motion of the points of `shape` between two placements, m.
REPOSE_HD inline double motion_bound(const PolyhedronView& shape, const Relative& from, const Relative& to) {
  double turn2 = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) turn2 += square(to.R.m[r][c] - from.R.m[r][c]);
  return norm(to * shape.centre - from * shape.centre) + std::sqrt(turn2) * shape.radius;
}

/// Compares all face normals and edge pairs. Stops early, with best() > margin, when the pair is further apart than the
/// margin.
REPOSE_KERNEL void search_axes(const PolyPair& pair, Scratch& scratch, AxisSearch& found);
/// Computes the separation along the normal of two crossing edges. Returns false when their normal cones do not
/// intersect.
REPOSE_KERNEL bool crossing_axis(const PolyPair& pair, int edge_a, int edge_b, EdgeAxis& axis);
/// The same for nearly parallel edges that face each other: at touch the normal is the bisector of the admissible
/// range, or the face normal at one of its ends.
REPOSE_KERNEL bool parallel_axis(const PolyPair& pair, int edge_a, int edge_b, EdgeAxis& axis);
/// Returns the contact point of crossing edges, in a's frame.
REPOSE_KERNEL void add_crossing_point(const PolyPair& pair, const EdgeAxis& axis, Points& out);
/// Adds the points over the faces at crossing edges that are almost perpendicular to the normal: other edges of the
/// same faces cross as soon as the bodies turn a little, and with one point at a time they would rock for ever.
REPOSE_KERNEL void add_crossing_faces(const PolyPair& pair, const EdgeAxis& axis, Scratch& scratch, Points& out);
/// Adds two points at the ends of the overlap of parallel edges.
REPOSE_KERNEL void add_parallel_points(const PolyPair& pair, const EdgeAxis& axis, Points& out);
/// Adds the patch. `lowest`: the incident vertex with the smallest height over the face.
REPOSE_KERNEL void add_face_patch(const FacePatch& patch, int lowest, Scratch& scratch, Points& out);
/// The pair function; it reads and updates the history.
REPOSE_KERNEL PairResult polyhedron_polyhedron(const ShapeView& a, const ShapeView& b, const Relative& place,
                                               double margin, EdgeNormal edge_normal, PairMemory& memory,
                                               Scratch& scratch, Points& out);

}  // namespace repose::collision
