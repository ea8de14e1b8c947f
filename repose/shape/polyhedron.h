// SPDX-License-Identifier: Apache-2.0
// Convex polyhedra: vertices, flat faces (coplanar facets merged), edges with their two faces.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "repose/math/vec3.h"
#include "repose/shape/polyhedron_view.h"

namespace repose {

struct HeightCell;  // shape/height_field.h

struct Polyhedron {
  using Face = PolyhedronFace;
  using Edge = PolyhedronEdge;
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<int> loop;
  std::vector<Edge> edges;

  // Computed from the above by the functions below, for traversals of the surface.
  std::vector<int> loop_edge;   ///< edge from loop[i] to its successor in the same face
  std::vector<int> ring_first;  ///< neighbours of vertex v: ring[ring_first[v] .. ring_first[v + 1])
  std::vector<int> ring;
  std::vector<int> face_ring;                ///< faces around vertex v, in the same places as `ring`
  Vec3 centre;                               ///< of the bounding box, m
  Vec3 half;                                 ///< half edges of the bounding box, m
  double radius = 0;                         ///< largest distance of a vertex from the centre, m
  double reach = 0;                          ///< largest distance of a vertex from the origin, m
  double size = 0;                           ///< longest edge of the bounding box, m: the scale of tolerances
  std::shared_ptr<const HeightCell> cell{};  ///< of a prism of a height field

  // Where faces are merged from facets that are not in one plane to rounding: the planes of the vertices' convex hull,
  // without loops, and the largest distance of a vertex from the plane of its face, m. Else empty and 0.
  std::vector<PolyhedronFace> facets{};
  double roughness = 0;
};

/// Valid as long as the polyhedron lives and is not changed.
[[nodiscard]] PolyhedronView view_of(const Polyhedron& polyhedron);

/// Convex hull of a point cloud (Qhull), coplanar facets merged, order of all features independent of the order in
/// which equal points were given. Throws InputError when the points span no volume.
[[nodiscard]] std::shared_ptr<const Polyhedron> convex_hull(std::span<const Vec3> points);

/// Returns the box as a polyhedron: the same faces, ids and code path as any hull.
[[nodiscard]] std::shared_ptr<const Polyhedron> box_polyhedron(Vec3 half);

/// The surface of a mesh file: different vertices, and triangles of them.
struct MeshSurface {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
};
/// Reads it through assimp, in single precision; lines and points are left out. InputError names the file.
[[nodiscard]] MeshSurface read_mesh_surface(const std::string& path);

/// Reads the vertices of a mesh file (OBJ, STL, PLY, … through assimp), in the file's units. InputError names the file.
[[nodiscard]] std::vector<Vec3> read_mesh_vertices(const std::string& path);

}  // namespace repose
