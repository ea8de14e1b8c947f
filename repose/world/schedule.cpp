// SPDX-License-Identifier: Apache-2.0
#include "repose/world/schedule.h"

#include <algorithm>
#include <utility>

#include "repose/base/error.h"

namespace repose {
namespace {

constexpr double kSameTime = 1e-9;  // share of a step: 402 steps of 1/60 s are 6.7 s

}  // namespace

Schedule::Schedule(const std::vector<Event>& events) : events_(events) {
  std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  std::size_t pushes = 0;
  for (const Event& e : events_) pushes += std::holds_alternative<Push>(e.action);
  pushes_.reserve(pushes);
}

void Schedule::take_due(double time, double h, const std::function<void(const Event&)>& take) {
  for (; done_ < events_.size() && events_[done_].time <= time + kSameTime * h; ++done_) {
    const Event& event = events_[done_];
    if (const auto* push = std::get_if<Push>(&event.action))
      pushes_.push_back({push->body, push->force, push->torque, push->duration});
    take(event);
  }
}

void Schedule::push(double h, const std::function<void(int, Vec3, Vec3)>& apply) {
  for (ActivePush& p : pushes_) {
    const double share = std::min(1.0, p.left / h);
    apply(p.body, share * p.force, share * p.torque);
    p.left -= h;
  }
  std::erase_if(pushes_, [h](const ActivePush& p) { return p.left <= kSameTime * h; });
}

void Schedule::restore(std::size_t done, std::vector<ActivePush> pushes) {
  require(done <= events_.size(), "checkpoint: ", done, " events done, the scene has ", events_.size());
  done_ = done;
  pushes_ = std::move(pushes);
  pushes_.reserve(events_.size());
}

}  // namespace repose
