// SPDX-License-Identifier: Apache-2.0
#include "repose/world/correction_internal.h"

#include <algorithm>
#include <cmath>

#include "repose/world/collide_internal.h"
#include "repose/world/integrate_internal.h"
#include "repose/world/look_ahead_internal.h"

namespace repose {
namespace {

constexpr double kLimit = 0.01;        // of the thinner body: overlap that a step may make
constexpr double kUndisturbed = 1e-3;  // of the thinner body: overlap that is left alone, like that within the slop
constexpr double kAim = 0.5;           // of the overlap that is left alone: what deeper overlap shrinks to
constexpr double kSlow = 0.01;         // of the body's thickness, in a step
constexpr int kRounds = 8;
constexpr int kSweeps = 60;
constexpr double kConverged = 0.01;   // of the largest violation
constexpr double kMargin = 0.01;      // share of the run's tolerance: contacts that stay open make residuals look small
constexpr double kWork = 1e4;         // block products per contact: problems without a solution end there
constexpr double kReach = 100;        // of the largest violation: contacts that are open by more are left out at first
constexpr double kSecondOrder = 0.1;  // of what is left alone: terms of the motion that are neglected
constexpr double kOpens = 0.05;       // of all movement along normals: a displacement that opens less leads nowhere
constexpr double kSlack = 1.05;       // of the depth that a step may leave: deeper pairs are displaced again

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double deepest(std::span<const ContactPoint> points) {
  double depth = 0;
  for (const ContactPoint& p : points) depth = std::max(depth, -p.gap);
  return depth;
}

/// Whether the contacts of a body at the start of the step are, to first order, those of its end.
bool is_slow(const WorldSetup& setup, std::span<const StepBody> bodies, const WorldState& state, int body) {
  if (!bodies[at(body)].moves) return !bodies[at(body)].driven;
  const BodyModel& model = setup.models[at(body)];
  const BodyState& s = state.bodies[at(body)];
  return setup.rule.h * (norm(s.velocity) + model.spin_reach * norm(s.angular_velocity)) <= kSlow * model.thickness;
}

/// Whether a contact is deeper than what is left alone.
bool any_beyond_rule(const WorldSetup& setup, std::span<const Contact> contacts) {
  return std::any_of(contacts.begin(), contacts.end(), [&](const Contact& c) {
    return -c.gap > setup.rule.slop && -c.gap > overlap_rule(setup, c.body_a, c.body_b).slop;
  });
}

/// Length by which a body's points move within the step at most, m.
double travel_of(const WorldSetup& setup, const BodyState& state, int body) {
  const double turn = std::min(setup.rule.h * norm(state.angular_velocity), kLargestTurn);
  return setup.rule.h * norm(state.velocity) + setup.models[at(body)].spin_reach * turn;
}

/// Whether no pair without contacts can touch: those are further apart at the start than both margins.
bool stay_within_margins(const WorldSetup& setup, std::span<const StepBody> bodies, const WorldState& state) {
  for (int b = 0; b < setup.bodies(); ++b)
    if ((bodies[at(b)].moves || bodies[at(b)].driven) &&
        !(travel_of(setup, state.bodies[at(b)], b) <= setup.margins[at(b)]))
      return false;
  return true;
}

/// Whether a contact is surely no deeper at the end of the step than what is left alone: its gap changes by h v to
/// first order, and the terms of second order are small.
bool stays_shallow(const WorldSetup& setup, const WorldState& state, const Contact& c) {
  const BodyState &a = state.bodies[at(c.body_a)], &b = state.bodies[at(c.body_b)];
  const double turn = setup.rule.h * (norm(a.angular_velocity) + norm(b.angular_velocity));
  const double way = travel_of(setup, a, c.body_a) + travel_of(setup, b, c.body_b);
  const double depth = -(c.gap + setup.rule.h * c.v.n), slop = overlap_rule(setup, c.body_a, c.body_b).slop;
  return depth <= slop && (turn == 0 || turn * way <= kSecondOrder * slop);
}

/// M⁻¹ Jᵀ of one body for the normal row with this sign.
void respond(const BodyModel& model, const BodyForm::Roots& root, Vec3 arm, Vec3 normal, Vec3& shift, Vec3& turn) {
  shift = model.inverse_mass * allowed_velocity(model, normal);
  const Mat3& L = root.root_inverse_inertia;
  turn = L * (transpose(L) * cross(arm, normal));
}

/// Displacement of b relative to a along the normal, m.
double opened(const NormalRow& row, std::span<const Displaced> bodies) {
  const auto along = [&](int node, Vec3 arm) {
    if (node < 0) return 0.0;
    const Displaced& d = bodies[at(node)];
    return dot(row.normal, d.shift + cross(d.turn, arm));
  };
  return along(row.b, row.arm_b) - along(row.a, row.arm_a);
}

/// The row as a contact without friction, without what held axes do not allow.
BodyContact as_contact(const NormalRow& row, const BodyModel& a, const BodyModel& b) {
  BodyContact c = point_contact(row.a, row.arm_a, row.b, row.arm_b, row.normal);
  for (Vec3& x : c.a.linear) x = allowed_velocity(a, x);
  for (Vec3& x : c.b.linear) x = allowed_velocity(b, x);
  return c;
}

void push(const NormalRow& row, double change, std::span<Displaced> bodies) {
  const auto move = [&](int node, double by, Vec3 shift, Vec3 turn) {
    if (node < 0) return;
    Displaced& d = bodies[at(node)];
    d.shift = d.shift + by * shift;
    d.turn = d.turn + by * turn;
  };
  move(row.a, -change, row.shift_a, row.turn_a);
  move(row.b, change, row.shift_b, row.turn_b);
}

}  // namespace

OverlapRule overlap_rule(const WorldSetup& setup, int a, int b) {
  const double thickness = thinner(setup.models[at(a)], setup.models[at(b)]);
  return {std::max(setup.rule.slop, kUndisturbed * thickness), kLimit * thickness, setup.rule.recovery};
}

double overlap_to_keep(double now, double before, const OverlapRule& rule) {
  const double aim = kAim * rule.slop;
  const auto shrunk = [&](double depth) {
    const double next = aim + (1 - rule.recovery) * (depth - aim);
    return next > rule.slop ? next : aim;
  };
  if (now <= rule.slop) return now;
  return std::min(shrunk(now), std::max(rule.limit, shrunk(std::max(before, rule.slop))));
}

void displace_apart(std::span<NormalRow> rows, double deepest, int sweeps, std::span<Displaced> bodies) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double largest = 0;
    for (NormalRow& row : rows) {
      const double missing = -(row.room + opened(row, bodies));
      const double next = std::max(0.0, row.lambda + missing * row.inverse_w), change = next - row.lambda;
      if (change == 0) continue;
      row.lambda = next;
      push(row, change, bodies);
      largest = std::max(largest, std::abs(change) / row.inverse_w);
    }
    if (largest <= kConverged * deepest) return;
  }
}

