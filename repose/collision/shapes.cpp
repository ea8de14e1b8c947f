// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/shapes_internal.h"

#include "repose/base/error.h"
#include "repose/collision/cylinder_internal.h"
#include "repose/collision/round_pairs_internal.h"

namespace repose::collision {
namespace {

struct ViewOf {
  std::vector<std::shared_ptr<const Polyhedron>>& keep_alive;

  ShapeView operator()(const HalfSpace&) const { return {Kind::kHalfSpace, 0, 0, nullptr, 1e300}; }
  ShapeView operator()(const Sphere& s) const {
    require(s.radius > 0, "sphere: radius ", s.radius, " must be > 0");
    return {Kind::kSphere, s.radius, 0, nullptr, 2 * s.radius};
  }
  ShapeView operator()(const Capsule& s) const {
    require(s.radius > 0 && s.half_length >= 0, "capsule: radius ", s.radius, " must be > 0 and half length ",
            s.half_length, " must be >= 0");
    return {Kind::kCapsule, s.radius, s.half_length, nullptr, 2 * (s.radius + s.half_length)};
  }
  ShapeView operator()(const Cylinder& s) const {
    require(s.radius > 0 && s.half_length > 0, "cylinder: radius ", s.radius, " and half length ", s.half_length,
            " must be > 0");
    return {Kind::kCylinder, s.radius, s.half_length, nullptr, 2 * std::max(s.radius, s.half_length)};
  }
  ShapeView operator()(const Box& s) const {
    // Scenes have long rows of equal boxes: those share one polyhedron.
    if (keep_alive.empty() || !same(keep_alive.back()->half, s.half)) keep_alive.push_back(box_polyhedron(s.half));
    return of(*keep_alive.back());
  }
  ShapeView operator()(const Hull& s) const {
    require(s.polyhedron != nullptr, "hull: no polyhedron given");
    return of(*s.polyhedron);
  }
  static bool same(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
  static ShapeView of(const Polyhedron& poly) { return {Kind::kPolyhedron, 0, 0, &poly, poly.size}; }
};

Vec3 half_extent(const ShapeView& shape, const Mat3& R) {
  const auto row = [&](int i) -> double {
    const double along = std::abs(R.m[i][2]);
    switch (shape.kind) {
      case Kind::kSphere: return shape.radius;
      case Kind::kCapsule: return shape.radius + along * shape.half_length;
      case Kind::kCylinder:
        return shape.radius * std::sqrt(std::max(0.0, 1 - along * along)) + along * shape.half_length;
      default: {
        const Vec3 h = shape.polyhedron->half;
        return std::abs(R.m[i][0]) * h.x + std::abs(R.m[i][1]) * h.y + along * h.z;
      }
    }
  };
  return {row(0), row(1), row(2)};
}

}  // namespace

ShapeView view_of(const Geometry& geometry, std::vector<std::shared_ptr<const Polyhedron>>& keep_alive) {
  return std::visit(ViewOf{keep_alive}, geometry);
}

Bounds bounds_of(const ShapeView& shape, const Relative& place, double margin) {
  const Vec3 half = half_extent(shape, place.R) + Vec3{margin, margin, margin};
  const Vec3 centre = shape.polyhedron ? place * shape.polyhedron->centre : place.p;
  return {centre - half, centre + half};
}

namespace {

constexpr int code(Kind host, Kind guest) { return static_cast<int>(host) * 8 + static_cast<int>(guest); }

// The pair with the host first.
PairResult with_host(const ShapeView& a, const ShapeView& b, const Relative& rel, double margin, EdgeNormal edge_normal,
                     PairMemory& memory, Points& out) {
  using enum Kind;
  switch (code(a.kind, b.kind)) {
    case code(kHalfSpace, kSphere): return halfspace_sphere(b, rel, margin, out);
    case code(kHalfSpace, kCapsule): return halfspace_capsule(b, rel, margin, out);
    case code(kHalfSpace, kCylinder): return halfspace_cylinder(b, rel, margin, out);
    case code(kHalfSpace, kPolyhedron): return halfspace_polyhedron(b, rel, margin, memory.hint_second, out);
    case code(kSphere, kSphere): return sphere_sphere(a, b, rel, margin, out);
    case code(kCapsule, kSphere): return capsule_sphere(a, b, rel, margin, out);
    case code(kCapsule, kCapsule): return capsule_capsule(a, b, rel, margin, out);
    case code(kCylinder, kSphere): return cylinder_sphere(a, b, rel, margin, out);
    case code(kCylinder, kCapsule): return cylinder_capsule(a, b, rel, margin, out);
    case code(kCylinder, kCylinder): return cylinder_cylinder(a, b, rel, margin, out);
    case code(kPolyhedron, kSphere): return polyhedron_sphere(a, b, rel, margin, out);
    case code(kPolyhedron, kCapsule): return polyhedron_capsule(a, b, rel, margin, out);
    case code(kPolyhedron, kCylinder): return polyhedron_cylinder(a, b, rel, margin, out);
    case code(kPolyhedron, kPolyhedron): return polyhedron_polyhedron(a, b, rel, margin, edge_normal, memory, out);
    default: return {};
  }
}

// Half-spaces host everything; of the others the shape with more features hosts the one with fewer.
bool second_hosts(Kind a, Kind b) {
  if (a == Kind::kHalfSpace) return false;
  return b == Kind::kHalfSpace || b > a;
}

}  // namespace

PairResult collide(const ShapeView& a, const Relative& place_a, const ShapeView& b, const Relative& place_b,
                   double margin, EdgeNormal edge_normal, PairMemory& memory, Points& out) {
  const bool swap = second_hosts(a.kind, b.kind);
  PairResult result = swap ? with_host(b, a, seen_from(place_b, place_a), margin, edge_normal, memory, out)
                           : with_host(a, b, seen_from(place_a, place_b), margin, edge_normal, memory, out);
  if (swap) result.host_is_second = !result.host_is_second;
  return result;
}

}  // namespace repose::collision
