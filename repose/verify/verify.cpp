// SPDX-License-Identifier: Apache-2.0
#include "repose/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "repose/base/error.h"
#include "repose/verify/law.h"
#include "repose/verify/motion.h"
#include "repose/verify/recorded_scene.h"

namespace repose {
namespace {

using namespace verify;

// What rounding explains, and what the program states about itself: docs/recording.md.
constexpr double kSpeed = 1e-11;   // velocities, share of the largest
constexpr double kMotion = 3e-11;  // poses, share of the size: bodies at rest show motion from 1e-11 on
constexpr double kSurface = 0.05;  // contact points, share of the size: docs/limits.md says which are not exact
constexpr double kExact = 1e-8;    // contact points that count as on the surfaces
constexpr double kBias = 3e-9;     // biases as gaps, share of the size: the gap filter's noise level is 1e-9
constexpr double kJoints = 1e-10;  // joints, share of the largest joint's size
constexpr double kFriction = 1e-12;
constexpr double kTime = 1e-9;          // share of dt; rounding of the time apart
constexpr double kEnergy = 1e-11;       // share of the sum of its parts
constexpr double kPrescribed = 1e-11;   // share of the scene's size
constexpr double kCertificate = 1e-11;  // certificates: absolute; and relative, because λ̂_max is an estimate
constexpr double kCertificateShare = 0.05;
constexpr double kUnit = 1e-12;  // lengths of normals and quaternions

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool close(double a, double b, double rounding = 0) {
  return std::abs(a - b) <= kCertificate + rounding + kCertificateShare * std::max(a, b);
}

/// Frame of a contact, as docs/recording.md defines it.
std::array<Vec3, 3> frame(Vec3 n) {
  const double s = std::copysign(1.0, n.z), a = -1 / (s + n.z), b = n.x * n.y * a;
  return {Vec3{1 + s * n.x * n.x * a, s * b, -s * n.x}, Vec3{b, s + n.y * n.y * a, -n.y}, n};
}

Rows as_rows(ContactVec v) { return {v.t1, v.t2, v.n}; }

/// A step as the recording has it.
struct Step {
  RecordedState before, after;  ///< `before` with the changes from outside
  RecordedStep recorded;
  std::vector<LawBody> bodies;
  std::set<int> changed;  ///< bodies whose state was set from outside
  double speed = 0;       ///< largest of the step, m/s
};

}  // namespace

struct Verifier::Impl {
  const Recording& recording;
  std::optional<RecordedScene> scene;

  explicit Impl(const Recording& r) : recording(r), scene(read_scene(r)) {}

