// SPDX-License-Identifier: Apache-2.0
// Joints and actuators of native scene files.
#include <algorithm>
#include <limits>

#include "repose/scene/native_names_internal.h"
#include "repose/scene/native_read_internal.h"

namespace repose {
namespace {

constexpr int kLargestIndex = 1'000'000;

/// Frames from "anchor" and "axis", in the world at the bodies' start, or as given.
void read_frames(const JsonObject& o, const Scene& scene, SceneJoint& joint) {
  const bool anchored = o.has("anchor") || o.has("axis");
  for (const char* frame : {"frame_a", "frame_b"}) {
    if (anchored && o.has(frame)) o.place(frame).refuse(std::string("it beside anchor or axis"), "one of the two");
    if (o.has(frame))
      (frame[6] == 'a' ? joint.frame_a : joint.frame_b) = read_pose(object(o[frame], o.place(frame), "frame"));
  }
  if (!anchored) return;
  Vec3 axis{0, 0, 1};
  Pose world;
  o.read("anchor", world.position);
  o.read("axis", axis);
  const double length = norm(axis);
  if (!(length > 0 && length <= 1e15)) o.place("axis").refuse(o["axis"], "a direction");
  world.rotation = rotation_of_z_to((1 / length) * axis);
  const auto local = [&](int body) {
    return body == kWorldBody ? world : inverse(scene.bodies[static_cast<std::size_t>(body)].pose) * world;
  };
  joint.frame_a = local(joint.body_a), joint.frame_b = local(joint.body_b);
}

JointCoordinate read_coordinate(const JsonObject& o) {
  JointCoordinate c;
  o.read("lower", c.lower);
  o.read("upper", c.upper);
  o.read("friction", c.friction);
  o.read("damping", c.damping);
  o.read("stiffness", c.stiffness);
  o.read("reference", c.reference);
  o.read("slack", c.slack);
  o.read("armature", c.armature);
  o.read("restitution", c.restitution);
  o.read("start", c.start);
  o.read("name", c.name);
  return c;
}

void read_terms(const JsonObject& o, const Scene& scene, SceneJoint& joint) {
  const Json& terms = o.list("terms");
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const JsonObject one = object(terms[k], o.place("terms").at(k), "term");
    CouplingTerm term;
    term.joint = read_reference(one["joint"], one.place("joint"), scene.joints, "joint");
    if (one.has("coordinate"))
      term.coordinate =
          static_cast<int>(json_whole(one["coordinate"], one.place("coordinate"), 0, kMostCoordinates - 1));
    if (one.has("factors")) {
      const std::vector<double> factors = json_numbers(one["factors"], one.place("factors"), 4);
      std::copy(factors.begin(), factors.end(), term.factors.begin());
    }
    const SceneJoint& member = scene.joints[static_cast<std::size_t>(term.joint)];
    if (member.kind == JointKind::kCoupling || term.coordinate >= coordinate_count(member))
      one.place("joint").refuse(one["joint"], "a joint with this coordinate that is not a coupling");
    joint.terms.push_back(term);
  }
}

void read_path(const JsonObject& o, const Scene& scene, SceneJoint& joint) {
  const Json& path = o.list("path");
  for (std::size_t k = 0; k < path.size(); ++k) {
    const JsonObject one = object(path[k], o.place("path").at(k), "path_point");
    PathPoint point;
    if (one.has("body")) point.body = read_reference(one["body"], one.place("body"), scene.bodies, "body");
    one.read("point", point.point);
    one.read("factor", point.factor);
    joint.path.push_back(point);
  }
}

void read_thrust(const JsonObject& o, const Scene& scene, SceneJoint& joint) {
  const JsonObject one = object(o["thrust"], o.place("thrust"), "thrust");
  SiteThrust& thrust = joint.thrust.emplace();
  thrust.body = read_reference(one["body"], one.place("body"), scene.bodies, "body");
  thrust.site = read_pose(one);
  one.read("along", thrust.along);
  one.read("about", thrust.about);
}

void read_coupling(const JsonObject& o, const Scene& scene, SceneJoint& joint) {
  read_terms(o, scene, joint);
  read_path(o, scene, joint);
  if (o.has("thrust")) read_thrust(o, scene, joint);
  if (o.has("hold")) joint.hold = json_number(o["hold"], o.place("hold"));
  if (couple(scene, joint)) return;
  if (joint.terms.empty() && !joint.path.empty())
    o.place("path").refuse(o["path"], "points between which a body moves");
  o.place("terms").refuse(o.list("terms"), "joints whose sum depends on the motion of a body");
}

void read_axes(const JsonObject& o, SceneJoint& joint) {
  const Json& axes = o.list("axes");
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const JsonObject one = object(axes[k], o.place("axes").at(k), "joint_axis");
    JointAxis own;
    own.slides = one.choice("type", axis_types(), 0) == 1;
    one.read("axis", own.axis);
    one.read("point", own.point);
    const double length = norm(own.axis);
    if (!(length > 0 && length <= 1e15)) one.place("axis").refuse(one["axis"], "a direction");
    own.axis = (1 / length) * own.axis;
    joint.axes.push_back(own);
  }
}

