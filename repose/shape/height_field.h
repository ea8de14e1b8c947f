// SPDX-License-Identifier: Apache-2.0
// Height fields as convex prisms: each cell of the grid is two triangles, and under each lies a prism down to the base.
// The prisms fill the solid exactly. Sides between them are no surface: a contact of one prism counts only if its
// normal is one that the whole field has there.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "repose/math/vec3.h"

namespace repose {

struct Polyhedron;

struct HeightField {
  int rows = 0, columns = 0;         ///< of points, along y and x, at least 2
  double half_x = 0, half_y = 0;     ///< half extent, m; the centre is the shape's origin
  double base = 0;                   ///< depth of the flat bottom below z = 0, m
  std::vector<double> heights = {};  ///< above −base, m: row by row from −y, each from −x
  [[nodiscard]] Vec3 point(int row, int column) const;
};

/// The triangle above a prism, as corners of the grid.
struct HeightCell {
  std::shared_ptr<const HeightField> field;
  std::array<std::array<int, 2>, 3> corners;  ///< row and column, counter-clockwise from above
};

/// Returns what is wrong with a field, "rows: expected …, got …"; empty when nothing is.
[[nodiscard]] std::string height_field_fault(const HeightField& field);

/// The prisms, cell by cell along x and then y, with Polyhedron::cell set: the cell's lower right triangle, between
/// (row, column), (row, column + 1) and (row + 1, column + 1), and its upper left one. The field has no fault.
[[nodiscard]] std::vector<std::shared_ptr<const Polyhedron>> height_field_prisms(
    const std::shared_ptr<const HeightField>& field);

/// Whether `normal` (unit, in the field's axes, away from it) supports the whole field near the features that support
/// the prism, as the normal of a contact of two convex bodies does. False for sides between prisms, and for edges
/// around which a neighbour rises above.
[[nodiscard]] bool is_on_surface(const HeightCell& cell, Vec3 normal);

/// The unit normal of the cell's triangle.
[[nodiscard]] Vec3 upward_normal(const HeightCell& cell);

}  // namespace repose
