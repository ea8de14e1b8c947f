// SPDX-License-Identifier: Apache-2.0
// Shapes prepared for collision, and the choice of pair function.
#pragma once

#include "repose/collision/broad_phase_internal.h"
#include "repose/collision/pair_internal.h"
#include "repose/collision/polyhedron_pair_internal.h"

namespace repose::collision {

/// `keep_alive` receives polyhedra made here (of boxes).
[[nodiscard]] ShapeView view_of(const Geometry& geometry, std::vector<std::shared_ptr<const Polyhedron>>& keep_alive);

/// Box around a placed shape, grown by `margin` on all sides. Not for half-spaces.
[[nodiscard]] Bounds bounds_of(const ShapeView& shape, const Relative& place, double margin);

/// Contacts of any two shapes placed in one frame. The result's frame is that of the host it names.
PairResult collide(const ShapeView& a, const Relative& place_a, const ShapeView& b, const Relative& place_b,
                   double margin, EdgeNormal edge_normal, PairMemory& memory, Points& out);

}  // namespace repose::collision
