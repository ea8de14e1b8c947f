// SPDX-License-Identifier: Apache-2.0
// The checks that the parts of validate() share. Every complaint is one line: whose field, what is allowed, what was
// found.
#pragma once

#include <cmath>
#include <string>

#include "repose/base/error.h"
#include "repose/scene/scene.h"

namespace repose {

/// Throws InputError when a joint or an actuator is not valid; the bodies are.
void check_joints(const Scene& scene);
/// The same for a sensor; bodies, joints and actuators are valid.
void check_sensors(const Scene& scene);

// Above this, in any unit, a double no longer resolves a contact gap.
inline constexpr double kLargest = 1e15;

[[nodiscard]] inline bool usable(double x) { return std::abs(x) <= kLargest; }  // false for NaN

inline void check_usable(const std::string& where, double x) {
  require(usable(x), where, ": expected a number up to 1e15 in size, got ", x);
}
inline void check_usable(const std::string& where, Vec3 v) {
  for (double x : {v.x, v.y, v.z}) check_usable(where, x);
}
inline void check_positive(const std::string& where, double x, const char* unit) {
  require(x > 0 && usable(x), where, ": expected a number > 0, up to 1e15, got ", x, unit);
}
inline void check_at_least_zero(const std::string& where, double x, const char* unit) {
  require(x >= 0 && usable(x), where, ": expected a number >= 0, up to 1e15, got ", x, unit);
}
inline void check_share(const std::string& where, double x) {
  require(x >= 0 && x <= 1, where, ": expected 0 to 1, got ", x);
}
inline void check_index(const std::string& where, int index, std::size_t size, const char* what) {
  require(index >= 0 && static_cast<std::size_t>(index) < size, where, ": expected the index of a ", what, ", 0 to ",
          static_cast<long>(size) - 1, ", got ", index);
}

inline void check_pose(const std::string& where, const Pose& pose) {
  check_usable(where + ": position", pose.position);
  const Quat q = pose.rotation;
  const double length = norm(q);
  require(std::abs(length - 1) <= 1e-9, where, ": rotation: expected a quaternion of length 1, got (", q.w, ", ", q.x,
          ", ", q.y, ", ", q.z, ") of length ", length);
}

[[nodiscard]] inline std::string named(const char* what, const std::string& name, std::size_t index) {
  std::string text = what;
  if (name.empty()) return text.append(" ").append(std::to_string(index));
  return text.append(" '").append(name).append("'");
}

}  // namespace repose