  [[nodiscard]] Step read(int k) const;
  [[nodiscard]] Vec3 driven_velocity(const Step& step, int body, Vec3 centre, Vec3 arm) const;
  [[nodiscard]] LawBlock contact_block(const Step& step, const Contact& c) const;
  [[nodiscard]] LawBlock joint_block(const Step& step, const JointBlock& j) const;
  void check_velocities(const Step& step, const std::vector<LawBlock>& blocks, StepCheck& result) const;
  void check_free_motion(const Step& step, StepCheck& result) const;
  void check_motion(const Step& step, StepCheck& result) const;
  [[nodiscard]] RecordedState integrated(const Step& step) const;
  [[nodiscard]] LawBlock push_block(const Step& step, const RecordedState& now, const OverlapPush& push) const;
  void push_apart(const Step& step, std::span<const OverlapPush> pushes, RecordedState& now, StepCheck& result) const;
  void check_recovery(const Step& step, StepCheck& result) const;
  void check_push(const OverlapPush& push, const RecordedState& now, StepCheck& result) const;
  void check_states(const Step& step, StepCheck& result) const;
  void check_time_and_energy(const Step& step, StepCheck& result) const;
  void check_contacts(const Step& step, StepCheck& result) const;
  [[nodiscard]] double joint_error(const RecordedState& before, const RecordedState& after) const;
};

Step Verifier::Impl::read(int k) const {
  Step step{recording.state(k), recording.state(k + 1), recording.step(k), {}, {}, 0};
  for (const BodyTerm& term : step.recorded.terms)
    if (term.kind == BodyTerm::Kind::kChange)
      step.before.bodies[at(term.body)] = term.start, step.changed.insert(term.body);
  for (std::size_t b = 0; b < recording.models().size(); ++b) {
    const BodyModel& model = recording.models()[b];
    LawBody& body = step.bodies.emplace_back();
    body.moves = model.kind == BodyKind::kDynamic && step.after.present[b];
    body.velocity = step.recorded.free_velocity[b], body.spin = step.recorded.free_spin[b];
    if (!body.moves) continue;
    const double w = 1 / model.mass;
    body.inverse_mass = {model.held[0] ? 0 : w, model.held[1] ? 0 : w, model.held[2] ? 0 : w};
    body.inverse_inertia = inverse_inertia(model, step.before.bodies[b].rotation);
    step.speed = std::max({step.speed, norm(body.velocity), norm(step.before.bodies[b].velocity),
                           norm(step.after.bodies[b].velocity), gyration(model) * norm(body.spin)});
  }
  return step;
}

/// Velocity of a body with a prescribed motion where it touches another one, whose mass centre it takes along.
Vec3 Verifier::Impl::driven_velocity(const Step& step, int body, Vec3 centre, Vec3 arm) const {
  if (recording.models()[at(body)].kind != BodyKind::kKinematic) return {};
  const BodyState &from = step.before.bodies[at(body)], &to = step.after.bodies[at(body)];
  const Vec3 turn = rotation_vector(to.rotation * conjugate(from.rotation));
  const Vec3 moved =
      to.centre + rotate(to.rotation, rotate_back(from.rotation, centre - from.centre)) - centre + cross(turn, arm);
  return (1 / recording.dt()) * moved;
}

LawBlock Verifier::Impl::contact_block(const Step& step, const Contact& c) const {
  const bool a_moves = step.bodies[at(c.body_a)].moves, b_moves = step.bodies[at(c.body_b)].moves;
  const Vec3 half = a_moves && b_moves ? Vec3{} : (0.5 * c.gap) * c.normal;
  const Vec3 centre_a = step.before.bodies[at(c.body_a)].centre, centre_b = step.before.bodies[at(c.body_b)].centre;
  const Vec3 arm_a = c.position - half - centre_a, arm_b = c.position + half - centre_b;
  LawBlock block;
  block.mu = c.mu;
  block.start = as_rows(c.start), block.lambda = as_rows(c.lambda);
  const auto axes = frame(c.normal);
  Vec3 driven;
  if (!a_moves) driven = driven - driven_velocity(step, c.body_a, centre_b, arm_b);
  if (!b_moves) driven = driven + driven_velocity(step, c.body_b, centre_a, arm_a);
  for (std::size_t r = 0; r < 3; ++r) block.bias[r] = dot(axes[r], driven);
  block.bias[2] += c.bias;
  if (a_moves) block.a = c.body_a;
  if (b_moves) block.b = c.body_b;
  for (std::size_t r = 0; r < 3; ++r) {
    block.linear_a[r] = -1.0 * axes[r], block.angular_a[r] = -1.0 * cross(arm_a, axes[r]);
    block.linear_b[r] = axes[r], block.angular_b[r] = cross(arm_b, axes[r]);
  }
  return block;
}

LawBlock Verifier::Impl::joint_block(const Step& step, const JointBlock& j) const {
  LawBlock block;
  block.box = true;
  block.lower = as_rows(j.set.bounds().lower), block.upper = as_rows(j.set.bounds().upper);
  block.compliance = as_rows(j.set.compliance());
  block.start = as_rows(j.start), block.lambda = as_rows(j.lambda);
  block.bias = as_rows(j.bias);
  for (std::size_t r = 0; r < 3; ++r) {
    block.linear_a[r] = j.a.linear[r], block.angular_a[r] = j.a.angular[r];
    block.linear_b[r] = j.b.linear[r], block.angular_b[r] = j.b.angular[r];
  }
  const auto end = [&](int body, const std::array<Vec3, 3>& linear, const std::array<Vec3, 3>& angular) {
    if (body < 0 || step.bodies[at(body)].moves) return body;
    const LawBody& own = step.bodies[at(body)];
    for (std::size_t r = 0; r < 3; ++r) block.bias[r] += dot(linear[r], own.velocity) + dot(angular[r], own.spin);
    return -1;
  };
  block.a = end(j.body_a, block.linear_a, block.angular_a);
  block.b = end(j.body_b, block.linear_b, block.angular_b);
  for (const JointEnd& other : j.others) {
    LawEnd own;
    for (std::size_t r = 0; r < 3; ++r) own.linear[r] = other.rows.linear[r], own.angular[r] = other.rows.angular[r];
    own.body = end(other.body, own.linear, own.angular);
    if (own.body >= 0) block.others.push_back(own);
  }
  return block;
}

void Verifier::Impl::check_velocities(const Step& step, const std::vector<LawBlock>& blocks, StepCheck& result) const {
  const Change change = response(step.bodies, blocks, &LawBlock::lambda);
  // Impulses that balance each other leave a rounding error beside what each of them would do alone.
  double error = 0, speed = std::max(step.speed, largest_push(step.bodies, blocks));
  for (std::size_t b = 0; b < step.bodies.size(); ++b) {
    if (!step.bodies[b].moves) continue;
    const BodyModel& model = recording.models()[b];
    const BodyState &old = step.before.bodies[b], &now = step.after.bodies[b];
    const Vec3 velocity = step.bodies[b].velocity + change.velocity[b], spin = step.bodies[b].spin + change.spin[b];
    const double radius = gyration(model);
    error = std::max({error, norm(now.velocity - velocity),
                      radius * norm(now.angular_velocity - spin_after(model, old.rotation, spin, now.rotation))});
    speed =
        std::max({speed, norm(velocity), norm(change.velocity[b]), radius * norm(spin), radius * norm(change.spin[b])});
  }
  result.velocity = speed > 0 ? error / speed : 0;
}

void Verifier::Impl::check_free_motion(const Step& step, StepCheck& result) const {
  if (!recording.has_terms() || !scene) return;
  const double h = recording.dt();
  double error = 0;
  std::vector<Vec3> force(step.bodies.size()), torque(step.bodies.size());
  for (const BodyTerm& term : step.recorded.terms)
    if (term.kind == BodyTerm::Kind::kLoad) force[at(term.body)] = term.linear, torque[at(term.body)] = term.angular;
  for (std::size_t b = 0; b < step.bodies.size(); ++b) {
    const LawBody& body = step.bodies[b];
    if (!body.moves) continue;
    const BodyModel& model = recording.models()[b];
    const Vec3 w = body.inverse_mass, weight = model.mass * scene->gravity_scale(b) * recording.gravity() + force[b];
    const Vec3 velocity = step.before.bodies[b].velocity + h * Vec3{w.x * weight.x, w.y * weight.y, w.z * weight.z};
    const Vec3 spin = step.before.bodies[b].angular_velocity + h * (body.inverse_inertia * torque[b]);
    error = std::max({error, norm(body.velocity - velocity), gyration(model) * norm(body.spin - spin)});
  }
  result.free_motion = step.speed > 0 ? error / step.speed : 0;
}

void Verifier::Impl::check_motion(const Step& step, StepCheck& result) const {
  std::vector<Vec3> shift(step.bodies.size()), turn(step.bodies.size());
  for (const BodyTerm& term : step.recorded.terms) {
    if (term.kind != BodyTerm::Kind::kDisplacement) continue;
    shift[at(term.body)] = term.linear, turn[at(term.body)] = term.angular;
    result.displacement = std::max(result.displacement, norm(term.linear));
  }
  for (std::size_t b = 0; b < step.bodies.size(); ++b) {
    const BodyModel& model = recording.models()[b];
    const BodyState &old = step.before.bodies[b], &now = step.after.bodies[b];
    const double size = scene ? scene->size(b) : 2 * gyration(model);
    BodyState end = old;
    if (step.bodies[b].moves) {
      const Vec3 undone = spin_after(model, now.rotation, now.angular_velocity, old.rotation);
      end.velocity = now.velocity, end.angular_velocity = undone;
      move(model, recording.dt(), end);
      end.centre = end.centre + shift[b];
      end.rotation = turned_by(turn[b], end.rotation);
    } else if (model.kind == BodyKind::kKinematic) {
      continue;  // its motion is prescribed
    }
    if (!recording.has_terms() && step.bodies[b].moves) continue;  // displacements are not known
    const double rounding = 1e-14 * (norm(old.centre) + recording.dt() * norm(now.velocity));
    const double angle = norm(rotation_vector(now.rotation * conjugate(end.rotation)));
    const double error = std::max(norm(now.centre - end.centre) - rounding, 0.0) + 0.5 * size * angle;
    if (size > 0) result.motion = std::max(result.motion, error / size);
  }
}

/// The mass centres and rotations at the end of the step, before overlap is removed.
RecordedState Verifier::Impl::integrated(const Step& step) const {
  RecordedState now = step.after;
  for (std::size_t b = 0; b < step.bodies.size(); ++b) {
    if (!step.bodies[b].moves) continue;
    const BodyModel& model = recording.models()[b];
    const BodyState& old = step.before.bodies[b];
    BodyState& end = now.bodies[b];
    const Vec3 undone = spin_after(model, end.rotation, end.angular_velocity, old.rotation);
    end = {old.centre, old.rotation, end.velocity, undone};
    move(model, recording.dt(), end);
  }
  return now;
}

/// A contact without friction, with displacements in the place of velocities.
LawBlock Verifier::Impl::push_block(const Step& step, const RecordedState& now, const OverlapPush& push) const {
  LawBlock block;
  const auto axes = frame(push.normal);
  const Vec3 arm_a = push.position - now.bodies[at(push.body_a)].centre;
  const Vec3 arm_b = push.position - now.bodies[at(push.body_b)].centre;
  block.bias[2] = push.gap + push.allowed;
  block.start[2] = block.lambda[2] = push.lambda;
  if (step.bodies[at(push.body_a)].moves) block.a = push.body_a;
  if (step.bodies[at(push.body_b)].moves) block.b = push.body_b;
  for (std::size_t r = 0; r < 3; ++r) {
    block.linear_a[r] = -1.0 * axes[r], block.angular_a[r] = -1.0 * cross(arm_a, axes[r]);
    block.linear_b[r] = axes[r], block.angular_b[r] = cross(arm_b, axes[r]);
  }
  return block;
}

/// Displaces the bodies of one problem: those of an island in one round.
void Verifier::Impl::push_apart(const Step& step, std::span<const OverlapPush> pushes, RecordedState& now,
                                StepCheck& result) const {
  std::vector<LawBody> bodies = step.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    bodies[b].velocity = bodies[b].spin = {};
    if (bodies[b].moves) bodies[b].inverse_inertia = inverse_inertia(recording.models()[b], now.bodies[b].rotation);
  }
  std::vector<LawBlock> blocks;
  for (const OverlapPush& push : pushes) {
    check_push(push, now, result);
    blocks.push_back(push_block(step, now, push));
  }
  result.recovery = std::max(result.recovery, score(bodies, blocks).whole.worst());
  const Change change = response(bodies, blocks, &LawBlock::lambda);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].moves) continue;
    BodyState& body = now.bodies[b];
    body.centre = body.centre + change.velocity[b];
    body.rotation = turned_by(change.spin[b], body.rotation);
  }
}

