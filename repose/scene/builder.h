// SPDX-License-Identifier: Apache-2.0
// Builds a scene call by call, with the verbs of the scene files. Bodies, shapes and materials are named by the index
// that the call returns. SI units.
//
//   SceneBuilder b("brick");
//   const int stone = b.add_material({.name = "stone", .friction = 0.6});
//   b.add_ground_plane(stone);
//   const int brick = b.add_body({.name = "brick", .pose = {{0, 0, 0.05}, {}}});
//   b.add_shape_box(brick, {0.1, 0.05, 0.05}, {.material = stone});
//   const Scene scene = b.build();
#pragma once

#include <span>
#include <string>

#include "repose/scene/scene.h"
#include "repose/shape/height_field.h"

namespace repose {

/// The data of a shape besides its geometry.
struct ShapeOptions {
  std::string name = {};
  Pose pose = {};         ///< in the body's frame
  int material = 0;       ///< index from add_material(); 0 is the default material when none was added
  double density = 1000;  ///< kg/m³
  std::uint32_t group = 1, mask = 0xffffffffu;
  std::optional<Vec3> colour = {};  ///< red, green, blue in 0 … 1
};

class SceneBuilder {
 public:
  explicit SceneBuilder(std::string name = "scene");

  /// The fields that are not lists: dt, duration, gravity, margin, slop, recovery, baumgarte, combine, edge_normal,
  /// parameters.
  [[nodiscard]] Scene& settings() { return scene_; }

  /// The first call replaces the default material.
  int add_material(const Material& material);
  void override_pair(const PairOverride& pair) { scene_.overrides.push_back(pair); }

  /// Adds a body; one without a name is called body-<index>.
  int add_body(SceneBody body);
  /// Adds a static half-space below `point` whose surface faces +z, called "ground".
  int add_ground_plane(int material = 0, Vec3 point = {});

  /// Each returns the index of the shape within its body.
  int add_shape(int body, Geometry geometry, const ShapeOptions& options = {});
  int add_shape_plane(int body, const ShapeOptions& options = {}) { return add_shape(body, HalfSpace{}, options); }
  int add_shape_sphere(int body, double radius, const ShapeOptions& options = {});
  int add_shape_box(int body, Vec3 half, const ShapeOptions& options = {});
  int add_shape_capsule(int body, double radius, double half_length, const ShapeOptions& options = {});
  int add_shape_cylinder(int body, double radius, double half_length, const ShapeOptions& options = {});
  int add_shape_convex_hull(int body, std::span<const Vec3> points, const ShapeOptions& options = {});
  /// Adds the prisms of a height field; returns the index of the first one. For bodies that do not move.
  int add_shape_height_field(int body, const HeightField& field, const ShapeOptions& options = {});
  /// Adds the convex hull of a mesh file's vertices, multiplied by `scale` along the file's axes.
  int add_shape_mesh(int body, const std::string& path, Vec3 scale = {1, 1, 1}, const ShapeOptions& options = {});

  /// Prescribes a motion and makes the body kinematic.
  void add_motion(int body, Motion motion);
  void add_event(double time, std::variant<Appear, Disappear, SetVelocity, Push> action);
  void exclude(int body_a, int body_b) { scene_.excluded.emplace_back(body_a, body_b); }

  /// Adds a joint whose frames are given; one without a name is called joint-<index>. Returns its index.
  int add_joint(SceneJoint joint);
  /// Adds a joint where the bodies are now: both frames have their origin at `point` and their z along `axis`, world
  /// coordinates. Body a may be kWorldBody.
  int add_joint_at(JointKind kind, int body_a, int body_b, Vec3 point, Vec3 axis = {0, 0, 1});
  /// Adds hinges and slides one after the other, without bodies between them; axes and points are in the world, where
  /// the bodies are now.
  int add_compound(int body_a, int body_b, std::vector<JointAxis> axes);
  /// The same between two points, for a distance or a rope.
  int add_distance(int body_a, int body_b, Vec3 point_a, Vec3 point_b, JointKind kind = JointKind::kDistance);
  /// Adds a coupling: the sum of functions of other joints' coordinates, kept at `hold` when given.
  int add_coupling(std::vector<CouplingTerm> terms, std::optional<double> hold = {});
  /// Adds a tendon: a coupling whose sum is the length of a path, factor times the distance from each point to the
  /// next. Points are in the world, where the bodies are now.
  int add_tendon(std::vector<PathPoint> path, std::optional<double> hold = {});
  /// Adds a coupling along a site of a body for actuators: a force `along` and a torque `about`, in the site's axes.
  int add_thrust(int body, const Pose& site, Vec3 along, Vec3 about = {});
  /// The data of a joint made before, for its coordinates.
  [[nodiscard]] SceneJoint& joint(int index);
  /// Adds an actuator; one without a name is called actuator-<index>. Returns its index.
  int add_actuator(SceneActuator actuator);
  /// A force or torque equal to the control.
  int add_motor(int joint, double largest = JointCoordinate::kNoLimit);
  /// A servo that holds the position u: stiffness (u − q) − damping q̇, within ±largest.
  int add_position_servo(int joint, double stiffness, double damping, double largest = JointCoordinate::kNoLimit);
  /// A servo that holds the velocity u: damping (u − q̇), within ±largest.
  int add_velocity_servo(int joint, double damping, double largest = JointCoordinate::kNoLimit);
  /// Adds a sensor; one without a name is called sensor-<index>. Returns its index.
  int add_sensor(SceneSensor sensor);
  /// Adds one of a joint's coordinate or of an actuator.
  int add_sensor(SensorKind kind, int object, int coordinate = 0);
  /// Adds one at a site of a body; `site` is in the body's frame.
  int add_site_sensor(SensorKind kind, int body, const Pose& site = {});

  /// Returns the scene so far, validated.
  [[nodiscard]] Scene build() const;

 private:
  [[nodiscard]] SceneBody& body(int index);
  Scene scene_;
  bool own_materials_ = false;
};

}  // namespace repose
