// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "repose/world/collide_internal.h"

namespace repose {
namespace {

/// Whether the set has the contacts of these manifolds, and no others.
bool is_current(const ContactSet& set, std::span<const Manifold> manifolds) {
  const int contacts = set.patches.empty() ? 0 : set.patches.back().first + set.patches.back().count;
  if (contacts != static_cast<int>(set.contacts.size())) return false;  // a checkpoint has contacts only
  return std::equal(set.patches.begin(), set.patches.end(), manifolds.begin(), manifolds.end(),
                    [](const Patch& p, const Manifold& m) { return p.stamp == m.stamp; });
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

void update_contacts(const WorldSetup& setup, const Collision& collision, std::span<const StepBody> bodies,
                     const ContactSet& last, ContactSet& found) {
  const bool warm = setup.options.warm_start;
  if (!warm || !is_current(last, collision.manifolds())) {
    collect_contacts(collision, setup.colliders, setup.laws, bodies, setup.rule, found.contacts, found.patches);
    if (warm) transfer_impulses(last.contacts, found.contacts);
    return;
  }
  if (!is_current(found, collision.manifolds())) found = last;
  if (setup.laws.bounce()) update_impacts(setup.colliders, setup.laws, bodies, setup.rule, found.contacts);
  take_impulses(last.contacts, found.contacts);
}

}  // namespace repose
