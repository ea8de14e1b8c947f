// SPDX-License-Identifier: Apache-2.0
#include "repose/verify/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "repose/shape/polyhedron.h"

namespace repose::verify {
namespace {

constexpr int kDirections = 200;     // tried at most before a pair counts as overlapping
constexpr double kRounding = 1e-12;  // of the two shapes' size

double along_axis(double z, double half) { return std::clamp(z, -half, half); }

struct HeightOver {
  Vec3 p;
  double operator()(const HalfSpace&) const { return p.z; }
  double operator()(const Sphere& s) const { return norm(p) - s.radius; }
  double operator()(const Box& b) const {
    return std::max({std::abs(p.x) - b.half.x, std::abs(p.y) - b.half.y, std::abs(p.z) - b.half.z});
  }
  double operator()(const Capsule& c) const { return norm(p - Vec3{0, 0, along_axis(p.z, c.half_length)}) - c.radius; }
  double operator()(const Cylinder& c) const {
    return std::max(std::abs(p.z) - c.half_length, std::hypot(p.x, p.y) - c.radius);
  }
  /// The body is the convex hull of its vertices; faces that were merged are its surface up to their roughness only.
  double operator()(const Hull& h) const {
    const Polyhedron& poly = *h.polyhedron;
    double most = -std::numeric_limits<double>::infinity();
    for (const PolyhedronFace& face : poly.facets.empty() ? poly.faces : poly.facets)
      most = std::max(most, dot(face.normal, p) - face.offset);
    return most;
  }
};

struct Farthest {
  Vec3 d;
  Vec3 operator()(const HalfSpace&) const { return {}; }
  Vec3 operator()(const Sphere& s) const { return norm(d) > 0 ? (s.radius / norm(d)) * d : Vec3{}; }
  Vec3 operator()(const Box& b) const {
    return {std::copysign(b.half.x, d.x), std::copysign(b.half.y, d.y), std::copysign(b.half.z, d.z)};
  }
  Vec3 operator()(const Capsule& c) const {
    return Farthest{d}(Sphere{c.radius}) + Vec3{0, 0, std::copysign(c.half_length, d.z)};
  }
  Vec3 operator()(const Cylinder& c) const {
    const double across = std::hypot(d.x, d.y), share = across > 0 ? c.radius / across : 0;
    return {share * d.x, share * d.y, std::copysign(c.half_length, d.z)};
  }
  Vec3 operator()(const Hull& h) const {
    const auto& vertices = h.polyhedron->vertices;
    return *std::max_element(vertices.begin(), vertices.end(), [&](Vec3 a, Vec3 b) { return dot(a, d) < dot(b, d); });
  }
};

struct Reach {
  double operator()(const HalfSpace&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const Sphere& s) const { return s.radius; }
  double operator()(const Box& b) const { return norm(b.half); }
  double operator()(const Capsule& c) const { return c.radius + c.half_length; }
  double operator()(const Cylinder& c) const { return std::hypot(c.radius, c.half_length); }
  double operator()(const Hull& h) const {
    double most = 0;
    for (const Vec3& v : h.polyhedron->vertices) most = std::max(most, norm(v));
    return most;
  }
};

Vec3 placed(const Geometry& shape, const Pose& pose, Vec3 direction) {
  return pose * farthest(shape, rotate_back(pose.rotation, direction));
}

/// The point of the flat through some points that is nearest to the origin, as weights; empty where they are dependent.
std::vector<double> weights_of(const std::vector<Vec3>& p) {
  const std::size_t n = p.size() - 1;
  double A[3][4] = {};
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) A[r][c] = dot(p[r + 1] - p[0], p[c + 1] - p[0]);
    A[r][n] = -dot(p[r + 1] - p[0], p[0]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t r = k + 1; r < n; ++r)
      if (std::abs(A[r][k]) > std::abs(A[best][k])) best = r;
    std::swap(A[k], A[best]);
    if (A[k][k] == 0) return {};
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = r == k ? 0 : A[r][k] / A[k][k];
      for (std::size_t c = k; c <= n; ++c) A[r][c] -= factor * A[k][c];
    }
  }
  std::vector<double> w(n + 1, 1.0);
  for (std::size_t r = 0; r < n; ++r) w[r + 1] = A[r][n] / A[r][r], w[0] -= w[r + 1];
  return w;
}

/// The point of a simplex that is nearest to the origin; the simplex becomes the face that it lies on.
Vec3 nearest_to_origin(std::vector<Vec3>& simplex) {
  Vec3 best;
  std::vector<Vec3> face;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned set = 1; set < 1U << simplex.size(); ++set) {
    std::vector<Vec3> corners;
    for (std::size_t k = 0; k < simplex.size(); ++k)
      if (set >> k & 1U) corners.push_back(simplex[k]);
    const std::vector<double> w = weights_of(corners);
    if (w.empty() || *std::min_element(w.begin(), w.end()) < 0) continue;
    Vec3 x;
    for (std::size_t k = 0; k < corners.size(); ++k) x = x + w[k] * corners[k];
    if (dot(x, x) < least) least = dot(x, x), best = x, face = corners;
  }
  simplex = face;
  return best;
}

/// How far a shape reaches below the surface of a half-space.
double depth_in(const Pose& half_space, const Geometry& shape, const Pose& at) {
  const Vec3 up = rotate(half_space.rotation, {0, 0, 1});
  return dot(up, half_space.position - placed(shape, at, -1.0 * up));
}

}  // namespace

double height_over(const Geometry& shape, Vec3 point) { return std::visit(HeightOver{point}, shape); }
Vec3 farthest(const Geometry& shape, Vec3 direction) { return std::visit(Farthest{direction}, shape); }
double reach(const Geometry& shape) { return std::visit(Reach{}, shape); }
Ball ball_around(const Geometry& shape) {
  const auto* hull = std::get_if<Hull>(&shape);
  if (hull == nullptr) return {{}, reach(shape)};
  Ball ball{hull->polyhedron->centre, 0};
  for (const Vec3& v : hull->polyhedron->vertices) ball.radius = std::max(ball.radius, norm(v - ball.middle));
  return ball;
}

/// The algorithm of Gilbert, Johnson and Keerthi: x runs to the point of A − B that is nearest to the origin, through
/// simplices of its corners. Every x is a direction in which the shapes can be told apart.
bool overlap_deeper(const Geometry& a, const Pose& at_a, const Geometry& b, const Pose& at_b, double depth) {
  if (std::holds_alternative<HalfSpace>(a)) return depth_in(at_a, b, at_b) > depth;
  if (std::holds_alternative<HalfSpace>(b)) return depth_in(at_b, a, at_a) > depth;
  const Ball ball_a = ball_around(a), ball_b = ball_around(b);
  if (norm(at_a * ball_a.middle - at_b * ball_b.middle) > ball_a.radius + ball_b.radius) return false;
  const double size = reach(a) + reach(b);
  Vec3 x = at_a.position - at_b.position;
  if (!(norm(x) > kRounding * size)) x = {size, 0, 0};
  std::vector<Vec3> simplex;
  for (int k = 0; k < kDirections; ++k) {
    const double length = norm(x);
    const Vec3 corner = placed(a, at_a, -1.0 * x) - placed(b, at_b, x);
    if (dot(corner, x) / length >= -depth) return false;
    simplex.push_back(corner);
    x = nearest_to_origin(simplex);
    if (simplex.size() == 4 || !(norm(x) > kRounding * size)) return true;  // the origin is inside
  }
  return true;
}

}  // namespace repose::verify
