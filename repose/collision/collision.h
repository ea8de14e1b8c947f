// SPDX-License-Identifier: Apache-2.0
// From poses to contact points: broad phase, then one manifold (a full patch with one exact normal) per pair of shapes.
//
// Exact friction amplifies bad geometry, so the rules are strict: the complete patch polygon, a signed gap per point
// (positive gaps up to the margin included), a normal exact at touch, a feature id per point that survives motion,
// and an order that depends on features only. A step in which little moved re-uses the features of the last one.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

#include "repose/collision/contact_point.h"
#include "repose/shape/edge_normal.h"
#include "repose/shape/geometry.h"

namespace repose {

/// A shape fixed to a body. Pairs collide when each one's group is in the other's mask and the bodies differ, unless
/// excluded; two bodies that cannot move (Body::movable false) never collide.
struct Collider {
  int body = 0;
  Pose local;  ///< shape frame in the frame whose poses are given to Collision::update()
  Geometry geometry;
  std::uint32_t group = 1, mask = 0xffffffffu;
};

/// How far a body may go before contacts are found again.
struct Travel {
  Vec3 free, before;  ///< of its mass centre, with and without the forces of the step, m
  double turn = 0;    ///< what turning adds for its surface, m
};

/// All contact points of one pair of colliders; they share one normal.
struct Manifold {
  int collider_a = 0, collider_b = 0;  ///< collider_a < collider_b
  Vec3 normal;                         ///< from a towards b, world, unit
  int first = 0, count = 0;            ///< points()[first .. first + count), by ascending feature
};

class Collision {
 public:
  Collision();
  ~Collision();
  Collision(Collision&&) noexcept;
  Collision& operator=(Collision&&) noexcept;

  /// Claims memory and forgets all history. `movable[body]`: not a static or kinematic body.
  void bind(std::vector<Collider> colliders, std::vector<char> movable,
            std::function<bool(int body_a, int body_b)> excluded = {}, EdgeNormal edge_normal = EdgeNormal::kBisecting);
  /// Bodies that are absent (not launched yet, removed) collide with nothing.
  void set_present(int body, bool present);

  /// Finds all contacts at these poses. Points with gap ≤ margin[a] + margin[b] are kept, where margin[] is per body;
  /// with `travel`, also per body, those that the two may close by moving against each other. Does not allocate once
  /// the set of pairs is stable.
  void update(std::span<const Pose> body_poses, std::span<const double> margin, std::span<const Travel> travel = {});

  /// The next update chooses all features anew, as if it were the first.
  void forget();

  [[nodiscard]] std::span<const Manifold> manifolds() const;  ///< by ascending (collider_a, collider_b)
  [[nodiscard]] std::span<const ContactPoint> points() const;
  [[nodiscard]] std::span<const Collider> colliders() const;

  /// The history (hysteresis, last features), so that a restored run continues bit for bit.
  /// load() throws InputError when it is damaged, of other colliders or of another EdgeNormal, and then changes
  /// nothing.
  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
