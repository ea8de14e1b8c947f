// SPDX-License-Identifier: Apache-2.0
// What makes sense in a scene. Every complaint is one line: whose field, what was found, what is allowed.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "repose/base/error.h"
#include "repose/scene/scene.h"
#include "repose/scene/validate_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

void check_extents(const std::string& where, const Geometry& geometry) {
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) check_positive(where + ": radius", sphere->radius, " m");
  if (const auto* box = std::get_if<Box>(&geometry))
    for (double half : {box->half.x, box->half.y, box->half.z}) check_positive(where + ": half edge", half, " m");
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    check_positive(where + ": radius", capsule->radius, " m");
    check_at_least_zero(where + ": half length", capsule->half_length, " m");
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) {
    check_positive(where + ": radius", cylinder->radius, " m");
    check_positive(where + ": half length", cylinder->half_length, " m");
  }
  if (const auto* hull = std::get_if<Hull>(&geometry)) {
    require(hull->polyhedron != nullptr && hull->polyhedron->vertices.size() >= 4, where,
            ": hull: expected 4 vertices or more, got ", hull->polyhedron ? hull->polyhedron->vertices.size() : 0,
            " vertices");
    for (Vec3 v : hull->polyhedron->vertices) check_usable(where + ": vertex", v);
  }
}

void check_shape(const Scene& scene, const SceneBody& body, const std::string& where, const SceneShape& shape) {
  check_extents(where, shape.geometry);
  require(body.kind != BodyKind::kDynamic || !std::holds_alternative<HalfSpace>(shape.geometry), where,
          ": expected a static or kinematic body, got a half-space on a dynamic body");
  const auto* hull = std::get_if<Hull>(&shape.geometry);
  require(body.kind != BodyKind::kDynamic || hull == nullptr || hull->polyhedron->cell == nullptr, where,
          ": expected a static or kinematic body, got a height field on a dynamic body");
  check_pose(where, shape.pose);
  check_index(where + ": material", shape.material, scene.materials.size(), "material");
  check_at_least_zero(where + ": density", shape.density, " kg/m^3");
  if (shape.colour)
    for (double c : {shape.colour->x, shape.colour->y, shape.colour->z}) check_share(where + ": colour", c);
}

/// Symmetric, positive, and no moment larger than the sum of the other two: no mass distribution has that.
void check_inertia(const std::string& where, const Mat3& inertia) {
  double size = 0;
  for (const auto& row : inertia.m)
    for (double x : row) {
      check_usable(where, x);
      size = std::max(size, std::abs(x));
    }
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < r; ++c)
      require(std::abs(inertia.m[r][c] - inertia.m[c][r]) <= 1e-9 * size, where, ": expected a symmetric matrix, got ",
              inertia.m[c][r], " and ", inertia.m[r][c], " across the diagonal");
  const Vec3 m = principal_inertia(inertia).moments;  // ascending
  require(m.x > 0, where, ": expected positive principal moments, got ", m.x, ", ", m.y, ", ", m.z, " kg m^2");
  require(m.z <= (m.x + m.y) * (1 + 1e-6), where,
          ": expected principal moments of which none is larger than the sum of the others, got ", m.x, ", ", m.y, ", ",
          m.z, " kg m^2");
}

void check_mass(const std::string& where, const SceneBody& body) {
  if (body.mass) {
    check_positive(where + ": mass", body.mass->mass, " kg");
    check_usable(where + ": mass centre", body.mass->centre);
    return check_inertia(where + ": inertia", body.mass->inertia);
  }
  double densest = 0;
  for (const SceneShape& shape : body.shapes) densest = std::max(densest, shape.density);
  require(densest > 0, where, ": mass: expected > 0 kg, got none (no mass given and no shape with a density)");
}

struct CheckMotion {
  const std::string& where;
  void operator()(const ConstantMotion& m) const {
    check_usable(where + ": velocity", m.velocity);
    check_usable(where + ": angular velocity", m.angular_velocity);
  }
  void operator()(const RampMotion& m) const {
    (*this)(ConstantMotion{m.velocity, m.angular_velocity});
    check_positive(where + ": duration", m.duration, " s");
  }
  void operator()(const TableMotion& m) const {
    require(!m.times.empty() && m.times.size() == m.poses.size(), where,
            ": table: expected as many poses as times and at least one, got ", m.times.size(), " times and ",
            m.poses.size(), " poses");
    for (std::size_t i = 0; i < m.times.size(); ++i) {
      check_usable(where + ": time", m.times[i]);
      require(i == 0 || m.times[i] > m.times[i - 1], where, ": time ", i, ": expected ascending times, got ",
              m.times[i], " s after ", m.times[i == 0 ? 0 : i - 1], " s");
      check_pose(where, m.poses[i]);
    }
  }
  void operator()(const ScriptMotion& m) const {
    require(static_cast<bool>(m.pose), where, ": script: expected a function, got none");
  }
};

