// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/shapes_internal.h"

#include <algorithm>
#include <cassert>

#include "repose/base/error.h"

namespace repose::collision {
namespace {

struct ViewOf {
  PolyhedronStore& store;

  ShapeView operator()(const HalfSpace&) const { return {Kind::kHalfSpace, 0, 0, nullptr, 1e300}; }
  ShapeView operator()(const Sphere& s) const {
    require(s.radius > 0, "sphere: radius: expected a number > 0, m, got ", s.radius);
    return {Kind::kSphere, s.radius, 0, nullptr, 2 * s.radius};
  }
  ShapeView operator()(const Capsule& s) const {
    require(s.radius > 0, "capsule: radius: expected a number > 0, m, got ", s.radius);
    require(s.half_length >= 0, "capsule: half length: expected a number >= 0, m, got ", s.half_length);
    return {Kind::kCapsule, s.radius, s.half_length, nullptr, 2 * (s.radius + s.half_length)};
  }
  ShapeView operator()(const Cylinder& s) const {
    require(s.radius > 0, "cylinder: radius: expected a number > 0, m, got ", s.radius);
    require(s.half_length > 0, "cylinder: half length: expected a number > 0, m, got ", s.half_length);
    return {Kind::kCylinder, s.radius, s.half_length, nullptr, 2 * std::max(s.radius, s.half_length)};
  }
  ShapeView operator()(const Box& s) const {
    // Consecutive equal boxes, of which scenes have many, share one polyhedron.
    if (store.owned.empty() || !same(store.owned.back()->half, s.half)) store.owned.push_back(box_polyhedron(s.half));
    return of(*store.owned.back());
  }
  ShapeView operator()(const Hull& s) const {
    require(s.polyhedron != nullptr, "hull: polyhedron: expected one, got none");
    return of(*s.polyhedron);
  }
  static bool same(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
  [[nodiscard]] ShapeView of(const Polyhedron& poly) const {
    const PolyhedronView& view = store.views.try_emplace(&poly, view_of(poly)).first->second;
    return {Kind::kPolyhedron, 0, 0, &view, poly.size};
  }
};

Vec3 half_extent(const ShapeView& shape, const Mat3& R) {
  const auto row = [&](int i) -> double {
    const double along = std::abs(R.m[i][2]);
    switch (shape.kind) {
      case Kind::kHalfSpace: break;
      case Kind::kSphere: return shape.radius;
      case Kind::kCapsule: return shape.radius + along * shape.half_length;
      case Kind::kCylinder:
        return shape.radius * std::sqrt(std::max(0.0, 1 - along * along)) + along * shape.half_length;
      case Kind::kPolyhedron: {
        const Vec3 h = shape.polyhedron->half;
        return std::abs(R.m[i][0]) * h.x + std::abs(R.m[i][1]) * h.y + along * h.z;
      }
    }
    return kFar;
  };
  return {row(0), row(1), row(2)};
}

}  // namespace

ShapeView view_of(const Geometry& geometry, PolyhedronStore& store) { return std::visit(ViewOf{store}, geometry); }

Bounds bounds_of(const ShapeView& shape, const Relative& place, double margin) {
  const Vec3 half = half_extent(shape, place.R) + Vec3{margin, margin, margin};
  const Vec3 centre = shape.polyhedron ? place * shape.polyhedron->centre : place.p;
  return {centre - half, centre + half};
}

// ---- memory -------------------------------------------------------------------------------------------------------

void PairRoom::fit(const PolyhedronStore& store) {
  for (const auto& [polyhedron, view] : store.views) {
    vertices_ = std::max(vertices_, view.vertices.size());
    edges_ = std::max(edges_, view.edges.size());
    loop_ = std::max(loop_, view.loop.size());
  }
  renew();
}

void PairRoom::grow() {
  assert(points.exceeded || scratch.polygon.exceeded || scratch.cut.exceeded);
  points_ *= 2;
  polygon_ *= 2;
  renew();
}

void PairRoom::renew() {
  const auto n = [](int count) { return static_cast<std::size_t>(count); };
  point_memory_.resize(2 * n(points_));
  vertex_memory_.resize(n(vertices_));
  edge_memory_.resize(n(edges_));
  polygon_memory_.resize(2 * n(polygon_));
  int_memory_.resize(n(vertices_) + 2 * n(loop_));
  seen_memory_.assign(n(vertices_), 0);
  points = {};
  points.data = point_memory_.data(), points.capacity = points_, points.spare = points.data + points_;
  scratch = {};
  scratch.vertices = {vertex_memory_.data(), vertices_};
  scratch.edges = {edge_memory_.data(), edges_};
  scratch.polygon = {polygon_memory_.data(), polygon_};
  scratch.cut = {polygon_memory_.data() + polygon_, polygon_};
  scratch.stack = {int_memory_.data(), vertices_};
  scratch.faces = {int_memory_.data() + vertices_, loop_};
  scratch.spare_faces = scratch.faces.data + loop_;
  scratch.seen = {seen_memory_.data(), vertices_};
}

}  // namespace repose::collision