/// Whether all that touches at the end of the step has contacts. Prisms of height fields may touch without.
bool Correction::knows_all(const Step& step, const WorldState& state) {
  if (step.setup.has_height_fields) return false;
  if (stay_within_margins(step.setup, step.bodies, state)) return true;
  if (!step.at_start || step.setup.joints.empty()) return false;
  motion_.resize(state.bodies.size());
  for (std::size_t b = 0; b < motion_.size(); ++b) {
    const bool moves = step.bodies[b].moves || step.bodies[b].driven;
    const BodyState& s = state.bodies[b];
    motion_[b] = moves ? motion_within(step.setup, static_cast<int>(b), s.velocity, s.angular_velocity) : Travel{};
  }
  return step.at_start->finds_all(motion_);
}

void Correction::run(const Step& step, double deepest, EndPoses known, Collision& collision, WorldState& state) {
  const auto& [setup, bodies, found, at_start] = step;
  islands_ = unsolved_ = 0;
  residual_ = 0;
  pushes_.clear();
  if (setup.rule.recovery == 0 || setup.rule.baumgarte > 0) return;
  if (known == EndPoses::kNear && (deepest <= setup.rule.slop || !any_beyond_rule(setup, found.contacts))) return;
  if (known == EndPoses::kUnknown &&
      std::all_of(found.contacts.begin(), found.contacts.end(),
                  [&, &rule = setup](const Contact& c) { return stays_shallow(rule, state, c); }) &&
      knows_all(step, state))
    return;
  take_start(setup, bodies, found, state);
  for (int round = 0;; ++round) {
    round_ = round;
    if (round > 0 || known != EndPoses::kCollided) collide(setup, collision, state);
    find_pairs(setup, bodies, found, collision, round == 0);
    const bool beyond = any_beyond_cap();
    if (round > 0 && !beyond) return;
    unsolved_ = round == kRounds;
    if (round == kRounds) return;
    add_earlier(round == 0);
    partition_.build(moves_, patches_);
    for (int k = 0; k < partition_.count(); ++k) displace_island(setup, collision, k, state);
    if (!beyond) return;
  }
}

