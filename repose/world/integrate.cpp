// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "repose/world/integrate_internal.h"

namespace repose {
namespace {

/// A body this many scene sizes away, or this many sizes per step fast, counts as exploded.
constexpr double kExploded = 1e9;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool finite(Vec3 v) { return std::isfinite(v.x + v.y + v.z); }

/// Displaces a body by h times these velocities. The angular momentum in world axes is kept.
void displace(const BodyModel& model, double h, Vec3 velocity, Vec3 spin, BodyState& state) {
  state.centre = state.centre + h * velocity;
  if (!turns_freely(model)) {
    state.rotation = normalized(exponential(h * spin) * state.rotation);
    return;
  }
  const Vec3 momentum = angular_momentum(model.rotor, state.rotation, state.angular_velocity);
  state.rotation = normalized(exponential(h * spin) * state.rotation);
  state.angular_velocity = angular_velocity(model.rotor, state.rotation, momentum);
}

/// Velocities without contacts; poses of bodies with a prescribed motion.
void start_from_free_motion(const WorldSetup& setup, std::span<const StepBody> bodies, WorldState& state) {
  for (int b = 0; b < setup.bodies(); ++b) {
    const bool prescribed = setup.has_prescribed_motion(b);
    if (!bodies[at(b)].moves && !prescribed) continue;
    state.bodies[at(b)].velocity = bodies[at(b)].velocity;
    state.bodies[at(b)].angular_velocity = bodies[at(b)].spin;
    if (!prescribed) continue;
    const Pose pose = setup.prescribed_pose(b, (state.steps + 1) * setup.scene.dt);
    state.bodies[at(b)].centre = pose.position;
    state.bodies[at(b)].rotation = pose.rotation;
  }
}

void move_island(const WorldSetup& setup, const Island& island, std::span<const int> bodies, WorldState& state) {
  const double h = setup.scene.dt;
  const NodeVelocities &change = island.change(), *recovery = island.recovery();
  for (std::size_t node = 0; node < bodies.size(); ++node) {
    const BodyModel& model = setup.models[at(bodies[node])];
    BodyState& body = state.bodies[at(bodies[node])];
    body.velocity = body.velocity + change.linear[node];
    body.angular_velocity = body.angular_velocity + change.angular[node];
    move_freely(model, h, body);
    if (recovery) displace(model, h, recovery->linear[node], recovery->angular[node], body);
  }
}

}  // namespace

void integrate(const WorldSetup& setup, std::span<const StepBody> bodies, const IslandSet& islands, WorldState& state) {
  start_from_free_motion(setup, bodies, state);
  for (int k = 0; k < islands.count(); ++k) move_island(setup, islands[k], islands.bodies(k), state);
  for (int b = 0; b < setup.bodies(); ++b)
    if (bodies[at(b)].moves && !islands.has_contacts(b))
      move_freely(setup.models[at(b)], setup.scene.dt, state.bodies[at(b)]);
}

const char* find_fault(const WorldSetup& setup, std::span<const StepBody> bodies, const WorldState& state) {
  const double far = kExploded * setup.scale;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].moves) continue;
    const BodyState& s = state.bodies[b];
    if (!finite(s.centre) || !finite(s.velocity) || !finite(s.angular_velocity) || !std::isfinite(norm(s.rotation)))
      return "a body's state is not finite";
    if (norm(s.centre) > far || setup.scene.dt * norm(s.velocity) > far) return "a body has exploded out of the scene";
  }
  return nullptr;
}

}  // namespace repose
