// SPDX-License-Identifier: Apache-2.0
#include "problems/bricks.h"

#include <algorithm>
#include <cmath>

#include "problems/shapes.h"

namespace repose::problems {
namespace {

const Vec3 kUp{0, 0, 1};

/// Rectangle in which two boxes of edge lengths `size`, side by side along z, overlap in x and y.
void add_bed(Structure& s, int below, int above, Vec3 size, double mu) {
  const Vec3 p = s.bodies[static_cast<std::size_t>(above)].position;
  const Vec3 q = below == kStaticBody ? p : s.bodies[static_cast<std::size_t>(below)].position;
  const Vec3 centre{(p.x + q.x) / 2, (p.y + q.y) / 2, p.z - size.z / 2};
  const double half_x = (size.x - std::abs(p.x - q.x)) / 2, half_y = (size.y - std::abs(p.y - q.y)) / 2;
  add_patch(s, below, above, centre, {half_x, 0, 0}, {0, half_y, 0}, kUp, mu);
}

/// Columns of the layer below that column `i` touches: itself and one neighbour, where they exist.
std::vector<int> columns_below(int i, int count, bool shifted) {
  std::vector<int> touched;
  for (int j : {shifted ? i : i - 1, shifted ? i + 1 : i})
    if (j >= 0 && j < count) touched.push_back(j);
  return touched;
}

void add_row(Structure& s, const WallOptions& o, int row) {
  const Vec3 size{o.length, o.width, o.height};
  const double start = row % 2 == 1 ? o.shift * o.length : 0.0;
  for (int i = 0; i < o.columns; ++i) {
    const int brick = static_cast<int>(s.bodies.size());
    s.bodies.push_back(box_body(size, o.density, {start + i * o.length, 0, (row + 0.5) * o.height}));
    const int first_below = brick - i - o.columns;
    if (row == 0) add_bed(s, kStaticBody, brick, size, o.mu);
    if (row > 0)
      for (int j : columns_below(i, o.columns, row % 2 == 1)) add_bed(s, first_below + j, brick, size, o.mu);
    if (i > 0)
      add_patch(s, brick - 1, brick, s.bodies.back().position - Vec3{o.length / 2, 0, 0}, {0, o.width / 2, 0},
                {0, 0, o.height / 2}, {1, 0, 0}, o.mu);
  }
}

void add_layer(Structure& s, const BoxPileOptions& o, int layer) {
  const Vec3 size{o.length, o.width, o.height};
  const bool shifted = layer % 2 == 1;
  const double start = shifted ? o.shift : 0.0;
  const int first = static_cast<int>(s.bodies.size()), first_below = first - o.nx * o.ny;
  for (int j = 0; j < o.ny; ++j)
    for (int i = 0; i < o.nx; ++i) {
      const int box = static_cast<int>(s.bodies.size());
      s.bodies.push_back(
          box_body(size, o.density, {(i + start) * o.length, (j + start) * o.width, (layer + 0.5) * o.height}));
      if (layer == 0) {
        add_bed(s, kStaticBody, box, size, o.mu);
        continue;
      }
      for (int q : columns_below(j, o.ny, shifted))
        for (int p : columns_below(i, o.nx, shifted)) add_bed(s, first_below + q * o.nx + p, box, size, o.mu);
    }
}

/// Up to three bodies in the middle of the last `count`, hit sideways.
void strike_top(Structure& s, int count) {
  const int last = static_cast<int>(s.bodies.size()), middle = last - count + count / 2;
  for (int k = std::max(last - count, middle - 1); k <= std::min(last - 1, middle + 1); ++k) s.struck.push_back(k);
  s.struck_along = {0.8, 0, -0.6};
}

}  // namespace

const Fields<WallOptions>& fields(const WallOptions&) {
  using O = WallOptions;
  static const Fields<O> table = {
      {"rows", &O::rows, 1, 1000, "", "courses"},
      {"columns", &O::columns, 1, 1000, "", "bricks per course"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"shift", &O::shift, 0.05, 0.95, "", "offset of every other row as a share of a brick"},
      {"length", &O::length, 1e-3, 1e3, "m", "brick, along the wall"},
      {"width", &O::width, 1e-3, 1e3, "m", "brick, across the wall"},
      {"height", &O::height, 1e-3, 1e3, "m", "brick, upwards"},
      {"density", &O::density, 1e-3, 1e6, "kg/m^3", "density"},
  };
  return table;
}

Structure wall(const WallOptions& options) {
  checked("wall", options);
  Structure s{.name = "wall-" + std::to_string(options.rows) + "x" + std::to_string(options.columns)};
  s.size = std::max({options.length, options.width, options.height});
  for (int row = 0; row < options.rows; ++row) add_row(s, options, row);
  strike_top(s, options.columns);
  return s;
}

const Fields<BoxPileOptions>& fields(const BoxPileOptions&) {
  using O = BoxPileOptions;
  static const Fields<O> table = {
      {"nx", &O::nx, 1, 200, "", "boxes along x"},
      {"ny", &O::ny, 1, 200, "", "boxes along y"},
      {"nz", &O::nz, 1, 1000, "", "layers"},
      {"mu", &O::mu, 0, 100, "", "friction coefficient"},
      {"shift", &O::shift, 0.05, 0.95, "", "offset of every other layer as a share of a cell"},
      {"length", &O::length, 1e-3, 1e3, "m", "box, along x"},
      {"width", &O::width, 1e-3, 1e3, "m", "box, along y"},
      {"height", &O::height, 1e-3, 1e3, "m", "box, along z"},
      {"density", &O::density, 1e-3, 1e6, "kg/m^3", "density"},
  };
  return table;
}

Structure pile(const BoxPileOptions& options) {
  checked("pile", options);
  check_range("pile", "nx * ny * nz", static_cast<double>(options.nx) * options.ny * options.nz, 1, 1e6, "");
  Structure s;
  s.name = "pile-" + std::to_string(options.nx) + "x" + std::to_string(options.ny) + "x" + std::to_string(options.nz);
  s.size = std::max({options.length, options.width, options.height});
  for (int layer = 0; layer < options.nz; ++layer) add_layer(s, options, layer);
  strike_top(s, options.nx * options.ny);
  return s;
}

}  // namespace repose::problems