void Correction::collide(const WorldSetup& setup, Collision& collision, const WorldState& state) {
  poses_.resize(state.bodies.size());
  for (int b = 0; b < setup.bodies(); ++b) {
    poses_[at(b)] = {state.bodies[at(b)].centre, state.bodies[at(b)].rotation};
    collision.set_present(b, state.present[at(b)]);
  }
  collision.forget();
  collision.update(poses_, setup.margins);
}

void Correction::find_pairs(const WorldSetup& setup, std::span<const StepBody> bodies, const ContactSet& found,
                            const Collision& collision, bool first) {
  moves_.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) moves_[b] = bodies[b].moves;
  patches_.clear();
  pairs_.clear();
  for (const Manifold& m : collision.manifolds()) {
    const int a = setup.colliders[at(m.collider_a)].body, b = setup.colliders[at(m.collider_b)].body;
    if (!bodies[at(a)].moves && !bodies[at(b)].moves) continue;
    const Patch& patch = patches_.emplace_back(Patch{a, b, m.first, m.count});
    Pair& pair = pairs_.emplace_back();
    pair.normal = m.normal;
    pair.shape_a = m.collider_a, pair.shape_b = m.collider_b;
    pair.depth = deepest(collision.points().subspan(at(patch.first), at(patch.count)));
    pair.allowed = pair.cap = pair.depth;
    if (pair.depth <= setup.rule.slop) continue;
    const OverlapRule rule = overlap_rule(setup, a, b);
    if (pair.depth <= rule.slop) continue;
    const double before = depth_at_start(found.contacts, m.collider_a, m.collider_b);
    pair.cap = overlap_to_keep(HUGE_VAL, before, rule);
    pair.allowed = first ? overlap_to_keep(pair.depth, before, rule) : std::min(pair.depth, pair.cap);
  }
}

void Correction::take_start(const WorldSetup& setup, std::span<const StepBody> bodies, const ContactSet& found,
                            const WorldState& state) {
  earlier_.clear();
  earlier_points_.clear();
  for (const Contact& c : found.contacts) {
    const double gap = c.gap + setup.rule.h * c.v.n;
    if (c.is_predicted() || -gap <= setup.rule.slop) continue;
    const OverlapRule rule = overlap_rule(setup, c.body_a, c.body_b);
    if (-gap <= rule.slop) continue;
    if (!is_slow(setup, bodies, state, c.body_a) || !is_slow(setup, bodies, state, c.body_b)) continue;
    Earlier& e = earlier_.emplace_back();
    e.patch = {c.body_a, c.body_b, static_cast<int>(earlier_points_.size()), 1};
    e.pair.normal = c.normal;
    e.pair.shape_a = c.collider_a, e.pair.shape_b = c.collider_b;
    e.pair.cap = overlap_to_keep(HUGE_VAL, -c.gap, rule);
    e.pair.allowed = overlap_to_keep(-gap, -c.gap, rule);
    e.pair.earlier = true;
    earlier_points_.push_back({c.position, gap, 0});
  }
}

void Correction::add_earlier(bool first) {
  for (const Earlier& e : earlier_) {
    patches_.push_back(e.patch);
    pairs_.push_back(e.pair);
    Pair& pair = pairs_.back();
    pair.depth = std::max(0.0, -earlier_points_[at(e.patch.first)].gap);
    if (!first) pair.allowed = std::min(pair.depth, pair.cap);
  }
}

/// Notes the contacts that push, with the gaps that the displacement gives them.
void Correction::keep_closed() {
  for (const NormalRow& row : rows_) {
    const double change = opened(row, displaced_);
    const Pair& pair = pairs_[at(row.patch)];
    if (pair.earlier) {
      earlier_points_[at(patches_[at(row.patch)].first)].gap += change;
    } else if (row.lambda > 0) {
      Patch patch = patches_[at(row.patch)];
      patch.first = static_cast<int>(earlier_points_.size()), patch.count = 1;
      earlier_points_.push_back({row.position, row.gap + change, 0});
      earlier_.push_back({patch, pair});
      earlier_.back().pair.earlier = true;
    }
  }
}

std::span<const ContactPoint> Correction::points(const Collision& collision, int patch) const {
  const Patch& p = patches_[at(patch)];
  const auto all = pairs_[at(patch)].earlier ? std::span(earlier_points_) : collision.points();
  return all.subspan(at(p.first), at(p.count));
}

bool Correction::any_beyond_cap() const {
  return std::any_of(pairs_.begin(), pairs_.end(), [](const Pair& p) { return p.depth > kSlack * p.cap; });
}

