// SPDX-License-Identifier: Apache-2.0
#include "repose/world/free_motion_internal.h"

#include "repose/base/bits.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// `last`: the body in the step before, which has the same root if it has not turned.
StepBody dynamic_body(const BodyModel& model, const BodyState& state, Vec3 force, Vec3 torque, Vec3 gravity, double h,
                      const StepBody& last) {
  StepBody body;
  body.moves = true;
  body.centre = state.centre;
  body.rotation = state.rotation;
  body.root =
      last.moves && same_bits(last.rotation, state.rotation) ? last.root : inverse_mass_root(model, state.rotation);
  body.held = {model.held[0], model.held[1], model.held[2]};
  body.before = state.velocity;
  body.spin_before = state.angular_velocity;
  const Vec3 pull = model.gravity_scale * gravity + model.inverse_mass * force;
  body.velocity = state.velocity + h * allowed_velocity(model, pull);
  const Mat3& L = body.root.root_inverse_inertia;
  body.spin = state.angular_velocity + h * (L * (transpose(L) * torque));
  return body;
}

StepBody fixed_body(const BodyState& state) {
  StepBody body;
  body.centre = state.centre;
  return body;
}

}  // namespace

StepBody driven_body(const BodyState& state, const Pose& end, double h) {
  StepBody body;
  body.centre = state.centre;
  body.prescribed = displacement({state.centre, state.rotation}, end);
  body.velocity = (1 / h) * body.prescribed.shift;
  body.spin = (1 / h) * body.prescribed.angle;
  body.driven = norm(body.prescribed.shift) > 0 || norm(body.prescribed.angle) > 0;
  return body;
}

void sum_loads(const WorldSetup& setup, WorldState& state, Loads& loads) {
  const auto count = setup.models.size();
  loads.force.resize(count);
  loads.torque.resize(count);
  for (std::size_t b = 0; b < count; ++b) {
    loads.force[b] = setup.scene.bodies[b].force + state.applied_force[b];
    loads.torque[b] = setup.scene.bodies[b].torque + state.applied_torque[b];
  }
  apply_pushes(state.events, setup.scene.dt, [&loads](int body, Vec3 force, Vec3 torque) {
    loads.force[at(body)] = loads.force[at(body)] + force;
    loads.torque[at(body)] = loads.torque[at(body)] + torque;
  });
}

void free_motion(const WorldSetup& setup, const WorldState& state, const Loads& loads, std::vector<StepBody>& bodies) {
  const double h = setup.scene.dt;
  bodies.resize(setup.models.size());
  for (int b = 0; b < setup.bodies(); ++b) {
    const BodyState& s = state.bodies[at(b)];
    if (moves_freely(setup, state, b))
      bodies[at(b)] = dynamic_body(setup.models[at(b)], s, loads.force[at(b)], loads.torque[at(b)], setup.scene.gravity,
                                   h, bodies[at(b)]);
    else if (setup.has_prescribed_motion(b))
      bodies[at(b)] = driven_body(s, setup.next_pose(state, b), h);
    else
      bodies[at(b)] = fixed_body(s);
  }
}

void fill_free_states(const WorldState& state, std::span<const StepBody> bodies, std::vector<BodyState>& free) {
  free.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b)
    free[b] = {state.bodies[b].centre, state.bodies[b].rotation, bodies[b].velocity, bodies[b].spin};
}

}  // namespace repose
