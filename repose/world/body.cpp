// SPDX-License-Identifier: Apache-2.0
#include "repose/world/body.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/math/scalar.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

/// Radius about the shape's own origin, m; a half-space has none.
struct Radius {
  double operator()(const HalfSpace&) const { return 0; }
  double operator()(const Sphere& s) const { return s.radius; }
  double operator()(const Box& b) const { return norm(b.half); }
  double operator()(const Capsule& c) const { return c.radius + c.half_length; }
  double operator()(const Cylinder& c) const { return hypotenuse(c.radius, c.half_length); }
  double operator()(const Hull& h) const {
    double most = 0;
    for (const Vec3& x : h.polyhedron->vertices) most = std::max(most, norm(x));
    return most;
  }
};

/// Smallest distance of two parallel planes with the shape between them, m.
struct Width {
  double operator()(const HalfSpace&) const { return 0; }
  double operator()(const Sphere& s) const { return 2 * s.radius; }
  double operator()(const Box& b) const { return 2 * std::min({b.half.x, b.half.y, b.half.z}); }
  double operator()(const Capsule& c) const { return 2 * c.radius; }
  double operator()(const Cylinder& c) const { return 2 * std::min(c.radius, c.half_length); }
  double operator()(const Hull& h) const {  // over face normals; two edges may come a little closer
    double least = HUGE_VAL;
    for (const Polyhedron::Face& face : h.polyhedron->faces) {
      double lowest = HUGE_VAL;
      for (const Vec3& x : h.polyhedron->vertices) lowest = std::min(lowest, dot(face.normal, x));
      least = std::min(least, face.offset - lowest);
    }
    return least;
  }
};

/// Inverse of the inertia on the axes that may turn, zero on the others.
Mat3 inverse_on_free_axes(const Mat3& I, const std::array<bool, 6>& held) {
  std::array<int, 3> axis{};
  int free = 0;
  for (int k = 0; k < 3; ++k)
    if (!held[static_cast<std::size_t>(k) + 3]) axis[static_cast<std::size_t>(free++)] = k;
  Mat3 inverse;
  const int a = axis[0], b = axis[1];
  if (free == 1) inverse.m[a][a] = 1 / I.m[a][a];
  if (free == 2) {
    const double det = I.m[a][a] * I.m[b][b] - I.m[a][b] * I.m[b][a];
    inverse.m[a][a] = I.m[b][b] / det;
    inverse.m[b][b] = I.m[a][a] / det;
    inverse.m[a][b] = inverse.m[b][a] = -I.m[a][b] / det;
  }
  return inverse;
}

MassProperties mass_of(const SceneBody& body) {
  if (body.mass) return *body.mass;
  require(!body.shapes.empty(), "body '", body.name, "': mass: expected a mass or shapes, got neither");
  MassProperties all;
  for (std::size_t k = 0; k < body.shapes.size(); ++k) {
    const SceneShape& shape = body.shapes[k];
    const MassProperties part = moved(mass_properties(shape.geometry, shape.density), shape.pose);
    all = k == 0 ? part : joined(all, part);
  }
  return all;
}

void set_mass(BodyModel& model, const SceneBody& body) {
  const MassProperties mass = mass_of(body);
  require(mass.mass > 0 && std::isfinite(mass.mass), "body '", body.name,
          "': mass: expected a finite number > 0, kg, got ", mass.mass);
  model.mass = mass.mass;
  model.inverse_mass = 1 / mass.mass;
  model.centre = mass.centre;
  model.rotor = make_rotor(mass.inertia);
  const Vec3 I = model.rotor.moments;
  require(I.x > 0 && I.y > 0 && I.z > 0, "body '", body.name,
          "': principal inertias: expected numbers > 0, kg m^2, got ", I.x, " ", I.y, " ", I.z);
}

}  // namespace

BodyModel make_model(const SceneBody& body) {
  BodyModel model;
  model.kind = body.kind;
  model.gravity_scale = body.gravity_scale;
  model.held = body.fixed_dof;
  if (body.kind == BodyKind::kDynamic) set_mass(model, body);
  for (const SceneShape& shape : body.shapes) {
    if (std::holds_alternative<HalfSpace>(shape.geometry)) continue;
    const double offset = norm(shape.pose.position - model.centre), radius = std::visit(Radius{}, shape.geometry);
    model.size = std::max(model.size, 2 * (offset + radius));
    const double width = std::visit(Width{}, shape.geometry);
    model.thickness = model.thickness > 0 ? std::min(model.thickness, width) : width;
    const bool ball = std::holds_alternative<Sphere>(shape.geometry);
    model.spin_reach = std::max(model.spin_reach, ball ? offset : offset + radius);
  }
  if (body.kind == BodyKind::kDynamic && model.size == 0) {
    const Vec3 I = model.rotor.moments;
    model.size = std::sqrt(2 * (I.x + I.y + I.z) / model.mass);
  }
  return model;
}

BodyForm::Roots inverse_mass_root(const BodyModel& model, Quat rotation) {
  const double linear = std::sqrt(model.inverse_mass);
  if (turns_freely(model)) return {linear, inverse_inertia_root(model.rotor, rotation)};
  const Mat3 R = to_matrix(rotation * model.rotor.axes);
  const Vec3 I = model.rotor.moments;
  const Mat3 inertia = R * Mat3::diagonal(I.x, I.y, I.z) * transpose(R);
  return {linear, cholesky(inverse_on_free_axes(inertia, model.held))};
}

BodyState start_state(const SceneBody& body, const BodyModel& model) {
  const Quat rotation = normalized(body.pose.rotation);
  return {centre_of(model, {body.pose.position, rotation}), rotation, allowed_velocity(model, body.velocity),
          allowed_spin(model, body.angular_velocity)};
}

}  // namespace repose
