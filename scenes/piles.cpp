// SPDX-License-Identifier: Apache-2.0
#include "scenes/piles.h"

#include <algorithm>

#include "repose/base/error.h"
#include "repose/base/random.h"
#include "scenes/common.h"
#include "scenes/grains.h"

namespace repose::scenes {
namespace {

constexpr int kMostBodies = 1'000'000;

void check_count(const char* scene, const char* what, double count) {
  require(count <= kMostBodies, scene, ": ", what, ": expected ", kMostBodies, ", got ", count, " bodies");
}

}  // namespace

const Fields<StackOptions>& fields(const StackOptions&) {
  using O = StackOptions;
  static const Fields<O> table = {
      {"count", &O::count, 1, 10000, "", "cubes in a stack"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"size", &O::size, 1e-6, 1e6, "m", "edge of a cube"},
      {"twist", &O::twist, -360, 360, "degrees", "from one cube to the next, about the vertical"},
      {"ratio", &O::ratio, 1e-6, 1e6, "", "mass of the top cube in masses of another one"},
      {"stacks", &O::stacks, 1, 100000, "", "separate stacks on a square grid"},
  };
  return table;
}

Scene stack(const StackOptions& o) {
  SceneBuilder builder = start("stack", checked("stack", o), o.mu, o.size, 10);
  check_count("stack", "count * stacks", static_cast<double>(o.count) * o.stacks);
  builder.add_ground_plane();
  const int side = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(o.stacks))));
  for (int s = 0; s < o.stacks; ++s)
    for (int k = 0; k < o.count; ++k) {
      const std::string name = (o.stacks > 1 ? "stack-" + std::to_string(s + 1) + "-" : "") + "cube-";
      const Direction half = direction_degrees(o.twist * k / 2);
      const double density = k == o.count - 1 ? o.ratio * kDensity : kDensity;
      add_box(builder, name + std::to_string(k + 1), {o.size, o.size, o.size},
              {{3 * o.size * (s % side), 3 * o.size * (s / side), (k + 0.5) * o.size}, {half.cos, 0, 0, half.sin}},
              BodyKind::kDynamic, density);
    }
  return builder.build();
}

const Fields<WallOptions>& fields(const WallOptions&) {
  using O = WallOptions;
  static const Fields<O> table = {
      {"rows", &O::rows, 1, 1000, "", "courses"},
      {"columns", &O::columns, 1, 1000, "", "bricks of a full course"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"length", &O::length, 1e-6, 1e6, "m", "brick along the wall"},
      {"width", &O::width, 1e-6, 1e6, "m", "brick across the wall"},
      {"height", &O::height, 1e-6, 1e6, "m", "brick upwards"},
      {"joint", &O::joint, 0, 1e3, "m", "gap between neighbours of a course"},
      {"projectiles", &O::projectiles, 0, 0, "", "shoot a cube at the middle of the wall"},
      {"projectile_size", &O::projectile_size, 1e-6, 1e6, "m", "edge of the projectile"},
      {"projectile_speed", &O::projectile_speed, 0, 1e3, "m/s", "speed of the projectile"},
      {"projectile_time", &O::projectile_time, 0, 1e4, "s", "when the projectile is launched"},
  };
  return table;
}

Scene wall(const WallOptions& o) {
  SceneBuilder builder = start("wall", checked("wall", o), o.mu, std::max({o.length, o.width, o.height}), 10);
  builder.add_ground_plane();
  const double pitch = o.length + o.joint, begin = -0.5 * o.columns * pitch;
  for (int row = 0; row < o.rows; ++row) {
    const bool shifted = row % 2 == 1;
    for (int i = 0; i < o.columns + (shifted ? 1 : 0); ++i) {
      const bool first = shifted && i == 0, last = shifted && i == o.columns, half = first || last;
      const double length = half ? (pitch / 2 - o.joint) : o.length;
      const double centre = first ? 0.25 : last ? o.columns - 0.25 : i + (shifted ? 0.0 : 0.5);  // in pitches
      add_box(builder, "brick-" + std::to_string(row + 1) + "-" + std::to_string(i + 1), {length, o.width, o.height},
              {{begin + centre * pitch, 0, (row + 0.5) * o.height}, {}});
    }
  }
  if (o.projectiles)
    add_projectile(builder, "projectile-1", o.projectile_size,
                   {0, -o.width / 2 - 2 - o.projectile_size / 2, std::max(o.rows * o.height, o.projectile_size) / 2},
                   {0, o.projectile_speed, 0}, o.projectile_time);
  return builder.build();
}

