// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>

#include "repose/base/error.h"
#include "repose/scene/convex_parts_internal.h"
#include "repose/scene/triangle_mesh_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

/// Share of the volume from which a hull counts as another shape.
constexpr double kNoted = 0.01;

}  // namespace

void note_added_volume(const std::string& path, const std::vector<Vec3>& vertices, std::set<std::string>& simplified) {
  const TriangleMesh mesh = read_triangles(path);
  if (!is_closed(mesh)) return;
  const double own = solid_mass(mesh, 1).mass, hull = mass_properties(Hull{convex_hull(vertices)}, 1).mass;
  if (!(own > 0) || hull < (1 + kNoted) * own) return;
  simplified.insert("mesh '" + std::filesystem::path(path).filename().string() + "': its convex hull adds " +
                    std::to_string(std::lround(100 * (hull / own - 1))) +
                    " % to its volume (repose.load(…, decompose=True) takes convex parts)");
}

std::vector<std::shared_ptr<const Polyhedron>> convex_parts(const std::string& path, Vec3 scale,
                                                            const LoadOptions& options,
                                                            std::set<std::string>& simplified) {
  std::vector<std::vector<Vec3>> parts;
  if (options.decompose) {
    parts = options.decompose(path);
    require(!parts.empty(), path, ": decomposition: expected one part or more, got none");
  } else {
    parts.push_back(read_mesh_vertices(path));
    note_added_volume(path, parts[0], simplified);
  }
  std::vector<std::shared_ptr<const Polyhedron>> hulls;
  for (std::vector<Vec3>& part : parts) {
    for (Vec3& p : part) p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
    hulls.push_back(convex_hull(part));
  }
  return hulls;
}

}  // namespace repose
