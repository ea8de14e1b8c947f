// SPDX-License-Identifier: Apache-2.0
#include "repose/batch/finish_internal.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "repose/world/free_motion_internal.h"
#include "repose/world/joint_poses_internal.h"
#include "repose/world/joint_step_internal.h"
#include "repose/world/squeeze_internal.h"
#include "repose/world/world.h"

namespace repose::batch {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }
Quat quat(const double* q) { return {q[0], q[1], q[2], q[3]}; }
ContactVec contact_vec(const double* x) { return {x[0], x[1], x[2]}; }
void put(Vec3 v, double* to) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

bool is_there(const unsigned* presence, int body) {
  return !presence || (presence[body / 32] >> (body % 32) & 1u) != 0;
}

}  // namespace

Finisher::Finisher(const BatchModel::Impl& model)
    : model_(model),
      setup_(model.setup),
      state_(initial_state(model.setup)),
      islands_(model.setup.bodies(), 1),
      ahead_(make_collision(model.setup, state_)),
      collision_(make_collision(model.setup, state_)) {
  bodies_.resize(state_.bodies.size());
}

/// Solves the step; then again with the contacts that only its end shows, as a World does.
void Finisher::solve(const StepProblem& step, StepHelp& help) {
  take(step);
  FrictionOptions options = step_solver();
  options.tolerance = model_.options.tolerance;
  SolveContext context{setup_.rule, options, nullptr, {}};
  if (!setup_.joints.empty())
    context.joints = {&setup_, bodies_, state_.pending, ends_, kinematics_.position, kinematics_.frames};
  const LookAhead::Start start{setup_, state_, bodies_, nullptr};
  islands_.clear();
  islands_.partition(bodies_, found_.patches, found_.joints.links);
  islands_.assemble(bodies_, found_, setup_.scene.dt);
  islands_.solve(found_, context, ahead_.fast_at_start(start));
  known_ = ahead_.run(start, islands_, found_, context);
  islands_.refine(found_, context);
  if (relax_squeezes({setup_, bodies_, last_.contacts, context}, islands_, found_).islands > 0)
    known_ = EndPoses::kUnknown;
  report(step, help);
}

void Finisher::take(const StepProblem& step) {
  if (friction_ != step.friction) {
    setup_.laws = model_.setup.laws.scaled(step.friction);
    friction_ = step.friction;
  }
  take_bodies(step);
  take_contacts(step);
  take_joints(step);
}

/// The bodies at the start of the step.
void Finisher::take_bodies(const StepProblem& step) {
  take_presence(step.presence, step.steps);
  take_state(step.x, step.q, step.before);
  for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
    const int b = model_.bodies[k];
    state_.pending[at(b)] = {vec(step.pending + 6 * k), vec(step.pending + 6 * k + 3)};
    StepBody& body = bodies_[at(b)];
    const BodyState& s = state_.bodies[at(b)];
    const BodyModel& model = setup_.models[at(b)];
    body = {};
    body.centre = s.centre, body.rotation = s.rotation;
    if (!state_.present[at(b)]) continue;
    body.moves = true;
    body.held = {model.held[0], model.held[1], model.held[2]};
    body.root = inverse_mass_root(model, s.rotation);
    body.before = s.velocity, body.spin_before = s.angular_velocity;
    body.velocity = vec(step.velocity + 6 * k), body.spin = vec(step.velocity + 6 * k + 3);
  }
  drive(step.steps);
}

void Finisher::take_presence(const unsigned* presence, long long steps) {
  state_.steps = static_cast<int>(steps);
  for (int b = 0; b < setup_.bodies(); ++b) {
    const char there = is_there(presence, b);
    if (state_.present[at(b)] == there) continue;
    state_.present[at(b)] = there;
    collision_.set_present(b, there != 0);
  }
}

void Finisher::take_state(const double* x, const double* q, const double* velocity) {
  for (std::size_t k = 0; k < model_.bodies.size(); ++k)
    state_.bodies[at(model_.bodies[k])] = {vec(x + 3 * k), quat(q + 4 * k), vec(velocity + 6 * k),
                                           vec(velocity + 6 * k + 3)};
}

/// Bodies with a prescribed motion in the step that starts after so many others.
void Finisher::drive(long long steps) {
  const double h = setup_.scene.dt;
  for (int b = 0; b < setup_.bodies(); ++b) {
    if (!setup_.has_prescribed_motion(b)) continue;
    const Pose from = setup_.prescribed_pose(b, static_cast<double>(steps) * h);
    state_.bodies[at(b)] = {from.position, from.rotation, {}, {}};
    bodies_[at(b)] =
        driven_body(state_.bodies[at(b)], setup_.prescribed_pose(b, static_cast<double>(steps + 1) * h), h);
  }
}

