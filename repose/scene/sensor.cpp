// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/sensor.h"

#include "repose/scene/scene.h"

namespace repose {

std::size_t sensor_size(SensorKind kind) {
  if (kind == SensorKind::kFrameQuaternion) return 4;
  return is_of_joint(kind) || is_of_actuator(kind) || kind == SensorKind::kTouch ? 1 : 3;
}

int parent_joint(const Scene& scene, int body) {
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const JointKind kind = scene.joints[j].kind;
    const bool holds = kind != JointKind::kCoupling && kind != JointKind::kDistance && kind != JointKind::kRope;
    if (holds && scene.joints[j].body_b == body) return static_cast<int>(j);
  }
  return -1;
}

}  // namespace repose
