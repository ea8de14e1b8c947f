// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "repose/batch/finish_internal.h"
#include "repose/math/tangents.h"
#include "repose/world/contact_terms.h"
#include "repose/world/world.h"

namespace repose::batch {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

Mat3 inverse_inertia(const double* J) { return {{{J[0], J[1], J[2]}, {J[1], J[3], J[4]}, {J[2], J[4], J[5]}}}; }

BodyForm::Roots roots_of(double inverse_mass, const double* J) {
  return {std::sqrt(inverse_mass), cholesky(inverse_inertia(J))};
}

bool is_zero(ContactVec x) { return x.t1 == 0 && x.t2 == 0 && x.n == 0; }

/// Without the components along held axes of space.
Vec3 allowed(const BodyTable& body, Vec3 v) { return without_held(v, body.holds(0), body.holds(1), body.holds(2)); }

ContactVec vec(const double (&x)[3]) { return {x[0], x[1], x[2]}; }

ContactProblem problem_of(const BatchModel::Impl& model, const StepProblem& step, std::span<const int> bodies,
                          std::span<const int> contacts, std::span<const int> nodes, std::vector<ContactVec>& start) {
  std::vector<BodyForm::Roots> roots;
  for (const int b : bodies)
    roots.push_back(roots_of(model.body_tables[at(b)].inverse_mass, step.inverse_inertia + 6 * b));
  std::vector<BodyContact> rows;
  std::vector<ContactVec> v_free;
  SetList sets;
  start.clear();
  for (const int i : contacts) {
    const StepContact& c = step.list[i];
    const auto node = [&](int body) { return body < 0 ? kStaticBody : nodes[at(body)]; };
    rows.push_back(point_contact(node(c.node_a), c.arm_a, node(c.node_b), c.arm_b, c.normal));
    const auto hold = [&](int body, BodyJacobian& J) {
      for (Vec3& row : J.linear)
        if (body >= 0) row = allowed(model.body_tables[at(body)], row);
    };
    hold(c.node_a, rows.back().a);
    hold(c.node_b, rows.back().b);
    v_free.push_back(vec(c.v_free));
    start.push_back(vec(c.start));
    sets.add(BlockSet::cone(c.mu));
  }
  ContactProblem problem;
  problem.assign(roots, rows, v_free, sets);
  return problem;
}

}  // namespace

ContactProblem whole_problem(const BatchModel::Impl& model, const StepProblem& step, std::vector<ContactVec>& start) {
  std::vector<int> bodies(at(step.bodies)), contacts(at(step.contacts));
  std::iota(bodies.begin(), bodies.end(), 0);
  std::iota(contacts.begin(), contacts.end(), 0);
  return problem_of(model, step, bodies, contacts, bodies, start);
}

std::vector<IslandOfStep> island_problems(const BatchModel::Impl& model, const StepProblem& step) {
  const auto body = [&](int node) { return node >= 0 ? node : step.bodies; };  // one body for all that do not move
  std::vector<Patch> patches;
  for (int i = 0; i < step.contacts; ++i)
    patches.push_back({body(step.list[i].node_a), body(step.list[i].node_b), i, 1});
  std::vector<char> moves(at(step.bodies), 1);
  moves.push_back(0);
  Islands islands;
  islands.build(moves, patches);
  std::vector<IslandOfStep> problems(at(islands.count()));
  for (int k = 0; k < islands.count(); ++k) {
    IslandOfStep& island = problems[at(k)];
    island.bodies.assign(islands.bodies(k).begin(), islands.bodies(k).end());
    island.contacts.assign(islands.patches(k).begin(), islands.patches(k).end());
    island.problem = problem_of(model, step, island.bodies, island.contacts, islands.nodes(), island.start);
  }
  return problems;
}

Finisher::Finisher(const BatchModel::Impl& model)
    : model_(model),
      state_(initial_state(model.setup)),
      ahead_(make_collision(model.setup, state_)),
      collision_(make_collision(model.setup, state_)) {
  bodies_.resize(state_.bodies.size());
  for (const int b : model.bodies) bodies_[at(b)].moves = true;
}

