// SPDX-License-Identifier: Apache-2.0
#include "scenes/grains.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "repose/math/scalar.h"
#include "scenes/common.h"

namespace repose::scenes {
namespace {

constexpr int kLeastVertices = 20, kMostVertices = 60;

Vec3 random_direction(Random& random) {
  const double z = random.uniform(-1, 1), angle = random.uniform(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
  return {r * cosine(angle), r * sine(angle), z};
}

/// Directions that are at least 0.25 rad apart; 60 of them cover a quarter of what fits.
std::vector<Vec3> spread_directions(int count, Random& random) {
  const double closest = cosine(0.25);
  std::vector<Vec3> directions;
  while (static_cast<int>(directions.size()) < count) {
    const Vec3 next = random_direction(random);
    if (std::none_of(directions.begin(), directions.end(), [&](Vec3 d) { return dot(d, next) > closest; }))
      directions.push_back(next);
  }
  return directions;
}

/// Corners of an irregular stone: points of a superellipsoid |x/a|^p + |y/b|^p + |z/c|^p = 1, which is convex for
/// p ≥ 1, so that every point is a corner. For p ≤ 3 none is farther out than 1.2 a.
std::vector<Vec3> stone(double size, Random& random) {
  const double a = 0.45 * size * random.uniform(0.8, 1), b = a * random.uniform(0.65, 1),
               c = a * random.uniform(0.5, 0.85), p = random.uniform(2, 3);
  const int count = kLeastVertices + static_cast<int>(random.uniform() * (kMostVertices - kLeastVertices + 1));
  std::vector<Vec3> points = spread_directions(count, random);
  for (Vec3& d : points) {
    const double sum = portable::power(std::abs(d.x) / a, p) + portable::power(std::abs(d.y) / b, p) +
                       portable::power(std::abs(d.z) / c, p);
    d = portable::power(sum, -1 / p) * d;
  }
  return points;
}

void add_grain(SceneBuilder& builder, int body, const std::string& kind, double size, Random& random) {
  if (kind == "rubble") {
    const std::vector<Vec3> corners = stone(size, random);
    builder.add_shape_convex_hull(body, corners);
    return;
  }
  const double s = size * random.uniform(0.8, 1);
  if (kind == "boxes") builder.add_shape_box(body, s * Vec3{0.35, 0.3, 0.25});
  if (kind == "balls") builder.add_shape_sphere(body, 0.5 * s);
  if (kind == "capsules") builder.add_shape_capsule(body, 0.25 * s, 0.3 * s);
  if (kind == "cylinders") builder.add_shape_cylinder(body, 0.3 * s, 0.35 * s);
}

}  // namespace

const std::vector<std::string>& grain_kinds() {
  static const std::vector<std::string> kinds = {"mixed", "boxes", "balls", "capsules", "cylinders", "rubble"};
  return kinds;
}

Quat random_rotation(Random& random) {
  const double u = random.uniform(), a = 2 * std::numbers::pi * random.uniform(),
               b = 2 * std::numbers::pi * random.uniform();
  const double s = std::sqrt(1 - u), c = std::sqrt(u);
  return normalized(Quat{c * cosine(b), s * sine(a), s * cosine(a), c * sine(b)});
}

void add_walls(SceneBuilder& builder, const std::string& name, double half) {
  const int box = builder.add_body({.name = name, .kind = BodyKind::kStatic});
  const double r = std::sqrt(0.5);
  const Quat rotations[4] = {{r, 0, -r, 0}, {r, 0, r, 0}, {r, r, 0, 0}, {r, -r, 0, 0}};  // z to -x, +x, -y, +y
  const Vec3 places[4] = {{half, 0, 0}, {-half, 0, 0}, {0, half, 0}, {0, -half, 0}};
  for (int i = 0; i < 4; ++i) builder.add_shape_plane(box, {.pose = {places[i], rotations[i]}});
}

int column_side(int count) {
  int side = 1;
  while (2 * side * side * side < count) ++side;
  return side;
}

std::vector<Vec3> column(int count, int side, double cell, double bottom) {
  std::vector<Vec3> cells;
  for (int k = 0; k < count; ++k) {
    const int layer = k / (side * side), i = k % side, j = k / side % side;
    cells.push_back(Vec3{0, 0, bottom} + cell * Vec3{i - (side - 1) / 2.0, j - (side - 1) / 2.0, layer + 0.5});
  }
  return cells;
}

void add_grains(SceneBuilder& builder, const std::string& kind, double size, const std::vector<Vec3>& cells,
                Random& random) {
  const std::string order[4] = {"boxes", "balls", "capsules", "cylinders"};
  const double shift = kGrainShift * size;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const Vec3 moved{random.uniform(-shift, shift), random.uniform(-shift, shift), random.uniform(-shift, shift)};
    const int body = builder.add_body(
        {.name = "grain-" + std::to_string(k + 1), .pose = {cells[k] + moved, random_rotation(random)}});
    add_grain(builder, body, kind == "mixed" ? order[k % 4] : kind, size, random);
  }
}

}  // namespace repose::scenes