const Fields<PileOptions>& fields(const PileOptions&) {
  using O = PileOptions;
  static const Fields<O> table = {
      {"count", &O::count, 1, 100000, "", "cubes"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"size", &O::size, 1e-6, 1e6, "m", "edge of a cube"},
      {"walls", &O::walls, 0, 0, "", "four walls around the column"},
      {"seed", &O::seed, 0, 2e9, "", "of places and attitudes"},
  };
  return table;
}

Scene pile(const PileOptions& o) {
  SceneBuilder builder = start("pile", checked("pile", o), o.mu, o.size, 10);
  builder.add_ground_plane();
  Random random(static_cast<std::uint64_t>(o.seed));
  // Cells of two edges hold a cube in any attitude (its diagonal is 1.73 edges) and leave room to shift it by 0.1.
  const int side = column_side(o.count);
  const double cell = 2 * o.size, shift = 0.1 * o.size;
  for (int k = 0; k < o.count; ++k) {
    const int layer = k / (side * side), i = k % side, j = k / side % side;
    const Vec3 centre = cell * Vec3{i - (side - 1) / 2.0, j - (side - 1) / 2.0, layer + 0.5};
    const Vec3 moved{random.uniform(-shift, shift), random.uniform(-shift, shift), random.uniform(-shift, shift)};
    add_box(builder, "cube-" + std::to_string(k + 1), {o.size, o.size, o.size},
            {centre + moved, random_rotation(random)});
  }
  if (o.walls) add_walls(builder, "box", side * cell / 2);
  return builder.build();
}

const Fields<DominoesOptions>& fields(const DominoesOptions&) {
  using O = DominoesOptions;
  static const Fields<O> table = {
      {"count", &O::count, 1, 100000, "", "dominoes"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"height", &O::height, 1e-6, 1e6, "m", "of a domino"},
      {"width", &O::width, 1e-6, 1e6, "m", "of a domino, across the row"},
      {"thickness", &O::thickness, 1e-6, 1e6, "m", "of a domino, along the row"},
      {"spacing", &O::spacing, 1e-6, 1e6, "m", "from one domino to the next"},
      {"push", &O::push, 0, 1e3, "rad/s", "how fast the first one turns at the start"},
  };
  return table;
}

Scene dominoes(const DominoesOptions& o) {
  SceneBuilder builder =
      start("dominoes", checked("dominoes", o), o.mu, std::max({o.height, o.width, o.thickness}), 10);
  require(o.spacing > o.thickness, "dominoes: spacing: expected more than thickness, ", o.thickness, " m, got ",
          o.spacing, " m");
  builder.add_ground_plane();
  for (int k = 0; k < o.count; ++k) {
    SceneBody body{.name = "domino-" + std::to_string(k + 1), .pose = {{k * o.spacing, 0, o.height / 2}, {}}};
    if (k == 0) {  // about the leading lower edge
      body.angular_velocity = {0, o.push, 0};
      body.velocity = cross(body.angular_velocity, {-o.thickness / 2, 0, o.height / 2});
    }
    builder.add_shape_box(builder.add_body(std::move(body)), 0.5 * Vec3{o.thickness, o.width, o.height});
  }
  return builder.build();
}

}  // namespace repose::scenes
