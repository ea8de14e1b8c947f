// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/height_cells_internal.h"

#include <algorithm>

#include "repose/collision/support_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose::collision {
namespace {

/// Points from which on a contact is a patch of two faces.
constexpr int kPatch = 3;

}  // namespace

const HeightCell* cell_of(const Geometry& geometry) {
  const auto* hull = std::get_if<Hull>(&geometry);
  return hull == nullptr ? nullptr : hull->polyhedron->cell.get();
}

bool belongs_to(const HeightCell& cell, Vec3 normal, int points) {
  if (points >= kPatch && dot(normal, upward_normal(cell)) > 1 - 0.5 * kPatchAngle * kPatchAngle) return true;
  return is_on_surface(cell, normal);
}

PairResult triangle_patch(const HeightCell& cell, const PolyhedronView& prism, const PolyhedronView& other,
                          const Relative& place, bool swapped, double margin, Scratch& scratch, Points& out) {
  const Vec3 up = upward_normal(cell);
  int top = 0;
  for (int f = 1; f < prism.faces.size(); ++f)
    if (dot(prism.faces[f].normal, up) > dot(prism.faces[top].normal, up)) top = f;
  const Vec3 normal = prism.faces[top].normal;
  const double tolerance = kFlush * std::min(prism.size, other.size);
  add_face_patch({prism, other, place, top, swapped, margin, tolerance},
                 lowest_vertex(other, turn_back(place.R, normal), 0), scratch, out);
  return {!out.empty(), swapped, normal};
}

}  // namespace repose::collision
