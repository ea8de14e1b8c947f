// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "repose/scene/scene_scales_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

/// Longest edge of the bounding box in the shape's own axes.
struct LongestEdge {
  double operator()(const HalfSpace&) const { return 0; }
  double operator()(const Sphere& s) const { return 2 * s.radius; }
  double operator()(const Box& b) const { return 2 * std::max({b.half.x, b.half.y, b.half.z}); }
  double operator()(const Capsule& c) const { return 2 * (c.radius + c.half_length); }
  double operator()(const Cylinder& c) const { return 2 * std::max(c.radius, c.half_length); }
  double operator()(const Hull& h) const {
    double longest = 0;
    for (auto axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
      const auto [low, high] = std::minmax_element(h.polyhedron->vertices.begin(), h.polyhedron->vertices.end(),
                                                   [&](Vec3 a, Vec3 b) { return a.*axis < b.*axis; });
      longest = std::max(longest, *high.*axis - *low.*axis);
    }
    return longest;
  }
};

}  // namespace

void set_scales(Scene& scene) {
  double edge = 0;
  for (const SceneBody& body : scene.bodies)
    for (const SceneShape& shape : body.shapes)
      if (body.kind == BodyKind::kDynamic) edge = std::max(edge, std::visit(LongestEdge{}, shape.geometry));
  if (edge == 0) return;
  scene.margin = 0.008 * edge;  // 0.02 m for cards of 2.5 m
  scene.slop = 1e-4 * edge;
}

}  // namespace repose
