// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/builder.h"

#include <utility>

#include "repose/base/error.h"
#include "repose/shape/polyhedron.h"

namespace repose {

SceneBuilder::SceneBuilder(std::string name) { scene_.name = std::move(name); }

int SceneBuilder::add_material(const Material& material) {
  if (!own_materials_) scene_.materials.clear();
  own_materials_ = true;
  scene_.materials.push_back(material);
  return static_cast<int>(scene_.materials.size()) - 1;
}

int SceneBuilder::add_body(SceneBody body) {
  if (body.name.empty()) body.name = "body-" + std::to_string(scene_.bodies.size());
  scene_.bodies.push_back(std::move(body));
  return static_cast<int>(scene_.bodies.size()) - 1;
}

int SceneBuilder::add_ground_plane(int material, Vec3 point) {
  const int ground = add_body({.name = "ground", .kind = BodyKind::kStatic, .pose = {point, {}}});
  add_shape_plane(ground, {.material = material});
  return ground;
}

SceneBody& SceneBuilder::body(int index) {
  require(index >= 0 && static_cast<std::size_t>(index) < scene_.bodies.size(), "body: expected 0 to ",
          static_cast<long>(scene_.bodies.size()) - 1, ", got index ", index);
  return scene_.bodies[static_cast<std::size_t>(index)];
}

int SceneBuilder::add_shape(int index, Geometry geometry, const ShapeOptions& options) {
  SceneBody& owner = body(index);
  owner.shapes.push_back({options.name, std::move(geometry), options.pose, options.material, options.density,
                          options.group, options.mask, options.colour});
  return static_cast<int>(owner.shapes.size()) - 1;
}

int SceneBuilder::add_shape_sphere(int body, double radius, const ShapeOptions& options) {
  return add_shape(body, Sphere{radius}, options);
}
int SceneBuilder::add_shape_box(int body, Vec3 half, const ShapeOptions& options) {
  return add_shape(body, Box{half}, options);
}
int SceneBuilder::add_shape_capsule(int body, double radius, double half_length, const ShapeOptions& options) {
  return add_shape(body, Capsule{radius, half_length}, options);
}
int SceneBuilder::add_shape_cylinder(int body, double radius, double half_length, const ShapeOptions& options) {
  return add_shape(body, Cylinder{radius, half_length}, options);
}
int SceneBuilder::add_shape_convex_hull(int body, std::span<const Vec3> points, const ShapeOptions& options) {
  return add_shape(body, Hull{convex_hull(points)}, options);
}

int SceneBuilder::add_shape_height_field(int index, const HeightField& field, const ShapeOptions& options) {
  const std::string fault = height_field_fault(field);
  require(fault.empty(), "height field: ", fault);
  const int first = static_cast<int>(body(index).shapes.size());
  for (const auto& prism : height_field_prisms(std::make_shared<const HeightField>(field)))
    add_shape(index, Hull{prism}, options);
  return first;
}

int SceneBuilder::add_shape_mesh(int body, const std::string& path, Vec3 scale, const ShapeOptions& options) {
  std::vector<Vec3> points = read_mesh_vertices(path);
  for (Vec3& p : points) p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
  return add_shape_convex_hull(body, points, options);
}

void SceneBuilder::add_motion(int index, Motion motion) {
  body(index).kind = BodyKind::kKinematic;
  body(index).motion = std::move(motion);
}

void SceneBuilder::add_event(double time, std::variant<Appear, Disappear, SetVelocity, Push> action) {
  scene_.events.push_back({time, action});
}

int SceneBuilder::add_joint(SceneJoint joint) {
  if (joint.name.empty()) joint.name = "joint-" + std::to_string(scene_.joints.size());
  scene_.joints.push_back(std::move(joint));
  return static_cast<int>(scene_.joints.size()) - 1;
}

int SceneBuilder::add_joint_at(JointKind kind, int body_a, int body_b, Vec3 point, Vec3 axis) {
  const double length = norm(axis);
  require(length > 0 && length <= 1e15, "joint: axis: expected a direction, got (", axis.x, ", ", axis.y, ", ", axis.z,
          ")");
  const Pose world{point, rotation_of_z_to((1 / length) * axis)};
  const auto local = [&](int index) { return index == kWorldBody ? world : inverse(body(index).pose) * world; };
  return add_joint(
      {.kind = kind, .body_a = body_a, .body_b = body_b, .frame_a = local(body_a), .frame_b = local(body_b)});
}

int SceneBuilder::add_compound(int body_a, int body_b, std::vector<JointAxis> axes) {
  require(!axes.empty(), "joint: axes: expected one or more, got none");
  // The origin is on the last hinge: what turns about it leaves it there.
  Pose world;
  for (JointAxis& own : axes) {
    const double length = norm(own.axis);
    require(length > 0 && length <= 1e15, "joint: axes: axis: expected a direction, got (", own.axis.x, ", ",
            own.axis.y, ", ", own.axis.z, ")");
    own.axis = (1 / length) * own.axis;
    if (!own.slides) world.position = own.point;
  }
  for (JointAxis& own : axes) own.point = own.slides ? Vec3{} : own.point - world.position;
  const auto local = [&](int index) { return index == kWorldBody ? world : inverse(body(index).pose) * world; };
  return add_joint({.kind = JointKind::kCompound,
                    .body_a = body_a,
                    .body_b = body_b,
                    .frame_a = local(body_a),
                    .frame_b = local(body_b),
                    .axes = std::move(axes)});
}

int SceneBuilder::add_distance(int body_a, int body_b, Vec3 point_a, Vec3 point_b, JointKind kind) {
  const auto local = [&](int index, Vec3 point) {
    return index == kWorldBody ? Pose{point, {}} : Pose{inverse(body(index).pose) * point, {}};
  };
  return add_joint({.kind = kind,
                    .body_a = body_a,
                    .body_b = body_b,
                    .frame_a = local(body_a, point_a),
                    .frame_b = local(body_b, point_b)});
}

int SceneBuilder::add_coupling(std::vector<CouplingTerm> terms, std::optional<double> hold) {
  for (const CouplingTerm& term : terms) (void)joint(term.joint);
  SceneJoint coupling{.kind = JointKind::kCoupling, .terms = std::move(terms), .hold = hold};
  require(couple(scene_, coupling),
          "coupling: terms: expected joints whose sum depends on the motion of a body, got others");
  return add_joint(std::move(coupling));
}

int SceneBuilder::add_tendon(std::vector<PathPoint> path, std::optional<double> hold) {
  for (PathPoint& point : path)
    if (point.body != kWorldBody) point.point = inverse(body(point.body).pose) * point.point;
  SceneJoint tendon{.kind = JointKind::kCoupling, .path = std::move(path), .hold = hold};
  require(couple(scene_, tendon), "tendon: path: expected points between which a body moves, got others");
  return add_joint(std::move(tendon));
}

int SceneBuilder::add_thrust(int index, const Pose& site, Vec3 along, Vec3 about) {
  (void)body(index);
  SceneJoint coupling{.kind = JointKind::kCoupling, .thrust = SiteThrust{index, site, along, about}};
  require(couple(scene_, coupling), "thrust: body: expected one that moves, got '", body(index).name, "'");
  return add_joint(std::move(coupling));
}

SceneJoint& SceneBuilder::joint(int index) {
  require(index >= 0 && static_cast<std::size_t>(index) < scene_.joints.size(), "joint: expected 0 to ",
          static_cast<long>(scene_.joints.size()) - 1, ", got index ", index);
  return scene_.joints[static_cast<std::size_t>(index)];
}

int SceneBuilder::add_actuator(SceneActuator actuator) {
  if (actuator.name.empty()) actuator.name = "actuator-" + std::to_string(scene_.actuators.size());
  scene_.actuators.push_back(std::move(actuator));
  return static_cast<int>(scene_.actuators.size()) - 1;
}

int SceneBuilder::add_motor(int joint, double largest) {
  return add_actuator({.joint = joint, .force_lower = -largest, .force_upper = largest});
}
int SceneBuilder::add_position_servo(int joint, double stiffness, double damping, double largest) {
  return add_actuator({.joint = joint,
                       .gain = {stiffness, 0, 0},
                       .bias = {0, -stiffness, -damping},
                       .force_lower = -largest,
                       .force_upper = largest});
}
int SceneBuilder::add_velocity_servo(int joint, double damping, double largest) {
  return add_actuator({.joint = joint,
                       .gain = {damping, 0, 0},
                       .bias = {0, 0, -damping},
                       .force_lower = -largest,
                       .force_upper = largest});
}

int SceneBuilder::add_sensor(SceneSensor sensor) {
  if (sensor.name.empty()) sensor.name = "sensor-" + std::to_string(scene_.sensors.size());
  scene_.sensors.push_back(std::move(sensor));
  return static_cast<int>(scene_.sensors.size()) - 1;
}
int SceneBuilder::add_sensor(SensorKind kind, int object, int coordinate) {
  return add_sensor({.kind = kind, .object = object, .coordinate = coordinate});
}
int SceneBuilder::add_site_sensor(SensorKind kind, int body, const Pose& site) {
  return add_sensor({.kind = kind, .site = {body, site}});
}

Scene SceneBuilder::build() const {
  validate(scene_);
  return scene_;
}

}  // namespace repose
