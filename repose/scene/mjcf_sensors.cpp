// SPDX-License-Identifier: Apache-2.0
// <sensor> of MJCF files. Kinds that are not read are listed among what was ignored.
#include <algorithm>
#include <map>
#include <set>

#include "repose/scene/file_text_internal.h"
#include "repose/scene/mjcf_model_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

using Kinds = std::map<std::string, SensorKind>;

const Kinds kOfJoint = {{"jointpos", SensorKind::kJointPosition},
                        {"jointvel", SensorKind::kJointVelocity},
                        {"jointactuatorfrc", SensorKind::kJointActuatorForce},
                        {"jointlimitfrc", SensorKind::kJointLimitForce}};
const Kinds kOfTendon = {{"tendonpos", SensorKind::kJointPosition},
                         {"tendonvel", SensorKind::kJointVelocity},
                         {"tendonlimitfrc", SensorKind::kJointLimitForce}};
const Kinds kOfActuator = {{"actuatorpos", SensorKind::kActuatorPosition},
                           {"actuatorvel", SensorKind::kActuatorVelocity},
                           {"actuatorfrc", SensorKind::kActuatorForce}};
const Kinds kOfSite = {{"touch", SensorKind::kTouch},
                       {"force", SensorKind::kForce},
                       {"torque", SensorKind::kTorque},
                       {"gyro", SensorKind::kGyro},
                       {"accelerometer", SensorKind::kAccelerometer},
                       {"velocimeter", SensorKind::kVelocimeter}};
const Kinds kOfFrame = {{"framepos", SensorKind::kFramePosition},          {"framequat", SensorKind::kFrameQuaternion},
                        {"framexaxis", SensorKind::kFrameXAxis},           {"frameyaxis", SensorKind::kFrameYAxis},
                        {"framezaxis", SensorKind::kFrameZAxis},           {"framelinvel", SensorKind::kFrameVelocity},
                        {"frameangvel", SensorKind::kFrameAngularVelocity}};

const std::set<std::string> kNotRead = {"magnetometer",
                                        "rangefinder",
                                        "camprojection",
                                        "ballquat",
                                        "ballangvel",
                                        "framelinacc",
                                        "frameangacc",
                                        "subtreecom",
                                        "subtreelinvel",
                                        "subtreeangmom",
                                        "tendonactuatorfrc",
                                        "jointlimitpos",
                                        "jointlimitvel",
                                        "tendonlimitpos",
                                        "tendonlimitvel",
                                        "insidesite",
                                        "distance",
                                        "normal",
                                        "fromto",
                                        "contact",
                                        "e_potential",
                                        "e_kinetic",
                                        "clock",
                                        "tactile",
                                        "user",
                                        "plugin"};

class SensorReader {
 public:
  explicit SensorReader(MjcfModel& model) : model_(model) {}

  void read(const XmlElement& xml) {
    if (kNotRead.contains(xml.name)) return ignore(xml.name);
    for (const auto& [kinds, attributes, read] : kGroups) {
      const auto found = kinds->find(xml.name);
      if (found == kinds->end()) continue;
      const MjcfElement e = model_.defaults.resolve(xml, "main", attributes);
      SceneSensor sensor{.name = e.text("name", ""), .kind = found->second};
      sensor.cutoff = e.number("cutoff", 0);
      if (!(sensor.cutoff >= 0)) e.refuse("cutoff", "a number >= 0");
      if ((this->*read)(e, sensor)) model_.scene.sensors.push_back(std::move(sensor));
      return;
    }
    xml.refuse("", "it in <sensor>", "a sensor of MuJoCo");
  }

 private:
  using Read = bool (SensorReader::*)(const MjcfElement&, SceneSensor&);
  struct Group {
    const Kinds* kinds;
    const char* attributes;
    Read read;  ///< false: the sensor is left out
  };

  void ignore(const std::string& what) { model_.defaults.ignore("sensor " + what); }

  bool read_joint(const MjcfElement& e, SceneSensor& sensor) {
    const MjcfJoint& joint = model_.find_hinge_or_slide(e, "joint");
    sensor.object = joint.joint, sensor.coordinate = joint.index;
    return true;
  }

  bool read_tendon(const MjcfElement& e, SceneSensor& sensor) {
    sensor.object = model_.find_tendon(e, "tendon");
    return true;
  }

  bool read_actuator(const MjcfElement& e, SceneSensor& sensor) {
    const auto& all = model_.scene.actuators;
    const std::string name = e.text("actuator", "");
    const auto found = std::find_if(all.begin(), all.end(), [&](const SceneActuator& a) { return a.name == name; });
    if (name.empty() || found == all.end()) e.refuse("actuator", "the name of an actuator");
    sensor.object = static_cast<int>(found - all.begin());
    return true;
  }

  [[nodiscard]] SensorFrame frame(int body, const Pose& pose) const {
    const MjcfBody& own = model_.bodies[at(body)];
    const Pose local = own.scene < 0 ? pose : own.in_scene * pose;
    return {own.scene < 0 ? kWorldBody : own.scene, {local.position, normalized(local.rotation)}};
  }

