// SPDX-License-Identifier: Apache-2.0
#include "scenes/arch_outline.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "repose/math/scalar.h"

namespace repose::scenes {
namespace {

// The catenary's constants, m.
constexpr double kHalfSpan = 30, kRise = 60, kStiffness = 57.647, kRate = 1.340209 / 30, kFoot = 10, kCrown = 7;
constexpr double kExploded = 0.1;  // m per joint

double slope(double x) { return -kStiffness * kRate * portable::hyperbolic_sine(kRate * x); }
double height(double x) { return kRise - kStiffness * (portable::hyperbolic_cosine(kRate * x) - 1); }
double side(double x) { return kFoot + (kCrown - kFoot) * height(x) / kRise; }

/// Arc length from the crown to x ≥ 0, by Simpson's rule.
double arc_length(double x) {
  constexpr int kPanels = 200;
  const double dx = x / (2 * kPanels);
  double sum = 0;
  for (int i = 0; i <= 2 * kPanels; ++i) {
    const int weight = i == 0 || i == 2 * kPanels ? 1 : (i % 2 == 1 ? 4 : 2);
    sum += weight * hypotenuse(1.0, slope(i * dx));
  }
  return sum * dx / 3;
}

/// The x at a signed arc length from the crown, by Newton's method (the integrand is the derivative).
double x_at_arc_length(double s) {
  const double target = std::abs(s);
  double x = target / hypotenuse(1.0, slope(kHalfSpan));
  for (int i = 0; i < 50; ++i) {
    const double step = (target - arc_length(x)) / hypotenuse(1.0, slope(x));
    x += step;
    if (std::abs(step) < 1e-13 * kHalfSpan) break;
  }
  return std::copysign(x, s);
}

}  // namespace

ArchOutline semicircle_outline(int stones, double radius, double thickness, double depth) {
  ArchOutline outline;
  outline.sections.assign(static_cast<std::size_t>(stones), {thickness, depth});
  for (int k = 0; k <= stones; ++k) {
    const double angle = std::numbers::pi * k / stones, c = cosine(angle), s = sine(angle);
    outline.joints.push_back({radius * Vec3{-c, 0, s}, {-c, 0, s}, {s, 0, c}});
  }
  return outline;
}

ArchOutline catenary_outline(int stones) {
  ArchOutline outline;
  const double half = arc_length(kHalfSpan);
  for (int k = 0; k <= stones; ++k) {
    const double x = x_at_arc_length(half * (2.0 * k / stones - 1)), scale = 1 / hypotenuse(1.0, slope(x));
    outline.joints.push_back({{x, 0, height(x)}, {-scale * slope(x), 0, scale}, {scale, 0, scale * slope(x)}});
    if (k == 0) continue;
    const double width = std::max(side(outline.joints[outline.joints.size() - 2].centre.x), side(x));
    outline.sections.push_back({width, width});
  }
  return outline;
}

StoneCorners stone_corners(const ArchOutline& outline, int stone) {
  const auto k = static_cast<std::size_t>(stone);
  const ArchJoint &p = outline.joints[k], &q = outline.joints[k + 1];
  const double half = outline.sections[k].width / 2;
  return {p.centre - half * p.across, q.centre - half * q.across, q.centre + half * q.across,
          p.centre + half * p.across};
}

StoneCorners level_foot(StoneCorners corners, bool foot_is_first) {
  const Vec3 inner = foot_is_first ? corners[0] : corners[1];
  Vec3& outer = foot_is_first ? corners[3] : corners[2];
  const Vec3 above = foot_is_first ? corners[2] : corners[3];
  const double share = (inner.z - above.z) / (outer.z - above.z);
  outer = {above.x + share * (outer.x - above.x), 0, inner.z};
  return corners;
}

Vec3 exploded_by(int stone, int stones) {
  const double from_crown = stone - (stones - 1) / 2.0;
  return {kExploded * from_crown, 0, kExploded * ((stones - 1) / 2.0 - std::abs(from_crown))};
}

Vec3 area_centre(const StoneCorners& corners) {
  // Green's theorem per edge, about the first corner: far coordinates would cost digits.
  const Vec3 origin = corners[0];
  double area = 0, x = 0, z = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 p = corners[i] - origin, q = corners[(i + 1) % corners.size()] - origin;
    const double w = p.x * q.z - q.x * p.z;
    area += w / 2;
    x += w * (p.x + q.x) / 6;
    z += w * (p.z + q.z) / 6;
  }
  return origin + Vec3{x / area, 0, z / area};
}

}  // namespace repose::scenes