void Correction::displace_island(const WorldSetup& setup, const Collision& collision, int island, WorldState& state) {
  double deepest = 0;
  for (const int p : partition_.patches(island))
    deepest = std::max(deepest, pairs_[at(p)].depth - pairs_[at(p)].allowed);
  if (deepest <= 0) return;
  ++islands_;
  fill_rows(setup, collision, island, state);
  const auto sweep = [&] {
    displaced_.assign(partition_.bodies(island).size(), {});
    displace_apart(rows_, deepest, kSweeps, displaced_);
  };
  sweep();
  if (!is_driven(setup)) {
    solve_rows(setup, deepest);
  } else if (keep_jams(setup)) {
    sweep();
  }
  keep_closed();
  note_pushes(setup, island);
  for (std::size_t node = 0; node < displaced_.size(); ++node) {
    const int body = partition_.bodies(island)[node];
    displace(setup.models[at(body)], displaced_[node].shift, displaced_[node].turn, state.bodies[at(body)]);
  }
}

/// Whether a prescribed motion takes part: it may leave too little room, and then there is no solution.
bool Correction::is_driven(const WorldSetup& setup) const {
  const auto driven = [&](int body) { return setup.models[at(body)].kind == BodyKind::kKinematic; };
  return std::any_of(rows_.begin(), rows_.end(), [&](const NormalRow& row) {
    const Patch& patch = patches_[at(row.patch)];
    return driven(patch.body_a) || driven(patch.body_b);
  });
}

/// Whether the body of a node sits between two others that do not yield, and friction would hold it there: with the
/// pushes λ, the displacement opens their contacts by less than μ times what it slips.
bool Correction::is_jammed(const WorldSetup& setup, int node) const {
  double held = 0, opened = 0, moved_at_all = 0;  // Σ λ μ slip, Σ λ opening, Σ λ |opening|, kg m²
  bool opposed = false;
  const NormalRow* first = nullptr;
  for (const NormalRow& row : rows_) {
    const bool is_b = row.b == node && row.a < 0;
    if (row.lambda <= 0 || (!is_b && !(row.a == node && row.b < 0))) continue;
    const Pair& pair = pairs_[at(row.patch)];
    const ColliderFacts &a = setup.colliders[at(pair.shape_a)], &b = setup.colliders[at(pair.shape_b)];
    const Displaced& d = displaced_[at(node)];
    const Vec3 inward = is_b ? row.normal : -1 * row.normal;
    const Vec3 moved = d.shift + cross(d.turn, is_b ? row.arm_b : row.arm_a);
    const double opening = dot(inward, moved);
    held += row.lambda * setup.laws(a.material, b.material).mu * norm(moved - opening * inward);
    opened += row.lambda * opening;
    moved_at_all += row.lambda * std::abs(opening);
    if (first == nullptr) first = &row;
    const auto other = [&](const NormalRow& r) {
      return r.a < 0 ? patches_[at(r.patch)].body_a : patches_[at(r.patch)].body_b;
    };
    const Vec3 before = first->b == node ? first->normal : -1 * first->normal;
    opposed = opposed || (other(row) != other(*first) && dot(inward, before) < 0);
  }
  // What does not open has no room at all: the displacement leads nowhere, and its residual says so.
  return opposed && opened > kOpens * moved_at_all && held > opened;
}

/// Leaves jammed bodies where they are between those that do not yield. Returns whether there are any.
bool Correction::keep_jams(const WorldSetup& setup) {
  jammed_.resize(displaced_.size());
  for (std::size_t node = 0; node < jammed_.size(); ++node) jammed_[node] = is_jammed(setup, static_cast<int>(node));
  if (std::none_of(jammed_.begin(), jammed_.end(), [](char j) { return j; })) return false;
  for (NormalRow& row : rows_) {
    row.lambda = 0;
    if ((row.a < 0 && jammed_[at(row.b)]) || (row.b < 0 && jammed_[at(row.a)])) row.room = std::max(row.room, 0.0);
  }
  return true;
}

/// The contact problem of the rows whose room is within `reach`, and its start.
void Correction::assemble_rows(const WorldSetup& setup, double reach) {
  chosen_.clear(), jacobians_.clear(), room_.clear(), lambda_.clear(), sets_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const NormalRow& row = rows_[i];
    if (!(row.room <= reach)) continue;
    const Patch& patch = patches_[at(row.patch)];
    chosen_.push_back(i);
    jacobians_.push_back(as_contact(row, setup.models[at(patch.body_a)], setup.models[at(patch.body_b)]));
    room_.push_back({0, 0, row.room});
    lambda_.push_back({0, 0, row.lambda});
    sets_.add(BlockSet::cone(0));
  }
  problem_.assign(roots_, jacobians_, room_, sets_);
}

