// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/joint.h"

namespace repose {

int coordinate_count(JointKind kind) {
  switch (kind) {
    case JointKind::kBall:
    case JointKind::kHinge:
    case JointKind::kSlide:
    case JointKind::kCoupling:
    case JointKind::kScrew: return 1;
    case JointKind::kUniversal:
    case JointKind::kCylindrical: return 2;
    case JointKind::kPlanar: return 3;
    case JointKind::kFixed:
    case JointKind::kDistance:
    case JointKind::kRope: return 0;
  }
  return 0;
}

bool is_angle(JointKind kind, int coordinate) {
  switch (kind) {
    case JointKind::kBall:
    case JointKind::kHinge:
    case JointKind::kScrew:
    case JointKind::kUniversal: return true;
    case JointKind::kCylindrical: return coordinate == 1;
    case JointKind::kPlanar: return coordinate == 2;
    default: return false;
  }
}

Quat rotation_of_z_to(Vec3 direction) {
  // Close to the opposite direction the sum below cancels: half a turn about x first, and from there.
  if (direction.z < -0.999) return normalized(Quat{1 - direction.z, direction.y, -direction.x, 0}) * Quat{0, 1, 0, 0};
  return normalized(Quat{1 + direction.z, -direction.y, direction.x, 0});
}

}  // namespace repose
