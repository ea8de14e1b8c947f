// SPDX-License-Identifier: Apache-2.0
// Pairs of colliders whose bounding boxes intersect. The boxes in the tree are enlarged, so that most steps change
// nothing: only colliders that have left their enlarged box are queried again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "repose/math/vec3.h"

namespace repose::collision {

struct Bounds {
  Vec3 low, high;
};
inline bool contains(const Bounds& outer, const Bounds& inner) {
  return outer.low.x <= inner.low.x && outer.low.y <= inner.low.y && outer.low.z <= inner.low.z &&
         outer.high.x >= inner.high.x && outer.high.y >= inner.high.y && outer.high.z >= inner.high.z;
}
/// Half-space n · x ≤ offset. It forms pairs with the boxes that intersect it.
struct PlaneBounds {
  int collider = 0;
  Vec3 normal;
  double offset = 0;  ///< margin included, m
};

class BroadPhase {
 public:
  using Pair = std::pair<int, int>;  ///< first < second

  BroadPhase();
  ~BroadPhase();
  BroadPhase(BroadPhase&&) noexcept;
  BroadPhase& operator=(BroadPhase&&) noexcept;

  /// `allowed(a, b)`: whether two colliders collide at all. It is called when a pair appears.
  void bind(int colliders, std::function<bool(int, int)> allowed);

  /// Returns whether the list of pairs has changed. `bounds[i]` includes the margin. A collider that is not `present`
  /// has no pairs. Planes have no bounds.
  bool update(std::span<const Bounds> bounds, std::span<const char> present, std::span<const PlaneBounds> planes);

  [[nodiscard]] const std::vector<Pair>& pairs() const;  ///< ascending

  /// Enlarged boxes belong to the history: they determine when a pair appears.
  [[nodiscard]] const std::vector<Bounds>& fat() const;
  [[nodiscard]] const std::vector<char>& in_tree() const;
  [[nodiscard]] const std::vector<PlaneBounds>& planes() const;
  void restore(std::vector<Bounds> fat, std::vector<char> in_tree, std::vector<PlaneBounds> planes,
               std::vector<Pair> pairs);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose::collision
