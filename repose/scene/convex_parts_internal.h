// SPDX-License-Identifier: Apache-2.0
// The convex shapes that stand for a mesh: parts of a decomposition where one is given, otherwise its hull.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "repose/scene/load.h"

namespace repose {

/// Reads a mesh file, multiplies its vertices by `scale` and returns its parts; one, the hull, without
/// LoadOptions::decompose. A hull that has clearly more volume than the mesh is listed in `simplified`. Throws
/// InputError.
[[nodiscard]] std::vector<std::shared_ptr<const Polyhedron>> convex_parts(const std::string& path, Vec3 scale,
                                                                          const LoadOptions& options,
                                                                          std::set<std::string>& simplified);

/// Notes how much volume the hull of a mesh file adds, when it is a hundredth or more and the mesh is closed.
void note_added_volume(const std::string& path, const std::vector<Vec3>& vertices, std::set<std::string>& simplified);

}  // namespace repose