/// Solves the step; then again with the contacts that only its end shows, as a World does.
void Finisher::solve(const StepProblem& step, StepHelp& help) {
  constexpr int kPasses = 3;
  list_.assign(step.list, step.list + step.contacts);
  further_.assign(6 * at(step.bodies), 0.0);
  take_start(step);
  StepProblem all = step;
  for (int pass = 0;; ++pass) {
    all.contacts = static_cast<int>(list_.size());
    all.list = list_.data();
    solve_all(all, help);
    found_ = {};
    take_contacts(step);
    if (pass == kPasses || !look_ahead(all)) break;
  }
  for (std::size_t i = at(step.contacts); i < list_.size(); ++i)
    add_change(step, list_[i], {lambda_[3 * i], lambda_[3 * i + 1], lambda_[3 * i + 2]}, further_);
  help.lambda = lambda_.data();
  help.further = further_.data();
}

void Finisher::solve_all(const StepProblem& step, StepHelp& help) {
  lambda_.assign(3 * at(step.contacts), 0.0);
  v_.assign(at(step.contacts), {});
  help = {};
  help.solved = true;
  for (IslandOfStep& island : island_problems(model_, step)) solve_island(island, help);
}

/// Poses and velocities at the start, for the look-ahead.
void Finisher::take_start(const StepProblem& step) {
  for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
    const double *x = step.x + 3 * k, *q = step.q + 4 * k, *v = step.velocity + 6 * k, *u = step.before + 6 * k;
    StepBody& body = bodies_[at(model_.bodies[k])];
    body.centre = {x[0], x[1], x[2]}, body.rotation = {q[0], q[1], q[2], q[3]};
    body.velocity = {v[0], v[1], v[2]}, body.spin = {v[3], v[4], v[5]};
    body.before = {u[0], u[1], u[2]}, body.spin_before = {u[3], u[4], u[5]};
    state_.bodies[at(model_.bodies[k])] = {body.centre, body.rotation, body.before, body.spin_before};
  }
}

/// change += M⁻¹ Jᵀ of an impulse.
void Finisher::add_change(const StepProblem& step, const StepContact& c, ContactVec impulse,
                          std::vector<double>& change) const {
  const auto [t1, t2] = tangents(c.normal);
  const Vec3 p = impulse.t1 * t1 + impulse.t2 * t2 + impulse.n * c.normal;
  const auto add = [&](int node, Vec3 arm, double sign) {
    if (node < 0) return;
    const BodyTable& body = model_.body_tables[at(node)];
    const Vec3 push = allowed(body, (sign * body.inverse_mass) * p);
    const Vec3 turn = inverse_inertia(step.inverse_inertia + 6 * node) * (sign * cross(arm, p));
    double* to = change.data() + 6 * at(node);
    to[0] += push.x, to[1] += push.y, to[2] += push.z, to[3] += turn.x, to[4] += turn.y, to[5] += turn.z;
  };
  add(c.node_a, c.arm_a, -1);
  add(c.node_b, c.arm_b, 1);
}

/// Adds predicted contacts to the list. Returns whether there are any.
bool Finisher::look_ahead(const StepProblem& step) {
  change_.assign(6 * at(step.bodies), 0.0);
  for (std::size_t i = 0; i < list_.size(); ++i)
    add_change(step, list_[i], {lambda_[3 * i], lambda_[3 * i + 1], lambda_[3 * i + 2]}, change_);
  motion_.assign(bodies_.size(), {});
  for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
    const StepBody& body = bodies_[at(model_.bodies[k])];
    const double* d = change_.data() + 6 * k;
    motion_[at(model_.bodies[k])] = {body.velocity + Vec3{d[0], d[1], d[2]}, body.spin + Vec3{d[3], d[4], d[5]}, {}};
  }
  mark_fast(model_.setup, bodies_, motion_, fast_);
  if (std::find(fast_.begin(), fast_.end(), 1) == fast_.end()) return false;
  const std::size_t before = found_.contacts.size();
  if (!ahead_.add_contacts({model_.setup, state_, bodies_}, fast_, motion_, found_)) return false;
  for (std::size_t i = before; i < found_.contacts.size(); ++i) list_.push_back(predicted(step, found_.contacts[i]));
  return true;
}