void Finisher::take_contacts(const StepProblem& step) {
  found_.contacts.clear();
  found_.patches.clear();
  for (int i = 0; i < step.contacts; ++i) {
    const StepContact& from = step.list[i];
    const CandidateTable& pair = model_.candidate_tables[at(from.candidate)];
    Contact& c = found_.contacts.emplace_back();
    c.collider_a = pair.a, c.collider_b = pair.b;
    c.body_a = setup_.colliders[at(pair.a)].body, c.body_b = setup_.colliders[at(pair.b)].body;
    c.feature = from.feature;
    c.position = from.position, c.normal = from.normal, c.gap = from.gap;
    c.mu = from.mu, c.bias = from.bias, c.closing = from.closing;
    c.start = c.lambda = contact_vec(from.start);
    if (i > 0 && from.candidate == step.list[i - 1].candidate)
      ++found_.patches.back().count;
    else
      found_.patches.push_back({c.body_a, c.body_b, i, 1});
  }
  last_.contacts = found_.contacts;
}

namespace {

/// The key of a block in a World (JointBlock::key()).
auto key_of(const BlockTable& block) {
  const int part = block.role == BlockRole::kPosition ? block.place
                   : block.role == BlockRole::kServo  ? block.actuator
                                                      : block.coordinate;
  return std::tuple(block.joint, static_cast<JointRole>(block.role), part);
}

/// Calls f(block of the model, block of the step) for all that are in both lists, which are ascending.
template <class F>
void for_both(std::span<const BlockTable> tables, std::span<JointBlock> blocks, const F& f) {
  std::size_t n = 0;
  for (std::size_t b = 0; b < tables.size() && n < blocks.size(); ++b)
    if (key_of(tables[b]) == blocks[n].key()) f(b, blocks[n++]);
}

}  // namespace

void Finisher::take_coordinates(const double* coordinates) {
  for (std::size_t j = 0; j < setup_.joints.size(); ++j)
    for (int k = 0; k < model_.joint_tables[j].coordinates; ++k)
      state_.coordinates[j][at(k)] = coordinates[model_.joint_tables[j].first_coordinate + k];
}

/// The blocks of joints at the start of the step, with the impulses of the one before.
void Finisher::take_joints(const StepProblem& step) {
  if (setup_.joints.empty()) return;
  take_coordinates(step.coordinates);
  std::copy(step.controls, step.controls + state_.controls.size(), state_.controls.begin());
  find_kinematics(setup_, state_, stamps_, kinematics_);
  find_inputs(setup_, state_, kinematics_.inputs);
  state_.coordinates = kinematics_.position;
  find_end_poses(setup_, state_, ends_);
  collect_joints(setup_, state_, kinematics_, bodies_, {}, stamps_, found_.joints);
  for_both(model_.block_tables, found_.joints.blocks, [&](std::size_t b, JointBlock& block) {
    ContactVec last = contact_vec(step.joint_lambda + 3 * b);
    if (block.role == JointRole::kLimit) {  // along the coordinate
      last.t1 = block.scale.t1 != 0 ? last.t1 / block.scale.t1 : 0.0;
      last.n = block.scale.n != 0 ? last.n / block.scale.n : 0.0;
    }
    block.start = block.lambda = project(block.set.ref(), last);
  });
}

/// Moves bodies to where their joints hold, and notes the error that is left.
void Finisher::hold_joints(const StepEnd& end) {
  if (setup_.joints.empty()) return;
  if (correction_.islands() > 0) place_all_joints(setup_, bodies_, state_);
  double worst = 0;
  for (std::size_t j = 0; j < setup_.joints.size(); ++j) {
    const JointModel& joint = setup_.joints[j];
    const JointFrames frames = frames_of(setup_, j, state_);
    const double q = joint.kind == JointKind::kScrew ? coordinate_row(joint, 0, frames).value : 0.0;
    const int turns = whole_turns(unwrapped(q, state_.coordinates[j][0]));
    worst = std::max(worst, position_error(joint, frames, joint.kind == JointKind::kScrew ? turns : 0) /
                                model_.joint_tables[j].size);
  }
  *end.joint_error = worst;
}

