// SPDX-License-Identifier: Apache-2.0
#include "tests/scene/scene_equal.h"

#include <gtest/gtest.h>

#include "repose/shape/polyhedron.h"

namespace repose::testing {
namespace {

void same(Vec3 a, Vec3 b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
}
void same(const Pose& a, const Pose& b) {
  same(a.position, b.position);
  EXPECT_EQ(a.rotation.w, b.rotation.w);
  same(Vec3{a.rotation.x, a.rotation.y, a.rotation.z}, Vec3{b.rotation.x, b.rotation.y, b.rotation.z});
}

void same(const Polyhedron& a, const Polyhedron& b) {
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  for (std::size_t i = 0; i < a.vertices.size(); ++i) same(a.vertices[i], b.vertices[i]);
  ASSERT_EQ(a.faces.size(), b.faces.size());
  for (std::size_t i = 0; i < a.faces.size(); ++i) {
    same(a.faces[i].normal, b.faces[i].normal);
    EXPECT_EQ(a.faces[i].offset, b.faces[i].offset);
  }
  EXPECT_EQ(a.loop, b.loop);
}

struct SameGeometry {
  const Geometry& other;
  void operator()(const HalfSpace&) const {}
  void operator()(const Sphere& a) const { EXPECT_EQ(a.radius, std::get<Sphere>(other).radius); }
  void operator()(const Box& a) const { same(a.half, std::get<Box>(other).half); }
  template <class Round>  // capsule, cylinder
  void operator()(const Round& a) const {
    EXPECT_EQ(a.radius, std::get<Round>(other).radius);
    EXPECT_EQ(a.half_length, std::get<Round>(other).half_length);
  }
  void operator()(const Hull& a) const { same(*a.polyhedron, *std::get<Hull>(other).polyhedron); }
};

void same(const SceneShape& a, const SceneShape& b) {
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.geometry.index(), b.geometry.index());
  std::visit(SameGeometry{b.geometry}, a.geometry);
  same(a.pose, b.pose);
  EXPECT_EQ(a.material, b.material);
  EXPECT_EQ(a.density, b.density);
  EXPECT_EQ(a.group, b.group);
  EXPECT_EQ(a.mask, b.mask);
  ASSERT_EQ(a.colour.has_value(), b.colour.has_value());
  if (a.colour) same(*a.colour, *b.colour);
}

struct SameMotion {
  const Motion& other;
  void operator()(const ConstantMotion& a) const {
    same(a.velocity, std::get<ConstantMotion>(other).velocity);
    same(a.angular_velocity, std::get<ConstantMotion>(other).angular_velocity);
  }
  void operator()(const RampMotion& a) const {
    same(a.velocity, std::get<RampMotion>(other).velocity);
    same(a.angular_velocity, std::get<RampMotion>(other).angular_velocity);
    EXPECT_EQ(a.duration, std::get<RampMotion>(other).duration);
  }
  void operator()(const TableMotion& a) const {
    const TableMotion& b = std::get<TableMotion>(other);
    EXPECT_EQ(a.times, b.times);
    ASSERT_EQ(a.poses.size(), b.poses.size());
    for (std::size_t i = 0; i < a.poses.size(); ++i) same(a.poses[i], b.poses[i]);
  }
  void operator()(const ScriptMotion&) const { ADD_FAILURE() << "a script"; }
};

void same(const MassProperties& a, const MassProperties& b) {
  EXPECT_EQ(a.mass, b.mass);
  same(a.centre, b.centre);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(a.inertia.m[r][c], b.inertia.m[r][c]);
}

void same(const SceneBody& a, const SceneBody& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  same(a.pose, b.pose);
  for (auto member : {&SceneBody::velocity, &SceneBody::angular_velocity, &SceneBody::force, &SceneBody::torque})
    same(a.*member, b.*member);
  EXPECT_EQ(a.gravity_scale, b.gravity_scale);
  EXPECT_EQ(a.fixed_dof, b.fixed_dof);
  EXPECT_EQ(a.present, b.present);
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (std::size_t i = 0; i < a.shapes.size(); ++i) same(a.shapes[i], b.shapes[i]);
  ASSERT_EQ(a.mass.has_value(), b.mass.has_value());
  if (a.mass) same(*a.mass, *b.mass);
  ASSERT_EQ(a.motion.has_value(), b.motion.has_value());
  if (!a.motion) return;
  ASSERT_EQ(a.motion->index(), b.motion->index());
  std::visit(SameMotion{*b.motion}, *a.motion);
}

void same(const SceneJoint& a, const SceneJoint& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.body_a, b.body_a);
  EXPECT_EQ(a.body_b, b.body_b);
  same(a.frame_a, b.frame_a);
  same(a.frame_b, b.frame_b);
  EXPECT_EQ(a.coordinates, b.coordinates);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.pitch, b.pitch);
  EXPECT_EQ(a.collide, b.collide);
  EXPECT_EQ(a.terms, b.terms);
  EXPECT_EQ(a.hold, b.hold);
}