  bool read_site(const MjcfElement& e, SceneSensor& sensor) {
    const MjcfSite& site = model_.find_site(e, "site");
    sensor.site = frame(site.body, site.pose);
    const bool wrench = sensor.kind == SensorKind::kForce || sensor.kind == SensorKind::kTorque;
    if (wrench && !model_.bodies[at(site.body)].moves) return ignore(e.xml().name + " on a body that is fixed"), false;
    if (wrench) cut(site.body, sensor);
    if (sensor.kind != SensorKind::kTouch) return true;
    if (sensor.site.body == kWorldBody) return ignore("touch on a body without geoms"), false;
    sensor.volume = site.volume;
    set_shapes({site.body}, sensor);
    return true;
  }

  /// The geoms of these bodies of the file, unless the body of the scene has no others.
  void set_shapes(const std::set<int>& owners, SceneSensor& sensor) const {
    std::vector<int> shapes;
    for (const MjcfGeom& geom : model_.geoms.list)
      if (owners.contains(geom.owner)) shapes.push_back(geom.shape);
    if (shapes.size() < model_.scene.bodies[at(sensor.site.body)].shapes.size()) sensor.shapes = std::move(shapes);
  }

  /// A body without a joint is a part of the one above: the cut goes through the body of the scene.
  void cut(int body, SceneSensor& sensor) const {
    if (!model_.bodies[at(body)].joints.empty()) return;
    std::set<int> welded = {body};
    for (int b = body + 1; b < static_cast<int>(model_.bodies.size()); ++b)
      if (welded.contains(model_.bodies[at(b)].parent) && model_.bodies[at(b)].joints.empty()) welded.insert(b);
    std::optional<MassProperties> mass;
    for (const int b : welded)
      if (const auto& own = model_.bodies[at(b)].mass; own) mass = mass ? joined(*mass, *own) : *own;
    sensor.part = SensorPart{.mass = mass.value_or(MassProperties{})};
    for (const auto& [joint, ends] : model_.joint_ends)
      if (welded.contains(ends[0]) || welded.contains(ends[1])) sensor.part->joints.push_back(joint);
    set_shapes(welded, sensor);
  }

  bool read_frame(const MjcfElement& e, SceneSensor& sensor) {
    const auto site = find_frame(e, "objtype", "objname", sensor.kind);
    if (!site) return false;
    sensor.site = *site;
    if (e.find("refname") == nullptr && e.find("reftype") == nullptr) return true;
    sensor.reference = find_frame(e, "reftype", "refname", SensorKind::kFrameQuaternion);
    return sensor.reference.has_value();
  }

  /// A site's or a body's frame. That of a body's inertia has its origin in the mass centre; its axes are not known.
  std::optional<SensorFrame> find_frame(const MjcfElement& e, const char* type, const char* name, SensorKind kind) {
    const std::string object = e.text(type, "");
    if (object == "site") {
      const MjcfSite& site = model_.find_site(e, name);
      return frame(site.body, site.pose);
    }
    if (object == "xbody") return frame(model_.find_body(e, name), {});
    if (object == "body") {
      const int body = model_.find_body(e, name);
      const auto& mass = model_.bodies[at(body)].mass;
      const bool point = kind == SensorKind::kFramePosition || kind == SensorKind::kFrameVelocity ||
                         kind == SensorKind::kFrameAngularVelocity;
      if (mass && point) return SensorFrame{model_.bodies[at(body)].scene, {mass->centre, {}}};
    } else if (object != "geom" && object != "camera") {
      e.refuse(type, "body, xbody, geom, site or camera");
    }
    ignore(e.xml().name + " with " + type + " " + object);
    return {};
  }

  static constexpr Group kGroups[] = {{&kOfJoint, "sensor joint", &SensorReader::read_joint},
                                      {&kOfTendon, "sensor tendon", &SensorReader::read_tendon},
                                      {&kOfActuator, "sensor actuator", &SensorReader::read_actuator},
                                      {&kOfSite, "sensor site", &SensorReader::read_site},
                                      {&kOfFrame, "sensor frame", &SensorReader::read_frame}};

  MjcfModel& model_;
};

}  // namespace

void read_mjcf_sensors(MjcfModel& model, const XmlElement& section) {
  SensorReader reader(model);
  for (const XmlElement& xml : section.children) reader.read(xml);
}

SensorVolume mjcf_site_volume(const MjcfElement& site) {
  constexpr double kUsual = 0.005;  // m
  std::vector<double> size;
  if (site.find("size") != nullptr) size = site.numbers("size", 1, 3);
  size.resize(3, kUsual);
  const std::string type = site.text("type", "sphere");
  if (type == "box") return {SensorVolume::Kind::kBox, {size[0], size[1], size[2]}};
  if (type == "ellipsoid") return {SensorVolume::Kind::kEllipsoid, {size[0], size[1], size[2]}};
  if (type == "sphere") return {SensorVolume::Kind::kEllipsoid, {size[0], size[0], size[0]}};
  if (type == "cylinder") return {SensorVolume::Kind::kCylinder, {size[0], size[0], size[1]}};
  if (type != "capsule") site.refuse("type", "sphere, capsule, ellipsoid, cylinder or box");
  return {SensorVolume::Kind::kCapsule, {size[0], size[0], size[1]}};
}

}  // namespace repose
