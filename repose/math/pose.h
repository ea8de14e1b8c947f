// SPDX-License-Identifier: Apache-2.0
// Rotations as unit quaternions, rigid poses, and the exponential map that turns an angular velocity into a rotation.
#pragma once

#include <cmath>

#include "repose/math/scalar.h"
#include "repose/math/vec3.h"

namespace repose {

/// Unit quaternion (w, x, y, z): rotates body axes into world axes.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;
};

REPOSE_HD inline Quat operator*(Quat a, Quat b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
REPOSE_HD inline Quat conjugate(Quat q) { return {q.w, -q.x, -q.y, -q.z}; }
REPOSE_HD inline double norm(Quat q) { return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
REPOSE_HD inline Quat normalized(Quat q) {
  const double s = 1.0 / norm(q);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

/// q v q*, with two cross products.
REPOSE_HD inline Vec3 rotate(Quat q, Vec3 v) {
  const Vec3 axis{q.x, q.y, q.z};
  const Vec3 twice = 2.0 * cross(axis, v);
  return v + q.w * twice + cross(axis, twice);
}
REPOSE_HD inline Vec3 rotate_back(Quat q, Vec3 v) { return rotate(conjugate(q), v); }

REPOSE_HD inline Mat3 to_matrix(Quat q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
           {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
           {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

/// The rotation that turns the frame's axes into x, y, z: its matrix has them as columns.
inline Quat from_axes(Vec3 x, Vec3 y, Vec3 z) {
  // The largest of the four squares first, so that no division by a small root occurs.
  const double w = 1 + x.x + y.y + z.z, a = 1 + x.x - y.y - z.z, b = 1 - x.x + y.y - z.z, c = 1 - x.x - y.y + z.z;
  const double most = max_of(max_of(w, a), max_of(b, c));
  if (most == w) return normalized({w, y.z - z.y, z.x - x.z, x.y - y.x});
  if (most == a) return normalized({y.z - z.y, a, y.x + x.y, z.x + x.z});
  if (most == b) return normalized({z.x - x.z, y.x + x.y, b, z.y + y.z});
  return normalized({x.y - y.x, z.x + x.z, z.y + y.z, c});
}

/// Rotation by the vector `angle` (direction: axis; length: radians), exact for any length.
REPOSE_HD inline Quat exponential(Vec3 angle) {
  const double size = norm(angle);
  // The series of sin(θ/2)/θ where the quotient would lose digits; the next term is below 1e-16 there.
  const double half = 0.5 * size;
  const double s = size < 1e-3 ? 0.5 * (1.0 - half * half / 6.0 * (1.0 - half * half / 20.0)) : sine(half) / size;
  return {cosine(half), s * angle.x, s * angle.y, s * angle.z};
}

/// Position and orientation of a frame: x_world = position + rotation · x_local. Metres.
struct Pose {
  Vec3 position;
  Quat rotation;
};

REPOSE_HD inline Vec3 operator*(const Pose& pose, Vec3 x) { return pose.position + rotate(pose.rotation, x); }
REPOSE_HD inline Pose operator*(const Pose& a, const Pose& b) { return {a * b.position, a.rotation * b.rotation}; }
REPOSE_HD inline Pose inverse(const Pose& pose) {
  const Quat back = conjugate(pose.rotation);
  return {rotate(back, -1.0 * pose.position), back};
}

}  // namespace repose