SceneJoint read_joint(const JsonObject& o, const Scene& scene) {
  SceneJoint joint;
  o.read("name", joint.name);
  (void)o["type"];  // required
  joint.kind = static_cast<JointKind>(o.choice("type", joint_types(), 0));
  if (o.has("body_a")) joint.body_a = read_reference(o["body_a"], o.place("body_a"), scene.bodies, "body");
  if (joint.kind == JointKind::kCoupling) {
    read_coupling(o, scene, joint);
  } else {
    joint.body_b = read_reference(o["body_b"], o.place("body_b"), scene.bodies, "body");
    read_frames(o, scene, joint);
    read_axes(o, joint);
  }
  const Json& coordinates = o.list("coordinates");
  if (coordinates.size() > joint.coordinates.size())
    o.place("coordinates").refuse(coordinates, std::to_string(kMostCoordinates) + " objects at most");
  for (std::size_t k = 0; k < coordinates.size(); ++k)
    joint.coordinates[k] = read_coordinate(object(coordinates[k], o.place("coordinates").at(k), "coordinate"));
  if (o.has("length")) joint.length = json_number(o["length"], o.place("length"));
  o.read("pitch", joint.pitch);
  o.read("collide", joint.collide);
  return joint;
}

SceneActuator read_actuator(const JsonObject& o, const Scene& scene) {
  SceneActuator actuator;
  o.read("name", actuator.name);
  actuator.joint = read_reference(o["joint"], o.place("joint"), scene.joints, "joint");
  if (o.has("coordinate"))
    actuator.coordinate = static_cast<int>(json_whole(o["coordinate"], o.place("coordinate"), 0, kLargestIndex));
  o.read("gear", actuator.gear);
  for (const char* key : {"gain", "bias"}) {
    if (!o.has(key)) continue;
    const std::vector<double> terms = json_numbers(o[key], o.place(key), 3);
    std::copy(terms.begin(), terms.end(), (key[0] == 'g' ? actuator.gain : actuator.bias).begin());
  }
  o.read("force_lower", actuator.force_lower);
  o.read("force_upper", actuator.force_upper);
  o.read("control_lower", actuator.control_lower);
  o.read("control_upper", actuator.control_upper);
  o.read("control", actuator.control);
  actuator.dynamics = static_cast<ActuatorDynamics>(o.choice("dynamics", dynamics_types(), 0));
  o.read("time", actuator.time);
  o.read("early", actuator.early);
  o.read("activation", actuator.activation);
  o.read("activation_lower", actuator.activation_lower);
  o.read("activation_upper", actuator.activation_upper);
  return actuator;
}

void put(Json& o, const char* key, double value, double fallback) {
  if (value != fallback) o[key] = value;
}

/// The name of item `index`, or the index when it has none.
template <class Named>
Json reference(const std::vector<Named>& all, int index) {
  const std::string& name = all[static_cast<std::size_t>(index)].name;
  return name.empty() ? Json(index) : Json(name);
}

Json frame_json(const Pose& pose) {
  const Vec3 p = pose.position;
  const Quat q = pose.rotation;
  return {{"position", {p.x, p.y, p.z}}, {"rotation", {q.w, q.x, q.y, q.z}}};
}

Json coordinate_json(const JointCoordinate& c) {
  const JointCoordinate usual;
  Json o = Json::object();
  put(o, "lower", c.lower, usual.lower);
  put(o, "upper", c.upper, usual.upper);
  put(o, "friction", c.friction, 0);
  put(o, "damping", c.damping, 0);
  put(o, "stiffness", c.stiffness, 0);
  put(o, "reference", c.reference, 0);
  put(o, "slack", c.slack, 0);
  put(o, "armature", c.armature, 0);
  put(o, "restitution", c.restitution, 0);
  put(o, "start", c.start, 0);
  if (!c.name.empty()) o["name"] = c.name;
  return o;
}

void put_coordinates(const SceneJoint& joint, Json& o) {
  std::size_t last = 0;
  for (std::size_t k = 0; k < joint.coordinates.size(); ++k)
    if (joint.coordinates[k] != JointCoordinate{}) last = k + 1;
  for (std::size_t k = 0; k < last; ++k) o["coordinates"].push_back(coordinate_json(joint.coordinates[k]));
}

