// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "repose/world/collide_internal.h"
#include "repose/world/look_ahead_internal.h"

namespace repose {
namespace {

constexpr int kPasses = 3;
constexpr double kNearTravel = 0.01;      // of the body's thickness: motion below which a step makes no visible overlap
constexpr double kFastTravel = 0.05;      // the same: motion below which it cannot overlap another one deeply
constexpr double kAllowedOverlap = 0.03;  // of the thinner body
constexpr double kAllowedGrowth = 0.25;   // of the allowed overlap: growth of an overlap that exists at the start
/// Shares of the step after which pairs are collided whose normal at its end points to the far side. Halves come first:
/// a body that passes through a thin one is in front of it early. The others are for bodies that turn, whose edges meet
/// late in the step with a normal that is gone at its end.
constexpr double kEarlierShares[] = {0.5, 0.25, 0.125, 0.75, 0.875, 0.625, 0.375};

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double deepest(std::span<const ContactPoint> points) {
  double depth = 0;
  for (const ContactPoint& p : points) depth = std::max(depth, -p.gap);
  return depth;
}

double deepest(std::span<const Contact> contacts) {
  double depth = 0;
  for (const Contact& c : contacts) depth = std::max(depth, -c.gap);
  return depth;
}

}  // namespace

void predict_from_start(std::span<const StepBody> bodies, std::vector<PredictedMotion>& motion) {
  motion.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const StepBody& body = bodies[b];
    motion[b] = {body.moves ? body.before : body.velocity, body.moves ? body.spin_before : body.spin, {}};
  }
}

void predict_from_impulses(std::span<const StepBody> bodies, const IslandSet& islands,
                           std::vector<PredictedMotion>& motion) {
  motion.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) motion[b] = {bodies[b].velocity, bodies[b].spin, {}};
  for (int k = 0; k < islands.count(); ++k) {
    const NodeVelocities& change = islands[k].change();
    for (std::size_t node = 0; node < islands.bodies(k).size(); ++node) {
      PredictedMotion& m = motion[at(islands.bodies(k)[node])];
      m.velocity = m.velocity + change.linear[node];
      m.spin = m.spin + change.angular[node];
    }
  }
}

double mark_fast(const WorldSetup& setup, std::span<const StepBody> bodies, std::span<const PredictedMotion> motion,
                 std::vector<char>& fast) {
  const double h = setup.scene.dt;
  fast.assign(bodies.size(), 0);
  double fastest = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].moves && !bodies[b].driven) continue;
    const PredictedMotion& m = motion[b];
    const BodyModel& model = setup.models[b];
    const double travel = h * norm(m.velocity) + model.spin_reach * std::min(h * norm(m.spin), kLargestTurn);
    if (!std::isfinite(travel)) return 0;
    fast[b] = travel > kFastTravel * model.thickness;
    if (travel > fastest * model.thickness) fastest = model.thickness > 0 ? travel / model.thickness : HUGE_VAL;
  }
  return fastest;
}

double depth_at_start(std::span<const Contact> contacts, int collider_a, int collider_b) {
  const std::pair wanted(collider_a, collider_b);
  const auto pair = [](const Contact& c) { return std::pair(c.collider_a, c.collider_b); };
  const auto end =
      std::partition_point(contacts.begin(), contacts.end(), [](const Contact& c) { return !c.is_predicted(); });
  auto c = std::lower_bound(contacts.begin(), end, wanted,
                            [&](const Contact& x, const std::pair<int, int>& key) { return pair(x) < key; });
  double depth = 0;
  for (; c != end && pair(*c) == wanted; ++c) depth = std::max(depth, -c->gap);
  return depth;
}

double allowed_overlap(const WorldSetup& setup, int a, int b) {
  return kAllowedOverlap * thinner(setup.models[at(a)], setup.models[at(b)]);
}

std::span<const char> LookAhead::fast_at_start(const Start& start) {
  predict_from_start(start.bodies, motion_);
  mark_fast(start.setup, start.bodies, motion_, fast_);
  return fast_;
}

std::span<const PredictedMotion> LookAhead::motion_of(const Start& start, const IslandSet& islands) {
  predict_from_impulses(start.bodies, islands, motion_);
  return motion_;
}

EndPoses LookAhead::run(const Start& start, IslandSet& islands, ContactSet& found, const SolveContext& context) {
  missed_.clear();
  for (int pass = 0; pass < kPasses; ++pass) {
    if (context.interrupt && *context.interrupt) return EndPoses::kUnknown;
    predict_from_impulses(start.bodies, islands, motion_);
    const double fastest = mark_fast(start.setup, start.bodies, motion_, fast_);
    if (fastest <= kFastTravel) missed_.clear();
    if (fastest <= kFastTravel) return fastest > kNearTravel ? EndPoses::kUnknown : EndPoses::kNear;
    if (pass == 0 && overlaps_little(start, found)) return EndPoses::kUnknown;
    const int first_patch = static_cast<int>(found.patches.size());
    if (!add_contacts(start, fast_, motion_, found)) return missed_.empty() ? EndPoses::kCollided : EndPoses::kUnknown;
    islands.partition(start.bodies, found.patches, found.joints.links);
    islands.solve_again(start.bodies, found, context, fast_, first_patch);
  }
  return EndPoses::kUnknown;
}

