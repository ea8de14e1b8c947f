// SPDX-License-Identifier: Apache-2.0
// Closest points of two separate polyhedra by the algorithm of Gilbert, Johnson and Keerthi on the Minkowski
// difference. Support vertices are found by hill climbing: the cost does not grow with the number of features.
#pragma once

#include "repose/collision/polyhedron_pair_internal.h"

namespace repose::collision {

struct GjkResult {
  double distance = 0;  ///< 0 when the bodies overlap
  Vec3 normal;          ///< from a to b, in a's frame
  Vec3 on_a, on_b;      ///< in a's frame
  int count = 0;        ///< vertices of the simplex that contains the closest points
  int a[4] = {}, b[4] = {};
};

/// The features that define the normal of two large polyhedra, found without comparing all of them.
struct LocalSearch {
  enum class Kind { kFaceOfFirst, kFaceOfSecond, kEdges, kNearest };
  Kind kind = Kind::kNearest;
  int first = 0, second = 0;  ///< face or edges
  Vec3 normal;                ///< in a's frame, from a to b
  double separation = 0;      ///< along the normal, m
  Vec3 on_a, on_b;            ///< closest points
};

/// `hint_a`, `hint_b`: vertices to start from, replaced by vertices of the result. `scale`: both bodies are scaled by
/// this factor about their centres, which separates bodies with a small overlap.
[[nodiscard]] REPOSE_KERNEL GjkResult nearest_points(const PolyhedronView& a, const PolyhedronView& b,
                                                     const Relative& place, int& hint_a, int& hint_b, double scale = 1);
/// Returns the face whose normal is closest to the direction, by hill climbing from the support vertex `start`.
[[nodiscard]] REPOSE_KERNEL int squarest_face_near(const PolyhedronView& poly, Vec3 direction, int start);
[[nodiscard]] REPOSE_KERNEL LocalSearch search_locally(const PolyPair& pair, PairMemory& memory);

}  // namespace repose::collision
