// SPDX-License-Identifier: Apache-2.0
// Contacts that the start of a step cannot show.
//
// Contacts are found at the start of a step, with the normals they have there. A body that is struck within the step
// may reach others that were far away; one that tumbles may meet the other with a side that did not face it. So when
// bodies have moved far, the poses at the end of the step are looked at: pairs that overlap there by more than a share
// of their thickness get contacts with the geometry of that moment, led back to the start of the step
// (add_contacts_ahead), and the islands they belong to are solved again. The law is the same one for all contacts.
#include <algorithm>
#include <cmath>

#include "repose/world/world_internal.h"

namespace repose {
namespace {

constexpr int kLooks = 3;
constexpr int kManyContacts = 500;   // an island of so many is drafted when it moves fast
constexpr double kFar = 0.05;        // of its thickness: a body that moved less cannot have met anything deeply
constexpr double kShallow = 0.1;     // of the thinner body: overlap that is left to the next step
constexpr double kHidden = 0.4;      // of the thinnest body of all: what no pair may exceed, however thick
constexpr double kDeeper = 0.25;     // of that: what a pair that overlaps at the start may gain
constexpr double kEarliest = 0.125;  // share of the step before which nothing is looked for

std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace

void World::Impl::look_ahead() {
  for (int look = 0; look < kLooks; ++look) {
    if (options.interrupt && *options.interrupt) return;
    find_courses();
    if (!find_fast()) return;
    const int first = static_cast<int>(patches.size());
    if (!see_overlaps()) return;
    solve_again(first);
  }
}

/// As the bodies came into this step. (Gravity would make everything at rest look as if it fell.)
void World::Impl::find_courses_before() {
  courses.resize(at(count()));
  for (int b = 0; b < count(); ++b) {
    const StepBody& body = step_bodies[at(b)];
    courses[at(b)] = {body.moves ? body.before : body.velocity, body.moves ? body.spin_before : body.spin, {}, {}, {}};
  }
}

/// With forces and the impulses that were found.
void World::Impl::find_courses() {
  courses.resize(at(count()));
  for (int b = 0; b < count(); ++b) courses[at(b)] = {step_bodies[at(b)].velocity, step_bodies[at(b)].spin, {}, {}, {}};
  for (int k = 0; k < islands.count(); ++k) {
    const Island& island = *active[at(k)];
    for (std::size_t node = 0; node < islands.bodies(k).size(); ++node) {
      Course& course = courses[at(islands.bodies(k)[node])];
      course.velocity = course.velocity + island.linear()[node];
      course.spin = course.spin + island.angular()[node];
      if (!island.recovers()) continue;
      course.recovery = island.recovery_linear()[node];
      course.recovery_spin = island.recovery_angular()[node];
    }
  }
}

bool World::Impl::is_drafted(int k) const {
  const auto is_fast = [this](int b) { return fast[at(b)] != 0; };
  return active[at(k)]->part.contacts().size() > kManyContacts &&
         std::any_of(islands.bodies(k).begin(), islands.bodies(k).end(), is_fast);
}

bool World::Impl::find_fast() {
  fast.assign(at(count()), 0);
  bool any = false;
  for (int b = 0; b < count(); ++b) {
    if (!step_bodies[at(b)].moves && !step_bodies[at(b)].carries) continue;
    const Course& c = courses[at(b)];
    const double turn = std::min(scene.dt * (norm(c.spin) + norm(c.recovery_spin)), 2.0);
    const double travel = scene.dt * (norm(c.velocity) + norm(c.recovery)) + models[at(b)].spin_reach * turn;
    if (!std::isfinite(travel)) return false;  // the step will be refused
    fast[at(b)] = travel > kFar * models[at(b)].thickness;
    any = any || fast[at(b)];
  }
  return any;
}

/// Collides the bodies where their courses take them until this share of the step.
void World::Impl::collide_ahead(double share) {
  const double h = share * scene.dt;
  for (int b = 0; b < count(); ++b) {
    Pose& pose = poses[at(b)];
    pose = {states[at(b)].centre, states[at(b)].rotation};
    if (step_bodies[at(b)].carries) {
      pose = kinematic_pose(b, (steps + share) * scene.dt);
    } else if (step_bodies[at(b)].moves) {
      const Course& course = courses[at(b)];
      BodyState then{pose.position, pose.rotation, course.velocity, course.spin};
      move_freely(models[at(b)], h, then);
      pose.position = then.centre + h * course.recovery;
      pose.rotation = normalized(exponential(h * course.recovery_spin) * then.rotation);
    }
    courses[at(b)].shift = pose.position - states[at(b)].centre;
    ahead.set_present(b, present[at(b)]);
  }
  ahead.forget();
  ahead.update(poses, margins);
}

/// Adds contacts for the pairs that overlap deeply at the end of the step. True when there are any.
bool World::Impl::see_overlaps() {
  const std::size_t before = patches.size();
  collide_ahead(1);
  missed.clear();
  for (const Manifold& m : ahead.manifolds()) {
    const int a = colliders[at(m.collider_a)].body, b = colliders[at(m.collider_b)].body;
    if (!fast[at(a)] && !fast[at(b)]) continue;
    if (!step_bodies[at(a)].moves && !step_bodies[at(b)].moves) continue;
    double deepest = 0;
    for (const ContactPoint& p : ahead.points().subspan(at(m.first), at(m.count))) deepest = std::max(deepest, -p.gap);
    const double shallow = shallow_depth(a, b);
    if (deepest <= shallow || deepest <= depth_at_start(m.collider_a, m.collider_b) + kDeeper * shallow) continue;
    if (!add_ahead(m, 1)) missed.emplace_back(m.collider_a, m.collider_b);
  }
  for (double share = 0.5; !missed.empty() && share >= kEarliest; share *= 0.5) {
    collide_ahead(share);
    for (const Manifold& m : ahead.manifolds()) {
      const auto pair = std::find(missed.begin(), missed.end(), std::pair(m.collider_a, m.collider_b));
      if (pair != missed.end() && add_ahead(m, share)) missed.erase(pair);
    }
  }
  return patches.size() > before;
}

double World::Impl::shallow_depth(int a, int b) const {
  const double x = models[at(a)].thickness, y = models[at(b)].thickness;
  return std::min(kShallow * (x > 0 && y > 0 ? std::min(x, y) : std::max(x, y)), kHidden * thinnest);
}

/// False when this normal leads out on the far side: then the points were past each other at the start already.
bool World::Impl::add_ahead(const Manifold& m, double share) {
  const std::size_t first = contacts.size();
  add_contacts_ahead(m, ahead.points().subspan(at(m.first), at(m.count)), share, colliders, laws, step_bodies, courses,
                     rule, contacts, patches);
  double deepest = 0;
  for (std::size_t k = first; k < contacts.size(); ++k) deepest = std::max(deepest, -contacts[k].gap);
  const Patch& patch = patches.back();
  if (deepest <= depth_at_start(m.collider_a, m.collider_b) + shallow_depth(patch.body_a, patch.body_b)) return true;
  contacts.resize(first);
  patches.pop_back();
  return false;
}

double World::Impl::depth_at_start(int collider_a, int collider_b) const {
  const auto pair = [](const Contact& c) { return std::pair(c.collider_a, c.collider_b); };
  const auto end = std::find_if(contacts.begin(), contacts.end(), [](const Contact& c) { return c.seen > 0; });
  auto c = std::lower_bound(contacts.begin(), end, std::pair(collider_a, collider_b),
                            [&](const Contact& x, const std::pair<int, int>& key) { return pair(x) < key; });
  double depth = 0;
  for (; c != end && pair(*c) == std::pair(collider_a, collider_b); ++c) depth = std::max(depth, -c->gap);
  return depth;
}

/// Islands with patches from `first_patch` on, from the impulses found so far.
void World::Impl::solve_again(int first_patch) {
  rebuild_islands();
  for_islands([&](int k) {
    if (islands.patches(k).empty() || islands.patches(k).back() < first_patch) return;
    go_on_from_here(k);
    assemble_island(k);
    solve_island(k, is_drafted(k));
  });
}

void World::Impl::go_on_from_here(int k) {
  for (const int p : islands.patches(k))
    for (int i = patches[at(p)].first; i < patches[at(p)].first + patches[at(p)].count; ++i)
      contacts[at(i)].start = contacts[at(i)].lambda;
}

}  // namespace repose
