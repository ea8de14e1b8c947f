// SPDX-License-Identifier: Apache-2.0
// Events of one world by one team: bodies that appear and disappear, velocities that are set, pushes.
#pragma once

#include "repose/batch/collide_internal.h"

namespace repose::batch {

template <class Size>
struct Events {
  static constexpr int W = Size::kThreads;
  Work<W> work;
  Team<W> team;
  StateView state;

  /// Applies what is due `age` steps after the world's own t = 0, as repose/world/events.cpp. A step that is not taken
  /// has had its events all the same. Returns whether there were any.
  REPOSE_TEAM_HD bool apply_due(long long age) const {
    const Tables& t = work.tables();
    const double now = static_cast<double>(age) * t.h + kSameTime * t.h;
    int done = state.header().events;
    team.sync();  // all have read it
    if (done == t.capacity.events || !(t.events[done].time <= now)) return false;
    for (; done < t.capacity.events && t.events[done].time <= now; ++done)
      team.each(1, [&](int) { apply(t.events[done]); });
    team.each(1, [&](int) { state.header().events = done; });
    return true;
  }
  /// Time passes for the pushes that act; those that have ended leave the list.
  REPOSE_TEAM_HD void age_pushes() const {
    if (state.header().pushes == 0) return;
    team.sync();  // all have read it
    team.each(1, [&](int) {
      const double h = work.tables().h;
      int& count = state.header().pushes;
      int kept = 0;
      for (int k = 0; k < count; ++k) {
        PushState push = state.pushes()[k];
        push.left -= h;
        if (push.left > kSameTime * h) state.pushes()[kept++] = push;
      }
      count = kept;
    });
  }

 private:
  REPOSE_TEAM_HD void apply(const EventTable& event) const {
    unsigned& word = work.presence()[event.body / 32];
    const unsigned own = 1u << (event.body % 32);
    switch (event.kind) {
      case EventTable::Kind::kAppear: word |= own; return go_to_start(event.node);
      case EventTable::Kind::kDisappear: word &= ~own; return go_to_start(event.node);
      case EventTable::Kind::kSetVelocity: return set_velocity(event.node, event.linear, event.angular);
      case EventTable::Kind::kPush:
        if (event.node >= 0)
          state.pushes()[state.header().pushes++] = {event.node, event.linear, event.angular, event.duration};
    }
  }
  REPOSE_TEAM_HD void go_to_start(int node) const {
    if (node < 0) return;
    const StartTable& from = work.tables().starts[node];
    store(work.x() + 3 * node, from.centre);
    store_quat(work.q() + 4 * node, from.rotation);
    store(work.velocity() + 6 * node, from.velocity);
    store(work.velocity() + 6 * node + 3, from.angular_velocity);
    store(work.pending() + 6 * node, Vec3{});
    store(work.pending() + 6 * node + 3, Vec3{});
  }
  REPOSE_TEAM_HD void set_velocity(int node, Vec3 linear, Vec3 angular) const {
    if (node < 0) return;
    const BodyTable& body = work.tables().bodies[node];
    store(work.velocity() + 6 * node, allowed(body, 0, linear));
    store(work.velocity() + 6 * node + 3, allowed(body, 3, angular));
  }
};

}  // namespace repose::batch
