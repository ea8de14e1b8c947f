// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "repose/world/collide_internal.h"

namespace repose {

/// Two bodies that fall side by side do not approach each other: Collision takes the difference of two travels. Bodies
/// that are struck during the step are left to the look-ahead.
void find_travels(const WorldSetup& setup, std::span<const StepBody> bodies, std::vector<Travel>& travels) {
  const double h = setup.scene.dt;
  travels.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const StepBody& body = bodies[b];
    travels[b] = {};
    if (!body.moves && !body.driven) continue;
    const double turn = h * std::max(norm(body.spin), norm(body.spin_before));
    travels[b] = {h * body.velocity, h * (body.moves ? body.before : body.velocity),
                  setup.models[b].spin_reach * std::min(turn, kLargestTurn)};
  }
}

void collide(const WorldSetup& setup, const WorldState& state, std::span<const StepBody> bodies, Collision& collision,
             std::vector<Pose>& poses, std::vector<Travel>& travels) {
  poses.resize(state.bodies.size());
  for (std::size_t b = 0; b < poses.size(); ++b) poses[b] = {state.bodies[b].centre, state.bodies[b].rotation};
  find_travels(setup, bodies, travels);
  collision.update(poses, setup.margins, travels);
}

}  // namespace repose
