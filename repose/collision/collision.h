// SPDX-License-Identifier: Apache-2.0
// Computes contact points from poses: broad phase, then one manifold (the complete patch with one normal) per pair.
//
// The exact law of friction turns errors of the geometry into impulses. A manifold therefore has the complete patch
// polygon, a signed gap per point (positive gaps up to the margin included), a normal that is exact at touch and a
// feature id per point that persists from step to step; the order of the points depends on their features only. A pair
// that has hardly moved re-uses the features of the last step; one whose poses and margin are equal to the bit keeps
// its manifold.
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

/// Upper bounds on the motion of a body until the next update.
struct Travel {
  Vec3 free, before;    ///< of its mass centre, with and without the forces of the step, m
  double turn = 0;      ///< what rotation adds at its surface, m
  Vec3 angle;           ///< rotation without the forces of the step, rad
  bool linked = false;  ///< joints hold the body: it goes on as it moves now, but for the difference of free and before
};

/// The contact points of one pair of colliders. They share one normal.
struct Manifold {
  int collider_a = 0, collider_b = 0;  ///< collider_a < collider_b
  Vec3 normal;                         ///< from a towards b, world, unit
  int first = 0, count = 0;            ///< points()[first .. first + count), by ascending feature
  std::uint64_t stamp = 0;             ///< of its computation: equal stamps of one Collision mean equal bits
};

class Collision {
 public:
  Collision();
  ~Collision();
  Collision(Collision&&) noexcept;
  Collision& operator=(Collision&&) noexcept;

  /// Claims memory and clears the history. `movable[body]`: the body is neither static nor kinematic.
  void bind(std::vector<Collider> colliders, std::vector<char> movable,
            std::function<bool(int body_a, int body_b)> excluded = {}, EdgeNormal edge_normal = EdgeNormal::kBisecting);
  /// Sets whether a body collides. Bodies that are not launched yet or were removed do not.
  void set_present(int body, bool present);

  /// Finds all contacts at these poses: the points with gap ≤ margin[a] + margin[b], both indices of bodies. With
  /// `travel`, also per body, the distance that the two bodies may approach each other is added. The bits do not depend
  /// on which manifolds are kept. Does not allocate once the set of pairs is stable.
  void update(std::span<const Pose> body_poses, std::span<const double> margin, std::span<const Travel> travel = {});

  /// Whether no two shapes touch at points that the last update did not find, when bodies move like this from its
  /// poses. `motion`: `free` and `before` are the same. False where that is not certain.
  [[nodiscard]] bool finds_all(std::span<const Travel> motion) const;

  /// Clears the history: the next update chooses all features as if it were the first.
  void forget();

  [[nodiscard]] std::span<const Manifold> manifolds() const;  ///< by ascending (collider_a, collider_b)
  [[nodiscard]] std::span<const ContactPoint> points() const;
  [[nodiscard]] std::span<const Collider> colliders() const;

  /// Writes and reads the history (hysteresis, last features): a restored run continues bit for bit. load() throws
  /// InputError when the history is damaged, of other colliders or of another EdgeNormal, and then changes nothing.
  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
