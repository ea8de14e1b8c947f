// SPDX-License-Identifier: Apache-2.0
// Corners of bodies in the world, to see that they touch.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "repose/scene/scene.h"
#include "repose/shape/polyhedron.h"

namespace repose::testing {

/// Of all boxes and hulls of the body.
[[nodiscard]] inline std::vector<Vec3> corners(const SceneBody& body) {
  std::vector<Vec3> all;
  for (const SceneShape& shape : body.shapes) {
    const Pose pose = body.pose * shape.pose;
    if (const auto* box = std::get_if<Box>(&shape.geometry))
      for (int i = 0; i < 8; ++i)
        all.push_back(pose * Vec3{(i & 1 ? 1 : -1) * box->half.x, (i & 2 ? 1 : -1) * box->half.y,
                                  (i & 4 ? 1 : -1) * box->half.z});
    if (const auto* hull = std::get_if<Hull>(&shape.geometry))
      for (Vec3 v : hull->polyhedron->vertices) all.push_back(pose * v);
  }
  return all;
}

/// Smallest value of direction · x over the body.
[[nodiscard]] inline double lowest(const SceneBody& body, Vec3 direction = {0, 0, 1}) {
  double low = std::numeric_limits<double>::infinity();
  for (Vec3 corner : corners(body)) low = std::min(low, dot(corner, direction));
  return low;
}
[[nodiscard]] inline double highest(const SceneBody& body, Vec3 direction = {0, 0, 1}) {
  return -lowest(body, -1.0 * direction);
}

[[nodiscard]] inline const SceneBody& find(const Scene& scene, const std::string& name) {
  for (const SceneBody& body : scene.bodies)
    if (body.name == name) return body;
  throw std::out_of_range("no body " + name);
}

[[nodiscard]] inline long count(const Scene& scene, BodyKind kind) {
  return std::count_if(scene.bodies.begin(), scene.bodies.end(), [&](const SceneBody& b) { return b.kind == kind; });
}

}  // namespace repose::testing
