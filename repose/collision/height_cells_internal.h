// SPDX-License-Identifier: Apache-2.0
// Contacts of the prisms of a height field: those that belong to its surface, and triangles that hold a body where the
// prism alone would push it sideways.
#pragma once

#include "repose/collision/pair_internal.h"
#include "repose/collision/polyhedron_pair_internal.h"
#include "repose/shape/geometry.h"
#include "repose/shape/height_field.h"

namespace repose::collision {

/// The cell that a shape is the prism of; none for other shapes.
[[nodiscard]] const HeightCell* cell_of(const Geometry& geometry);

/// Whether a contact belongs to the surface of the height field and not to a side between two prisms. `normal`: away
/// from the prism, in its frame. Of two nearly parallel faces the other one's normal may be taken as well.
[[nodiscard]] bool belongs_to(const HeightCell& cell, Vec3 normal, int points);

/// The patch of a prism's triangle against another polyhedron, in the prism's frame. `place`: of the other one in this
/// frame; `swapped`: the prism is the second of the pair.
[[nodiscard]] PairResult triangle_patch(const HeightCell& cell, const PolyhedronView& prism,
                                        const PolyhedronView& other, const Relative& place, bool swapped, double margin,
                                        Scratch& scratch, Points& out);

}  // namespace repose::collision
