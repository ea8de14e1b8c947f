// SPDX-License-Identifier: Apache-2.0
#include "problems/shapes.h"

#include <cmath>
#include <numbers>

#include "repose/math/scalar.h"

namespace repose::problems {

Body box_body(Vec3 size, double density, Vec3 centre, const Mat3& axes) {
  Body body{.mass = density * size.x * size.y * size.z, .position = centre};
  const double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z, m = body.mass / 12.0;
  body.inertia = axes * Mat3::diagonal(m * (yy + zz), m * (xx + zz), m * (xx + yy)) * transpose(axes);
  return body;
}

Body sphere_body(double radius, double density, Vec3 centre) {
  Body body{.mass = density * 4.0 / 3.0 * std::numbers::pi * radius * radius * radius, .position = centre};
  body.inertia = 0.4 * body.mass * radius * radius * Mat3::identity();
  return body;
}

Body prism_body(std::span<const Vec3> polygon, double depth, double density) {
  // Green's theorem per edge, about the first vertex: far coordinates would cost digits.
  const Vec3 origin = polygon[0];
  double area = 0, x = 0, z = 0, xx = 0, zz = 0, xz = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 p = polygon[i] - origin, q = polygon[(i + 1) % polygon.size()] - origin;
    const double w = p.x * q.z - q.x * p.z;
    area += w / 2;
    x += w * (p.x + q.x) / 6;
    z += w * (p.z + q.z) / 6;
    xx += w * (p.x * p.x + p.x * q.x + q.x * q.x) / 12;
    zz += w * (p.z * p.z + p.z * q.z + q.z * q.z) / 12;
    xz += w * (p.x * q.z + 2 * p.x * p.z + 2 * q.x * q.z + q.x * p.z) / 24;
  }
  const double mass = density * depth * std::abs(area), per_area = mass / area;
  const Vec3 c{x / area, 0, z / area};
  const double sxx = per_area * xx - mass * c.x * c.x, szz = per_area * zz - mass * c.z * c.z,
               sxz = per_area * xz - mass * c.x * c.z, syy = mass * depth * depth / 12;
  return {.mass = mass,
          .inertia = {{{syy + szz, 0, -sxz}, {0, sxx + szz, 0}, {-sxz, 0, sxx + syy}}},
          .position = origin + c};
}

Mat3 rotation_y(double angle) {
  const double c = cosine(angle), s = sine(angle);
  return {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
}

}  // namespace repose::problems