void Verifier::Impl::check_push(const OverlapPush& push, const RecordedState& now, StepCheck& result) const {
  result.lengths = std::max(result.lengths, std::abs(norm(push.normal) - 1));
  if (!scene || push.moved) return;
  Contact c;
  c.body_a = push.body_a, c.body_b = push.body_b, c.collider_a = push.shape_a, c.collider_b = push.shape_b;
  c.position = push.position, c.normal = push.normal, c.gap = push.gap;
  const double off = scene->has_shapes_of(c) ? scene->distance_from_surfaces(c, now) : HUGE_VAL;
  const double size = scene->has_shapes_of(c) ? scene->pair_size(c.collider_a, c.collider_b) : 1.0;
  result.recovery_surface = std::max(result.recovery_surface, off / size);
  if (scene->has_shapes_of(c) && scene->has_exact_points(c.collider_a, c.collider_b))
    result.exact_surface = std::max(result.exact_surface, (off - scene->roughness(c.collider_a, c.collider_b)) / size);
}

/// Follows the displacements that removed overlap, round by round, to the poses at the end.
void Verifier::Impl::check_recovery(const Step& step, StepCheck& result) const {
  if (!recording.has_pushes()) return;
  result.recovery_stored = step.recorded.report.recovery_residual;
  const std::span<const OverlapPush> pushes = step.recorded.pushes;
  RecordedState now = integrated(step);
  const auto same_problem = [](const OverlapPush& p, const OverlapPush& q) {
    return p.round == q.round && p.island == q.island;
  };
  for (std::size_t first = 0, last = 0; first < pushes.size(); first = last) {
    while (last < pushes.size() && same_problem(pushes[first], pushes[last])) ++last;
    push_apart(step, pushes.subspan(first, last - first), now, result);
  }
  if (!recording.joints().empty()) return;  // joints are placed afterwards
  for (std::size_t b = 0; b < now.bodies.size(); ++b) {
    if (!step.bodies[b].moves) continue;
    const double size = scene ? scene->size(b) : 2 * gyration(recording.models()[b]);
    const BodyState &end = now.bodies[b], &found = step.after.bodies[b];
    const double rounding = 1e-14 * (norm(found.centre) + recording.dt() * norm(found.velocity));
    const double angle = norm(rotation_vector(found.rotation * conjugate(end.rotation)));
    const double error = std::max(norm(found.centre - end.centre) - rounding, 0.0) + 0.5 * size * angle;
    if (size > 0) result.recovery_motion = std::max(result.recovery_motion, error / size);
  }
}