void check_kind(const std::string& where, const SceneBody& body) {
  const bool dynamic = body.kind == BodyKind::kDynamic, kinematic = body.kind == BodyKind::kKinematic;
  require(dynamic || (norm(body.velocity) == 0 && norm(body.angular_velocity) == 0), where,
          ": velocity: expected none but on dynamic bodies", kinematic ? " (its motion says how it moves)" : "",
          ", got one on a ", kinematic ? "kinematic" : "static", " body");
  require(kinematic || !body.motion, where, ": motion: expected none but on kinematic bodies, got one on a ",
          dynamic ? "dynamic" : "static", " body");
  const auto fixed = std::count(body.fixed_dof.begin(), body.fixed_dof.end(), true);
  require(fixed == 0 || dynamic, where, ": fixed motions: expected none but on dynamic bodies, got ", fixed);
  require(fixed < 6, where, ": fixed motions: expected five at most (or a static body), got all six");
}

void check_body(const Scene& scene, const SceneBody& body, std::size_t index) {
  const std::string where = named("body", body.name, index);
  check_pose(where, body.pose);
  check_usable(where + ": velocity", body.velocity);
  check_usable(where + ": angular velocity", body.angular_velocity);
  check_usable(where + ": force", body.force);
  check_usable(where + ": torque", body.torque);
  check_usable(where + ": gravity scale", body.gravity_scale);
  check_kind(where, body);
  for (std::size_t i = 0; i < body.shapes.size(); ++i)
    check_shape(scene, body, where + ": " + named("shape", body.shapes[i].name, i), body.shapes[i]);
  if (body.kind == BodyKind::kDynamic || body.mass) check_mass(where, body);
  if (body.motion) std::visit(CheckMotion{where + ": motion"}, *body.motion);
}

struct CheckAction {
  const Scene& scene;
  const std::string& where;
  [[nodiscard]] const SceneBody& body(int index) const {
    check_index(where + ": body", index, scene.bodies.size(), "body");
    return scene.bodies[static_cast<std::size_t>(index)];
  }
  void only_dynamic(int index, const char* what) const {
    const SceneBody& b = body(index);
    require(b.kind == BodyKind::kDynamic, where, ": body: expected a dynamic body, got ", what, " of ",
            named("body", b.name, static_cast<std::size_t>(index)), ", which is not dynamic");
  }
  void operator()(const Appear& a) const { (void)body(a.body); }
  void operator()(const Disappear& a) const { (void)body(a.body); }
  void operator()(const SetVelocity& a) const {
    only_dynamic(a.body, "a new velocity");
    check_usable(where + ": velocity", a.velocity);
    check_usable(where + ": angular velocity", a.angular_velocity);
  }
  void operator()(const Push& a) const {
    only_dynamic(a.body, "a push");
    check_usable(where + ": force", a.force);
    check_usable(where + ": torque", a.torque);
    check_positive(where + ": duration", a.duration, " s");
  }
};

void check_materials(const Scene& scene) {
  require(!scene.materials.empty(), "materials: expected one or more, got none");
  std::set<std::string> names;
  for (std::size_t i = 0; i < scene.materials.size(); ++i) {
    const Material& m = scene.materials[i];
    const std::string where = named("material", m.name, i);
    require(m.name.empty() || names.insert(m.name).second, where,
            ": name: expected a name of its own, got one that is taken");
    check_at_least_zero(where + ": friction", m.friction, "");
    check_share(where + ": restitution", m.restitution);
  }
  for (std::size_t i = 0; i < scene.overrides.size(); ++i) {
    const PairOverride& pair = scene.overrides[i];
    const std::string where = "override " + std::to_string(i);
    for (int m : {pair.material_a, pair.material_b})
      check_index(where + ": material", m, scene.materials.size(), "material");
    check_at_least_zero(where + ": friction", pair.friction, "");
    check_share(where + ": restitution", pair.restitution);
  }
}

void check_bodies(const Scene& scene) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const std::string& name = scene.bodies[i].name;
    require(name.empty() || names.insert(name).second, "body '", name,
            "': name: expected a name of its own, got one that is taken");
    check_body(scene, scene.bodies[i], i);
  }
  for (const auto& [a, b] : scene.excluded) {
    for (int body : {a, b}) check_index("excluded pair: body", body, scene.bodies.size(), "body");
    require(a != b, "excluded pair: expected two bodies, got body ", a, " twice");
  }
}

}  // namespace

void validate(const Scene& scene) {
  check_positive("dt", scene.dt, " s");
  check_at_least_zero("duration", scene.duration, " s");
  check_usable("gravity", scene.gravity);
  check_at_least_zero("medium: density", scene.medium.density, " kg/m^3");
  check_at_least_zero("medium: viscosity", scene.medium.viscosity, " Pa s");
  check_usable("medium: wind", scene.medium.wind);
  check_at_least_zero("margin", scene.margin, " m");
  check_at_least_zero("slop", scene.slop, " m");
  check_share("recovery", scene.recovery);
  check_share("baumgarte", scene.baumgarte);
  check_materials(scene);
  check_bodies(scene);
  check_joints(scene);
  check_sensors(scene);
  for (std::size_t i = 0; i < scene.events.size(); ++i) {
    const std::string where = "event " + std::to_string(i);
    check_at_least_zero(where + ": time", scene.events[i].time, " s");
    std::visit(CheckAction{scene, where}, scene.events[i].action);
  }
}

}  // namespace repose
