// SPDX-License-Identifier: Apache-2.0
// The first step of a scene, phase by phase: each one can be looked at alone.
#pragma once

#include <utility>

#include "repose/world/collide_internal.h"
#include "repose/world/events_internal.h"
#include "repose/world/free_motion_internal.h"
#include "repose/world/island_set_internal.h"
#include "repose/world/look_ahead_internal.h"
#include "repose/world/setup_internal.h"

namespace repose::testing {

/// Stops after the free motion; the further phases are called by the test, in the order of their names here.
struct FirstStep {
  explicit FirstStep(Scene scene, const WorldOptions& options = {})
      : setup(make_setup(std::move(scene), options)),
        state(initial_state(setup)),
        collision(make_collision(setup, state)),
        islands(setup.bodies(), options.threads),
        look_ahead(make_collision(setup, state)) {
    apply_due_events(setup, state, collision);
    sum_loads(setup, state, data.loads);
    free_motion(setup, state, data.loads, data.bodies);
  }

  ContactSet& collide() {
    repose::collide(setup, state, data.bodies, collision, data.poses, data.travels);
    collect_contacts(collision, setup.colliders, setup.laws, data.bodies, setup.rule, data.found.contacts,
                     data.found.patches);
    return data.found;
  }
  void assemble() {
    islands.partition(data.bodies, data.found.patches);
    islands.assemble(data.bodies, data.found, setup.scene.dt);
  }
  void solve() { islands.solve(data.found, context(), look_ahead.fast_at_start(start())); }

  [[nodiscard]] SolveContext context() const { return {setup.rule, setup.options.solver, nullptr}; }
  [[nodiscard]] LookAhead::Start start() const { return {setup, state, data.bodies}; }

  const WorldSetup setup;
  WorldState state;
  Collision collision;
  StepData data;
  IslandSet islands;
  LookAhead look_ahead;
};

}  // namespace repose::testing