/// Goes on from the multipliers of the sweeps to the tolerance of the run. Where there is no solution, the
/// displacement stays that of the sweeps. Contacts that are open by much
/// more than the bodies are displaced take no part: their room would be the scale of all errors.
void Correction::solve_rows(const WorldSetup& setup, double deepest) {
  std::erase_if(rows_, [](const NormalRow& row) { return row.inverse_w == 0; });
  const FrictionOptions& run = setup.options.solver;
  if (!solver_)
    solver_ = make_solver(
        {.tolerance = kMargin * run.tolerance, .accept = HUGE_VAL, .budget = kWork, .outer = AutoOptions{}});
  solver_->stop = StopToken(0, setup.options.interrupt);
  for (double reach = kReach * deepest; !rows_.empty(); reach *= kReach) {
    assemble_rows(setup, reach);
    solver_->bind(problem_);
    if (!solver_->solve(lambda_).certificate.solved(run.tolerance)) return;
    take_solution();
    if (std::all_of(rows_.begin(), rows_.end(),
                    [&](const NormalRow& row) { return row.room <= reach || row.room + opened(row, displaced_) >= 0; }))
      return;
  }
}

void Correction::take_solution() {
  for (NormalRow& row : rows_) row.lambda = 0;
  const auto& form = std::get<BodyForm>(problem_.form());
  response_.assign(at(form.nodes()), Pack{});
  for (int i = 0; i < form.size(); ++i) {
    rows_[chosen_[at(i)]].lambda = lambda_[at(i)].n;
    form.scatter(i, lambda_[at(i)], response_.data());
  }
  shift_.resize(displaced_.size()), turn_.resize(displaced_.size());
  form.body_velocity(response_, shift_, turn_);
  for (std::size_t node = 0; node < displaced_.size(); ++node) displaced_[node] = {shift_[node], turn_[node]};
}

/// Notes the contacts that push, and those that are missed, with the certificate of their problem: contacts that the
/// displacement leaves open are no part of it, and their room is no scale of its errors.
void Correction::note_pushes(const WorldSetup& setup, int island) {
  std::erase_if(rows_,
                [&](const NormalRow& row) { return row.lambda == 0 && row.room + opened(row, displaced_) >= 0; });
  if (rows_.empty()) return;
  assemble_rows(setup, HUGE_VAL);
  residual_ = std::max(residual_, certify(problem_, lambda_).worst());
  for (const NormalRow& row : rows_) {
    const Patch& patch = patches_[at(row.patch)];
    const Pair& pair = pairs_[at(row.patch)];
    pushes_.push_back({round_, island, patch.body_a, patch.body_b, pair.shape_a, pair.shape_b, pair.earlier,
                       row.position, row.normal, row.gap, row.room - row.gap, row.lambda});
  }
}

void Correction::fill_rows(const WorldSetup& setup, const Collision& collision, int island, const WorldState& state) {
  roots_.clear();
  for (const int b : partition_.bodies(island))
    roots_.push_back(inverse_mass_root(setup.models[at(b)], state.bodies[at(b)].rotation));
  rows_.clear();
  for (const int p : partition_.patches(island)) {
    const Patch& patch = patches_[at(p)];
    const Pair& pair = pairs_[at(p)];
    for (const ContactPoint& point : points(collision, p)) {
      NormalRow& row = rows_.emplace_back();
      row.patch = p;
      row.position = point.position, row.gap = point.gap;
      row.normal = pair.normal;
      row.a = partition_.nodes()[at(patch.body_a)], row.b = partition_.nodes()[at(patch.body_b)];
      row.arm_a = point.position - state.bodies[at(patch.body_a)].centre;
      row.arm_b = point.position - state.bodies[at(patch.body_b)].centre;
      double w = 0;
      if (row.a >= 0) {
        respond(setup.models[at(patch.body_a)], roots_[at(row.a)], row.arm_a, row.normal, row.shift_a, row.turn_a);
        w += dot(row.normal, row.shift_a + cross(row.turn_a, row.arm_a));
      }
      if (row.b >= 0) {
        respond(setup.models[at(patch.body_b)], roots_[at(row.b)], row.arm_b, row.normal, row.shift_b, row.turn_b);
        w += dot(row.normal, row.shift_b + cross(row.turn_b, row.arm_b));
      }
      row.inverse_w = w > 0 ? 1 / w : 0;
      // A point shallower than the pair's allowed depth may not get deeper than it is.
      row.room = point.gap + std::min(std::max(-point.gap, 0.0), pair.allowed);
    }
  }
}

}  // namespace repose
