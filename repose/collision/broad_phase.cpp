// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/geometry.hpp>
#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>
#include <cmath>

#include "repose/collision/broad_phase_internal.h"

namespace repose::collision {
namespace {

namespace bg = boost::geometry;
using TreePoint = bg::model::point<double, 3, bg::cs::cartesian>;
using TreeBox = bg::model::box<TreePoint>;
using TreeValue = std::pair<TreeBox, int>;
using Tree = bg::index::rtree<TreeValue, bg::index::quadratic<16>>;

/// Enlargement of a box, relative to its longest edge: the motion after which a collider is queried again.
constexpr double kRoom = 0.05;
/// Share of the colliders that have left their boxes above which the tree is rebuilt.
constexpr double kRepackShare = 0.1;

/// Colliders up to which every box is compared with every other one: a tree costs more.
constexpr std::size_t kFew = 64;

TreeBox tree_box(const Bounds& b) { return {{b.low.x, b.low.y, b.low.z}, {b.high.x, b.high.y, b.high.z}}; }

Bounds fattened(const Bounds& b) {
  const Vec3 edge = b.high - b.low;
  const double room = kRoom * std::max({edge.x, edge.y, edge.z});
  return {b.low - Vec3{room, room, room}, b.high + Vec3{room, room, room}};
}

/// Whether these are bounds at all: where a motion is not finite, the step is broken, and until that is found the
/// collider touches nothing.
bool is_box(const Bounds& b) {
  const auto is_span = [](double low, double high) { return low <= high && std::isfinite(high - low); };
  return is_span(b.low.x, b.high.x) && is_span(b.low.y, b.high.y) && is_span(b.low.z, b.high.z);
}

bool meet(const Bounds& a, const Bounds& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}

bool reaches(const PlaneBounds& plane, const Bounds& b) {
  const Vec3 lowest{plane.normal.x > 0 ? b.low.x : b.high.x, plane.normal.y > 0 ? b.low.y : b.high.y,
                    plane.normal.z > 0 ? b.low.z : b.high.z};
  return dot(plane.normal, lowest) <= plane.offset;
}

bool same(const PlaneBounds& a, const PlaneBounds& b) {
  return a.collider == b.collider && a.offset == b.offset && a.normal.x == b.normal.x && a.normal.y == b.normal.y &&
         a.normal.z == b.normal.z;
}

}  // namespace

struct BroadPhase::Impl {
  std::function<bool(int, int)> asked;
  std::vector<char> answers;  // of asked(), where there are few colliders
  Tree tree = Tree();         // where there are many
  std::vector<Bounds> fat;
  std::vector<char> in_tree;
  std::vector<PlaneBounds> planes;
  std::vector<Pair> pairs, fresh, merged;
  std::vector<int> moved;
  std::vector<char> is_moved;

  [[nodiscard]] bool few() const { return fat.size() <= kFew; }
  [[nodiscard]] bool allowed(int a, int b) const {
    return few() ? answers[static_cast<std::size_t>(a) * fat.size() + static_cast<std::size_t>(b)] != 0 : asked(a, b);
  }
  /// What is asked does not change after bind().
  void ask_all() {
    const int count = static_cast<int>(fat.size());
    if (!few()) return;
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b) answers.push_back(a < b && asked(a, b));
  }

  void find_moved(std::span<const Bounds> bounds, std::span<const char> present) {
    moved.clear();
    std::fill(is_moved.begin(), is_moved.end(), 0);
    for (int i = 0; i < static_cast<int>(bounds.size()); ++i) {
      const bool stays = present[i] ? in_tree[i] && contains(fat[i], bounds[i]) : !in_tree[i];
      if (stays) continue;
      moved.push_back(i);
      is_moved[i] = 1;
    }
  }

  void move_one_by_one(std::span<const Bounds> bounds, std::span<const char> present) {
    for (const int i : moved) {
      if (in_tree[i]) tree.remove({tree_box(fat[i]), i});
      take_bounds(i, bounds, present);
      if (in_tree[i]) tree.insert({tree_box(fat[i]), i});
    }
  }

  void repack(std::span<const Bounds> bounds, std::span<const char> present) {
    for (const int i : moved) take_bounds(i, bounds, present);
    if (!few()) rebuild_tree();
  }

  void take_bounds(int i, std::span<const Bounds> bounds, std::span<const char> present) {
    const Bounds room = present[i] ? fattened(bounds[i]) : fat[i];
    in_tree[i] = present[i] && is_box(room);
    if (in_tree[i]) fat[i] = room;
  }

