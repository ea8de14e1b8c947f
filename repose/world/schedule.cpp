// SPDX-License-Identifier: Apache-2.0
#include "repose/world/schedule.h"

#include <algorithm>

namespace repose {
namespace {

constexpr double kSameTime = 1e-9;  // share of a step: 402 steps of 1/60 s are 6.7 s

}  // namespace

Schedule::Schedule(const std::vector<Event>& events) : events_(events) {
  std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
}

void Schedule::apply_due(ScheduleProgress& progress, double time, double h,
                         const std::function<void(const Event&)>& apply) const {
  for (std::size_t& k = progress.done; k < events_.size() && events_[k].time <= time + kSameTime * h; ++k) {
    const Event& event = events_[k];
    if (const auto* push = std::get_if<Push>(&event.action))
      progress.pushes.push_back({push->body, push->force, push->torque, push->duration});
    apply(event);
  }
}

void apply_pushes(ScheduleProgress& progress, double h, const std::function<void(int, Vec3, Vec3)>& apply) {
  for (ActivePush& p : progress.pushes) {
    const double share = std::min(1.0, p.left / h);
    apply(p.body, share * p.force, share * p.torque);
    p.left -= h;
  }
  std::erase_if(progress.pushes, [h](const ActivePush& p) { return p.left <= kSameTime * h; });
}

}  // namespace repose
