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

/// A point of a rim, as the cosine and the sine of its angle.
struct RimAngle {
  double cosine = 1, sine = 0;
};
/// Returns the angle that divides the chord between two others, not opposite to each other, as 1 − t to t.
REPOSE_HD inline RimAngle between(RimAngle low, RimAngle high, double t) {
  const double x = (1 - t) * low.cosine + t * high.cosine, y = (1 - t) * low.sine + t * high.sine;
  const double scale = 1.0 / std::sqrt(x * x + y * y);
  return {scale * x, scale * y};
}

/// Returns the point of a rim that is closest to another cylinder: samples bracket the minimum, which is a root of the
/// distance's derivative.
REPOSE_HD inline Vec3 nearest_of_rim(const PlacedCylinder& c, int cap, const PlacedCylinder& other) {
  constexpr int kPerEighth = 3, kSamples = 8 * kPerEighth;
  const auto eighth = [](std::uint32_t k) { return RimAngle{eighth_cosine(k), eighth_cosine(k + 6)}; };
  const auto sample = [&](int i) {
    const auto k = static_cast<std::uint32_t>((i + kSamples) / kPerEighth);
    return between(eighth(k), eighth(k + 1), (i + kSamples) % kPerEighth / static_cast<double>(kPerEighth));
  };
  const auto nearest_to = [&](RimAngle at) {
    return nearest_on_cylinder(other, rim_point(c, cap, at.cosine, at.sine));
  };
  int best = 0;
  double least = kFar;
  for (int i = 0; i < kSamples; ++i) {
    const double distance = nearest_to(sample(i)).distance;
    if (distance < least) least = distance, best = i;
  }
  RimAngle low = sample(best - 1), high = sample(best + 1);
  for (int i = 0; i < 60; ++i) {
    const RimAngle middle = between(low, high, 0.5);
    const Vec3 tangent = -middle.sine * c.e1 + middle.cosine * c.e2;
    (dot(nearest_to(middle).normal, tangent) < 0 ? low : high) = middle;
  }
  const RimAngle at = between(low, high, 0.5);
  return rim_point(c, cap, at.cosine, at.sine);
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
