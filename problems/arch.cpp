// SPDX-License-Identifier: Apache-2.0
#include "problems/arch.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problems/shapes.h"

namespace repose::problems {
namespace {

struct Joint {
  Vec3 centre, across, along;  // m; unit vectors in the plane: along the joint, and from one stone to the next
};
struct Section {
  double width, depth;  // in and out of the plane, m
};

/// n + 1 joints bound n stones of constant section.
struct Outline {
  std::vector<Joint> joints;
  std::vector<Section> sections;
};

void add_stone(Structure& s, const Outline& outline, std::size_t k, double density) {
  const Joint &p = outline.joints[k], &q = outline.joints[k + 1];
  const double half = outline.sections[k].width / 2;
  const Vec3 corners[4] = {p.centre - half * p.across, q.centre - half * q.across, q.centre + half * q.across,
                           p.centre + half * p.across};
  s.bodies.push_back(prism_body(corners, outline.sections[k].depth, density));
}

void add_joint(Structure& s, const Outline& outline, std::size_t k, double mu) {
  const Section &p = outline.sections[k - 1], &q = outline.sections[k];
  const Joint& joint = outline.joints[k];
  const int last = static_cast<int>(outline.sections.size()) - 1, stone = static_cast<int>(k);
  const int a = stone - 1 == 0 ? kStaticBody : stone - 2, b = stone == last ? kStaticBody : stone - 1;
  add_patch(s, a, b, joint.centre, std::min(p.width, q.width) / 2 * joint.across,
            Vec3{0, std::min(p.depth, q.depth) / 2, 0}, joint.along, mu);
}

/// Up to three stones around the crown.
void strike_crown(Structure& s) {
  const int n = static_cast<int>(s.bodies.size()), middle = n / 2;
  for (int k = std::max(0, middle - 1); k <= std::min(n - 1, middle + 1); ++k) s.struck.push_back(k);
}

Structure build(const Outline& outline, std::string name, double mu, double density) {
  Structure s{.name = std::move(name)};
  for (std::size_t k = 1; k + 1 < outline.sections.size(); ++k) add_stone(s, outline, k, density);
  for (std::size_t k = 1; k < outline.sections.size(); ++k) add_joint(s, outline, k, mu);
  s.size = outline.sections.front().width;
  strike_crown(s);
  return s;
}

// The catenary's constants, m.
constexpr double kHalfSpan = 30, kRise = 60, kStiffness = 57.647, kRate = 1.340209 / 30, kFoot = 10, kCrown = 7;

double slope(double x) { return -kStiffness * kRate * std::sinh(kRate * x); }
double height(double x) { return kRise - kStiffness * (std::cosh(kRate * x) - 1); }
double side(double x) { return kFoot + (kCrown - kFoot) * height(x) / kRise; }

/// Arc length from the crown to x ≥ 0, by Simpson's rule.
double arc_length(double x) {
  constexpr int kPanels = 200;
  const double dx = x / (2 * kPanels);
  double sum = 0;
  for (int i = 0; i <= 2 * kPanels; ++i) {
    const int weight = i == 0 || i == 2 * kPanels ? 1 : (i % 2 == 1 ? 4 : 2);
    sum += weight * std::hypot(1.0, slope(i * dx));
  }
  return sum * dx / 3;
}

/// The x at a signed arc length from the crown, by Newton's method (the integrand is the derivative).
double x_at_arc_length(double s) {
  const double target = std::abs(s);
  double x = target / std::hypot(1.0, slope(kHalfSpan));
  for (int i = 0; i < 50; ++i) {
    const double step = (target - arc_length(x)) / std::hypot(1.0, slope(x));
    x += step;
    if (std::abs(step) < 1e-13 * kHalfSpan) break;
  }
  return std::copysign(x, s);
}

}  // namespace

const Fields<ArchOptions>& fields(const ArchOptions&) {
  using O = ArchOptions;
  static const Fields<O> table = {
      {"stones", &O::stones, 3, 100000, "", "voussoirs, the two static ones included"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"thickness", &O::thickness, 1e-3, 1, "", "thickness as a share of the radius"},
      {"radius", &O::radius, 1e-3, 1e4, "m", "radius of the centre line"},
      {"depth", &O::depth, 1e-3, 1e4, "m", "size out of the plane"},
      {"density", &O::density, 1e-3, 1e6, "kg/m^3", "density"},
  };
  return table;
}

Structure arch(const ArchOptions& options) {
  check("arch", options);
  Outline outline;
  const Section section{options.thickness * options.radius, options.depth};
  outline.sections.assign(static_cast<std::size_t>(options.stones), section);
  for (int k = 0; k <= options.stones; ++k) {
    const double angle = std::numbers::pi * k / options.stones, c = std::cos(angle), s = std::sin(angle);
    outline.joints.push_back({options.radius * Vec3{-c, 0, s}, {-c, 0, s}, {s, 0, c}});
  }
  return build(outline, "arch-" + std::to_string(options.stones), options.mu, options.density);
}

const Fields<CatenaryOptions>& fields(const CatenaryOptions&) {
  using O = CatenaryOptions;
  static const Fields<O> table = {
      {"stones", &O::stones, 3, 100000, "", "stones, the two static ones included"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"density", &O::density, 1e-3, 1e6, "kg/m^3", "density"},
  };
  return table;
}

Structure catenary_arch(const CatenaryOptions& options) {
  check("catenary", options);
  Outline outline;
  const double half = arc_length(kHalfSpan);
  for (int k = 0; k <= options.stones; ++k) {
    const double x = x_at_arc_length(half * (2.0 * k / options.stones - 1)), scale = 1 / std::hypot(1.0, slope(x));
    outline.joints.push_back({{x, 0, height(x)}, {-scale * slope(x), 0, scale}, {scale, 0, scale * slope(x)}});
    if (k == 0) continue;
    const double width = std::max(side(outline.joints[outline.joints.size() - 2].centre.x), side(x));
    outline.sections.push_back({width, width});
  }
  return build(outline, "catenary-" + std::to_string(options.stones), options.mu, options.density);
}

}  // namespace repose::problems
