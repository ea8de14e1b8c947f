// SPDX-License-Identifier: Apache-2.0
#include "repose/world/assemble.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "repose/set/coulomb_cone.h"
#include "repose/world/contact_terms.h"
#include "repose/world/gap_filter.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

constexpr std::array<bool, 3> kMovesFreely{};

/// In the stamps of patches that lack points of their manifold.
constexpr std::uint64_t kPart = 1ULL << 63;

Arms arms(const Contact& c, const StepBody& a, const StepBody& b) {
  return contact_arms(c.position, c.normal, c.gap, a.centre, b.centre, a.moves && b.moves);
}

/// Velocity of a driven body at its contact with `other`, whose mass centre it takes along; `arm` is that of `other`.
Vec3 driven_velocity(const StepBody& body, const StepBody& other, Vec3 arm, double h) {
  if (!body.driven) return {};
  return (1 / h) * (moved_by(body.prescribed, other.centre) + cross(body.prescribed.angle, arm));
}

/// b relative to a at the contact point. `Free`: with gravity and forces.
template <bool Free>
Vec3 relative_velocity(const StepBody& a, const StepBody& b, const Arms& arm, double h) {
  const auto own = [](const StepBody& s, Vec3 r) {
    return Free ? point_velocity(s.velocity, s.spin, r) : point_velocity(s.before, s.spin_before, r);
  };
  const Vec3 v_a = a.moves ? own(a, arm.a) : driven_velocity(a, b, arm.b, h);
  const Vec3 v_b = b.moves ? own(b, arm.b) : driven_velocity(b, a, arm.a, h);
  return v_b - v_a;
}

/// The same for v_f. Not inlined: the bits must not depend on whether the geometry is computed along with it.
[[gnu::noinline]] Vec3 free_velocity(const StepBody& a, const StepBody& b, const Arms& arm, double h) {
  return relative_velocity<true>(a, b, arm, h);
}

/// Of the rows of a joint, with their bias. Not inlined, for the same reason.
[[gnu::noinline]] ContactVec free_velocity(const JointBlock& block, std::span<const StepBody> bodies) {
  const auto of = [&](int body, const BodyJacobian& J) {
    if (body < 0) return ContactVec{};
    const StepBody& s = bodies[at(body)];
    return ContactVec{dot(J.linear[0], s.velocity) + dot(J.angular[0], s.spin),
                      dot(J.linear[1], s.velocity) + dot(J.angular[1], s.spin),
                      dot(J.linear[2], s.velocity) + dot(J.angular[2], s.spin)};
  };
  ContactVec v = of(block.body_a, block.a) + of(block.body_b, block.b) + block.bias;
  for (const JointEnd& end : block.others) v = v + of(end.body, end.rows);
  return v;
}

/// Size of a patch; of a single point the size of the smaller body.
double patch_size(std::span<const ContactPoint> points, double size_a, double size_b) {
  double most = 0;
  for (const ContactPoint& p : points) most = std::max(most, norm(p.position - points[0].position));
  if (most > 0) return most;
  return size_a > 0 && size_b > 0 ? std::min(size_a, size_b) : std::max(size_a, size_b);
}

/// Baumgarte's bias: asks for a velocity that opens a share of the overlap beyond the slop within the step, m/s.
double baumgarte_bias(double gap, const BiasRule& rule) {
  return rule.baumgarte * std::min(gap + rule.slop, 0.0) / rule.h;
}

/// The bias from the part that follows from the gap.
void set_impact(Contact& c, double restitution, std::span<const StepBody> bodies, const BiasRule& rule) {
  c.bias = c.closing;
  c.yielded = 0;
  if (restitution <= 0) return;
  const StepBody &a = bodies[at(c.body_a)], &b = bodies[at(c.body_b)];
  const Arms arm = arms(c, a, b);
  const double before = dot(c.normal, relative_velocity<false>(a, b, arm, rule.h));
  const double free = dot(c.normal, relative_velocity<true>(a, b, arm, rule.h));
  c.bias = impact_bias(c.closing, restitution, before, free, rule.bounce_speed);
}

void set_bias(Contact& c, double gap, double restitution, std::span<const StepBody> bodies, const BiasRule& rule) {
  c.closing = closing_bias(gap, rule.h);
  if (rule.baumgarte > 0 && !c.is_predicted()) c.closing += baumgarte_bias(gap, rule);
  set_impact(c, restitution, bodies, rule);
}

/// Removes the rows' components along held axes: impulses do not move the body there.
void hold(BodyJacobian& J, const std::array<bool, 3>& held) {
  for (Vec3& row : J.linear) row = without_held(row, held[0], held[1], held[2]);
}

