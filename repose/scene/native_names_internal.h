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
                                       "universal", "cylindrical", "planar", "screw", "coupling"};
  return kNames;
}

}  // namespace repose
