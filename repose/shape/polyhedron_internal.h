// SPDX-License-Identifier: Apache-2.0
// Completes a polyhedron from vertices and loops, in an order of features that depends on the geometry alone.
#pragma once

#include <vector>

#include "repose/shape/polyhedron.h"

namespace repose {

/// Builds a closed convex surface: every loop counter-clockwise from outside, every edge in two loops. Vertices in no
/// loop are dropped. The result has its vertices in lexicographic order, loops start at their smallest vertex, faces
/// and edges are sorted by their vertices.
[[nodiscard]] Polyhedron assemble_polyhedron(const std::vector<Vec3>& vertices, std::vector<std::vector<int>> loops);

/// Returns the area-weighted normal of a closed polygon (Newell): half its length is the area, m².
[[nodiscard]] Vec3 newell(const std::vector<Vec3>& vertices, const std::vector<int>& loop);

}  // namespace repose
