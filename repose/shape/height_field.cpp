// SPDX-License-Identifier: Apache-2.0
#include "repose/shape/height_field.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "repose/shape/polyhedron.h"
#include "repose/shape/polyhedron_internal.h"

namespace repose {
namespace {

/// Share of a prism's size within which a vertex supports a normal: rounding errors.
constexpr double kSupport = 1e-9;

using Corner = std::array<int, 2>;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool contains(const HeightField& f, Corner c) { return c[0] >= 0 && c[1] >= 0 && c[0] < f.rows && c[1] < f.columns; }

/// Whether the column of the grid above and below a corner stays behind the plane n · x = most.
bool is_behind(const HeightField& f, Corner c, Vec3 n, double most) {
  const Vec3 top = f.point(c[0], c[1]);
  return dot(n, top) <= most && dot(n, Vec3{top.x, top.y, -f.base}) <= most;
}

/// The six corners that share a triangle's edge with a corner.
constexpr std::array<Corner, 6> kRing = {{{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}}};

std::shared_ptr<const Polyhedron> prism(const HeightCell& cell) {
  std::vector<Vec3> points;
  for (const Corner& c : cell.corners) points.push_back(cell.field->point(c[0], c[1]));
  for (std::size_t k = 0; k < 3; ++k) points.push_back({points[k].x, points[k].y, -cell.field->base});
  Polyhedron made = assemble_polyhedron(points, {{0, 1, 2}, {5, 4, 3}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}});
  made.cell = std::make_shared<const HeightCell>(cell);
  return std::make_shared<const Polyhedron>(std::move(made));
}

}  // namespace

Vec3 HeightField::point(int row, int column) const {
  return {half_x * (2.0 * column / (columns - 1) - 1), half_y * (2.0 * row / (rows - 1) - 1),
          heights[at(row) * at(columns) + at(column)]};
}

std::string height_field_fault(const HeightField& f) {
  std::ostringstream fault;
  if (f.rows < 2 || f.columns < 2) {
    fault << "rows and columns: expected at least 2, got " << f.rows << " and " << f.columns;
  } else if (!(f.half_x > 0 && f.half_y > 0 && std::isfinite(f.half_x + f.half_y))) {
    fault << "half: expected two numbers > 0, m, got " << f.half_x << " and " << f.half_y;
  } else if (f.heights.size() != at(f.rows) * at(f.columns)) {
    fault << "heights: expected " << f.rows << " x " << f.columns << " numbers, got " << f.heights.size();
  } else if (!std::all_of(f.heights.begin(), f.heights.end(), [](double h) { return std::isfinite(h); })) {
    fault << "heights: expected finite numbers, got others";
  } else {
    const double lowest = *std::min_element(f.heights.begin(), f.heights.end());
    if (!(lowest + f.base > 0))
      fault << "base: expected a depth below all heights, the lowest is " << lowest << " m, got " << f.base;
  }
  return fault.str();
}

std::vector<std::shared_ptr<const Polyhedron>> height_field_prisms(const std::shared_ptr<const HeightField>& field) {
  std::vector<std::shared_ptr<const Polyhedron>> prisms;
  for (int r = 0; r + 1 < field->rows; ++r)
    for (int c = 0; c + 1 < field->columns; ++c) {
      prisms.push_back(prism({field, {{{r, c}, {r, c + 1}, {r + 1, c + 1}}}}));
      prisms.push_back(prism({field, {{{r, c}, {r + 1, c + 1}, {r + 1, c}}}}));
    }
  return prisms;
}

bool is_on_surface(const HeightCell& cell, Vec3 n) {
  const HeightField& f = *cell.field;
  std::array<Vec3, 3> top, bottom;
  double most = -HUGE_VAL;
  for (std::size_t k = 0; k < 3; ++k) {
    top[k] = f.point(cell.corners[k][0], cell.corners[k][1]);
    bottom[k] = {top[k].x, top[k].y, -f.base};
    most = std::max({most, dot(n, top[k]), dot(n, bottom[k])});
  }
  const double size = std::max({norm(top[0] - bottom[2]), norm(top[1] - bottom[0]), norm(top[2] - bottom[1])});
  const double tolerance = kSupport * size;
  std::array<bool, 3> supports{};
  int count = 0;
  for (std::size_t k = 0; k < 3; ++k)
    count += supports[k] = std::max(dot(n, top[k]), dot(n, bottom[k])) >= most - tolerance;
  if (count == 3) return true;  // the triangle or the bottom
  if (count == 2) {             // an edge or a side: the corner beyond it
    const std::size_t k = !supports[0] ? 0 : !supports[1] ? 1 : 2;
    const Corner &own = cell.corners[k], &a = cell.corners[(k + 1) % 3], &b = cell.corners[(k + 2) % 3];
    const Corner beyond{a[0] + b[0] - own[0], a[1] + b[1] - own[1]};
    return !contains(f, beyond) || is_behind(f, beyond, n, most + tolerance);
  }
  const Corner& own = cell.corners[supports[0] ? 0 : supports[1] ? 1 : 2];
  return std::all_of(kRing.begin(), kRing.end(), [&](const Corner& step) {
    const Corner c{own[0] + step[0], own[1] + step[1]};
    return !contains(f, c) || is_behind(f, c, n, most + tolerance);
  });
}

Vec3 upward_normal(const HeightCell& cell) {
  const auto corner = [&](std::size_t k) { return cell.field->point(cell.corners[k][0], cell.corners[k][1]); };
  return normalized(cross(corner(1) - corner(0), corner(2) - corner(0)));
}

}  // namespace repose
