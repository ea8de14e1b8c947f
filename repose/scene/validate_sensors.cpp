// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "repose/scene/native_names_internal.h"
#include "repose/scene/validate_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

const std::string& name_of(SensorKind kind) { return sensor_types()[static_cast<std::size_t>(kind)]; }

bool is_of_wrench(SensorKind kind) { return kind == SensorKind::kForce || kind == SensorKind::kTorque; }
bool is_of_contacts(SensorKind kind) { return kind == SensorKind::kTouch || kind == SensorKind::kContactForce; }

void check_object(const Scene& scene, const std::string& where, const SceneSensor& sensor) {
  if (is_of_actuator(sensor.kind)) {
    check_index(where + ": actuator", sensor.object, scene.actuators.size(), "actuator");
    return;
  }
  check_index(where + ": joint", sensor.object, scene.joints.size(), "joint");
  const int count = value_count(scene.joints[at(sensor.object)]);
  require(sensor.coordinate >= 0 && sensor.coordinate < count, where, ": coordinate: expected one of the joint's ",
          count, ", got ", sensor.coordinate);
}

void check_frame(const Scene& scene, const std::string& where, const SensorFrame& frame) {
  if (frame.body != kWorldBody) check_index(where + ": body", frame.body, scene.bodies.size(), "body");
  check_pose(where, frame.pose);
}

void check_site(const Scene& scene, const std::string& where, const SceneSensor& sensor) {
  check_frame(scene, where, sensor.site);
  const bool needs_body = is_of_wrench(sensor.kind) || is_of_contacts(sensor.kind);
  require(!needs_body || sensor.site.body != kWorldBody, where, ": body: expected one, got none for a ",
          name_of(sensor.kind), " sensor");
  require(!is_of_wrench(sensor.kind) || scene.bodies[at(sensor.site.body)].kind == BodyKind::kDynamic, where,
          ": body: expected a dynamic one for a ", name_of(sensor.kind), " sensor, got another");
}

void check_volume(const std::string& where, const SceneSensor& sensor) {
  if (!sensor.volume) return;
  require(sensor.kind == SensorKind::kTouch, where, ": volume: expected none but on a touch sensor, got one on a ",
          name_of(sensor.kind), " sensor");
  for (const double half : {sensor.volume->half.x, sensor.volume->half.y, sensor.volume->half.z})
    check_positive(where + ": volume: half", half, " m");
  const bool round =
      sensor.volume->kind == SensorVolume::Kind::kCylinder || sensor.volume->kind == SensorVolume::Kind::kCapsule;
  require(!round || sensor.volume->half.x == sensor.volume->half.y, where,
          ": volume: half: expected the radius twice, got ", sensor.volume->half.x, " and ", sensor.volume->half.y);
}

void check_shapes(const Scene& scene, const std::string& where, const SceneSensor& sensor) {
  if (!sensor.shapes) return;
  require(is_of_contacts(sensor.kind) || is_of_wrench(sensor.kind), where,
          ": shapes: expected none but on a touch, force, torque or contact_force sensor, got some on a ",
          name_of(sensor.kind), " sensor");
  for (const int shape : *sensor.shapes)
    check_index(where + ": shape", shape, scene.bodies[at(sensor.site.body)].shapes.size(), "shape");
}

void check_part(const Scene& scene, const std::string& where, const SceneSensor& sensor) {
  if (!sensor.part) return;
  require(is_of_wrench(sensor.kind), where, ": part: expected none but on a force or torque sensor, got one on a ",
          name_of(sensor.kind), " sensor");
  check_at_least_zero(where + ": part: mass", sensor.part->mass.mass, " kg");
  check_usable(where + ": part: mass centre", sensor.part->mass.centre);
  for (const auto& row : sensor.part->mass.inertia.m)
    for (const double x : row) check_usable(where + ": part: inertia", x);
  for (const int joint : sensor.part->joints) {
    check_index(where + ": part: joint", joint, scene.joints.size(), "joint");
    const SceneJoint& own = scene.joints[at(joint)];
    require(own.body_a == sensor.site.body || own.body_b == sensor.site.body, where,
            ": part: joint: expected one of the sensor's body, got ", joint);
  }
}

void check_sensor(const Scene& scene, const std::string& where, const SceneSensor& sensor) {
  if (is_of_joint(sensor.kind) || is_of_actuator(sensor.kind))
    check_object(scene, where, sensor);
  else
    check_site(scene, where, sensor);
  if (sensor.reference) {
    require(is_of_frame(sensor.kind), where, ": reference: expected none but on frame sensors, got one on a ",
            name_of(sensor.kind), " sensor");
    check_frame(scene, where + ": reference", *sensor.reference);
  }
  check_volume(where, sensor);
  check_shapes(scene, where, sensor);
  check_part(scene, where, sensor);
  check_at_least_zero(where + ": cutoff", sensor.cutoff, "");
}

}  // namespace

void check_sensors(const Scene& scene) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < scene.sensors.size(); ++i) {
    const std::string& name = scene.sensors[i].name;
    const std::string where = named("sensor", name, i);
    require(name.empty() || names.insert(name).second, where,
            ": name: expected a name of its own, got one that is taken");
    check_sensor(scene, where, scene.sensors[i]);
  }
}

}  // namespace repose
