// SPDX-License-Identifier: Apache-2.0
// Closest points at a rim, and the normal of an overlap at a rim. There is no closed form; roots in one variable are
// found to rounding.
#pragma once

#include "repose/collision/cylinder_internal.h"

namespace repose::collision {

// Closest points of two separate bodies; the normal points from the first to the second.
struct Nearest {
  double distance = kFar;
  Vec3 normal, on_first, on_second;
};

// ---- rim search ---------------------------------------------------------------------------------------------------

REPOSE_HD inline Vec3 rim_point(const PlacedCylinder& c, int cap, double angle) {
  return c.cap_centre(cap) + c.radius * (cosine(angle) * c.e1 + sine(angle) * c.e2);
}

// Closest point of a rim to a solid whose closest points are known in closed form: samples bracket the minimum, which
// is a root of the distance's derivative.
template <class NearestTo>
REPOSE_HD double nearest_angle(const PlacedCylinder& c, int cap, const NearestTo& nearest_to) {
  constexpr int kSamples = 24;
  constexpr double kStep = 2 * 3.14159265358979323846 / kSamples;
  const auto slope = [&](double angle) {
    const Vec3 tangent = -sine(angle) * c.e1 + cosine(angle) * c.e2;
    return dot(nearest_to(rim_point(c, cap, angle)).normal, tangent);
  };
  int best = 0;
  double least = kFar;
  for (int i = 0; i < kSamples; ++i) {
    const double distance = nearest_to(rim_point(c, cap, i * kStep)).distance;
    if (distance < least) least = distance, best = i;
  }
  double low = (best - 1) * kStep, high = (best + 1) * kStep;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (slope(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// ---- overlap: fixed-point iteration ---------------------------------------------------------------------------------

/// Distance by which overlapping bodies are moved beyond touch, relative to their size: small against radii, so that
/// the iteration converges, and large against rounding errors.
inline constexpr double kPush = 2e-3;

/// Overlap, relative to the size, above which a rim may give a smaller depth than the axes in closed form.
inline constexpr double kDeep = 1e-4;

/// `distance(shift)`: closest points with the second body moved by `shift`; `separation(n)`: s(n).
template <class Distance, class Separation>
REPOSE_HD Nearest signed_distance(Vec3 normal, double size, const Distance& distance, const Separation& separation) {
  const Nearest apart = distance(Vec3{});
  // Overlapping bodies have no closest points: the result then disagrees with s(n).
  if (apart.distance > 1e-6 * size && separation(apart.normal) > apart.distance - 1e-9 * size) return apart;
  Nearest best;
  best.distance = -kFar;
  double depth = separation(normal), last_change = 1;
  for (int i = 0; i < 80; ++i) {
    const Vec3 shift = (kPush * size - depth) * normal;
    Nearest near = distance(shift);
    near.distance -= dot(near.normal, shift);  // separation along the new normal without the shift
    near.on_second = near.on_second - shift;
    const double change = norm(near.normal - normal);
    normal = near.normal;
    depth = near.distance;
    // Converged to rounding: the change no longer decreases.
    if (change < 1e-15 || (change < 1e-11 && change > 0.95 * last_change)) return near;
    last_change = change;
    if (near.distance > best.distance) best = near;
  }
  return best;
}

REPOSE_HD inline PairResult single(const Nearest& near, Points& out) {
  const Vec3 middle = 0.5 * (near.on_first + near.on_second);
  out.push_back({middle, near.distance, kNearestPoint});
  return {true, false, near.normal};
}

// A cap that leans by less than kFlatLean is represented by fixed rim points, whose height may be wrong by that share.
REPOSE_HD inline double slack(const PlacedCylinder& c, Vec3 n, double size) {
  return (lean_of(c, n).sine <= kFlatLean ? 2 * kFlatLean * c.radius : 0.0) + kRounding * size;
}

}  // namespace repose::collision
