// SPDX-License-Identifier: Apache-2.0
// Timed events of a scene: which ones take effect at the step that starts now, and which pushes are still acting.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "repose/scene/scene.h"

namespace repose {

/// A push that has started. It acts for `left` more seconds; the last step gets the share that remains, so that the
/// impulse is force × duration whatever the step.
struct ActivePush {
  int body = 0;
  Vec3 force, torque;  ///< N, N m
  double left = 0;     ///< s
};

class Schedule {
 public:
  Schedule() = default;
  explicit Schedule(const std::vector<Event>& events);

  /// Hands over every event that takes effect at the step from `time`, by time and then in the scene's order. Pushes
  /// become active and are handed over too.
  void take_due(double time, double h, const std::function<void(const Event&)>& take);
  /// Mean force and torque of all active pushes over the step of length h, which then is behind them.
  void push(double h, const std::function<void(int body, Vec3 force, Vec3 torque)>& apply);

  // For checkpoints.
  [[nodiscard]] std::size_t done() const { return done_; }
  [[nodiscard]] const std::vector<ActivePush>& pushes() const { return pushes_; }
  void restore(std::size_t done, std::vector<ActivePush> pushes);

 private:
  std::vector<Event> events_;  // by time
  std::size_t done_ = 0;
  std::vector<ActivePush> pushes_;
};

}  // namespace repose
