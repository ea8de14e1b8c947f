// SPDX-License-Identifier: Apache-2.0
// Views of shapes for the pair functions, and the memory that these write to.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "repose/collision/broad_phase_internal.h"
#include "repose/collision/pair_internal.h"
#include "repose/shape/geometry.h"
#include "repose/shape/polyhedron.h"

namespace repose::collision {

/// The polyhedra of one Collision: those of boxes, which it owns, and views of all.
struct PolyhedronStore {
  std::vector<std::shared_ptr<const Polyhedron>> owned;
  std::map<const Polyhedron*, PolyhedronView> views;
};
[[nodiscard]] ShapeView view_of(const Geometry& geometry, PolyhedronStore& store);

/// Returns the bounding box of a placed shape, enlarged by `margin` on all sides. Not for half-spaces.
[[nodiscard]] Bounds bounds_of(const ShapeView& shape, const Relative& place, double margin);

/// Memory of the pair functions on the host. The working lists have room for every polyhedron of the store. The lists
/// of points and of clipped polygons start with more room than most pairs need; grow() enlarges them.
class PairRoom {
 public:
  PairRoom() { renew(); }
  void fit(const PolyhedronStore& store);
  /// Doubles the capacity for points and for clipped polygons.
  void grow();
  /// Returns whether a list was exceeded: the pair has to be repeated.
  [[nodiscard]] bool exceeded() const { return points.exceeded || scratch.exceeded(); }

  Points points;
  Scratch scratch;

 private:
  void renew();

  int points_ = 256, polygon_ = 64, vertices_ = 1, edges_ = 1, loop_ = 1;
  std::vector<ContactPoint> point_memory_;
  std::vector<Vec3> vertex_memory_;
  std::vector<EdgeView> edge_memory_;
  std::vector<ClipVertex> polygon_memory_;
  std::vector<int> int_memory_;
  std::vector<unsigned> seen_memory_;
};

}  // namespace repose::collision