/// Impulses, velocities and the certificate for the batch.
void Finisher::report(const StepProblem& step, StepHelp& help) {
  lambda_.resize(3 * at(step.contacts));
  for (std::size_t i = 0; i < at(step.contacts); ++i) {
    const ContactVec l = found_.contacts[i].lambda;
    lambda_[3 * i] = l.t1, lambda_[3 * i + 1] = l.t2, lambda_[3 * i + 2] = l.n;
  }
  change_.assign(6 * at(step.bodies), 0.0);
  help = {};
  help.solved = true;
  for (int k = 0; k < islands_.count(); ++k) {
    const Certificate& certificate = islands_[k].report().certificate;
    help.r_c = std::max(help.r_c, certificate.r_c());
    help.nat = std::max(help.nat, certificate.nat);
    help.solved = help.solved && certificate.solved(model_.options.tolerance);
    const auto bodies = islands_.bodies(k);
    for (std::size_t node = 0; node < bodies.size(); ++node) {
      double* to = change_.data() + 6 * at(model_.node_of[at(bodies[node])]);
      put(islands_[k].change().linear[node], to);
      put(islands_[k].change().angular[node], to + 3);
    }
  }
  joint_lambda_.assign(3 * model_.block_tables.size(), 0.0);
  for_both(model_.block_tables, found_.joints.blocks, [&](std::size_t b, const JointBlock& block) {
    double* to = joint_lambda_.data() + 3 * b;
    to[0] = block.lambda.t1, to[1] = block.lambda.t2, to[2] = block.lambda.n;
  });
  help.joint_lambda = joint_lambda_.data();
  help.lambda = lambda_.data();
  help.change = change_.data();
}

void Finisher::correct(const StepEnd& end) {
  take_presence(end.presence, end.steps);
  take_state(end.x, end.q, end.velocity);
  if (end.step) {
    if (end.far && known_ == EndPoses::kNear) known_ = EndPoses::kUnknown;
  } else {
    found_.contacts.clear();
    found_.patches.clear();
    for (const int b : model_.bodies) bodies_[at(b)].moves = state_.present[at(b)] != 0;
    drive(end.steps - 1);
    known_ = EndPoses::kUnknown;
  }
  for (int b = 0; b < setup_.bodies(); ++b) {
    if (!setup_.has_prescribed_motion(b)) continue;
    const Pose pose = setup_.prescribed_pose(b, static_cast<double>(end.steps) * setup_.scene.dt);
    state_.bodies[at(b)] = {pose.position, pose.rotation, bodies_[at(b)].velocity, bodies_[at(b)].spin};
  }
  if (!setup_.joints.empty()) {
    take_coordinates(end.coordinates);
    for (int k = 0; end.step && k < islands_.count(); ++k)
      if (islands_[k].has_loose_joints()) place_joints(setup_, islands_.bodies(k), state_);
  }
  double deepest = 0;
  for (const Contact& c : found_.contacts) deepest = std::max(deepest, -c.gap);
  Collision& collision = known_ == EndPoses::kCollided ? ahead_.collision() : collision_;
  correction_.run({setup_, bodies_, found_, nullptr}, deepest, known_, collision, state_);
  hold_joints(end);
  for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
    const BodyState& s = state_.bodies[at(model_.bodies[k])];
    put(s.centre, end.x + 3 * k);
    double* q = end.q + 4 * k;
    q[0] = s.rotation.w, q[1] = s.rotation.x, q[2] = s.rotation.y, q[3] = s.rotation.z;
    put(s.angular_velocity, end.velocity + 6 * k + 3);
  }
}

ContactProblem Finisher::whole_problem(const StepProblem& step, std::vector<ContactVec>& start) {
  take(step);
  std::vector<int> patches(found_.patches.size());
  std::iota(patches.begin(), patches.end(), 0);
  std::vector<int> nodes;
  for (const int node : model_.node_of) nodes.push_back(std::max(node, kStaticBody));
  IslandProblem problem;
  std::vector<int> links(found_.joints.links.size());
  std::iota(links.begin(), links.end(), 0);
  problem.assemble(bodies_, found_.contacts, found_.patches, model_.bodies, patches, nodes, setup_.scene.dt,
                   found_.joints.blocks, found_.joints.links, links);
  start.clear();
  for (const Contact& c : found_.contacts) start.push_back(c.start);
  for (const JointBlock& block : found_.joints.blocks) start.push_back(block.start);
  return problem.problem();
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
