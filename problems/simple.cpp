// SPDX-License-Identifier: Apache-2.0
#include "problems/simple.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problems/shapes.h"
#include "repose/math/scalar.h"

namespace repose::problems {

const Fields<RodOptions>& fields(const RodOptions&) {
  using O = RodOptions;
  static const Fields<O> table = {
      {"angle", &O::angle, 0, 180, "degrees", "rod above the ground"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"length", &O::length, 1e-3, 1e3, "m", "length"},
      {"mass", &O::mass, 1e-6, 1e9, "kg", "mass"},
      {"slide", &O::slide, -1e3, 1e3, "m/s", "tip along the ground, > 0 away from the side the rod leans to"},
      {"fall", &O::fall, -1e3, 1e3, "m/s", "tip into the ground"},
      {"spin", &O::spin, -1e3, 1e3, "rad/s", "angular velocity, > 0 raises the rod"},
  };
  return table;
}

Structure rod(const RodOptions& options) {
  checked("rod", options);
  const double angle = options.angle * std::numbers::pi / 180, half = options.length / 2;
  const Vec3 axis{cosine(angle), 0, sine(angle)};
  Body body{.mass = options.mass, .position = half * axis, .angular = {0, -options.spin, 0}};
  // Slender: m half²/3 across. The tip lies on the axis, so that the inertia about it cannot matter; it is not zero.
  const double across = options.mass * half * half / 3, about = 1e-4 * across;
  const Mat3 turn = rotation_y(-angle);
  body.inertia = turn * Mat3::diagonal(about, across, across) * transpose(turn);
  body.linear = Vec3{-options.slide, 0, -options.fall} + cross(body.angular, half * axis);
  Structure s{.name = "rod", .bodies = {body}, .size = options.length};
  s.contacts.push_back({kStaticBody, 0, {}, {0, 0, 1}, 0, options.mu});
  s.struck = {0};
  return s;
}

const Fields<BallOptions>& fields(const BallOptions&) {
  using O = BallOptions;
  static const Fields<O> table = {
      {"radius", &O::radius, 1e-3, 1e3, "m", "radius"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"speed", &O::speed, -1e3, 1e3, "m/s", "velocity along x"},
      {"spin", &O::spin, -1e4, 1e4, "rad/s", "angular velocity about y"},
      {"gap", &O::gap, 0, 1e3, "m", "height above the ground"},
      {"density", &O::density, 1e-3, 1e6, "kg/m^3", "density"},
  };
  return table;
}

Structure ball(const BallOptions& options) {
  checked("ball", options);
  Body body = sphere_body(options.radius, options.density, {0, 0, options.radius});
  body.linear = {options.speed, 0, 0};
  body.angular = {0, options.spin, 0};
  Structure s{.name = "ball", .bodies = {body}, .size = options.radius};
  s.contacts.push_back({kStaticBody, 0, {}, {0, 0, 1}, options.gap, options.mu});
  s.struck = {0};
  return s;
}

const Fields<BoxOptions>& fields(const BoxOptions&) {
  using O = BoxOptions;
  static const Fields<O> table = {
      {"slope", &O::slope, 0, 1e3, "", "tangent of the plane's angle"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"length", &O::length, 1e-3, 1e3, "m", "edge downhill"},
      {"width", &O::width, 1e-3, 1e3, "m", "edge across"},
      {"height", &O::height, 1e-3, 1e3, "m", "edge away from the plane"},
      {"speed", &O::speed, -1e3, 1e3, "m/s", "velocity downhill"},
      {"density", &O::density, 1e-3, 1e6, "kg/m^3", "density"},
  };
  return table;
}

Structure box(const BoxOptions& options) {
  checked("box", options);
  // From (1, slope), not from an angle: μ = slope must lie on the cone to the last bit.
  const double scale = 1 / hypotenuse(1.0, options.slope);
  const Vec3 down = scale * Vec3{1, 0, -options.slope}, up = scale * Vec3{options.slope, 0, 1};
  const Mat3 axes{{{down.x, 0, up.x}, {0, 1, 0}, {down.z, 0, up.z}}};
  const Vec3 size{options.length, options.width, options.height};
  Body body = box_body(size, options.density, size.z / 2 * up, axes);
  body.linear = options.speed * down;
  Structure s{.name = "box", .bodies = {body}, .size = std::max({size.x, size.y, size.z})};
  add_patch(s, kStaticBody, 0, {}, size.x / 2 * down, {0, size.y / 2, 0}, up, options.mu);
  s.struck = {0};
  return s;
}

const Fields<LatticeOptions>& fields(const LatticeOptions&) {
  using O = LatticeOptions;
  static const Fields<O> table = {
      {"n", &O::n, 1, 100, "", "balls per edge"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"radius", &O::radius, 1e-3, 1e3, "m", "radius"},
      {"density", &O::density, 1e-3, 1e6, "kg/m^3", "density"},
  };
  return table;
}

Structure lattice(const LatticeOptions& options) {
  checked("lattice", options);
  const int n = options.n;
  const double r = options.radius;
  Structure s{.name = "lattice-" + std::to_string(n * n * n), .size = 2 * r};
  for (int ball = 0; ball < n * n * n; ++ball) {
    const int index[3] = {ball % n, ball / n % n, ball / (n * n)}, stride[3] = {1, n, n * n};
    const Vec3 centre{(2 * index[0] + 1) * r, (2 * index[1] + 1) * r, (2 * index[2] + 1) * r};
    s.bodies.push_back(sphere_body(r, options.density, centre));
    const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int d = 0; d < 3; ++d) {  // every ball leans on its lower neighbour, or on the plane where there is none
      const int below = index[d] == 0 ? kStaticBody : ball - stride[d];
      s.contacts.push_back({below, ball, centre - r * axes[d], axes[d], 0, options.mu});
    }
  }
  s.struck = {n * n * n - 1};
  return s;
}

}  // namespace repose::problems