void same(const SceneActuator& a, const SceneActuator& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.joint, b.joint);
  EXPECT_EQ(a.coordinate, b.coordinate);
  EXPECT_EQ(a.gain, b.gain);
  EXPECT_EQ(a.bias, b.bias);
  for (auto member : {&SceneActuator::gear, &SceneActuator::force_lower, &SceneActuator::force_upper,
                      &SceneActuator::control_lower, &SceneActuator::control_upper, &SceneActuator::control})
    EXPECT_EQ(a.*member, b.*member);
}

void same(const SensorFrame& a, const SensorFrame& b) {
  EXPECT_EQ(a.body, b.body);
  same(a.pose, b.pose);
}

void same(const SceneSensor& a, const SceneSensor& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.object, b.object);
  EXPECT_EQ(a.coordinate, b.coordinate);
  same(a.site, b.site);
  ASSERT_EQ(a.reference.has_value(), b.reference.has_value());
  if (a.reference) same(*a.reference, *b.reference);
  ASSERT_EQ(a.volume.has_value(), b.volume.has_value());
  if (a.volume) {
    EXPECT_EQ(a.volume->kind, b.volume->kind);
    same(a.volume->half, b.volume->half);
  }
  EXPECT_EQ(a.shapes, b.shapes);
  ASSERT_EQ(a.part.has_value(), b.part.has_value());
  if (a.part) {
    same(a.part->mass, b.part->mass);
    EXPECT_EQ(a.part->joints, b.part->joints);
  }
  EXPECT_EQ(a.cutoff, b.cutoff);
}

struct SameAction {
  const decltype(Event::action)& other;
  void operator()(const Appear& a) const { EXPECT_EQ(a.body, std::get<Appear>(other).body); }
  void operator()(const Disappear& a) const { EXPECT_EQ(a.body, std::get<Disappear>(other).body); }
  void operator()(const SetVelocity& a) const {
    const auto& b = std::get<SetVelocity>(other);
    EXPECT_EQ(a.body, b.body);
    same(a.velocity, b.velocity);
    same(a.angular_velocity, b.angular_velocity);
  }
  void operator()(const Push& a) const {
    const auto& b = std::get<Push>(other);
    EXPECT_EQ(a.body, b.body);
    same(a.force, b.force);
    same(a.torque, b.torque);
    EXPECT_EQ(a.duration, b.duration);
  }
};

}  // namespace

void expect_equal(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.parameters, b.parameters);
  for (auto member : {&Scene::dt, &Scene::duration, &Scene::margin, &Scene::slop, &Scene::recovery, &Scene::baumgarte})
    EXPECT_EQ(a.*member, b.*member);
  same(a.gravity, b.gravity);
  EXPECT_EQ(a.combine, b.combine);
  EXPECT_EQ(a.edge_normal, b.edge_normal);
  ASSERT_EQ(a.materials.size(), b.materials.size());
  for (std::size_t i = 0; i < a.materials.size(); ++i) {
    EXPECT_EQ(a.materials[i].name, b.materials[i].name);
    EXPECT_EQ(a.materials[i].friction, b.materials[i].friction);
    EXPECT_EQ(a.materials[i].restitution, b.materials[i].restitution);
  }
  ASSERT_EQ(a.overrides.size(), b.overrides.size());
  for (std::size_t i = 0; i < a.overrides.size(); ++i) {
    EXPECT_EQ(a.overrides[i].material_a, b.overrides[i].material_a);
    EXPECT_EQ(a.overrides[i].material_b, b.overrides[i].material_b);
    EXPECT_EQ(a.overrides[i].friction, b.overrides[i].friction);
    EXPECT_EQ(a.overrides[i].restitution, b.overrides[i].restitution);
  }
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) same(a.bodies[i], b.bodies[i]);
  EXPECT_EQ(a.excluded, b.excluded);
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) same(a.joints[i], b.joints[i]);
  ASSERT_EQ(a.actuators.size(), b.actuators.size());
  for (std::size_t i = 0; i < a.actuators.size(); ++i) same(a.actuators[i], b.actuators[i]);
  ASSERT_EQ(a.sensors.size(), b.sensors.size());
  for (std::size_t i = 0; i < a.sensors.size(); ++i) same(a.sensors[i], b.sensors[i]);
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].time, b.events[i].time);
    ASSERT_EQ(a.events[i].action.index(), b.events[i].action.index());
    std::visit(SameAction{b.events[i].action}, a.events[i].action);
  }
}

}  // namespace repose::testing
