// SPDX-License-Identifier: Apache-2.0
#include "repose/export/triangles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "repose/shape/polyhedron.h"

namespace repose::exporter {
namespace {

constexpr int kAround = 32, kRings = 8;  // sides of a circle, rings of a half ball

Polygons from(const Polyhedron& hull) {
  Polygons out{hull.vertices, {}};
  for (const Polyhedron::Face& face : hull.faces)
    out.faces.emplace_back(hull.loop.begin() + face.first, hull.loop.begin() + face.first + face.count);
  return out;
}

/// A body of revolution about z from its outline, bottom to top; the ends lie on the axis.
Polygons revolved(const std::vector<std::array<double, 2>>& outline) {  // radius, height
  Polygons out;
  const int rings = static_cast<int>(outline.size());
  for (int i = 1; i + 1 < rings; ++i)
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAround;
      const auto [radius, height] = outline[static_cast<std::size_t>(i)];
      out.points.push_back({radius * std::cos(angle), radius * std::sin(angle), height});
    }
  const int bottom = static_cast<int>(out.points.size()), top = bottom + 1;
  out.points.push_back({0, 0, outline.front()[1]});
  out.points.push_back({0, 0, outline.back()[1]});
  const auto place = [&](int i, int k) { return (i - 1) * kAround + k % kAround; };
  for (int k = 0; k < kAround; ++k) {
    out.faces.push_back({bottom, place(1, k + 1), place(1, k)});
    for (int i = 1; i + 2 < rings; ++i)
      out.faces.push_back({place(i, k), place(i, k + 1), place(i + 1, k + 1), place(i + 1, k)});
    out.faces.push_back({top, place(rings - 2, k), place(rings - 2, k + 1)});
  }
  return out;
}

Polygons capsule(double radius, double half) {
  std::vector<std::array<double, 2>> outline;
  for (int side : {-1, 1})
    for (int i = 0; i <= kRings; ++i) {
      if (half == 0 && side > 0 && i == 0) continue;  // the equator of a ball, once
      const double angle = 0.5 * std::numbers::pi * (side < 0 ? i - kRings : i) / kRings;
      outline.push_back({radius * std::cos(angle), side * half + radius * std::sin(angle)});
    }
  return revolved(outline);
}

struct Maker {
  double ground;
  Polygons operator()(const HalfSpace&) const {
    return {{{-ground, -ground, 0}, {ground, -ground, 0}, {ground, ground, 0}, {-ground, ground, 0}}, {{0, 1, 2, 3}}};
  }
  Polygons operator()(const Sphere& s) const { return capsule(s.radius, 0); }
  Polygons operator()(const Box& b) const { return from(*box_polyhedron(b.half)); }
  Polygons operator()(const Capsule& c) const { return capsule(c.radius, c.half_length); }
  Polygons operator()(const Cylinder& c) const {
    return revolved({{0, -c.half_length}, {c.radius, -c.half_length}, {c.radius, c.half_length}, {0, c.half_length}});
  }
  Polygons operator()(const Hull& h) const { return from(*h.polyhedron); }
};

}  // namespace

Polygons polygons_of(const Geometry& geometry, double ground) { return std::visit(Maker{ground}, geometry); }

Polygons polygons_of(const SceneBody& body, double ground) {
  Polygons all;
  for (const SceneShape& shape : body.shapes) {
    const int first = static_cast<int>(all.points.size());
    Polygons one = polygons_of(shape.geometry, ground);
    for (const Vec3& p : one.points) all.points.push_back(shape.pose * p);
    for (std::vector<int>& face : one.faces) {
      for (int& corner : face) corner += first;
      all.faces.push_back(std::move(face));
    }
  }
  return all;
}

double ground_size(const Scene& scene) {
  double reach = 0;
  for (const SceneBody& body : scene.bodies)
    for (const SceneShape& shape : body.shapes) {
      if (std::holds_alternative<HalfSpace>(shape.geometry)) continue;
      for (const Vec3& p : polygons_of(shape.geometry, 0).points)
        reach = std::max(reach, norm(body.pose * (shape.pose * p)));
    }
  return reach > 0 ? 3 * reach : 1;
}

Vec3 colour_of(const SceneBody& body, const SceneShape& shape, std::size_t number) {
  constexpr std::array<Vec3, 4> kStones{Vec3{.79, .73, .60}, {.73, .63, .51}, {.84, .78, .68}, {.66, .61, .53}};
  if (shape.colour) return *shape.colour;
  if (body.kind == BodyKind::kStatic) return {.49, .53, .58};
  if (body.kind == BodyKind::kKinematic) return {.37, .50, .66};
  return kStones[number % kStones.size()];
}

}  // namespace repose::exporter
