// SPDX-License-Identifier: Apache-2.0
// Sensors of native scene files.
#include <optional>

#include "repose/scene/native_names_internal.h"
#include "repose/scene/native_read_internal.h"

namespace repose {
namespace {

SensorFrame read_frame(const JsonObject& o, const Scene& scene) {
  SensorFrame frame;
  if (o.has("body")) frame.body = read_reference(o["body"], o.place("body"), scene.bodies, "body");
  frame.pose = read_pose(o);
  return frame;
}

SensorVolume read_volume(const JsonObject& o) {
  (void)o["type"];  // required
  return {static_cast<SensorVolume::Kind>(o.choice("type", volume_types(), 0)), json_vec3(o["half"], o.place("half"))};
}

/// Refuses a field that this kind of sensor has not.
void only_for(const JsonObject& o, const char* field, bool allowed, const std::string& type) {
  if (!allowed && o.has(field)) o.place(field).refuse("it on a " + type + " sensor", "none");
}

void read_object(const JsonObject& o, const Scene& scene, SceneSensor& sensor) {
  if (is_of_actuator(sensor.kind)) {
    sensor.object = read_reference(o["actuator"], o.place("actuator"), scene.actuators, "actuator");
    return;
  }
  sensor.object = read_reference(o["joint"], o.place("joint"), scene.joints, "joint");
  if (o.has("coordinate"))
    sensor.coordinate = static_cast<int>(json_whole(o["coordinate"], o.place("coordinate"), 0, kMostCoordinates - 1));
}

std::vector<int> read_shapes(const JsonObject& o, const Scene& scene, int body) {
  std::vector<int> shapes;
  const std::vector<SceneShape> none;
  const auto& all = body == kWorldBody ? none : scene.bodies[static_cast<std::size_t>(body)].shapes;
  const Json& list = o.list("shapes");
  for (std::size_t k = 0; k < list.size(); ++k)
    shapes.push_back(read_reference(list[k], o.place("shapes").at(k), all, "shape"));
  return shapes;
}

SensorPart read_part(const JsonObject& o, const Scene& scene) {
  SensorPart part{.mass = read_mass(o)};
  const Json& list = o.list("joints");
  for (std::size_t k = 0; k < list.size(); ++k)
    part.joints.push_back(read_reference(list[k], o.place("joints").at(k), scene.joints, "joint"));
  return part;
}

void read_site(const JsonObject& o, const Scene& scene, SceneSensor& sensor) {
  sensor.site = read_frame(o, scene);
  if (o.has("reference"))
    sensor.reference = read_frame(object(o["reference"], o.place("reference"), "sensor_frame"), scene);
  if (o.has("volume")) sensor.volume = read_volume(object(o["volume"], o.place("volume"), "sensor_volume"));
  if (o.has("shapes")) sensor.shapes = read_shapes(o, scene, sensor.site.body);
  if (o.has("part")) sensor.part = read_part(object(o["part"], o.place("part"), "sensor_part"), scene);
}

SceneSensor read_sensor(const JsonObject& o, const Scene& scene) {
  SceneSensor sensor;
  o.read("name", sensor.name);
  (void)o["type"];  // required
  sensor.kind = static_cast<SensorKind>(o.choice("type", sensor_types(), 0));
  const std::string& type = sensor_types()[static_cast<std::size_t>(sensor.kind)];
  const bool joint = is_of_joint(sensor.kind), actuator = is_of_actuator(sensor.kind), site = !joint && !actuator;
  for (const char* field : {"joint", "coordinate"}) only_for(o, field, joint, type);
  only_for(o, "actuator", actuator, type);
  for (const char* field :
       {"body", "position", "rotation", "rotation_degrees", "reference", "volume", "shapes", "part"})
    only_for(o, field, site, type);
  if (site)
    read_site(o, scene, sensor);
  else
    read_object(o, scene, sensor);
  o.read("cutoff", sensor.cutoff);
  return sensor;
}

/// The name of item `index`, or the index when it has none.
template <class Named>
Json reference(const std::vector<Named>& all, int index) {
  const std::string& name = all[static_cast<std::size_t>(index)].name;
  return name.empty() ? Json(index) : Json(name);
}

void put_frame(const Scene& scene, const SensorFrame& frame, Json& o) {
  if (frame.body != kWorldBody) o["body"] = reference(scene.bodies, frame.body);
  const Vec3 p = frame.pose.position;
  const Quat q = frame.pose.rotation;
  if (p.x != 0 || p.y != 0 || p.z != 0) o["position"] = {p.x, p.y, p.z};
  if (q.w != 1 || q.x != 0 || q.y != 0 || q.z != 0) o["rotation"] = {q.w, q.x, q.y, q.z};
}

void put_site(const Scene& scene, const SceneSensor& sensor, Json& o) {
  put_frame(scene, sensor.site, o);
  if (sensor.reference) put_frame(scene, *sensor.reference, o["reference"] = Json::object());
  if (sensor.volume) {
    const Vec3 half = sensor.volume->half;
    o["volume"] = {{"type", volume_types()[static_cast<std::size_t>(sensor.volume->kind)]},
                   {"half", {half.x, half.y, half.z}}};
  }
  if (sensor.shapes) o["shapes"] = *sensor.shapes;
  if (!sensor.part) return;
  o["part"] = mass_json(sensor.part->mass);
  for (const int joint : sensor.part->joints) o["part"]["joints"].push_back(reference(scene.joints, joint));
}

Json sensor_json(const Scene& scene, const SceneSensor& sensor) {
  Json o = Json::object();
  if (!sensor.name.empty()) o["name"] = sensor.name;
  o["type"] = sensor_types()[static_cast<std::size_t>(sensor.kind)];
  if (is_of_actuator(sensor.kind)) o["actuator"] = reference(scene.actuators, sensor.object);
  if (is_of_joint(sensor.kind)) o["joint"] = reference(scene.joints, sensor.object);
  if (sensor.coordinate != 0) o["coordinate"] = sensor.coordinate;
  if (!is_of_actuator(sensor.kind) && !is_of_joint(sensor.kind)) put_site(scene, sensor, o);
  if (sensor.cutoff != 0) o["cutoff"] = sensor.cutoff;
  return o;
}

}  // namespace

void read_sensors(const JsonObject& o, Scene& scene) {
  const Json& sensors = o.list("sensors");
  for (std::size_t i = 0; i < sensors.size(); ++i)
    scene.sensors.push_back(read_sensor(object(sensors[i], o.place("sensors").at(i), "sensor"), scene));
}

void put_sensors(const Scene& scene, Json& o) {
  for (const SceneSensor& sensor : scene.sensors) o["sensors"].push_back(sensor_json(scene, sensor));
}

}  // namespace repose