/// Frames of bodies follow from their mass centres, quaternions have length 1, and what does not move keeps its state.
void Verifier::Impl::check_states(const Step& step, StepCheck& result) const {
  for (std::size_t b = 0; b < step.bodies.size(); ++b) {
    const BodyModel& model = recording.models()[b];
    for (const RecordedState* state : {&step.before, &step.after}) {
      const BodyState& s = state->bodies[b];
      result.lengths = std::max(result.lengths, std::abs(norm(s.rotation) - 1));
      if (state == &step.before && step.changed.count(static_cast<int>(b))) continue;  // its frame is not known
      const Vec3 off = s.centre - rotate(s.rotation, model.centre) - state->positions[b];
      const double scale = norm(s.centre) + norm(model.centre);
      if (scale > 0) result.frames = std::max(result.frames, norm(off) / scale);
    }
    if (step.bodies[b].moves || model.kind == BodyKind::kKinematic) continue;
    const BodyState &old = step.before.bodies[b], &now = step.after.bodies[b];
    const double change = norm(now.velocity - old.velocity) + norm(now.angular_velocity - old.angular_velocity) +
                          norm(now.centre - old.centre);
    const double scale = norm(old.velocity) + norm(old.angular_velocity) + norm(old.centre);
    if (change > 0) result.frames = std::max(result.frames, scale > 0 ? change / scale : 1.0);
  }
}

