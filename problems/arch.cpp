// SPDX-License-Identifier: Apache-2.0
#include "problems/arch.h"

#include <algorithm>

#include "problems/shapes.h"
#include "scenes/arch_outline.h"

namespace repose::problems {
namespace {

using scenes::ArchJoint, scenes::ArchOutline, scenes::ArchSection;

void add_stone(Structure& s, const ArchOutline& outline, std::size_t k, double density) {
  const scenes::StoneCorners corners = stone_corners(outline, static_cast<int>(k));
  s.bodies.push_back(prism_body(corners, outline.sections[k].depth, density));
}

void add_joint(Structure& s, const ArchOutline& outline, std::size_t k, double mu) {
  const ArchSection &p = outline.sections[k - 1], &q = outline.sections[k];
  const ArchJoint& joint = outline.joints[k];
  const int last = static_cast<int>(outline.sections.size()) - 1, stone = static_cast<int>(k);
  const int a = stone - 1 == 0 ? kStaticBody : stone - 2, b = stone == last ? kStaticBody : stone - 1;
  add_patch(s, a, b, joint.centre, std::min(p.width, q.width) / 2 * joint.across,
            Vec3{0, std::min(p.depth, q.depth) / 2, 0}, joint.normal, mu);
}

/// Up to three stones around the crown.
void strike_crown(Structure& s) {
  const int n = static_cast<int>(s.bodies.size()), middle = n / 2;
  for (int k = std::max(0, middle - 1); k <= std::min(n - 1, middle + 1); ++k) s.struck.push_back(k);
}

Structure build(const ArchOutline& outline, std::string name, double mu, double density) {
  Structure s{.name = std::move(name)};
  for (std::size_t k = 1; k + 1 < outline.sections.size(); ++k) add_stone(s, outline, k, density);
  for (std::size_t k = 1; k < outline.sections.size(); ++k) add_joint(s, outline, k, mu);
  s.size = outline.sections.front().width;
  strike_crown(s);
  return s;
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
  checked("arch", options);
  const double thickness = options.thickness * options.radius;
  const ArchOutline outline = scenes::semicircle_outline(options.stones, options.radius, thickness, options.depth);
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
  checked("catenary", options);
  return build(scenes::catenary_outline(options.stones), "catenary-" + std::to_string(options.stones), options.mu,
               options.density);
}

}  // namespace repose::problems