auto key(const Contact& c) { return std::tie(c.collider_a, c.collider_b, c.feature); }

bool same(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// Makes the starts admissible: a turned normal has another cone. Not inlined: the bits must not depend on the caller.
[[gnu::noinline]] void project_starts(std::span<Contact> contacts) {
  for (Contact& c : contacts) c.lambda = c.start = project(c.set(), c.start);
}

ContactVec in_frame(Vec3 impulse, Vec3 normal) {
  const auto [t1, t2] = tangents(normal);
  return {dot(t1, impulse), dot(t2, impulse), dot(normal, impulse)};
}

}  // namespace

void collect_contacts(const Collision& collision, std::span<const ColliderFacts> colliders, const PairLaws& laws,
                      std::span<const StepBody> bodies, const BiasRule& rule, std::vector<Contact>& contacts,
                      std::vector<Patch>& patches, const IdlePoints& idle) {
  contacts.clear();
  patches.clear();
  constexpr std::size_t kMost = 64;
  double few[kMost];
  std::vector<double> many;  // patches of more points than any pair of hulls in practice
  for (const Manifold& m : collision.manifolds()) {
    const ColliderFacts &a = colliders[at(m.collider_a)], &b = colliders[at(m.collider_b)];
    if (!bodies[at(a.body)].moves && !bodies[at(b.body)].moves) continue;
    const auto marks = idle.marks.empty() ? idle.marks : idle.marks.subspan(at(m.first), at(m.count));
    const int left_out = static_cast<int>(std::count(marks.begin(), marks.end(), 1));
    if (left_out == m.count) continue;
    const auto points = collision.points().subspan(at(m.first), at(m.count));
    if (points.size() > kMost) many.resize(points.size());
    const std::span<double> gaps(points.size() > kMost ? many.data() : few, points.size());
    filter_gaps(points, m.normal, kGapNoise * patch_size(points, a.size, b.size), gaps);
    const PairLaw& law = laws(a.material, b.material);
    const std::uint64_t stamp = left_out == 0 ? m.stamp : kPart | ++*idle.parts;
    patches.push_back({a.body, b.body, static_cast<int>(contacts.size()), m.count - left_out, stamp});
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (left_out > 0 && marks[i]) continue;
      Contact& c = contacts.emplace_back();
      c.body_a = a.body, c.body_b = b.body;
      c.collider_a = m.collider_a, c.collider_b = m.collider_b;
      c.feature = points[i].feature;
      c.position = points[i].position, c.normal = m.normal;
      c.gap = points[i].gap;
      c.mu = law.mu;
      set_bias(c, gaps[i], law.restitution, bodies, rule);
    }
  }
}

void append_predicted_contacts(const Manifold& m, std::span<const ContactPoint> points, double detected_at,
                               std::span<const ColliderFacts> colliders, const PairLaws& laws,
                               std::span<const StepBody> bodies, std::span<const PredictedMotion> motion,
                               const BiasRule& rule, std::vector<Contact>& contacts, std::vector<Patch>& patches) {
  const ColliderFacts &facts_a = colliders[at(m.collider_a)], &facts_b = colliders[at(m.collider_b)];
  StepBody a = bodies[at(facts_a.body)], b = bodies[at(facts_b.body)];
  const PredictedMotion &motion_a = motion[at(facts_a.body)], &motion_b = motion[at(facts_b.body)];
  if (a.moves) a.velocity = motion_a.velocity, a.spin = motion_a.spin;
  if (b.moves) b.velocity = motion_b.velocity, b.spin = motion_b.spin;
  // Arms as they are then; one point for both bodies where both move, so that the pair's angular momentum is kept.
  const Vec3 back =
      a.moves && b.moves ? 0.5 * (motion_a.shift + motion_b.shift) : (a.moves ? motion_a.shift : motion_b.shift);
  const PairLaw& law = laws(facts_a.material, facts_b.material);
  patches.push_back({facts_a.body, facts_b.body, static_cast<int>(contacts.size()), m.count});
  for (const ContactPoint& point : points) {
    Contact& c = contacts.emplace_back();
    c.body_a = facts_a.body, c.body_b = facts_b.body;
    c.collider_a = m.collider_a, c.collider_b = m.collider_b;
    c.feature = point.feature;
    c.detected_at = detected_at;
    c.position = point.position - back, c.normal = m.normal;
    c.gap = point.gap;
    c.mu = law.mu;
    const double closed = detected_at * rule.h * dot(c.normal, relative_velocity<true>(a, b, arms(c, a, b), rule.h));
    c.gap = point.gap - closed;
    if (a.moves != b.moves) c.position = c.position + ((a.moves ? -0.5 : 0.5) * closed) * c.normal;  // keeps the arm
    set_bias(c, c.gap, law.restitution, bodies, rule);
  }
}