/// The clock goes on by dt, and the energy is that of the bodies' states. Joints have springs, which are not stored.
void Verifier::Impl::check_time_and_energy(const Step& step, StepCheck& result) const {
  const double h = recording.dt(), end = step.after.time;
  result.time = std::max(std::abs(end - step.before.time - h) - 1e-14 * std::abs(end), 0.0) / h;
  if (!scene || !recording.joints().empty()) return;
  double energy = 0, parts = 0;
  const auto add = [&](double part) { energy += part, parts += std::abs(part); };
  for (std::size_t b = 0; b < step.bodies.size(); ++b) {
    if (!step.bodies[b].moves) continue;
    const BodyModel& model = recording.models()[b];
    const BodyState& s = step.after.bodies[b];
    add(0.5 * model.mass * dot(s.velocity, s.velocity));
    add(spin_energy(model, s.rotation, s.angular_velocity));
    add(-model.mass * scene->gravity_scale(b) * dot(recording.gravity(), s.centre));
  }
  if (parts > 0) result.energy = std::abs(energy - step.recorded.report.energy) / parts;
}

void Verifier::Impl::check_contacts(const Step& step, StepCheck& result) const {
  std::set<std::pair<int, int>> touched;
  for (const Contact& c : step.recorded.contacts) {
    touched.insert({c.collider_a, c.collider_b});
    result.predicted += c.is_predicted();
    result.lengths = std::max(result.lengths, std::abs(norm(c.normal) - 1));
    if (!scene) continue;
    if (!scene->has_shapes_of(c)) {
      result.surface = std::numeric_limits<double>::infinity();
      continue;
    }
    result.friction = std::max(result.friction, std::abs(c.mu - scene->friction(c.collider_a, c.collider_b)));
    const double size = scene->pair_size(c.collider_a, c.collider_b);
    const double off = c.is_predicted() ? 0.0 : scene->distance_from_surfaces(c, step.before) / size;
    result.off_surface += off > kExact;
    if (scene->has_exact_points(c.collider_a, c.collider_b))
      result.exact_surface = std::max(result.exact_surface, off - scene->roughness(c.collider_a, c.collider_b) / size);
    result.surface = std::max(result.surface, off);
    const auto speed = [&](const RecordedState& state, bool free) {  // of b relative to a along the normal
      const LawBlock block = contact_block(step, c);
      double v = block.bias[2] - c.bias;
      const auto add = [&](int b, Vec3 linear, Vec3 angular) {
        if (b < 0) return;
        v += dot(linear, free ? step.bodies[at(b)].velocity : state.bodies[at(b)].velocity) +
             dot(angular, free ? step.bodies[at(b)].spin : state.bodies[at(b)].angular_velocity);
      };
      add(block.a, block.linear_a[2], block.angular_a[2]);
      add(block.b, block.linear_b[2], block.angular_b[2]);
      return v;
    };
    const double h = recording.dt(), bias = c.bias - c.yielded;
    const double e = scene->restitution(c.collider_a, c.collider_b);
    double error = std::abs(bias - scene->gap_bias(c, h));
    if (e > 0) error = std::min(error, std::abs(bias - e * speed(step.before, false)));
    result.gap_bias = std::max(result.gap_bias, h * error / size);
  }
  if (scene) result.unaccounted = scene->overlaps_without(touched, step.before, step.after.present);
}

