// SPDX-License-Identifier: Apache-2.0
// Two convex polyhedra: which features meet, under which normal, at which points.
//
// Everything follows from one function of a direction n, the separation
//     s(n) = min over x ∈ B, y ∈ A of n · (x − y),
// whose largest value over all unit n is the signed distance. Overlapping polyhedra reach it at a face normal or at the
// cross product of two edges (the separating-axis theorem); apart, vertices may meet vertices and edges as well.
#pragma once

#include "repose/collision/pair_internal.h"

namespace repose::collision {

/// What a pair remembers from one step to the next. Plain data: saved with the run.
struct PairMemory {
  enum class Choice : std::uint8_t { kUnknown, kApart, kFaceOfFirst, kFaceOfSecond, kEdges, kParallelEdges, kNearest };
  Choice choice = Choice::kUnknown;
  int first = 0, second = 0;  ///< the face, or the edges; walks over large hulls start from what is here
  int hint_first = 0, hint_second = 0;
  int face = 0;       ///< parallel edges with EdgeNormal::kFace: whose normal they took, as face_code() has it
  Relative anchor;    ///< placement of B in A when all features were last compared
  double best = 0;    ///< signed distance then, or a lower bound of it when apart, m
  double chosen = 0;  ///< separation along the chosen normal then, m
};

/// A face of one of the two shapes in one number; 0 is none.
REPOSE_HD inline int face_code(bool of_second, int face) { return of_second ? -1 - face : 1 + face; }
/// The face whose normal the last step had, if it had one.
REPOSE_HD inline int last_face(const PairMemory& memory) {
  using Choice = PairMemory::Choice;
  if (memory.choice == Choice::kFaceOfFirst) return face_code(false, memory.first);
  if (memory.choice == Choice::kFaceOfSecond) return face_code(true, memory.second);
  return memory.choice == Choice::kParallelEdges ? memory.face : 0;
}

/// A polyhedron pair as seen from its first shape.
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
  int face = 0;  ///< the one that parallel edges took their normal from, as face_code() has it; 0: none
};
/// The best axis of each kind.
struct AxisSearch {
  FaceAxis face_a, face_b;
  EdgeAxis edges, parallel;
  REPOSE_HD [[nodiscard]] double best() const { return max_of(face_a.separation, face_b.separation, edges.separation); }
};

/// Points of one face against the other polyhedron, in the frame of the face's polyhedron (the reference).
/// `swapped`: the reference is the second shape of the pair, which matters for names only.
struct FacePatch {
  const PolyhedronView& reference;
  const PolyhedronView& incident;
  Relative place;  ///< of the incident one in the reference's frame
  int face;
  bool swapped;
  double margin, tolerance;  ///< m
};

/// How far any point of `shape` can have moved between two placements, m.
REPOSE_HD inline double motion_bound(const PolyhedronView& shape, const Relative& from, const Relative& to) {
  double turn2 = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) turn2 += square(to.R.m[r][c] - from.R.m[r][c]);
  return norm(to * shape.centre - from * shape.centre) + std::sqrt(turn2) * shape.radius;
}

/// All face normals and edge pairs; stops early with best() > margin when the pair is further apart than the margin.
REPOSE_KERNEL void search_axes(const PolyPair& pair, Scratch& scratch, AxisSearch& found);
/// Separation along the normal of two crossing edges; false when they do not support one direction.
REPOSE_KERNEL bool crossing_axis(const PolyPair& pair, int edge_a, int edge_b, EdgeAxis& axis);
/// The same for nearly parallel edges that face each other: at touch the normal halves the admissible range, or is that
/// of a face at one of its ends.
REPOSE_KERNEL bool parallel_axis(const PolyPair& pair, int edge_a, int edge_b, EdgeAxis& axis);
/// The contact point of crossing edges, in a's frame.
REPOSE_KERNEL void add_crossing_point(const PolyPair& pair, const EdgeAxis& axis, Points& out);
/// Two points at the ends of the overlap of parallel edges.
REPOSE_KERNEL void add_parallel_points(const PolyPair& pair, const EdgeAxis& axis, Points& out);
/// Adds the patch; `lowest` is the incident vertex with the smallest height over the face.
REPOSE_KERNEL void add_face_patch(const FacePatch& patch, int lowest, Scratch& scratch, Points& out);
/// The pair function. Memory in, memory out.
REPOSE_KERNEL PairResult polyhedron_polyhedron(const ShapeView& a, const ShapeView& b, const Relative& place,
                                               double margin, EdgeNormal edge_normal, PairMemory& memory,
                                               Scratch& scratch, Points& out);

}  // namespace repose::collision
