// SPDX-License-Identifier: Apache-2.0
// Shapes prepared for collision, and the memory that pair functions write to.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "repose/collision/broad_phase_internal.h"
#include "repose/collision/pair_internal.h"
#include "repose/shape/geometry.h"
#include "repose/shape/polyhedron.h"

namespace repose::collision {

/// The polyhedra behind the shapes of one Collision: those of boxes, which are made here, and views of all.
struct PolyhedronStore {
  std::vector<std::shared_ptr<const Polyhedron>> owned;
  std::map<const Polyhedron*, PolyhedronView> views;
};
[[nodiscard]] ShapeView view_of(const Geometry& geometry, PolyhedronStore& store);

/// Box around a placed shape, grown by `margin` on all sides. Not for half-spaces.
[[nodiscard]] Bounds bounds_of(const ShapeView& shape, const Relative& place, double margin);

/// Memory for the pair functions on the host. Its working lists fit every polyhedron of the store; points and clipped
/// polygons start with room for more than usual, and what does not fit is met by grow().
class PairRoom {
 public:
  PairRoom() { renew(); }
  void fit(const PolyhedronStore& store);
  /// Doubles the room for points and for clipped polygons.
  void grow();
  /// Something did not fit: the pair has to be repeated.
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
