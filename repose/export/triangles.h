// SPDX-License-Identifier: Apache-2.0
// Shapes as flat polygons, for formats without curved shapes.
#pragma once

#include <vector>

#include "repose/math/pose.h"
#include "repose/scene/scene.h"

namespace repose::exporter {

struct Polygons {
  std::vector<Vec3> points;
  std::vector<std::vector<int>> faces;  ///< corners, counter-clockwise from outside
};

/// In the shape's own frame. Half-spaces become a square of half edge `ground`.
[[nodiscard]] Polygons polygons_of(const Geometry& geometry, double ground);
/// All shapes of a body, in its frame.
[[nodiscard]] Polygons polygons_of(const SceneBody& body, double ground);

/// Returns the half edge of the ground to show: three times the largest extent of the other shapes, at least 1 m.
[[nodiscard]] double ground_size(const Scene& scene);

/// Muted red, green, blue in 0 … 1 for a shape: its own, or one by kind and number.
[[nodiscard]] Vec3 colour_of(const SceneBody& body, const SceneShape& shape, std::size_t number);

}  // namespace repose::exporter