void transfer_impulses(std::span<const Contact> last, std::span<Contact> contacts) {
  auto old = last.begin();
  const auto end = std::find_if(last.begin(), last.end(), [](const Contact& c) { return c.is_predicted(); });
  for (Contact& c : contacts) {
    while (old != end && key(*old) < key(c)) ++old;
    if (old == end) break;
    if (key(*old) != key(c)) continue;
    // Tangents jump where a normal crosses the horizontal; the vector in space does not.
    c.start = same(old->normal, c.normal) ? old->lambda : in_frame(old->impulse(), c.normal);
  }
  project_starts(contacts);
}

void update_impacts(std::span<const ColliderFacts> colliders, const PairLaws& laws, std::span<const StepBody> bodies,
                    const BiasRule& rule, std::span<Contact> contacts) {
  for (Contact& c : contacts) {
    const double e = laws(colliders[at(c.collider_a)].material, colliders[at(c.collider_b)].material).restitution;
    if (e > 0) set_impact(c, e, bodies, rule);
  }
}

void take_impulses(std::span<const Contact> last, std::span<Contact> contacts) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    contacts[i].start = last[i].lambda;
    if (contacts[i].yielded != 0) contacts[i].bias = contacts[i].closing, contacts[i].yielded = 0;
  }
  project_starts(contacts);
}

ProblemChange IslandProblem::assemble(std::span<const StepBody> bodies, std::span<const Contact> contacts,
                                      std::span<const Patch> patches, std::span<const int> island_bodies,
                                      std::span<const int> island_patches, std::span<const int> nodes, double h,
                                      std::span<const JointBlock> joints, std::span<const Patch> links,
                                      std::span<const int> island_links, std::span<const std::uint64_t> link_stamps) {
  if (same_joints(island_links, link_stamps) && is_current(patches, island_bodies, island_patches)) {
    if (frames_.empty()) take_frames(bodies, contacts, patches, island_patches);
    take_velocities(bodies, contacts, patches, island_patches, h);
    take_joint_velocities(bodies, joints, links, island_links);
    problem_.set_v_free(v_free_);
    return ProblemChange::kVelocities;
  }
  stamps_.clear();  // until all is assembled
  ++rows_;
  bodies_.clear();
  take_all(bodies, contacts, patches, island_bodies, island_patches, nodes, h);
  take_joints(bodies, joints, links, island_links, nodes);
  const bool same_graph = problem_.assign(roots_, jacobians_, v_free_, sets_, further_);
  bodies_.assign(island_bodies.begin(), island_bodies.end());
  for (const int p : island_patches) stamps_.push_back(patches[at(p)].stamp);
  links_.assign(island_links.begin(), island_links.end());
  link_stamps_.clear();
  for (const int p : island_links) link_stamps_.push_back(link_stamps.empty() ? 0 : link_stamps[at(p)]);
  return same_graph ? ProblemChange::kGeometry : ProblemChange::kGraph;
}

/// The stamp of a link stands for the rows and sets of its blocks.
bool IslandProblem::same_joints(std::span<const int> island_links, std::span<const std::uint64_t> link_stamps) const {
  if (links_.size() != island_links.size() || links_.size() != link_stamps_.size()) return false;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const std::uint64_t stamp = link_stamps.empty() ? 0 : link_stamps[at(island_links[k])];
    if (links_[k] != island_links[k] || stamp == 0 || stamp != link_stamps_[k]) return false;
  }
  return true;
}

/// The stamp of a patch stands for its points and for the poses of its two bodies.
bool IslandProblem::is_current(std::span<const Patch> patches, std::span<const int> island_bodies,
                               std::span<const int> island_patches) const {
  if (bodies_.empty() || stamps_.size() != island_patches.size()) return false;
  for (std::size_t k = 0; k < stamps_.size(); ++k)
    if (stamps_[k] == 0 || stamps_[k] != patches[at(island_patches[k])].stamp) return false;
  return std::equal(bodies_.begin(), bodies_.end(), island_bodies.begin(), island_bodies.end());
}

