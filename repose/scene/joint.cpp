// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/joint.h"

#include <algorithm>
#include <cmath>

namespace repose {
namespace {

constexpr double kRepeated = 1e-9;  // share of a motion that those before do not have

/// A rotation and the motion of a point, in units of the joint's size.
struct Twist {
  Vec3 angular, linear;
};
double dot(const Twist& a, const Twist& b) { return dot(a.angular, b.angular) + dot(a.linear, b.linear); }

/// What each axis does to the last body with all coordinates at q, 0.3 more for each axis: a position where the axes of
/// a joint like any other do not line up.
std::vector<Twist> motions(const std::vector<JointAxis>& axes, double size, double q) {
  std::vector<Twist> all;
  Pose pose;
  for (const JointAxis& own : axes) {
    const Vec3 axis = rotate(pose.rotation, own.axis), point = (1 / size) * (pose * own.point);
    all.push_back(own.slides ? Twist{{}, axis} : Twist{axis, cross(point, axis)});
    pose =
        pose * (own.slides ? Pose{q * size * own.axis, {}}
                           : Pose{own.point - rotate(exponential(q * own.axis), own.point), exponential(q * own.axis)});
    q += 0.3;
  }
  return all;
}

}  // namespace

bool are_independent(const std::vector<JointAxis>& axes) {
  double size = 0;
  for (const JointAxis& own : axes) size = std::max(size, norm(own.point - axes.front().point));
  if (size == 0) size = std::max(norm(axes.front().point), 1.0);
  std::vector<Twist> kept;
  for (Twist t : motions(axes, size, 0.4)) {
    const double before = std::sqrt(dot(t, t));
    for (int n = 0; n < 2; ++n)
      for (const Twist& k : kept) {
        const double share = dot(k, t);
        t = {t.angular - share * k.angular, t.linear - share * k.linear};
      }
    const double left = std::sqrt(dot(t, t));
    if (!(left > kRepeated * before)) return false;
    kept.push_back({(1 / left) * t.angular, (1 / left) * t.linear});
  }
  return true;
}

int coordinate_count(JointKind kind, std::size_t axes) {
  switch (kind) {
    case JointKind::kBall:
    case JointKind::kHinge:
    case JointKind::kSlide:
    case JointKind::kCoupling:
    case JointKind::kScrew: return 1;
    case JointKind::kUniversal:
    case JointKind::kCylindrical: return 2;
    case JointKind::kPlanar: return 3;
    case JointKind::kCompound: return static_cast<int>(axes);
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
