// SPDX-License-Identifier: Apache-2.0
// Timed events of a scene: which ones take effect at the step that starts now, and which pushes are still acting.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "repose/scene/scene.h"

namespace repose {

/// A push that has started. It acts for `left` more seconds; its last step gets the share that remains, so that the
/// impulse is force × duration whatever the step.
struct ActivePush {
  int body = 0;
  Vec3 force, torque;  ///< N, N m
  double left = 0;     ///< s
};

/// State of a schedule during a run.
struct ScheduleProgress {
  std::size_t done = 0;  ///< events that have taken effect
  std::vector<ActivePush> pushes;
};

class Schedule {
 public:
  Schedule() = default;
  explicit Schedule(const std::vector<Event>& events);

  [[nodiscard]] std::size_t size() const { return events_.size(); }
  /// Calls `apply` for every event that takes effect at the step from `time`, by time and then in the scene's order.
  /// Pushes are also appended to progress.pushes.
  void apply_due(ScheduleProgress& progress, double time, double h,
                 const std::function<void(const Event&)>& apply) const;

 private:
  std::vector<Event> events_;  // by time
};

/// Calls `apply` with the mean force and torque of every active push over the step of length h, and subtracts the step
/// from the time left.
void apply_pushes(ScheduleProgress& progress, double h,
                  const std::function<void(int body, Vec3 force, Vec3 torque)>& apply);

}  // namespace repose
