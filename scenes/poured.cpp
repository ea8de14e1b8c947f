// SPDX-License-Identifier: Apache-2.0
#include "scenes/poured.h"

#include <algorithm>

#include "repose/base/error.h"
#include "repose/math/scalar.h"
#include "scenes/common.h"
#include "scenes/grains.h"

namespace repose::scenes {
namespace {

/// The fields that every scene of grains has, around its own.
template <class O>
Fields<O> with_grains(const char* what, const char* count, const Fields<O>& own = {}) {
  Fields<O> all = {
      {"grains", &O::grains, 0, 0, "", what, grain_kinds()},
      {"count", &O::count, 1, 100000, "", count},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"size", &O::size, 1e-6, 1e6, "m", "of a grain, which fits into a ball of 1.1 times this diameter"},
  };
  all.insert(all.end(), own.begin(), own.end());
  all.emplace_back("seed", &O::seed, 0, 2e9, "", "of places, attitudes and shapes");
  return all;
}

constexpr const char* kPoured = "what is poured; mixed: boxes, balls, capsules, cylinders in turn";

}  // namespace

const Fields<BinOptions>& fields(const BinOptions&) {
  static const Fields<BinOptions> table = with_grains<BinOptions>(
      kPoured, "grains",
      {{"walls", &BinOptions::walls, 0, 0, "", "the four walls; without them the column collapses"}});
  return table;
}

Scene bin(const BinOptions& o) {
  SceneBuilder builder = start("bin", checked("bin", o), o.mu, o.size, 10);
  builder.add_ground_plane();
  Random random(static_cast<std::uint64_t>(o.seed));
  const int side = column_side(o.count);
  const double cell = kGrainCell * o.size;
  if (o.walls) add_walls(builder, "bin", side * cell / 2);
  add_grains(builder, o.grains, o.size, column(o.count, side, cell, 0), random);
  return builder.build();
}

const Fields<HopperOptions>& fields(const HopperOptions&) {
  using O = HopperOptions;
  static const Fields<O> table = with_grains<O>(
      kPoured, "grains",
      {
          {"opening", &O::opening, 1e-6, 1e6, "m", "edge of the square opening; less than the column is wide"},
          {"slope", &O::slope, 10, 80, "degrees", "funnel against the horizontal"},
          {"height", &O::height, 1e-6, 1e6, "m", "opening above the ground"},
          {"open_time", &O::open_time, 0, 1e4, "s", "when the gate is taken away"},
      });
  return table;
}

namespace {

/// Four slabs from the opening up to the width of the column, and four walls on top of them. `thick` is added on the
/// outside, where neighbours overlap.
void add_funnel(SceneBuilder& builder, const HopperOptions& o, double width, double top, double wall) {
  const int funnel = builder.add_body({.name = "funnel", .kind = BodyKind::kStatic});
  const double a = radians(o.slope), thick = o.size, run = (width - o.opening) / 2, length = run / cosine(a);
  const Vec3 face{o.opening / 2 + run / 2, 0, (o.height + top) / 2}, inward{-sine(a), 0, cosine(a)};
  const Pose slab{face - (thick / 2) * inward, turned({0, 1, 0}, -a)};
  const Pose side{{(width + thick) / 2, 0, top + (wall - thick) / 2}, {}};
  for (int k = 0; k < 4; ++k) {
    const Direction half = direction_degrees(45.0 * k);
    const Pose turn{{}, {half.cos, 0, 0, half.sin}};
    builder.add_shape_box(funnel, 0.5 * Vec3{length, width + 2 * thick, thick}, {.pose = turn * slab});
    builder.add_shape_box(funnel, 0.5 * Vec3{thick, width + 2 * thick, wall + thick}, {.pose = turn * side});
  }
}

}  // namespace