double Verifier::Impl::joint_error(const RecordedState& before, const RecordedState& after) const {
  double worst = 0, size = 0;
  for (std::size_t j = 0; j < recording.joints().size(); ++j) {
    const JointModel& joint = recording.joints()[j];
    const auto present = [&](int b) { return b == kWorldBody || after.present[at(b)]; };
    if (!present(joint.body_a) || !present(joint.body_b)) continue;
    if (!std::all_of(joint.others.begin(), joint.others.end(), present)) continue;
    // A rope that starts too long is shortened in steps.
    const double excess = joint.kind == JointKind::kRope ? joint_gap(joint, before.bodies) : 0.0;
    worst = std::max({worst, joint_gap(joint, after.bodies) - excess,
                      compound_gap(joint, after.joint_positions[j], after.bodies),
                      coupling_gap(joint, after.joint_positions[j][0], after.joint_positions, after.bodies),
                      joint.length * coordinate_error(joint, after.joint_positions[j][0], after.bodies)});
    size = std::max(size, joint.size);
  }
  return size > 0 ? worst / size : 0.0;
}

Verifier::Verifier(const Recording& recording) : impl_(std::make_unique<Impl>(recording)) {}
Verifier::~Verifier() = default;
bool Verifier::has_scene() const { return impl_->scene.has_value(); }