/// Whether the contacts of the start show, to first order and with room for terms of second order, that no pair
/// overlaps deeply at the end of the predicted motion: a collision less.
bool LookAhead::overlaps_little(const Start& start, const ContactSet& found) {
  const WorldSetup& setup = start.setup;
  if (!start.collision || setup.joints.empty() || setup.has_height_fields) return false;
  travels_.assign(motion_.size(), {});
  for (std::size_t b = 0; b < motion_.size(); ++b)
    if (start.bodies[b].moves || start.bodies[b].driven)
      travels_[b] = motion_within(setup, static_cast<int>(b), motion_[b].velocity, motion_[b].spin);
  const auto is_shallow = [&](const Contact& c) {
    const Travel &a = travels_[at(c.body_a)], &b = travels_[at(c.body_b)];
    const double turn = norm(a.angle) + norm(b.angle), way = norm(a.free) + a.turn + norm(b.free) + b.turn;
    return turn * way - (c.gap + setup.scene.dt * c.v.n) <= allowed_overlap(setup, c.body_a, c.body_b);
  };
  return std::all_of(found.contacts.begin(), found.contacts.end(), is_shallow) && start.collision->finds_all(travels_);
}

bool LookAhead::add_contacts(const Start& start, std::span<const char> fast, std::vector<PredictedMotion>& motion,
                             ContactSet& found) {
  const std::size_t before = found.patches.size();
  collide_at(start, 1, motion);
  missed_.clear();
  for (const Manifold& m : collision_.manifolds()) {
    const int a = start.setup.colliders[at(m.collider_a)].body, b = start.setup.colliders[at(m.collider_b)].body;
    if (!fast[at(a)] && !fast[at(b)]) continue;
    if (!start.bodies[at(a)].moves && !start.bodies[at(b)].moves) continue;
    if (!overlaps_deeply(start, m, found)) continue;
    if (!add_manifold(start, m, 1, motion, found)) missed_.emplace_back(m.collider_a, m.collider_b);
  }
  for (const double share : kEarlierShares) {
    if (missed_.empty()) break;
    collide_at(start, share, motion);
    for (const Manifold& m : collision_.manifolds()) {
      const auto pair = std::find(missed_.begin(), missed_.end(), Pair(m.collider_a, m.collider_b));
      if (pair != missed_.end() && add_manifold(start, m, share, motion, found)) missed_.erase(pair);
    }
  }
  return found.patches.size() > before;
}

/// Collides the bodies at the poses of the predicted motion after this share of the step; notes the shifts in `motion`.
void LookAhead::collide_at(const Start& start, double share, std::vector<PredictedMotion>& motion) {
  const double h = share * start.setup.scene.dt;
  poses_.resize(start.bodies.size());
  for (int b = 0; b < start.setup.bodies(); ++b) {
    const BodyState& state = start.state.bodies[at(b)];
    Pose& pose = poses_[at(b)];
    pose = {state.centre, state.rotation};
    if (start.bodies[at(b)].driven) {
      pose = start.setup.next_pose(start.state, b, share);
    } else if (start.bodies[at(b)].moves) {
      const PredictedMotion& m = motion[at(b)];
      BodyState then{pose.position, pose.rotation, m.velocity, m.spin};
      move_freely(start.setup.models[at(b)], h, then);
      pose = {then.centre, then.rotation};
    }
    motion[at(b)].shift = pose.position - state.centre;
    collision_.set_present(b, start.state.present[at(b)]);
  }
  collision_.forget();
  collision_.update(poses_, start.setup.margins);
}

bool LookAhead::overlaps_deeply(const Start& start, const Manifold& m, const ContactSet& found) const {
  const auto& colliders = start.setup.colliders;
  const double depth = deepest(points(m));
  const double allowed =
      allowed_overlap(start.setup, colliders[at(m.collider_a)].body, colliders[at(m.collider_b)].body);
  return depth > allowed &&
         depth > depth_at_start(found.contacts, m.collider_a, m.collider_b) + kAllowedGrowth * allowed;
}

/// Adds the contacts of a manifold. Returns false, and adds none, when its normal points to the far side: the
/// extrapolated points then overlap at the start by more than the pair does.
bool LookAhead::add_manifold(const Start& start, const Manifold& m, double share,
                             std::span<const PredictedMotion> motion, ContactSet& found) const {
  const WorldSetup& setup = start.setup;
  const std::size_t first = found.contacts.size();
  append_predicted_contacts(m, points(m), share, setup.colliders, setup.laws, start.bodies, motion, setup.rule,
                            found.contacts, found.patches);
  const Patch& patch = found.patches.back();
  const double limit =
      depth_at_start(found.contacts, m.collider_a, m.collider_b) + allowed_overlap(setup, patch.body_a, patch.body_b);
  if (deepest(std::span<const Contact>(found.contacts).subspan(first)) <= limit) return true;
  found.contacts.resize(first);
  found.patches.pop_back();
  return false;
}

std::span<const ContactPoint> LookAhead::points(const Manifold& m) const {
  return collision_.points().subspan(at(m.first), at(m.count));
}

}  // namespace repose