void IslandProblem::take_all(std::span<const StepBody> bodies, std::span<const Contact> contacts,
                             std::span<const Patch> patches, std::span<const int> island_bodies,
                             std::span<const int> island_patches, std::span<const int> nodes, double h) {
  roots_.clear();
  for (const int body : island_bodies) roots_.push_back(bodies[at(body)].root);
  index_.clear();
  frames_.clear();
  jacobians_.clear();
  further_.clear();
  v_free_.clear();
  sets_.clear();
  for (const int p : island_patches) {
    const Patch& patch = patches[at(p)];
    const StepBody &a = bodies[at(patch.body_a)], &b = bodies[at(patch.body_b)];
    const int node_a = nodes[at(patch.body_a)], node_b = nodes[at(patch.body_b)];
    for (int i = patch.first; i < patch.first + patch.count; ++i) {
      const Contact& c = contacts[at(i)];
      const Arms arm = arms(c, a, b);
      ContactVec v = in_frame(free_velocity(a, b, arm, h), c.normal);
      v.n += c.bias;
      index_.push_back(i);
      jacobians_.push_back(point_contact(node_a, arm.a, node_b, arm.b, c.normal));
      if (a.held != kMovesFreely) hold(jacobians_.back().a, a.held);
      if (b.held != kMovesFreely) hold(jacobians_.back().b, b.held);
      v_free_.push_back(v);
      sets_.add(BlockSet::cone(c.mu));
    }
  }
}

void IslandProblem::take_joints(std::span<const StepBody> bodies, std::span<const JointBlock> joints,
                                std::span<const Patch> links, std::span<const int> island_links,
                                std::span<const int> nodes) {
  joint_index_.clear();
  const auto node = [&](int body) { return body < 0 ? kStaticBody : nodes[at(body)]; };
  for (const int p : island_links) {
    const Patch& link = links[at(p)];
    for (int i = link.first; i < link.first + link.count; ++i) {
      const JointBlock& block = joints[at(i)];
      joint_index_.push_back(i);
      v_free_.push_back(free_velocity(block, bodies));
      BodyContact& rows =
          jacobians_.emplace_back(BodyContact{node(block.body_a), node(block.body_b), block.a, block.b});
      if (rows.body_a >= 0) hold(rows.a, bodies[at(block.body_a)].held);
      if (rows.body_b >= 0) hold(rows.b, bodies[at(block.body_b)].held);
      for (const JointEnd& end : block.others) {
        if (node(end.body) < 0) continue;
        further_.push_back({static_cast<int>(jacobians_.size()) - 1, node(end.body), end.rows});
        hold(further_.back().rows, bodies[at(end.body)].held);
      }
      sets_.add(block.set);
    }
  }
}

void IslandProblem::take_joint_velocities(std::span<const StepBody> bodies, std::span<const JointBlock> joints,
                                          std::span<const Patch> links, std::span<const int> island_links) {
  const std::size_t first = index_.size();
  std::size_t k = 0;
  for (const int p : island_links)
    for (int i = links[at(p)].first; i < links[at(p)].first + links[at(p)].count; ++i, ++k) {
      v_free_[first + k] = free_velocity(joints[at(i)], bodies);
      joint_index_[k] = i;
    }
}

/// Only when a step repeats the geometry: an island that moves has no use for them. The places of contacts are those of
/// this step, which contacts of other islands may have shifted.
void IslandProblem::take_frames(std::span<const StepBody> bodies, std::span<const Contact> contacts,
                                std::span<const Patch> patches, std::span<const int> island_patches) {
  for (const int p : island_patches) {
    const Patch& patch = patches[at(p)];
    for (int i = patch.first; i < patch.first + patch.count; ++i) {
      const Contact& c = contacts[at(i)];
      const auto [t1, t2] = tangents(c.normal);
      frames_.push_back({arms(c, bodies[at(c.body_a)], bodies[at(c.body_b)]), t1, t2, c.normal});
    }
  }
}

void IslandProblem::take_velocities(std::span<const StepBody> bodies, std::span<const Contact> contacts,
                                    std::span<const Patch> patches, std::span<const int> island_patches, double h) {
  std::size_t k = 0;
  for (const int p : island_patches) {
    const Patch& patch = patches[at(p)];
    const StepBody &a = bodies[at(patch.body_a)], &b = bodies[at(patch.body_b)];
    for (int i = patch.first; i < patch.first + patch.count; ++i, ++k) {
      const Frame& f = frames_[k];
      const Vec3 v = free_velocity(a, b, f.arm, h);
      v_free_[k] = {dot(f.t1, v), dot(f.t2, v), dot(f.normal, v)};
      v_free_[k].n += contacts[at(i)].bias;
      index_[k] = i;
    }
  }
}

Vec3 driving_velocity(const Contact& c, std::span<const StepBody> bodies, double h) {
  const StepBody &a = bodies[at(c.body_a)], &b = bodies[at(c.body_b)];
  const Arms arm = arms(c, a, b);
  return a.driven ? driven_velocity(a, b, arm.b, h) : -1 * driven_velocity(b, a, arm.a, h);
}

double driving_work(const Contact& c, std::span<const StepBody> bodies, double h) {
  return dot(c.impulse(), driving_velocity(c, bodies, h)) - c.lambda.n * c.yielded;
}

}  // namespace repose
