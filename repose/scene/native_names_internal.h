// SPDX-License-Identifier: Apache-2.0
// Words of native scene files, in the order of their enumerations and variants.
#pragma once

#include <span>
#include <string>

namespace repose {

[[nodiscard]] inline std::span<const std::string> combine_names() {
  static const std::string kNames[] = {"geometric_mean", "minimum", "maximum", "average", "multiply"};
  return kNames;
}
[[nodiscard]] inline std::span<const std::string> edge_normal_names() {
  static const std::string kNames[] = {"bisecting", "face"};
  return kNames;
}
[[nodiscard]] inline std::span<const std::string> kind_names() {
  static const std::string kNames[] = {"static", "dynamic", "kinematic"};
  return kNames;
}
/// As in Geometry; a mesh becomes a hull, a height field several.
[[nodiscard]] inline std::span<const std::string> shape_types() {
  static const std::string kNames[] = {"plane", "sphere", "box", "capsule", "cylinder", "hull", "mesh", "heightfield"};
  return kNames;
}
[[nodiscard]] inline std::span<const std::string> motion_types() {
  static const std::string kNames[] = {"constant", "ramp", "table"};
  return kNames;
}
[[nodiscard]] inline std::span<const std::string> event_types() {
  static const std::string kNames[] = {"appear", "disappear", "set_velocity", "push"};
  return kNames;
}
[[nodiscard]] inline std::span<const std::string> axis_names() {
  static const std::string kNames[] = {"x", "y", "z", "rx", "ry", "rz"};
  return kNames;
}

/// As in JointKind.
[[nodiscard]] inline std::span<const std::string> joint_types() {
  static const std::string kNames[] = {"ball",      "hinge",       "slide",  "fixed", "distance", "rope",
                                       "universal", "cylindrical", "planar", "screw", "coupling", "compound"};
  return kNames;
}
/// Of the axes of a compound: whether they slide.
[[nodiscard]] inline std::span<const std::string> axis_types() {
  static const std::string kNames[] = {"hinge", "slide"};
  return kNames;
}

/// As in ActuatorDynamics.
[[nodiscard]] inline std::span<const std::string> dynamics_types() {
  static const std::string kNames[] = {"none", "integrator", "filter", "filter_exact"};
  return kNames;
}

/// As in SensorKind.
[[nodiscard]] inline std::span<const std::string> sensor_types() {
  static const std::string kNames[] = {"joint_position",
                                       "joint_velocity",
                                       "joint_actuator_force",
                                       "joint_limit_force",
                                       "actuator_position",
                                       "actuator_velocity",
                                       "actuator_force",
                                       "touch",
                                       "force",
                                       "torque",
                                       "gyro",
                                       "accelerometer",
                                       "velocimeter",
                                       "frame_position",
                                       "frame_quaternion",
                                       "frame_x_axis",
                                       "frame_y_axis",
                                       "frame_z_axis",
                                       "frame_velocity",
                                       "frame_angular_velocity",
                                       "contact_force"};
  return kNames;
}
/// As in SensorVolume::Kind.
[[nodiscard]] inline std::span<const std::string> volume_types() {
  static const std::string kNames[] = {"box", "ellipsoid", "cylinder", "capsule"};
  return kNames;
}

}  // namespace repose