StepCheck Verifier::check(int k) const {
  const Step step = impl_->read(k);
  StepCheck result;
  result.step = k;
  result.contacts = static_cast<int>(step.recorded.contacts.size());
  result.stored = step.recorded.report.certificate;
  result.pairs_missed = step.recorded.report.pairs_missed;
  std::vector<LawBlock> blocks;
  for (const Contact& c : step.recorded.contacts) blocks.push_back(impl_->contact_block(step, c));
  for (const JointBlock& j : step.recorded.joint_blocks) blocks.push_back(impl_->joint_block(step, j));
  const Scores scores = score(step.bodies, blocks);
  result.recomputed = scores.worst_island, result.whole = scores.whole, result.islands = scores.islands;
  result.rounding = scores.rounding;
  impl_->check_velocities(step, blocks, result);
  impl_->check_free_motion(step, result);
  impl_->check_motion(step, result);
  impl_->check_recovery(step, result);
  impl_->check_states(step, result);
  impl_->check_time_and_energy(step, result);
  impl_->check_contacts(step, result);
  result.joints = impl_->joint_error(step.before, step.after);
  if (impl_->scene) impl_->scene->check_events(k, step.recorded, step.before, step.after, result);
  return result;
}

const char* StepCheck::fault() const {
  if (!close(recomputed.r_c(), stored.r_c(), rounding) || !close(recomputed.nat, stored.nat))
    return "stored certificate";
  if (!(velocity <= kSpeed)) return "velocities after the impulses";
  if (!(free_motion <= kSpeed)) return "free velocities";
  if (!(motion <= kMotion)) return "poses after the motion";
  if (!close(recovery, recovery_stored)) return "stored residual of the displacements";
  if (!(recovery_motion <= kMotion)) return "displacements from what pushed";
  if (!(recovery_surface <= kSurface)) return "pushing points on the surfaces";
  if (!(prescribed <= kPrescribed)) return "poses of prescribed motions";
  if (!(lengths <= kUnit)) return "normals and quaternions of length 1";
  if (!(frames <= kUnit)) return "frames of bodies from their mass centres";
  if (!(surface <= kSurface && exact_surface <= kExact)) return "contact points on the surfaces";
  if (!(gap_bias <= kBias)) return "biases from gaps and restitution";
  if (!(friction <= kFriction)) return "friction of the materials";
  if (!(joints <= kJoints)) return "joints";
  if (unaccounted > 0) return "a contact for every overlap";
  if (events_missed > 0) return "events";
  if (!(time <= kTime)) return "times of states";
  if (!(energy <= kEnergy)) return "energies of states";
  return "";
}

void require_certificates(const Recording& recording, const std::string& name) {
  require(recording.steps() == 0 || !std::isnan(recording.reports(0, 1).front().certificate.nat), name,
          ": expected a recording of repose run, got poses of another program, without certificates");
}

StepCheck check_step(const Recording& recording, int step) { return Verifier(recording).check(step); }

}  // namespace repose
