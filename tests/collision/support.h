// SPDX-License-Identifier: Apache-2.0
// Two bodies somewhere in the world, and the contacts between them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "repose/base/random.h"
#include "repose/collision/collision.h"
#include "repose/shape/polyhedron.h"

namespace repose::testing {

struct Contacts {
  Vec3 normal;  ///< from the first body to the second
  std::vector<ContactPoint> points;

  [[nodiscard]] bool empty() const { return points.empty(); }
  [[nodiscard]] double smallest_gap() const {
    double gap = 1e300;
    for (const ContactPoint& p : points) gap = std::min(gap, p.gap);
    return gap;
  }
  [[nodiscard]] std::vector<std::uint32_t> features() const {
    std::vector<std::uint32_t> ids;
    for (const ContactPoint& p : points) ids.push_back(p.feature);
    return ids;
  }
};

/// Keeps its Collision between calls, as a simulation does.
class TwoBodies {
 public:
  TwoBodies(Geometry a, Geometry b, double margin, EdgeNormal edge_normal = EdgeNormal::kBisecting)
      : margin_{0.5 * margin, 0.5 * margin} {
    collision_.bind({Collider{0, {}, std::move(a)}, Collider{1, {}, std::move(b)}}, {1, 1}, {}, edge_normal);
  }
  Contacts at(const Pose& a, const Pose& b) {
    const Pose poses[2] = {a, b};
    collision_.update(poses, margin_);
    Contacts found;
    EXPECT_LE(collision_.manifolds().size(), 1u);
    for (const Manifold& m : collision_.manifolds()) {
      EXPECT_EQ(m.collider_a, 0);
      EXPECT_EQ(m.collider_b, 1);
      EXPECT_GT(m.count, 0);
      EXPECT_NEAR(norm(m.normal), 1.0, 1e-14);
      found.normal = m.normal;
      const auto points = collision_.points().subspan(m.first, m.count);
      found.points.assign(points.begin(), points.end());
      for (std::size_t i = 1; i < points.size(); ++i) EXPECT_LT(points[i - 1].feature, points[i].feature);
    }
    return found;
  }
  Collision& collision() { return collision_; }

 private:
  Collision collision_;
  std::vector<double> margin_;
};

inline Contacts contacts(const Geometry& a, const Pose& pose_a, const Geometry& b, const Pose& pose_b, double margin,
                         EdgeNormal edge_normal = EdgeNormal::kBisecting) {
  return TwoBodies(a, b, margin, edge_normal).at(pose_a, pose_b);
}

inline Vec3 random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}
inline Vec3 random_direction(Random& random) {
  for (;;) {
    const Vec3 v = random_vector(random, 1);
    if (norm(v) > 0.1 && norm(v) < 1) return normalized(v);
  }
}
inline Quat random_rotation(Random& random) {
  for (;;) {
    const Quat q{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    if (norm(q) > 0.1 && norm(q) < 1) return normalized(q);
  }
}
inline Pose random_pose(Random& random, double size) { return {random_vector(random, size), random_rotation(random)}; }

/// One of 200, so that their polyhedra can be kept.
inline Geometry random_box(Random& random) {
  static const std::vector<Geometry> pool = [] {
    Random local(3);
    std::vector<Geometry> boxes;
    for (int i = 0; i < 200; ++i)
      boxes.push_back(Box{{local.uniform(.3, 1), local.uniform(.3, 1), local.uniform(.3, 1)}});
    return boxes;
  }();
  return pool[random.bits() % pool.size()];
}
/// With triangles only: four points that are coplanar but for 1e-6 would be one face, flat to 1e-6.
inline Geometry make_hull(Random& random, int points) {
  for (;;) {
    std::vector<Vec3> cloud;
    for (int i = 0; i < points; ++i) cloud.push_back(random.uniform(.6, 1) * random_direction(random));
    const auto hull = convex_hull(cloud);
    const auto triangle = [](const auto& face) { return face.count == 3; };
    if (std::all_of(hull->faces.begin(), hull->faces.end(), triangle)) return Hull{hull};
  }
}
/// One of 200: making hulls would take most of a test's time.
inline Geometry random_hull(Random& random) {
  static const std::vector<Geometry> pool = [] {
    Random local(1);
    std::vector<Geometry> hulls;
    for (int i = 0; i < 200; ++i) hulls.push_back(make_hull(local, 12));
    return hulls;
  }();
  return pool[random.bits() % pool.size()];
}
inline std::shared_ptr<const Polyhedron> polyhedron_of(const Geometry& g) {
  if (const auto* hull = std::get_if<Hull>(&g)) return hull->polyhedron;
  static std::map<std::tuple<double, double, double>, std::shared_ptr<const Polyhedron>> made;
  const Vec3 half = std::get<Box>(g).half;
  auto& poly = made[{half.x, half.y, half.z}];
  if (!poly) poly = box_polyhedron(half);
  return poly;
}

/// Directions of straight edges and sides.
inline std::vector<Vec3> directions(const Geometry& g) {
  if (std::holds_alternative<Sphere>(g)) return {};
  if (std::holds_alternative<Capsule>(g) || std::holds_alternative<Cylinder>(g)) return {{0, 0, 1}};
  const auto poly = polyhedron_of(g);
  std::vector<Vec3> all;
  for (const auto& e : poly->edges) all.push_back(normalized(poly->vertices[e.head] - poly->vertices[e.tail]));
  return all;
}
inline std::vector<Vec3> face_normals(const Geometry& g) {
  if (std::holds_alternative<Cylinder>(g)) return {{0, 0, 1}, {0, 0, -1}};
  if (!std::holds_alternative<Box>(g) && !std::holds_alternative<Hull>(g)) return {};
  std::vector<Vec3> all;
  for (const auto& f : polyhedron_of(g)->faces) all.push_back(f.normal);
  return all;
}
/// Nearly parallel edges and sides share a normal by rule, nearly parallel faces make a patch (docs/collision.md):
/// those are tested in structure_test.cpp and cylinder_test.cpp.
inline bool nearly_parallel(const Geometry& a, const Geometry& b, const Quat& turn) {
  for (const Vec3 u : directions(a))
    for (const Vec3 v : directions(b))
      if (norm(cross(u, rotate(turn, v))) < .03) return true;
  for (const Vec3 u : face_normals(a))
    for (const Vec3 v : face_normals(b))
      if (dot(u, rotate(turn, v)) < -std::cos(.03)) return true;
  return false;
}

/// Angle between unit vectors, accurate for small ones, rad.
inline double angle(Vec3 a, Vec3 b) { return std::atan2(norm(cross(a, b)), dot(a, b)); }

}  // namespace repose::testing
