// SPDX-License-Identifier: Apache-2.0
// From vertices and loops to a complete polyhedron, in an order of features that depends on the geometry only.
#pragma once

#include <vector>

#include "repose/shape/polyhedron.h"

namespace repose {

/// Closed convex surface: every loop counter-clockwise from outside, every edge in two loops. Vertices that no loop
/// names are dropped. Vertices come out in lexicographic order, loops start at their smallest vertex, faces and edges
/// are sorted by their vertices.
[[nodiscard]] Polyhedron assemble_polyhedron(const std::vector<Vec3>& vertices, std::vector<std::vector<int>> loops);

/// Area-weighted normal of a closed polygon (Newell): half its length is the area, m².
[[nodiscard]] Vec3 newell(const std::vector<Vec3>& vertices, const std::vector<int>& loop);

}  // namespace repose
