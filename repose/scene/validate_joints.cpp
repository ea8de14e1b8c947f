// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include "repose/scene/native_names_internal.h"
#include "repose/scene/validate_internal.h"

namespace repose {
namespace {

const std::string& name_of(JointKind kind) { return joint_types()[static_cast<std::size_t>(kind)]; }

void check_range(const std::string& where, double lower, double upper) {
  require(lower < upper, where, ": expected lower < upper, got ", lower, " and ", upper);
}

/// Without limits, their restitution, friction, spring, damping and armature.
bool is_bare(const JointCoordinate& c) {
  return !c.is_limited() && c.friction == 0 && c.damping == 0 && c.stiffness == 0 && c.armature == 0 &&
         c.restitution == 0;
}

void check_coordinate(const std::string& where, JointKind kind, const JointCoordinate& c) {
  check_range(where + ": range", c.lower, c.upper);
  check_at_least_zero(where + ": friction", c.friction, "");
  check_at_least_zero(where + ": damping", c.damping, "");
  check_at_least_zero(where + ": stiffness", c.stiffness, "");
  check_at_least_zero(where + ": armature", c.armature, "");
  require(c.restitution >= 0 && c.restitution <= 1, where, ": restitution: expected 0 to 1, got ", c.restitution);
  require(c.restitution == 0 || c.is_limited(), where, ": restitution: expected a range that it belongs to, got none");
  check_usable(where + ": reference", c.reference);
  check_at_least_zero(where + ": slack", c.slack, "");
  require(c.slack == 0 || c.stiffness > 0, where, ": slack: expected a spring that it belongs to, got none");
  check_usable(where + ": start", c.start);
  require(kind != JointKind::kBall || (!c.is_limited() && c.stiffness == 0), where,
          ": expected friction, damping or armature on a ball joint, got a ", c.is_limited() ? "range" : "stiffness");
}

void check_coordinates(const std::string& where, const SceneJoint& joint) {
  const int count = coordinate_count(joint);
  for (int k = 0; k < kMostCoordinates; ++k) {
    const JointCoordinate& c = joint.coordinates[static_cast<std::size_t>(k)];
    require(k < count || is_bare(c), where, ": coordinates: expected ", count, " of a ", name_of(joint.kind),
            " joint, got more");
    if (k < count) check_coordinate(where + (count > 1 ? ": coordinate " + std::to_string(k) : ""), joint.kind, c);
  }
}

void check_axes(const std::string& where, const SceneJoint& joint) {
  const std::size_t count = joint.axes.size();
  require(joint.kind == JointKind::kCompound || count == 0, where, ": axes: expected none on a ", name_of(joint.kind),
          " joint, got ", count);
  if (joint.kind != JointKind::kCompound) return;
  require(count >= 1 && count <= kMostCoordinates, where, ": axes: expected 1 to ", kMostCoordinates, ", got ", count);
  for (const JointAxis& axis : joint.axes) {
    check_usable(where + ": axes: point", axis.point);
    require(std::abs(norm(axis.axis) - 1) <= 1e-9, where, ": axes: axis: expected a direction of length 1, got ",
            norm(axis.axis));
  }
  require(are_independent(joint.axes), where,
          ": axes: expected motions of which none can be left out, got some that repeat others");
}

void check_path(const Scene& scene, const std::string& where, const SceneJoint& joint) {
  require(joint.path.size() != 1, where, ": path: expected two points or more, got one");
  for (const PathPoint& point : joint.path) {
    if (point.body != kWorldBody) check_index(where + ": path: body", point.body, scene.bodies.size(), "body");
    check_usable(where + ": path: point", point.point);
    check_usable(where + ": path: factor", point.factor);
  }
}

void check_thrust(const Scene& scene, const std::string& where, const SceneJoint& joint) {
  check_index(where + ": thrust: body", joint.thrust->body, scene.bodies.size(), "body");
  check_pose(where + ": thrust: site", joint.thrust->site);
  for (const Vec3& v : {joint.thrust->along, joint.thrust->about}) check_usable(where + ": thrust", v);
  require(norm(joint.thrust->along) + norm(joint.thrust->about) > 0, where,
          ": thrust: expected a force or a torque along it, got none");
  require(joint.terms.empty() && joint.path.empty() && !joint.hold, where,
          ": thrust: expected it alone, got terms, a path or a value to hold, too");
  const JointCoordinate& c = joint.coordinates[0];
  require(!c.is_limited() && c.stiffness == 0 && c.armature == 0, where,
          ": thrust: expected friction or damping along it, got a ",
          c.is_limited() ? "range" : "spring or an armature");
}

void check_coupling(const Scene& scene, const std::string& where, std::size_t index) {
  const SceneJoint& joint = scene.joints[index];
  require(!joint.terms.empty() || !joint.path.empty() || joint.thrust, where,
          ": terms: expected one or more, or a path, got none");
  check_path(scene, where, joint);
  if (joint.thrust) check_thrust(scene, where, joint);
  for (const CouplingTerm& term : joint.terms) {
    check_index(where + ": joint", term.joint, index, "joint");
    const SceneJoint& member = scene.joints[static_cast<std::size_t>(term.joint)];
    require(member.kind != JointKind::kCoupling && member.kind != JointKind::kBall, where,
            ": joint: expected one with coordinates of ", "its own, got a ", name_of(member.kind));
    const int count = coordinate_count(member);
    require(term.coordinate >= 0 && term.coordinate < count, where, ": coordinate: expected one of the joint's ", count,
            ", got ", term.coordinate);
    for (const double x : term.factors) check_usable(where + ": factor", x);
  }
  if (joint.hold) check_usable(where + ": hold", *joint.hold);
  SceneJoint found = joint;
  require(couple(scene, found), where,
          ": terms: expected joints whose sum depends on the motion of a body, got others");
  require(found.others == joint.others, where, ": bodies: expected those of the terms beside a and b, ",
          found.others.size(), ", got ", joint.others.size());
  require(found.body_a == joint.body_a && found.body_b == joint.body_b, where,
          ": bodies: expected those of the terms, ", found.body_a, " and ", found.body_b, ", got ", joint.body_a,
          " and ", joint.body_b);
}

void check_bodies_of(const Scene& scene, const std::string& where, const SceneJoint& joint) {
  if (joint.body_a != kWorldBody) check_index(where + ": body a", joint.body_a, scene.bodies.size(), "body");
  check_index(where + ": body b", joint.body_b, scene.bodies.size(), "body");
  require(joint.body_a != joint.body_b, where, ": bodies: expected two, got body ", joint.body_a, " twice");
  const auto moves = [&](int b) {
    return b != kWorldBody && scene.bodies[static_cast<std::size_t>(b)].kind == BodyKind::kDynamic;
  };
  require(moves(joint.body_a) || moves(joint.body_b), where, ": bodies: expected a dynamic one, got none");
  require(joint.others.empty() || joint.kind == JointKind::kCoupling, where, ": bodies: expected two of a ",
          name_of(joint.kind), " joint, got ", 2 + joint.others.size());
}

void check_joint(const Scene& scene, const std::string& where, std::size_t index) {
  const SceneJoint& joint = scene.joints[index];
  if (joint.kind == JointKind::kCoupling) {
    check_coupling(scene, where, index);
  } else {
    require(joint.terms.empty() && joint.path.empty() && !joint.thrust && !joint.hold, where,
            ": terms: expected none on a ", name_of(joint.kind), " joint, got some");
  }
  check_bodies_of(scene, where, joint);
  check_pose(where + ": frame a", joint.frame_a);
  check_pose(where + ": frame b", joint.frame_b);
  check_axes(where, joint);
  check_coordinates(where, joint);
  const bool has_length = joint.kind == JointKind::kDistance || joint.kind == JointKind::kRope;
  require(has_length || !joint.length, where, ": length: expected none on a ", name_of(joint.kind), " joint, got ",
          joint.length.value_or(0), " m");
  if (joint.length) check_positive(where + ": length", *joint.length, " m");
  require(joint.kind == JointKind::kScrew || joint.pitch == 0, where, ": pitch: expected none on a ",
          name_of(joint.kind), " joint, got ", joint.pitch, " m/rad");
  check_usable(where + ": pitch", joint.pitch);
}

void check_actuator(const Scene& scene, const std::string& where, const SceneActuator& actuator) {
  check_index(where + ": joint", actuator.joint, scene.joints.size(), "joint");
  const SceneJoint& joint = scene.joints[static_cast<std::size_t>(actuator.joint)];
  const int count = value_count(joint);
  require(actuator.coordinate >= 0 && actuator.coordinate<count, where, ": coordinate: expected ", count> 0
              ? "0 to " + std::to_string(count - 1)
              : std::string("a joint with coordinates"),
          ", got ", count > 0 ? std::to_string(actuator.coordinate) : "a " + name_of(joint.kind) + " joint");
  check_usable(where + ": gear", actuator.gear);
  for (const double x : actuator.gain) check_usable(where + ": gain", x);
  for (const double x : actuator.bias) check_usable(where + ": bias", x);
  check_range(where + ": force range", actuator.force_lower, actuator.force_upper);
  check_range(where + ": control range", actuator.control_lower, actuator.control_upper);
  check_usable(where + ": control", actuator.control);
  check_positive(where + ": time", actuator.time, " s");
  check_range(where + ": activation range", actuator.activation_lower, actuator.activation_upper);
  check_usable(where + ": activation", actuator.activation);
}

/// Calls check(where, index) for every item, and refuses names that are taken.
template <class Item, class Check>
void check_named(const char* what, const std::vector<Item>& items, const Check& check) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string where = named(what, items[i].name, i);
    require(items[i].name.empty() || names.insert(items[i].name).second, where,
            ": name: expected a name of its own, got one that is taken");
    check(where, i);
  }
}

}  // namespace

void check_joints(const Scene& scene) {
  check_named("joint", scene.joints, [&](const std::string& w, std::size_t i) { check_joint(scene, w, i); });
  check_named("actuator", scene.actuators,
              [&](const std::string& w, std::size_t i) { check_actuator(scene, w, scene.actuators[i]); });
}

}  // namespace repose
