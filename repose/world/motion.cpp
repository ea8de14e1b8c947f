// SPDX-License-Identifier: Apache-2.0
#include "repose/world/motion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "repose/math/scalar.h"

namespace repose {
namespace {

/// ∫₀ᵗ of the ramp 3s² − 2s³, s = t/T, held at 1 afterwards: T (s³ − s⁴/2), then t − T/2.
double ramp_integral(double time, double duration) {
  if (!(duration > 0) || time >= duration) return time - 0.5 * std::max(duration, 0.0);
  const double s = std::max(time, 0.0) / duration;
  return duration * s * s * s * (1 - 0.5 * s);
}

Pose moved_uniformly(const Pose& start, Vec3 velocity, Vec3 angular_velocity, double seconds) {
  return {start.position + seconds * velocity, normalized(exponential(seconds * angular_velocity) * start.rotation)};
}

Pose between(const Pose& a, const Pose& b, double share) {
  const Vec3 angle = logarithm(b.rotation * conjugate(a.rotation));
  return {a.position + share * (b.position - a.position), normalized(exponential(share * angle) * a.rotation)};
}

struct PoseAt {
  const Pose& start;
  double time;
  Pose operator()(const ConstantMotion& m) const {
    return moved_uniformly(start, m.velocity, m.angular_velocity, time);
  }
  Pose operator()(const RampMotion& m) const {
    return moved_uniformly(start, m.velocity, m.angular_velocity, ramp_integral(time, m.duration));
  }
  Pose operator()(const TableMotion& m) const {
    const auto next = std::upper_bound(m.times.begin(), m.times.end(), time);
    if (next == m.times.begin()) return m.poses.front();
    if (next == m.times.end()) return m.poses.back();
    const auto k = static_cast<std::size_t>(next - m.times.begin());
    return between(m.poses[k - 1], m.poses[k], (time - m.times[k - 1]) / (m.times[k] - m.times[k - 1]));
  }
  Pose operator()(const ScriptMotion& m) const { return m.pose(time); }
};

}  // namespace

Pose pose_at(const Motion& motion, const Pose& start, double time) { return std::visit(PoseAt{start, time}, motion); }

Vec3 logarithm(Quat q) {
  const Vec3 axis = q.w < 0 ? Vec3{-q.x, -q.y, -q.z} : Vec3{q.x, q.y, q.z};
  const double sine = norm(axis), cosine = std::abs(q.w);
  // 2 asin(s)/s; the series' next term is below 1e-16 there.
  if (sine < 1e-4) return 2 * (1 + sine * sine / 6) * axis;
  return (2 * arc_tangent(sine, cosine) / sine) * axis;
}

Displacement displacement(const Pose& from, const Pose& to) {
  const Quat turn = to.rotation * conjugate(from.rotation);
  return {from.position, to.position - from.position, turn, logarithm(turn)};
}

Vec3 moved_by(const Displacement& d, Vec3 x) {
  // (turn − 1) r without taking the difference of two long vectors.
  const Vec3 axis{d.turn.x, d.turn.y, d.turn.z}, r = x - d.pivot;
  const Vec3 twice = 2.0 * cross(axis, r);
  return d.shift + d.turn.w * twice + cross(axis, twice);
}

}  // namespace repose