/// A predicted contact as one of the list.
StepContact Finisher::predicted(const StepProblem& step, const Contact& from) const {
  const auto node = [&](int body) { return model_.node_of[at(body)]; };
  StepContact c;
  c.node_a = node(from.body_a), c.node_b = node(from.body_b);
  const StepBody &a = bodies_[at(from.body_a)], &b = bodies_[at(from.body_b)];
  const Arms arms = contact_arms(from.position, from.normal, from.gap, a.centre, b.centre, a.moves && b.moves);
  c.position = from.position, c.normal = from.normal;
  c.arm_a = a.moves ? arms.a : Vec3{}, c.arm_b = b.moves ? arms.b : Vec3{};
  c.mu = step.friction * from.mu;
  c.gap = from.gap, c.closing = from.closing, c.bias = from.bias;
  Vec3 v;
  if (b.moves) v = v + point_velocity(b.velocity, b.spin, c.arm_b);
  if (a.moves) v = v - point_velocity(a.velocity, a.spin, c.arm_a);
  const auto [t1, t2] = tangents(from.normal);
  c.v_free[0] = dot(t1, v), c.v_free[1] = dot(t2, v), c.v_free[2] = dot(from.normal, v) + from.bias;
  return c;
}

/// A solve that stalls from its warm start often succeeds from zero; the better answer is taken.
void Finisher::solve_island(IslandOfStep& island, StepHelp& help) {
  FrictionOptions options = step_solver();
  options.tolerance = model_.options.tolerance;
  Solution found = repose::solve(island.problem, options, island.start);
  if (found.report.status != Status::kConverged && !std::all_of(island.start.begin(), island.start.end(), is_zero)) {
    Solution again = repose::solve(island.problem, options);
    if (again.report.certificate.worst() < found.report.certificate.worst()) found = std::move(again);
  }
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    double* to = lambda_.data() + 3 * at(island.contacts[k]);
    to[0] = found.lambda[k].t1, to[1] = found.lambda[k].t2, to[2] = found.lambda[k].n;
    v_[at(island.contacts[k])] = found.v[k];
  }
  help.r_c = std::max(help.r_c, found.report.certificate.r_c());
  help.nat = std::max(help.nat, found.report.certificate.nat);
  help.solved = help.solved && found.report.certificate.solved(model_.options.tolerance);
}

/// What Correction reads of the contacts of the step's start.
void Finisher::take_contacts(const StepProblem& step) {
  for (int i = 0; i < step.contacts; ++i) {
    const StepContact& from = step.list[i];
    const CandidateTable& pair = model_.candidate_tables[at(from.candidate)];
    Contact& c = found_.contacts.emplace_back();
    c.collider_a = pair.a, c.collider_b = pair.b;
    c.body_a = model_.setup.colliders[at(pair.a)].body, c.body_b = model_.setup.colliders[at(pair.b)].body;
    c.position = from.position, c.normal = from.normal, c.gap = from.gap;
    c.v = v_[at(i)];
    c.v.n -= from.bias;
  }
}

void Finisher::correct(const StepEnd& end) {
  found_.contacts.clear();
  if (end.step) take_contacts(*end.step);
  double deepest = 0;
  for (const Contact& c : found_.contacts) deepest = std::max(deepest, -c.gap);
  for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
    const double *x = end.x + 3 * k, *q = end.q + 4 * k, *v = end.velocity + 6 * k;
    state_.bodies[at(model_.bodies[k])] = {
        {x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  }
  correction_.run(model_.setup, bodies_, found_, deepest, end.far ? EndPoses::kUnknown : EndPoses::kNear, collision_,
                  state_);
  for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
    const BodyState& s = state_.bodies[at(model_.bodies[k])];
    double *x = end.x + 3 * k, *q = end.q + 4 * k, *w = end.velocity + 6 * k + 3;
    x[0] = s.centre.x, x[1] = s.centre.y, x[2] = s.centre.z;
    q[0] = s.rotation.w, q[1] = s.rotation.x, q[2] = s.rotation.y, q[3] = s.rotation.z;
    w[0] = s.angular_velocity.x, w[1] = s.angular_velocity.y, w[2] = s.angular_velocity.z;
  }
}

HelpCall Finisher::call() {
  return {
      this,
      [](void* self, const void* problem, void* help) {
        static_cast<Finisher*>(self)->solve(*static_cast<const StepProblem*>(problem), *static_cast<StepHelp*>(help));
      },
      [](void* self, const void* end) { static_cast<Finisher*>(self)->correct(*static_cast<const StepEnd*>(end)); }};
}

}  // namespace repose::batch
