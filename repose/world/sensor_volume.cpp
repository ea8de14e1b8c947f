// SPDX-License-Identifier: Apache-2.0
#include "repose/world/sensor_volume.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace repose {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Parameters t of the points p + t d of a line that are in a convex set; empty when low > high.
struct Stretch {
  double low = -kNever, high = kNever;
  [[nodiscard]] bool reaches_ray() const { return low <= high && high >= 0; }
};

Stretch common(Stretch a, Stretch b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

constexpr Stretch kNone{1, 0};

/// |p + t d| ≤ half.
Stretch slab(double p, double d, double half) {
  if (d == 0) return std::abs(p) <= half ? Stretch{} : kNone;
  const double x = (-half - p) / d, y = (half - p) / d;
  return {std::min(x, y), std::max(x, y)};
}

/// a t² + 2 b t + c ≤ 0 with a ≥ 0.
Stretch within(double a, double b, double c) {
  if (a == 0) return c <= 0 ? Stretch{} : kNone;
  const double inside = b * b - a * c;
  if (inside < 0) return kNone;
  const double root = std::sqrt(inside);
  return {(-b - root) / a, (-b + root) / a};
}

Stretch ball(Vec3 p, Vec3 d, double radius) { return within(dot(d, d), dot(p, d), dot(p, p) - radius * radius); }

Stretch cylinder(Vec3 p, Vec3 d, double radius, double half) {
  const Stretch round = within(d.x * d.x + d.y * d.y, p.x * d.x + p.y * d.y, p.x * p.x + p.y * p.y - radius * radius);
  return common(round, slab(p.z, d.z, half));
}

}  // namespace

bool meets(const SensorVolume& volume, Vec3 p, Vec3 d) {
  const Vec3 h = volume.half;
  switch (volume.kind) {
    case SensorVolume::Kind::kBox:
      return common(common(slab(p.x, d.x, h.x), slab(p.y, d.y, h.y)), slab(p.z, d.z, h.z)).reaches_ray();
    case SensorVolume::Kind::kEllipsoid:
      return ball({p.x / h.x, p.y / h.y, p.z / h.z}, {d.x / h.x, d.y / h.y, d.z / h.z}, 1).reaches_ray();
    case SensorVolume::Kind::kCylinder: return cylinder(p, d, h.x, h.z).reaches_ray();
    case SensorVolume::Kind::kCapsule:
      return cylinder(p, d, h.x, h.z).reaches_ray() || ball(p - Vec3{0, 0, h.z}, d, h.x).reaches_ray() ||
             ball(p + Vec3{0, 0, h.z}, d, h.x).reaches_ray();
  }
  return false;
}

}  // namespace repose
