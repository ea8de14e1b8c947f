// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "repose/world/integrate_internal.h"
#include "repose/world/joint_poses_internal.h"

namespace repose {
namespace {

/// A body this many scene sizes away, or this many sizes per step fast, counts as exploded.
constexpr double kExploded = 1e9;

/// Share of the size of the smallest body of its island by which a body moves before its pose follows: a hundredth of
/// the gaps that filter_gaps() takes for rounding. [docs/decisions/008]
constexpr double kRestShare = 1e-11;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool finite(Vec3 v) { return std::isfinite(v.x + v.y + v.z); }

/// Whether a body with three different moments turns further within a step than its rotation is computed for.
bool spins_too_fast(const BodyModel& model, double h, const BodyState& s) {
  constexpr double kOrdinary = 100;  // rad: no body needs all cycles for less
  if (!(h * norm(s.angular_velocity) > kOrdinary) || !turns_freely(model)) return false;
  const double momentum = norm(angular_momentum(model.rotor, s.rotation, s.angular_velocity));
  return rotor_cycles(model.rotor, h, momentum) > kMostRotorCycles;
}

/// Motion that a pose of this island shows, m.
double least_motion(const WorldSetup& setup, std::span<const int> bodies) {
  double size = HUGE_VAL;
  for (const int b : bodies) size = std::min(size, setup.models[at(b)].size);
  return kRestShare * size;
}

/// Adds this step to the pending motion. False, and nothing is added, when the sum is larger than `least`. Not inlined:
/// the bits of a motion must not depend on whether the compiler shares a product with this sum.
[[gnu::noinline]] bool rests(const BodyModel& model, double h, double least, const BodyState& state,
                             PendingMotion& pending) {
  const PendingMotion sum{pending.shift + h * state.velocity, pending.angle + h * state.angular_velocity};
  if (!(norm(sum.shift) + 0.5 * model.size * norm(sum.angle) <= least)) return false;
  pending = sum;
  return true;
}

/// The pose takes the pending motion over.
void show(const BodyModel& model, PendingMotion& pending, BodyState& state) {
  if (is_zero(pending)) return;
  displace(model, pending.shift, pending.angle, state);
  pending = {};
}

/// Velocities without contacts; poses of bodies with a prescribed motion.
void start_from_free_motion(const WorldSetup& setup, std::span<const StepBody> bodies, WorldState& state) {
  for (int b = 0; b < setup.bodies(); ++b) {
    const bool prescribed = setup.has_prescribed_motion(b);
    if (!bodies[at(b)].moves && !prescribed) continue;
    state.bodies[at(b)].velocity = bodies[at(b)].velocity;
    state.bodies[at(b)].angular_velocity = bodies[at(b)].spin;
    if (!prescribed) continue;
    const Pose pose = setup.next_pose(state, b);
    state.bodies[at(b)].centre = pose.position;
    state.bodies[at(b)].rotation = pose.rotation;
  }
}

/// Moves bodies `first`, … of an island, at most eight, those that move: at once where they are linked.
void move_eight(const WorldSetup& setup, const Island& island, std::span<const int> bodies, std::size_t first,
                std::span<BodyState> states, std::span<const bool> moves) {
  if (!island.joints().empty() && std::count(moves.begin(), moves.begin() + bodies.size(), true) > 1)
    return island.free_rotation().move(setup.scene.dt, first, states.first(bodies.size()));
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (moves[k]) move_freely(setup.models[at(bodies[k])], setup.scene.dt, states[k]);
}

void move_island(const WorldSetup& setup, const Island& island, std::span<const int> bodies, WorldState& state) {
  const double h = setup.scene.dt;
  const double least = least_motion(setup, bodies);
  const NodeVelocities& change = island.change();
  std::array<BodyState, kLanes> moving;
  std::array<bool, kLanes> moves{};
  for (std::size_t node = 0; node < bodies.size(); ++node) {
    const BodyModel& model = setup.models[at(bodies[node])];
    BodyState& body = state.bodies[at(bodies[node])];
    body.velocity = body.velocity + change.linear[node];
    body.angular_velocity = body.angular_velocity + change.angular[node];
    PendingMotion& pending = state.pending[at(bodies[node])];
    moves[node % kLanes] = !rests(model, h, least, body, pending);
    if (moves[node % kLanes]) show(model, pending, body);
    moving[node % kLanes] = body;
    if (node % kLanes + 1 < kLanes && node + 1 < bodies.size()) continue;
    const std::size_t first = node - node % kLanes;
    move_eight(setup, island, bodies.subspan(first, node + 1 - first), first, moving, moves);
    for (std::size_t k = first; k <= node; ++k)
      if (moves[k - first]) state.bodies[at(bodies[k])] = moving[k - first];
  }
}

}  // namespace

void displace(const BodyModel& model, Vec3 shift, Vec3 turn, BodyState& state) {
  state.centre = state.centre + shift;
  if (!turns_freely(model)) {
    state.rotation = normalized(exponential(turn) * state.rotation);
    return;
  }
  const Vec3 momentum = angular_momentum(model.rotor, state.rotation, state.angular_velocity);
  state.rotation = normalized(exponential(turn) * state.rotation);
  state.angular_velocity = angular_velocity(model.rotor, state.rotation, momentum);
}

void integrate(const WorldSetup& setup, std::span<const StepBody> bodies, const IslandSet& islands, WorldState& state) {
  start_from_free_motion(setup, bodies, state);
  for (int k = 0; k < islands.count(); ++k) move_island(setup, islands[k], islands.bodies(k), state);
  for (int b = 0; b < setup.bodies(); ++b)
    if (bodies[at(b)].moves && !islands.has_contacts(b)) {
      show(setup.models[at(b)], state.pending[at(b)], state.bodies[at(b)]);
      move_freely(setup.models[at(b)], setup.scene.dt, state.bodies[at(b)]);
    }
}

void place_loose_joints(const WorldSetup& setup, const IslandSet& islands, WorldState& state) {
  for (int k = 0; k < islands.count(); ++k)
    if (islands[k].has_loose_joints()) place_joints(setup, islands.bodies(k), state);
}

const char* find_free_fault(const WorldSetup& setup, std::span<const StepBody> bodies) {
  for (const StepBody& body : bodies) {
    if (!body.moves) continue;
    if (!finite(body.velocity) || !finite(body.spin)) return "a force or a velocity is not finite";
    if (setup.scene.dt * norm(body.velocity) > kExploded * setup.scale) return "a force throws a body out of the scene";
  }
  return nullptr;
}

const char* find_fault(const WorldSetup& setup, std::span<const StepBody> bodies, const WorldState& state) {
  const double far = kExploded * setup.scale;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].moves) continue;
    const BodyState& s = state.bodies[b];
    if (!finite(s.centre) || !finite(s.velocity) || !finite(s.angular_velocity) || !std::isfinite(norm(s.rotation)))
      return "a body's state is not finite";
    if (norm(s.centre) > far || setup.scene.dt * norm(s.velocity) > far) return "a body has exploded out of the scene";
    if (spins_too_fast(setup.models[b], setup.scene.dt, s)) return "a body spins by many turns within a step";
  }
  return nullptr;
}

}  // namespace repose
