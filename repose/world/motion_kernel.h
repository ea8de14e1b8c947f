// SPDX-License-Identifier: Apache-2.0
// Prescribed motions as plain data, and the rigid displacement of a body over a step, for host and device code.
#pragma once

#include "repose/base/view.h"
#include "repose/math/pose.h"

namespace repose {

/// Rotation vector of a unit quaternion, length in [0, π].
REPOSE_HD [[nodiscard]] inline Vec3 logarithm(Quat q) {
  const Vec3 axis = q.w < 0 ? Vec3{-q.x, -q.y, -q.z} : Vec3{q.x, q.y, q.z};
  const double sine = norm(axis), cosine = std::abs(q.w);
  // 2 asin(s)/s; the series' next term is below 1e-16 there.
  if (sine < 1e-4) return 2 * (1 + sine * sine / 6) * axis;
  return (2 * arc_tangent(sine, cosine) / sine) * axis;
}

/// The rigid displacement of a body over one step, x ↦ x + shift + (turn − 1)(x − pivot).
struct Displacement {
  Vec3 pivot, shift;
  Quat turn;
  Vec3 angle;  ///< logarithm of `turn`
};
REPOSE_HD [[nodiscard]] inline Displacement displacement(const Pose& from, const Pose& to) {
  const Quat turn = to.rotation * conjugate(from.rotation);
  return {from.position, to.position - from.position, turn, logarithm(turn)};
}
/// Displacement of the point x, m.
REPOSE_HD [[nodiscard]] inline Vec3 moved_by(const Displacement& d, Vec3 x) {
  // (turn − 1) r without taking the difference of two long vectors.
  const Vec3 axis{d.turn.x, d.turn.y, d.turn.z}, r = x - d.pivot;
  const Vec3 twice = 2.0 * cross(axis, r);
  return d.shift + d.turn.w * twice + cross(axis, twice);
}

/// A motion of scene.h that is not a script.
struct MotionView {
  enum class Kind { kConstant, kRamp, kTable } kind = Kind::kConstant;
  Vec3 velocity, angular_velocity;  ///< m/s, rad/s
  double duration = 0;              ///< of a ramp, s
  View<const double> times;         ///< of a table
  View<const Pose> poses;
};

/// ∫₀ᵗ of the ramp 3s² − 2s³, s = t/T, held at 1 afterwards: T (s³ − s⁴/2), then t − T/2.
REPOSE_HD [[nodiscard]] inline double ramp_integral(double time, double duration) {
  if (!(duration > 0) || time >= duration) return time - 0.5 * max_of(duration, 0.0);
  const double s = max_of(time, 0.0) / duration;
  return duration * s * s * s * (1 - 0.5 * s);
}

REPOSE_HD [[nodiscard]] inline Pose moved_uniformly(const Pose& start, Vec3 velocity, Vec3 angular_velocity,
                                                    double seconds) {
  return {start.position + seconds * velocity, normalized(exponential(seconds * angular_velocity) * start.rotation)};
}

REPOSE_HD [[nodiscard]] inline Pose pose_between(const Pose& a, const Pose& b, double share) {
  const Vec3 angle = logarithm(b.rotation * conjugate(a.rotation));
  return {a.position + share * (b.position - a.position), normalized(exponential(share * angle) * a.rotation)};
}

REPOSE_HD [[nodiscard]] inline Pose pose_in_table(const MotionView& m, double time) {
  int next = 0;  // the first one after `time`
  for (int high = m.times.count; next < high;) {
    const int middle = (next + high) / 2;
    if (time < m.times[middle])
      high = middle;
    else
      next = middle + 1;
  }
  if (next == 0) return m.poses[0];
  if (next == m.times.count) return m.poses[next - 1];
  return pose_between(m.poses[next - 1], m.poses[next],
                      (time - m.times[next - 1]) / (m.times[next] - m.times[next - 1]));
}

/// Pose of the body's frame at time t, s. `start`: its pose at t = 0 (tables have absolute poses).
REPOSE_HD [[nodiscard]] inline Pose pose_at(const MotionView& m, const Pose& start, double time) {
  if (m.kind == MotionView::Kind::kTable) return pose_in_table(m, time);
  const double seconds = m.kind == MotionView::Kind::kRamp ? ramp_integral(time, m.duration) : time;
  return moved_uniformly(start, m.velocity, m.angular_velocity, seconds);
}

}  // namespace repose
