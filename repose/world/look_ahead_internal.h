// SPDX-License-Identifier: Apache-2.0
// Predicted contacts: those that the poses at the start of a step do not show.
//
// Contacts are found at the start of a step, with the normals of that time. A body that is struck during the step may
// reach bodies beyond its margin, and a rotating one may touch another with a side that did not face it. The look-ahead
// therefore predicts the poses at the end of the step from the impulses found so far. Pairs that overlap there by more
// than a share of their thickness get contacts with the predicted geometry, whose gaps are extrapolated back to the
// start of the step (append_predicted_contacts). Their islands are solved again with all contacts.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "repose/world/island_set_internal.h"
#include "repose/world/setup_internal.h"
#include "repose/world/step_data_internal.h"

namespace repose {

/// Predicts the motion from the velocities before the step, without gravity, with which bodies at rest would fall.
void predict_from_start(std::span<const StepBody> bodies, std::vector<PredictedMotion>& motion);

/// Predicts the motion with forces and with the impulses found so far.
void predict_from_impulses(std::span<const StepBody> bodies, const IslandSet& islands,
                           std::vector<PredictedMotion>& motion);

/// Marks bodies that move far enough in a step to overlap another one deeply. Returns the largest travel as a share of
/// the thickness of its body; 0 when a motion is not finite, in which case the step will be refused.
double mark_fast(const WorldSetup& setup, std::span<const StepBody> bodies, std::span<const PredictedMotion> motion,
                 std::vector<char>& fast);

/// Returns the deepest overlap of a pair of shapes at the start of the step, m.
[[nodiscard]] double depth_at_start(std::span<const Contact> contacts, int collider_a, int collider_b);

/// Returns the overlap of two bodies up to which no contacts are predicted, m.
[[nodiscard]] double allowed_overlap(const WorldSetup& setup, int body_a, int body_b);

/// What the look-ahead knows about the poses at the end of the step.
enum class EndPoses {
  kNear,      ///< no body moves far enough to overlap another one beyond the limit of a step
  kCollided,  ///< collision() has their manifolds
  kUnknown,
};

class LookAhead {
 public:
  /// The start of a step.
  struct Start {
    const WorldSetup& setup;
    const WorldState& state;
    std::span<const StepBody> bodies;
    const Collision* collision = nullptr;  ///< at the start of the step, where it is at hand
  };

  explicit LookAhead(Collision collision) : collision_(std::move(collision)) {}

  /// Marks the bodies that are fast at the start of the step: their islands may need predicted contacts. Valid until
  /// the next call.
  [[nodiscard]] std::span<const char> fast_at_start(const Start& start);

  /// Predicts the motion from the impulses found so far. Valid until the next call.
  [[nodiscard]] std::span<const PredictedMotion> motion_of(const Start& start, const IslandSet& islands);

  /// Adds predicted contacts to `found` and solves the islands again, until no pair overlaps deeply at the end of the
  /// step or after three passes.
  EndPoses run(const Start& start, IslandSet& islands, ContactSet& found, const SolveContext& context);

  /// Number of pairs that overlap deeply at the end of the step and got no contact in the last call of run().
  [[nodiscard]] int missed() const { return static_cast<int>(missed_.size()); }

  /// The collision at predicted poses, without history.
  [[nodiscard]] Collision& collision() { return collision_; }

  /// Adds contacts for the pairs that overlap deeply at the end of the predicted motion. Returns whether there are any.
  /// A pair whose bodies have passed through each other is collided at an earlier time of the step.
  bool add_contacts(const Start& start, std::span<const char> fast, std::vector<PredictedMotion>& motion,
                    ContactSet& found);

 private:
  using Pair = std::pair<int, int>;  ///< of colliders
  [[nodiscard]] bool overlaps_little(const Start& start, const ContactSet& found);
  void collide_at(const Start& start, double share, std::vector<PredictedMotion>& motion);
  [[nodiscard]] bool overlaps_deeply(const Start& start, const Manifold& manifold, const ContactSet& found) const;
  bool add_manifold(const Start& start, const Manifold& manifold, double share, std::span<const PredictedMotion> motion,
                    ContactSet& found) const;
  [[nodiscard]] std::span<const ContactPoint> points(const Manifold& manifold) const;

  Collision collision_;  ///< every update starts without history
  std::vector<PredictedMotion> motion_;
  std::vector<Travel> travels_;
  std::vector<char> fast_;
  std::vector<Pair> missed_;
  std::vector<Pose> poses_;
};

}  // namespace repose