Scene hopper(const HopperOptions& o) {
  SceneBuilder builder = start("hopper", checked("hopper", o), o.mu, o.size, 10);
  const int side = column_side(o.count);
  const double cell = kGrainCell * o.size, width = side * cell;
  require(o.opening < width, "hopper: opening: expected less than the column's width, ", width, " m, got ", o.opening,
          " m");
  builder.add_ground_plane();
  const double top = o.height + (width - o.opening) / 2 * tangent(radians(o.slope));
  const std::vector<Vec3> cells = column(o.count, side, cell, top);
  add_funnel(builder, o, width, top, cells.back().z + cell / 2 - top);
  const int gate =
      builder.add_body({.name = "gate", .kind = BodyKind::kStatic, .pose = {{0, 0, o.height - o.size / 2}, {}}});
  builder.add_shape_box(gate, 0.5 * Vec3{o.opening + o.size, o.opening + o.size, o.size});
  builder.add_event(o.open_time, Disappear{gate});
  Random random(static_cast<std::uint64_t>(o.seed));
  add_grains(builder, o.grains, o.size, cells, random);
  return builder.build();
}

const Fields<DrumOptions>& fields(const DrumOptions&) {
  using O = DrumOptions;
  static const Fields<O> table =
      with_grains<O>("what is in the drum; mixed: boxes, balls, capsules, cylinders in turn",
                     "grains; as many as fit with room between them",
                     {
                         {"radius", &O::radius, 1e-6, 1e6, "m", "of the circle that the planks touch from outside"},
                         {"width", &O::width, 1e-6, 1e6, "m", "along the axis"},
                         {"planks", &O::planks, 6, 360, "", "planks of the ring"},
                         {"speed", &O::speed, -100, 100, "rad/s", "angular speed after the ramp"},
                         {"ramp", &O::ramp, 1e-3, 1e3, "s", "duration of the smooth start"},
                     });
  return table;
}

namespace {

void add_ring(SceneBuilder& builder, const DrumOptions& o, double centre) {
  const int ring = builder.add_body({.name = "drum", .pose = {{0, 0, centre}, {}}});
  const double thick = o.size, half_angle = std::numbers::pi / o.planks;
  const Vec3 half{(o.radius + thick) * tangent(half_angle), o.width / 2 + thick, thick / 2};
  for (int k = 0; k < o.planks; ++k) {
    const Quat turn = turned({0, 1, 0}, 2 * half_angle * k);
    builder.add_shape_box(ring, half, {.pose = {rotate(turn, {0, 0, -o.radius - thick / 2}), turn}});
  }
  builder.add_motion(ring, RampMotion{.velocity = {}, .angular_velocity = {0, o.speed, 0}, .duration = o.ramp});
  const int ends = builder.add_body({.name = "ends", .kind = BodyKind::kStatic, .pose = {{0, 0, centre}, {}}});
  const double r = std::sqrt(0.5);
  builder.add_shape_plane(ends, {.pose = {{0, o.width / 2, 0}, {r, r, 0, 0}}});    // z to -y
  builder.add_shape_plane(ends, {.pose = {{0, -o.width / 2, 0}, {r, -r, 0, 0}}});  // z to +y
}

/// All cells inside the drum, the lowest layers first.
std::vector<Vec3> drum_cells(const DrumOptions& o, double cell, double centre) {
  const int across = static_cast<int>(std::floor(2 * o.radius / cell)), along = static_cast<int>(o.width / cell);
  std::vector<Vec3> cells;
  for (int k = 0; k < across; ++k)
    for (int j = 0; j < along; ++j)
      for (int i = 0; i < across; ++i) {
        const Vec3 c = cell * Vec3{i - (across - 1) / 2.0, j - (along - 1) / 2.0, k - (across - 1) / 2.0};
        if (hypotenuse(std::abs(c.x) + cell / 2, std::abs(c.z) + cell / 2) <= o.radius)
          cells.push_back(c + Vec3{0, 0, centre});
      }
  return cells;
}

}  // namespace

Scene drum(const DrumOptions& o) {
  SceneBuilder builder = start("drum", checked("drum", o), o.mu, o.size, 10);
  const double centre = o.radius + o.size;
  std::vector<Vec3> cells = drum_cells(o, kGrainCell * o.size, centre);
  require(o.count <= static_cast<int>(cells.size()), "drum: count: expected at most ", cells.size(),
          " grains in a drum of this radius and width, got ", o.count);
  cells.resize(static_cast<std::size_t>(o.count));
  add_ring(builder, o, centre);
  Random random(static_cast<std::uint64_t>(o.seed));
  add_grains(builder, o.grains, o.size, cells, random);
  return builder.build();
}

}  // namespace repose::scenes