  void rebuild_tree() { tree = packed(fat, in_tree); }
  static Tree packed(const std::vector<Bounds>& boxes, const std::vector<char>& taken) {
    std::vector<TreeValue> values;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i)
      if (taken[i]) values.emplace_back(tree_box(boxes[i]), i);
    return Tree(values.begin(), values.end());
  }

  // All pairs of the moved colliders. A pair of two moved ones is found twice and taken once.
  void query_moved() {
    fresh.clear();
    if (few()) return compare_moved();
    for (const int i : moved) {
      if (!in_tree[i]) continue;
      const auto take = [&](const TreeValue& hit) {
        const int j = hit.second;
        if (j == i || (is_moved[j] && j < i)) return;
        if (allowed(std::min(i, j), std::max(i, j))) fresh.emplace_back(std::min(i, j), std::max(i, j));
      };
      tree.query(bg::index::intersects(tree_box(fat[i])), boost::make_function_output_iterator(take));
    }
  }

  void compare_moved() {
    for (const int i : moved)
      for (int j = 0; in_tree[i] && j < static_cast<int>(fat.size()); ++j) {
        if (j == i || !in_tree[j] || (is_moved[j] && j < i) || !meet(fat[i], fat[j])) continue;
        if (allowed(std::min(i, j), std::max(i, j))) fresh.emplace_back(std::min(i, j), std::max(i, j));
      }
  }

  void query_planes(std::span<const PlaneBounds> now, bool all) {
    for (const PlaneBounds& plane : now)
      for (int i = 0; i < static_cast<int>(fat.size()); ++i)
        if ((all || is_moved[i]) && in_tree[i] && reaches(plane, fat[i])) {
          const Pair pair{std::min(i, plane.collider), std::max(i, plane.collider)};
          if (allowed(pair.first, pair.second)) fresh.push_back(pair);
        }
  }

  // Old pairs of colliders that did not move, and the new ones.
  bool merge(std::span<const char> is_plane, bool planes_changed) {
    const auto stale = [&](const Pair& p) {
      return is_moved[p.first] || is_moved[p.second] || (planes_changed && (is_plane[p.first] || is_plane[p.second]));
    };
    std::sort(fresh.begin(), fresh.end());
    merged.clear();
    auto next = fresh.begin();
    for (const Pair& old : pairs) {
      if (stale(old)) continue;
      while (next != fresh.end() && *next < old) merged.push_back(*next++);
      merged.push_back(old);
    }
    merged.insert(merged.end(), next, fresh.end());
    const bool changed = merged != pairs;
    if (changed) std::swap(merged, pairs);
    return changed;
  }
  std::vector<char> plane_flags;
};

BroadPhase::BroadPhase() : impl_(std::make_unique<Impl>()) {}
BroadPhase::~BroadPhase() = default;
BroadPhase::BroadPhase(BroadPhase&&) noexcept = default;
BroadPhase& BroadPhase::operator=(BroadPhase&&) noexcept = default;

void BroadPhase::bind(int colliders, std::function<bool(int, int)> allowed) {
  *impl_ = Impl{};
  impl_->asked = std::move(allowed);
  impl_->fat.resize(colliders);
  impl_->in_tree.resize(colliders, 0);
  impl_->is_moved.resize(colliders, 0);
  impl_->plane_flags.resize(colliders, 0);
  impl_->moved.reserve(colliders);
  impl_->ask_all();
}

bool BroadPhase::update(std::span<const Bounds> bounds, std::span<const char> present,
                        std::span<const PlaneBounds> planes) {
  Impl& m = *impl_;
  m.find_moved(bounds, present);
  const bool planes_changed = !std::equal(planes.begin(), planes.end(), m.planes.begin(), m.planes.end(), same);
  if (m.moved.empty() && !planes_changed) return false;
  const bool many = static_cast<double>(m.moved.size()) > kRepackShare * static_cast<double>(bounds.size());
  many || m.few() ? m.repack(bounds, present) : m.move_one_by_one(bounds, present);
  m.query_moved();
  m.query_planes(planes, planes_changed);
  for (const PlaneBounds& plane : m.planes) m.plane_flags[plane.collider] = 1;
  const bool changed = m.merge(m.plane_flags, planes_changed);
  m.planes.assign(planes.begin(), planes.end());
  return changed;
}

const std::vector<BroadPhase::Pair>& BroadPhase::pairs() const { return impl_->pairs; }
const std::vector<Bounds>& BroadPhase::fat() const { return impl_->fat; }
const std::vector<char>& BroadPhase::in_tree() const { return impl_->in_tree; }
const std::vector<PlaneBounds>& BroadPhase::planes() const { return impl_->planes; }

void BroadPhase::restore(std::vector<Bounds> fat, std::vector<char> in_tree, std::vector<PlaneBounds> planes,
                         std::vector<Pair> pairs) {
  if (!impl_->few()) impl_->tree = Impl::packed(fat, in_tree);  // first, so that a failure changes nothing
  impl_->fat = std::move(fat);
  impl_->in_tree = std::move(in_tree);
  impl_->planes = std::move(planes);
  impl_->pairs = std::move(pairs);
}

}  // namespace repose::collision
