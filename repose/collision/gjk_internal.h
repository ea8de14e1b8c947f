// SPDX-License-Identifier: Apache-2.0
// Nearest points of two polyhedra that are apart, by Gilbert, Johnson and Keerthi's iteration on the difference of the
// bodies. The work grows with the walk between extreme vertices, not with the number of features.
#pragma once

#include "repose/collision/polyhedron_pair_internal.h"

namespace repose::collision {

struct GjkResult {
  double distance = 0;  ///< 0 when the bodies overlap
  Vec3 normal;          ///< from a to b, in a's frame
  Vec3 on_a, on_b;      ///< in a's frame
  int count = 0;        ///< vertices of the simplex that holds the nearest points
  int a[4] = {}, b[4] = {};
};

/// What decides between two large polyhedra, found without comparing all features.
struct LocalSearch {
  enum class Kind { kFaceOfFirst, kFaceOfSecond, kEdges, kNearest };
  Kind kind = Kind::kNearest;
  int first = 0, second = 0;  ///< face or edges
  Vec3 normal;                ///< in a's frame, from a to b
  double separation = 0;      ///< along the normal, m
  Vec3 on_a, on_b;            ///< nearest points
};

/// `hint_a`, `hint_b`: vertices to start from; leave as vertices of the result. `scale`: both bodies are shrunk by this
/// factor about their middles, which sets bodies apart that overlap a little.
[[nodiscard]] REPOSE_KERNEL GjkResult nearest_points(const PolyhedronView& a, const PolyhedronView& b,
                                                     const Relative& place, int& hint_a, int& hint_b, double scale = 1);
/// The face whose normal is nearest to the direction, found by walking from the extreme vertex `start`.
[[nodiscard]] REPOSE_KERNEL int squarest_face_near(const PolyhedronView& poly, Vec3 direction, int start);
[[nodiscard]] REPOSE_KERNEL LocalSearch search_locally(const PolyPair& pair, PairMemory& memory);

}  // namespace repose::collision
