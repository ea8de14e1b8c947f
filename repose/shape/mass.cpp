// SPDX-License-Identifier: Apache-2.0
#include "repose/shape/mass.h"

#include <numbers>

#include "repose/base/error.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

constexpr double kPi = std::numbers::pi;

Mat3 outer(Vec3 a, Vec3 b) {
  return {{{a.x * b.x, a.x * b.y, a.x * b.z}, {a.y * b.x, a.y * b.y, a.y * b.z}, {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

/// Inertia of a body with second moments C = ∫ x xᵀ dm:  tr(C) 1 − C.
Mat3 inertia_from_second_moments(const Mat3& C) { return trace(C) * Mat3::identity() + -1.0 * C; }

/// Returns the inertia of a point mass at `arm`:  m (|arm|² 1 − arm armᵀ).
Mat3 point_inertia(double mass, Vec3 arm) { return inertia_from_second_moments(mass * outer(arm, arm)); }

MassProperties sphere_mass(double r, double density) {
  const double mass = density * 4.0 / 3.0 * kPi * r * r * r;
  return {mass, {}, 0.4 * mass * r * r * Mat3::identity()};
}

MassProperties box_mass(Vec3 half, double density) {
  const double mass = density * 8.0 * half.x * half.y * half.z;
  const double xx = half.x * half.x, yy = half.y * half.y, zz = half.z * half.z;
  return {mass, {}, mass / 3.0 * Mat3::diagonal(yy + zz, zz + xx, xx + yy)};
}

MassProperties cylinder_mass(double r, double half_length, double density) {
  const double mass = density * kPi * r * r * 2.0 * half_length;
  const double across = mass * (r * r / 4.0 + half_length * half_length / 3.0);
  return {mass, {}, Mat3::diagonal(across, across, 0.5 * mass * r * r)};
}

MassProperties capsule_mass(double r, double half_length, double density) {
  MassProperties body = cylinder_mass(r, half_length, density);
  // A half ball: centroid 3r/8 from its flat side, 2/5 m r² about every diameter of that side.
  const double half_ball = density * 2.0 / 3.0 * kPi * r * r * r, centroid = 3.0 / 8.0 * r;
  const double own = half_ball * (0.4 * r * r - centroid * centroid), arm = half_length + centroid;
  const double across = 2.0 * (own + half_ball * arm * arm), along = 2.0 * 0.4 * half_ball * r * r;
  return {body.mass + 2.0 * half_ball, {}, body.inertia + Mat3::diagonal(across, across, along)};
}

// Tetrahedra from one inner point to the triangles of every face; exact for polyhedra.
// For a tetrahedron (0, a, b, c) of volume V:  ∫x = V/4 Σ,  ∫x xᵀ = V/20 (Σ Σᵀ + a aᵀ + b bᵀ + c cᵀ),  Σ = a + b + c.
MassProperties hull_mass(const Polyhedron& poly, double density) {
  double volume = 0;
  Vec3 first;
  Mat3 second;
  for (const auto& face : poly.faces) {
    const Vec3 a = poly.vertices[poly.loop[face.first]] - poly.centre;
    for (int i = 1; i + 1 < face.count; ++i) {
      const Vec3 b = poly.vertices[poly.loop[face.first + i]] - poly.centre;
      const Vec3 c = poly.vertices[poly.loop[face.first + i + 1]] - poly.centre;
      const double part = dot(a, cross(b, c)) / 6.0;
      const Vec3 sum = a + b + c;
      volume += part;
      first = first + part / 4.0 * sum;
      second = second + part / 20.0 * (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c));
    }
  }
  const Vec3 arm = (1.0 / volume) * first;
  const Mat3 about_centre = second + -volume * outer(arm, arm);
  return {density * volume, poly.centre + arm, density * inertia_from_second_moments(about_centre)};
}

struct MassOf {
  double density;
  MassProperties operator()(const HalfSpace&) const {
    fail("half-space: body: expected a fixed body, got one that needs a mass");
  }
  MassProperties operator()(const Sphere& s) const { return sphere_mass(s.radius, density); }
  MassProperties operator()(const Box& s) const { return box_mass(s.half, density); }
  MassProperties operator()(const Capsule& s) const { return capsule_mass(s.radius, s.half_length, density); }
  MassProperties operator()(const Cylinder& s) const { return cylinder_mass(s.radius, s.half_length, density); }
  MassProperties operator()(const Hull& s) const {
    require(s.polyhedron != nullptr, "hull: polyhedron: expected one, got none");
    return hull_mass(*s.polyhedron, density);
  }
};

}  // namespace

MassProperties mass_properties(const Geometry& geometry, double density) {
  return std::visit(MassOf{density}, geometry);
}

MassProperties moved(const MassProperties& mass, const Pose& pose) {
  const Mat3 R = to_matrix(pose.rotation);
  return {mass.mass, pose * mass.centre, R * mass.inertia * transpose(R)};
}

MassProperties joined(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (mass <= 0) return a;
  const Vec3 centre = a.centre + b.mass / mass * (b.centre - a.centre);
  return {mass, centre,
          a.inertia + point_inertia(a.mass, a.centre - centre) + b.inertia + point_inertia(b.mass, b.centre - centre)};
}

}  // namespace repose
