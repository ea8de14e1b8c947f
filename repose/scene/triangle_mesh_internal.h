// SPDX-License-Identifier: Apache-2.0
// Triangle meshes with their faces, for the mass of solids that are not convex. Metres.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "repose/shape/mass.h"

namespace repose {

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
};

/// Reads vertices and faces of an OBJ file; polygons become fans. Throws InputError with file and line.
[[nodiscard]] TriangleMesh read_obj_triangles(const std::string& path);

/// Reads a mesh file of any format: OBJ in double precision, others through assimp.
[[nodiscard]] TriangleMesh read_triangles(const std::string& path);

/// Whether every edge has two triangles of opposite sense.
[[nodiscard]] bool is_closed(const TriangleMesh& mesh);

/// Returns the mass of the solid inside, by the divergence theorem over the triangles, for either orientation.
[[nodiscard]] MassProperties solid_mass(const TriangleMesh& mesh, double density);

}  // namespace repose
