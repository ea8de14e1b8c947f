// SPDX-License-Identifier: Apache-2.0
#include "problems/ball_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace repose::problems {
namespace {

using Cell = std::array<int, 3>;
struct Resident {
  Cell cell;
  int ball;
  bool operator<(const Resident& other) const { return cell != other.cell ? cell < other.cell : ball < other.ball; }
};

int coordinate(double x, double cell_size) {
  constexpr double kFar = 1e9;  // a ball that escaped must not overflow an int; it shares the outermost cell
  return static_cast<int>(std::clamp(std::floor(x / cell_size), -kFar, kFar));
}

Cell cell_of(Vec3 x, double size) { return {coordinate(x.x, size), coordinate(x.y, size), coordinate(x.z, size)}; }

class Finder {
 public:
  Finder(std::span<const Vec3> centres, std::span<const double> radii, double margin)
      : centres_(centres), radii_(radii), margin_(margin) {
    double largest = 0;
    for (double r : radii) largest = std::max(largest, r);
    size_ = 2 * largest + margin;  // balls in contact live in neighbouring cells
    for (std::size_t k = 0; k < centres.size(); ++k) grid_.push_back({cell_of(centres[k], size_), static_cast<int>(k)});
    std::sort(grid_.begin(), grid_.end());
  }

  void add_planes(int ball, std::span<const Plane> planes, std::vector<BallContact>& out) const {
    for (std::size_t p = 0; p < planes.size(); ++p) {
      const double gap = dot(planes[p].normal, centre(ball)) - planes[p].offset - radius(ball);
      if (gap < margin_) out.push_back({ball, -1 - static_cast<int>(p), planes[p].normal, gap});
    }
  }

  void add_neighbours(int ball, std::vector<BallContact>& out) const {
    const Cell home = cell_of(centre(ball), size_);
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy) {
        // Cells that differ in the last coordinate only lie one after the other in the sorted grid.
        const Resident from{{home[0] + dx, home[1] + dy, home[2] - 1}, -1};
        const Cell last{home[0] + dx, home[1] + dy, home[2] + 1};
        for (auto r = std::lower_bound(grid_.begin(), grid_.end(), from); r != grid_.end() && r->cell <= last; ++r)
          if (r->ball > ball) add_pair(ball, r->ball, out);
      }
  }

 private:
  [[nodiscard]] Vec3 centre(int ball) const { return centres_[static_cast<std::size_t>(ball)]; }
  [[nodiscard]] double radius(int ball) const { return radii_[static_cast<std::size_t>(ball)]; }

  void add_pair(int a, int b, std::vector<BallContact>& out) const {
    const Vec3 away = centre(b) - centre(a);
    const double distance = norm(away), gap = distance - radius(a) - radius(b);
    if (gap < margin_) out.push_back({a, b, distance > 0 ? (1 / distance) * away : Vec3{0, 0, 1}, gap});
  }

  std::span<const Vec3> centres_;
  std::span<const double> radii_;
  double margin_, size_;
  std::vector<Resident> grid_;
};

}  // namespace

std::vector<BallContact> find_ball_contacts(std::span<const Vec3> centres, std::span<const double> radii,
                                            std::span<const Plane> planes, double margin) {
  const Finder finder(centres, radii, margin);
  std::vector<BallContact> contacts;
  for (int ball = 0; ball < static_cast<int>(centres.size()); ++ball) {
    finder.add_neighbours(ball, contacts);
    finder.add_planes(ball, planes, contacts);
  }
  std::sort(contacts.begin(), contacts.end(), [](const auto& a, const auto& b) { return a.id() < b.id(); });
  return contacts;
}

}  // namespace repose::problems
