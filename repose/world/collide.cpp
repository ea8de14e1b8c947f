// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "repose/world/collide_internal.h"
#include "repose/world/idle_points_internal.h"

namespace repose {
namespace {

/// Whether the set has the contacts of these manifolds but for the idle points, and no others.
bool is_current(const ContactSet& set, std::span<const Manifold> manifolds, std::span<const char> idle) {
  const int contacts = set.patches.empty() ? 0 : set.patches.back().first + set.patches.back().count;
  if (contacts != static_cast<int>(set.contacts.size())) return false;  // a checkpoint has contacts only
  if (contacts > 0 && set.contacts.back().is_predicted()) return false;
  return std::equal(set.stamps.begin(), set.stamps.end(), manifolds.begin(), manifolds.end(),
                    [](std::uint64_t stamp, const Manifold& m) { return stamp == m.stamp; }) &&
         std::equal(set.idle.begin(), set.idle.end(), idle.begin(), idle.end());
}

}  // namespace

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
    travels[b].free = h * body.velocity;
    travels[b].before = h * (body.moves ? body.before : body.velocity);
    travels[b].turn = setup.models[b].spin_reach * std::min(turn, kLargestTurn);
    travels[b].angle = h * (body.moves ? body.spin_before : body.spin);
    travels[b].linked = setup.linked[b] && body.moves && turn <= kLargestTurn;
  }
}

Travel motion_within(const WorldSetup& setup, int body, Vec3 velocity, Vec3 spin) {
  const double h = setup.scene.dt, turn = h * norm(spin);
  Travel travel;
  travel.free = travel.before = h * velocity;
  travel.angle = h * spin;
  travel.turn = setup.models[static_cast<std::size_t>(body)].spin_reach * std::min(turn, kLargestTurn);
  return travel;
}

void collide(const WorldSetup& setup, const WorldState& state, std::span<const StepBody> bodies, Collision& collision,
             std::vector<Pose>& poses, std::vector<Travel>& travels) {
  poses.resize(state.bodies.size());
  for (std::size_t b = 0; b < poses.size(); ++b) poses[b] = {state.bodies[b].centre, state.bodies[b].rotation};
  find_travels(setup, bodies, travels);
  collision.update(poses, setup.margins, travels);
}

void collect_awake(const WorldSetup& setup, const Collision& collision, std::span<const StepBody> bodies,
                   const ContactSet& last, ContactSet& found) {
  found.parts = std::max(found.parts, last.parts);
  collect_contacts(collision, setup.colliders, setup.laws, bodies, setup.rule, found.contacts, found.patches,
                   {found.idle, &found.parts});
  found.stamps.clear();
  for (const Manifold& m : collision.manifolds()) found.stamps.push_back(m.stamp);
  if (setup.options.warm_start) transfer_impulses(last.contacts, found.contacts);
}

void update_contacts(const WorldSetup& setup, const Collision& collision, std::span<const StepBody> bodies,
                     const ContactSet& last, ContactSet& found, std::vector<char>& idle) {
  mark_idle(setup, collision, bodies, idle);
  if (!setup.options.warm_start || !is_current(last, collision.manifolds(), idle)) {
    std::swap(found.idle, idle);
    return collect_awake(setup, collision, bodies, last, found);
  }
  if (!is_current(found, collision.manifolds(), idle)) {
    found.contacts = last.contacts, found.patches = last.patches;
    found.stamps = last.stamps, found.idle = last.idle, found.parts = last.parts;
  }
  if (setup.laws.bounce()) update_impacts(setup.colliders, setup.laws, bodies, setup.rule, found.contacts);
  take_impulses(last.contacts, found.contacts);
}

}  // namespace repose