Json thrust_json(const Scene& scene, const SiteThrust& thrust) {
  Json o = frame_json(thrust.site);
  o["body"] = reference(scene.bodies, thrust.body);
  o["along"] = {thrust.along.x, thrust.along.y, thrust.along.z};
  o["about"] = {thrust.about.x, thrust.about.y, thrust.about.z};
  return o;
}

Json put_coupling(const Scene& scene, const SceneJoint& joint, Json o) {
  for (const CouplingTerm& term : joint.terms) {
    Json one = {{"joint", reference(scene.joints, term.joint)}};
    if (term.coordinate != 0) one["coordinate"] = term.coordinate;
    if (term.factors != CouplingTerm{}.factors) one["factors"] = term.factors;
    o["terms"].push_back(std::move(one));
  }
  for (const PathPoint& point : joint.path) {
    Json one = Json::object();
    if (point.body != kWorldBody) one["body"] = reference(scene.bodies, point.body);
    one["point"] = {point.point.x, point.point.y, point.point.z};
    put(one, "factor", point.factor, 1);
    o["path"].push_back(std::move(one));
  }
  if (joint.thrust) o["thrust"] = thrust_json(scene, *joint.thrust);
  if (joint.hold) o["hold"] = *joint.hold;
  put_coordinates(joint, o);
  return o;
}

Json joint_json(const Scene& scene, const SceneJoint& joint) {
  Json o = Json::object();
  if (!joint.name.empty()) o["name"] = joint.name;
  o["type"] = joint_types()[static_cast<std::size_t>(joint.kind)];
  if (joint.kind == JointKind::kCoupling) return put_coupling(scene, joint, std::move(o));
  if (joint.body_a != kWorldBody) o["body_a"] = reference(scene.bodies, joint.body_a);
  o["body_b"] = reference(scene.bodies, joint.body_b);
  o["frame_a"] = frame_json(joint.frame_a);
  o["frame_b"] = frame_json(joint.frame_b);
  for (const JointAxis& own : joint.axes)
    o["axes"].push_back({{"type", axis_types()[own.slides ? 1 : 0]},
                         {"axis", {own.axis.x, own.axis.y, own.axis.z}},
                         {"point", {own.point.x, own.point.y, own.point.z}}});
  put_coordinates(joint, o);
  if (joint.length) o["length"] = *joint.length;
  put(o, "pitch", joint.pitch, 0);
  if (joint.collide) o["collide"] = true;
  return o;
}

Json actuator_json(const Scene& scene, const SceneActuator& actuator) {
  const SceneActuator usual;
  Json o = Json::object();
  if (!actuator.name.empty()) o["name"] = actuator.name;
  o["joint"] = reference(scene.joints, actuator.joint);
  if (actuator.coordinate != 0) o["coordinate"] = actuator.coordinate;
  put(o, "gear", actuator.gear, usual.gear);
  if (actuator.gain != usual.gain) o["gain"] = {actuator.gain[0], actuator.gain[1], actuator.gain[2]};
  if (actuator.bias != usual.bias) o["bias"] = {actuator.bias[0], actuator.bias[1], actuator.bias[2]};
  put(o, "force_lower", actuator.force_lower, usual.force_lower);
  put(o, "force_upper", actuator.force_upper, usual.force_upper);
  put(o, "control_lower", actuator.control_lower, usual.control_lower);
  put(o, "control_upper", actuator.control_upper, usual.control_upper);
  put(o, "control", actuator.control, 0);
  if (!actuator.has_state()) return o;
  o["dynamics"] = dynamics_types()[static_cast<std::size_t>(actuator.dynamics)];
  put(o, "time", actuator.time, usual.time);
  if (actuator.early) o["early"] = true;
  put(o, "activation", actuator.activation, 0);
  put(o, "activation_lower", actuator.activation_lower, usual.activation_lower);
  put(o, "activation_upper", actuator.activation_upper, usual.activation_upper);
  return o;
}

}  // namespace

void read_joints(const JsonObject& o, Scene& scene) {
  const Json& joints = o.list("joints");
  for (std::size_t i = 0; i < joints.size(); ++i)
    scene.joints.push_back(read_joint(object(joints[i], o.place("joints").at(i), "joint"), scene));
  const Json& actuators = o.list("actuators");
  for (std::size_t i = 0; i < actuators.size(); ++i)
    scene.actuators.push_back(read_actuator(object(actuators[i], o.place("actuators").at(i), "actuator"), scene));
}

void put_joints(const Scene& scene, Json& o) {
  for (const SceneJoint& joint : scene.joints) o["joints"].push_back(joint_json(scene, joint));
  for (const SceneActuator& actuator : scene.actuators) o["actuators"].push_back(actuator_json(scene, actuator));
}

}  // namespace repose
