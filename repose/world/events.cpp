// SPDX-License-Identifier: Apache-2.0
#include "repose/world/events_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// One function per kind of event.
struct Apply {
  const WorldSetup& setup;
  WorldState& state;
  Collision& collision;

  void operator()(const Appear& event) const {
    reset(event.body);
    set_present(event.body, true);
  }
  void operator()(const Disappear& event) const {
    set_present(event.body, false);
    // At the pose where it would appear again, so that a recording always has the pose that a step started from.
    reset(event.body);
  }
  void operator()(const SetVelocity& event) const {
    const BodyModel& model = setup.models[at(event.body)];
    state.bodies[at(event.body)].velocity = allowed_velocity(model, event.velocity);
    state.bodies[at(event.body)].angular_velocity = allowed_spin(model, event.angular_velocity);
  }
  void operator()(const Push&) const {}  // acts as a force: apply_pushes()

 private:
  void reset(int body) const {
    state.bodies[at(body)] = start_state(setup.scene.bodies[at(body)], setup.models[at(body)]);
    state.pending[at(body)] = {};
  }
  void set_present(int body, bool value) const {
    state.present[at(body)] = value;
    collision.set_present(body, value);
  }
};

}  // namespace

void apply_due_events(const WorldSetup& setup, WorldState& state, Collision& collision) {
  const double h = setup.scene.dt;
  const Apply apply{setup, state, collision};
  setup.schedule.apply_due(state.events, state.steps * h, h,
                           [&apply](const Event& event) { std::visit(apply, event.action); });
}

}  // namespace repose
