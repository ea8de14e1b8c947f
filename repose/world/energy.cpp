// SPDX-License-Identifier: Apache-2.0
#include "repose/world/energy_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

double mechanical_energy(const WorldSetup& setup, const WorldState& state) {
  double total = 0;
  for (int b = 0; b < setup.bodies(); ++b) {
    if (!moves_freely(setup, state, b)) continue;
    const BodyModel& model = setup.models[at(b)];
    const BodyState& s = state.bodies[at(b)];
    total += 0.5 * model.mass * dot(s.velocity, s.velocity) + spin_energy(model.rotor, s.rotation, s.angular_velocity) -
             model.mass * model.gravity_scale * dot(setup.scene.gravity, s.centre);
  }
  return total;
}

double external_work(const WorldSetup& setup, const StepData& step, const WorldState& state) {
  const double h = setup.scene.dt;
  double work = 0;
  for (std::size_t b = 0; b < step.bodies.size(); ++b)
    if (step.bodies[b].moves)
      work += h * (dot(step.loads.force[b], state.bodies[b].velocity) +
                   dot(step.loads.torque[b], state.bodies[b].angular_velocity));
  for (const Contact& c : step.found.contacts)
    if (step.bodies[at(c.body_a)].driven || step.bodies[at(c.body_b)].driven) work += driving_work(c, step.bodies, h);
  return work;
}

}  // namespace repose
