// SPDX-License-Identifier: Apache-2.0
#include "repose/world/joint_projection_internal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "repose/world/contact_terms.h"
#include "repose/world/integrate_internal.h"
#include "repose/world/joint_step_internal.h"

namespace repose {
namespace {

/// Stiffness of the rows beside that of their bodies: large enough for one step of Newton's method to be nearly exact,
/// small enough for the block factor.
/// Share of the size by which a slack rope may be too long.
constexpr double kOvershoot = 1e-11;
constexpr double kStiffness = 1e8;
/// Turn within a step below which the derivative of the rotation is the identity, rad.
constexpr double kNoTurn = 1e-9;
/// The same below which its first terms suffice: Newton's method then gains two to three digits a step at least.
constexpr double kSmallTurn = 0.05;
constexpr int kRefinements = 2;
constexpr int kNoJoint = -1;
/// Largest velocity that the position constraint adds to a row, as a share of that of the motion: that of a pendulum
/// which turns by 0.7 rad per step.
constexpr double kLargestShare = 0.4;
/// Turn within a step beyond which the position constraint is given up without a look, rad.
constexpr double kLargestTurn = 10;
/// Shift within a step that is small in any case, as a share of the mechanism's size.
constexpr double kSmallShift = 1e-9;
/// Energy that position rows may add, as a share of Σ |λ added|: 0 where steps follow each other in which positions
/// hold, ½ after one at velocity level. And as a share of the kinetic energy with and without the impulses: less is
/// left alone. And the rotation of a body per step, rad, below which nothing whips: the gain is of the order of its
/// square.
constexpr double kUnbalanced = 0.25, kUnnoticed = 1e-3, kWhip = 0.05;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double component(Vec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

/// T to first order in h, of a body that turns freely. From δφ̇ = I⁻¹ (δL + L × δφ) with L constant follows
///   T = 1 + h/2 ([ω]× − I⁻¹ [ω]× I + I⁻¹ [L]×),   here in principal axes.
Mat3 first_terms(const BodyModel& model, double h, const BodyState& start) {
  const Quat axes = start.rotation * model.rotor.axes;
  const Vec3 w = rotate_back(axes, start.angular_velocity), I = model.rotor.moments;
  Mat3 T = Mat3::identity();
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const auto entry = [&](int column, double spin, double momentum) {
      const double ratio = component(I, column) / component(I, i);
      T.m[i][column] = 0.5 * h * (spin * (1 - ratio) + momentum / component(I, i));
    };
    const double w_j = component(w, j), w_k = component(w, k);
    entry(j, -w_k, -component(I, k) * w_k);  // row i of [x]×: −x_k in column j, x_j in column k
    entry(k, w_j, component(I, j) * w_j);
  }
  const Mat3 Q = to_matrix(axes);
  return Q * (T * transpose(Q));
}

/// Derivative of the rotation over a step, δφ⁺ = h T δω: by differences where the body turns far.
Mat3 turn_derivative(const BodyModel& model, double h, const BodyState& start, Quat end) {
  const double speed = norm(start.angular_velocity);
  if (h * speed < kNoTurn) return Mat3::identity();
  if (h * speed < kSmallTurn && turns_freely(model)) return first_terms(model, h, start);
  const double step = 1e-6 * std::max(speed, 1e-3 / h);
  Mat3 T;
  for (int c = 0; c < 3; ++c) {
    BodyState moved = start;
    (c == 0 ? moved.angular_velocity.x : c == 1 ? moved.angular_velocity.y : moved.angular_velocity.z) += step;
    move_freely(model, h, moved);
    const Quat d = moved.rotation * conjugate(end);
    const double twice = (d.w < 0 ? -2 : 2) / (h * step);
    T.m[0][c] = twice * d.x, T.m[1][c] = twice * d.y, T.m[2][c] = twice * d.z;
  }
  return T;
}

double row_of(const ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }
double& row_of(ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }

/// The rows of a limit at the end of the step.
JointRows limit_rows(const JointModel& model, const JointBlock& block, const JointFrames& frames) {
  const CoordinateRow row = coordinate_row(model, block.part, frames);
  JointRows rows;
  for (const int r : {0, 2}) {
    const double scale = row_of(block.scale, r);
    rows.a.linear[r] = scale * row.linear_a, rows.a.angular[r] = scale * row.angular_a;
    rows.b.linear[r] = scale * row.linear_b, rows.b.angular[r] = scale * row.angular_b;
  }
  return rows;
}

}  // namespace

void JointProjection::bind(const JointContext& context, std::span<const int> island_bodies, std::span<const int> nodes,
                           const BodyForm& form, int first, std::span<const JointBlock> blocks,
                           std::span<const int> island_blocks, std::uint64_t rows) {
  rows_ = rows;
  context_ = context;
  bodies_ = island_bodies, nodes_ = nodes, index_ = island_blocks;
  blocks_ = blocks;
  form_ = &form, first_ = first;
  h_ = context.setup->scene.dt;
  size_ = 0;
  for (const int k : index_) size_ = std::max(size_, context.setup->joints[at(blocks[at(k)].joint)].size);
  free_rotation_.bind(context.setup->models, island_bodies);
  poses_.resize(at(form.bodies()));
  starts_.resize(at(form.bodies()));
  parts_.resize(index_.size());
  held_.resize(index_.size());
  bilateral_.resize(index_.size());
  for (std::size_t k = 0; k < index_.size(); ++k) {
    const JointBlock& block = blocks[at(index_[k])];
    const ContactVec& lower = block.set.bounds().lower;
    bilateral_[k] = block.role == JointRole::kPosition && (lower.n < 0 || lower.t1 < 0);
  }
  prepared_ = false;
}

/// What steps need beside the errors: most islands are solved without.
void JointProjection::prepare() {
  if (std::exchange(prepared_, true)) return;
  edges_.clear();
  const int ground = form_->bodies();
  for (std::size_t k = 0; k < index_.size(); ++k) {
    const auto [a, b] = form_->ends(first_ + static_cast<int>(k));
    if (a < ground && b < ground) edges_.emplace_back(std::min(a, b), std::max(a, b));
  }
  for (const BodyForm::Further& end : form_->further())
    for (int f = 0; f < form_->end_count(end.block); ++f)
      if (const int node = form_->end(end.block, f).node; node < ground && node != end.node)
        edges_.emplace_back(std::min(node, end.node), std::max(node, end.node));
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  end_.analyse(ground, edges_);
  start_.analyse(ground, edges_);
  start_held_.clear();
  wanted_.resize(index_.size());
  impulse_.resize(index_.size());
  stiffness_.resize(index_.size());
  edge_of_.resize(index_.size());
  y_.resize(at(ground));
  end_rows_.assign(form_->further().begin(), form_->further().end());
  further_.clear();
  for (int k = 0; k < blocks(); ++k)
    for (int e = 2; e < form_->end_count(first_ + k); ++e)
      for (int f = 0; f <= e; ++f)
        if (const int node = form_->end(first_ + k, f).node; node < ground)
          further_.push_back({k, e, f, f == e ? -1 : edge_between(form_->end(first_ + k, e).node, node)});
  for (std::size_t k = 0; k < index_.size(); ++k) {
    const int i = first_ + static_cast<int>(k);
    const auto [a, b] = form_->ends(i);
    edge_of_[k] = edge_between(a, b);
    stiffness_[k] = kStiffness / std::max(form_->diagonal_trace(i), 1e-300);
  }
}

int JointProjection::edge_between(int a, int b) const {
  const std::pair<int, int> edge(std::min(a, b), std::max(a, b));
  return static_cast<int>(std::lower_bound(edges_.begin(), edges_.end(), edge) - edges_.begin());
}

/// Whether no body turns so far within the step that the position constraint has no solution any more. The rotation of
/// a body with three different moments takes the longer the faster it is.
bool JointProjection::is_within_reach(const NodeVelocities& change) const {
  return largest_turn(change) <= kLargestTurn;
}

double JointProjection::largest_turn(const NodeVelocities& change) const {
  double largest = 0;
  for (std::size_t node = 0; node < bodies_.size(); ++node) {
    const double spin = norm(context_.bodies[at(bodies_[node])].spin + change.angular[node]);
    if (!(h_ * spin <= largest)) largest = std::isfinite(spin) ? h_ * spin : HUGE_VAL;
  }
  return largest;
}

void JointProjection::find_poses(const NodeVelocities& change) {
  for (std::size_t node = 0; node < bodies_.size(); ++node) {
    const StepBody& body = context_.bodies[at(bodies_[node])];
    const BodyModel& model = context_.setup->models[at(bodies_[node])];
    BodyState state{body.centre, body.rotation, body.velocity + change.linear[node], body.spin + change.angular[node]};
    const PendingMotion& pending = context_.pending[at(bodies_[node])];
    if (!is_zero(pending)) displace(model, pending.shift, pending.angle, state);
    starts_[node] = state;
  }
  free_rotation_.find_poses(h_, starts_, poses_);
}

void JointProjection::find_scaled_rows() {
  turn_.resize(at(form_->bodies()));
  for (std::size_t node = 0; node < bodies_.size(); ++node)
    turn_[node] = turn_derivative(context_.setup->models[at(bodies_[node])], h_, starts_[node], poses_[node].rotation);
  for (int k = 0; k < static_cast<int>(index_.size()); ++k) {
    const JointBlock& block = blocks_[at(index_[at(k)])];
    Part& part = parts_[at(k)];
    if (!holds_any(k)) continue;
    const JointRows rows = end_rows(block);
    for (int r = 0; r < 3; ++r) {
      const bool held = holds(k, r);
      part.scaled.a[r] = held ? scaled(block.body_a, rows.a.linear[r], rows.a.angular[r]) : Pack{};
      part.scaled.b[r] = held ? scaled(block.body_b, rows.b.linear[r], rows.b.angular[r]) : Pack{};
    }
    if (!block.others.empty()) find_further_rows(k, block);
  }
}

/// The rows of block k at the end of the step against bodies beside a and b: `frames_` are those of its joint.
void JointProjection::find_further_rows(int k, const JointBlock& block) {
  const JointModel& model = context_.setup->joints[at(block.joint)];
  const ContactVec factors = block.role == JointRole::kPosition ? sum_factors(model) : block.scale;
  for (const BodyRow& other : frames_.others) {
    const BodyJacobian rows = times(factors, other);
    for (BodyForm::Further& end : end_rows_) {
      if (end.block != first_ + k || end.node != nodes_[at(other.body)]) continue;
      for (int r = 0; r < 3; ++r)
        end.rows[r] = holds(k, r) ? scaled(other.body, rows.linear[r], rows.angular[r]) : Pack{};
    }
  }
}

/// J⁺ T L of end e of block k.
const Pack (&JointProjection::rows_at_end(int k, int e) const)[3] {
  if (e == 0) return parts_[at(k)].scaled.a;
  if (e == 1) return parts_[at(k)].scaled.b;
  const BodyForm::Further* first = form_->further().data();
  return end_rows_[static_cast<std::size_t>(&form_->further(first_ + k)[at(e) - 2] - first)].rows;
}

Pose JointProjection::end_pose(int body) const {
  if (body == kWorldBody) return {};
  const int node = nodes_[at(body)];
  return node >= 0 ? poses_[at(node)] : context_.ends[at(body)];
}

/// One row of J⁺ T L.
Pack JointProjection::scaled(int body, Vec3 linear, Vec3 angular) const {
  const int node = body == kWorldBody ? -1 : nodes_[at(body)];
  if (node < 0) return Pack{};
  const StepBody& step = context_.bodies[at(body)];
  const Vec3 l = step.root.root_inverse_mass * without_held(linear, step.held[0], step.held[1], step.held[2]);
  const Vec3 a = transpose(step.root.root_inverse_inertia) * (transpose(turn_[at(node)]) * angular);
  return Pack{l.x, l.y, l.z, a.x, a.y, a.z, 0, 0};
}

const JointFrames& JointProjection::end_frames(int joint) {
  if (std::exchange(frames_of_, joint) != joint)
    find_frames(
        context_.setup->joints, at(joint), context_.coordinates, [this](int body) { return end_pose(body); }, frames_);
  return frames_;
}

int JointProjection::end_turns(const JointModel& model, int joint) const {
  if (model.kind != JointKind::kScrew) return 0;
  return whole_turns(unwrapped(coordinate_row(model, 0, frames_).value, context_.coordinates[at(joint)][0]));
}

JointRows JointProjection::end_rows(const JointBlock& block) {
  const JointModel& model = context_.setup->joints[at(block.joint)];
  const JointFrames& frames = end_frames(block.joint);
  if (block.role != JointRole::kPosition) return limit_rows(model, block, frames);
  return position_rows(model, position_parts(model)[at(block.part)], frames, end_turns(model, block.joint));
}

/// Errors of block k at the end of the step.
void JointProjection::evaluate(int k, std::span<const ContactVec> lambda) {
  const JointBlock& block = blocks_[at(index_[at(k)])];
  std::array<bool, 3>& held = held_[at(k)];
  held = {};
  const bool position = block.role == JointRole::kPosition;
  if (!position && block.role != JointRole::kLimit) return;
  const Bounds& bounds = block.set.bounds();
  const auto live = [&](int r) { return row_of(bounds.lower, r) < row_of(bounds.upper, r) && !block.bounces[at(r)]; };
  for (int r = 0; r < 3; ++r)
    held[at(r)] = live(r) && (row_of(bounds.lower, r) < 0 || row_of(lambda[at(first_ + k)], r) > 0);
  const bool slack = position ? !is_bilateral(k) && !held[2] : !context_.setup->joints[at(block.joint)].path.empty();
  if (!held[0] && !held[1] && !held[2] && !slack) return;
  const ContactVec errors = linear_ ? errors_of_motion(k, block) : errors_at_end(block);
  // A rope whose row opens, but which is too long at the end of the step by terms of second order, is held, too; and a
  // tendon beyond its limit.
  for (int r = 0; r < 3 && slack; ++r)
    if (!held[at(r)] && live(r)) held[at(r)] = row_of(errors, r) - row_of(block.target, r) < -kOvershoot * size_;
  Part& part = parts_[at(k)];
  part.error = {};
  for (int r = 0; r < 3; ++r)
    if (held[at(r)]) row_of(part.error, r) = row_of(errors, r) - row_of(block.target, r);
  const double distance = std::sqrt(squared_norm(part.error));
  distance_ = std::max(distance_, distance);
  if (is_bilateral(k)) bilateral_error_ = std::max(bilateral_error_, distance);
}

ContactVec JointProjection::errors_at_end(const JointBlock& block) {
  const JointModel& model = context_.setup->joints[at(block.joint)];
  const JointFrames& frames = end_frames(block.joint);
  if (block.role != JointRole::kPosition)
    return limit_errors(model, block, frames, context_.coordinates[at(block.joint)][at(block.part)]);
  return position_errors(model, position_parts(model)[at(block.part)], frames, end_turns(model, block.joint));
}

double JointProjection::error(std::span<const ContactVec> lambda, const NodeVelocities& change) {
  bilateral_error_ = HUGE_VAL;
  if (!is_within_reach(change)) return HUGE_VAL;
  linear_ = false;
  find_poses(change);
  return evaluate_all(lambda);
}

double JointProjection::evaluate_all(std::span<const ContactVec> lambda) {
  distance_ = bilateral_error_ = 0;
  frames_of_ = kNoJoint;
  for (int k = 0; k < static_cast<int>(index_.size()); ++k) evaluate(k, lambda);
  bilateral_error_ = std::isfinite(distance_) ? bilateral_error_ / size_ : HUGE_VAL;
  return std::isfinite(distance_) ? distance_ / size_ : HUGE_VAL;
}

bool JointProjection::is_small(std::span<const ContactVec> added, const NodeVelocities& change) const {
  struct Velocities {
    Vec3 velocity, spin;
  };
  const auto motion = [&](int body) -> Velocities {
    if (body == kWorldBody) return {};
    const StepBody& step = context_.bodies[at(body)];
    const int node = nodes_[at(body)];
    if (node < 0) return {step.velocity, step.spin};
    return {step.velocity + change.linear[at(node)], step.spin + change.angular[at(node)]};
  };
  const double least = kSmallShift * size_ / h_;
  for (int k = 0; k < static_cast<int>(index_.size()); ++k) {
    const JointBlock& block = blocks_[at(index_[at(k)])];
    if (block.role != JointRole::kPosition) continue;
    const auto is_least = [&](int r) { return !holds(k, r) || std::abs(row_of(added[at(k)], r)) <= least; };
    if (is_least(0) && is_least(1) && is_least(2)) continue;
    const Velocities a = motion(block.body_a), b = motion(block.body_b);
    double turning = norm(a.spin) + norm(b.spin), sliding = norm(b.velocity - a.velocity);
    for (const JointEnd& end : block.others) {
      const Velocities other = motion(end.body);
      turning += norm(other.spin), sliding += norm(other.velocity - a.velocity);
    }
    const auto slides = [&](int r) {
      return norm(block.b.linear[r]) > 0 || std::any_of(block.others.begin(), block.others.end(),
                                                        [&](const JointEnd& e) { return norm(e.rows.linear[r]) > 0; });
    };
    for (int r = 0; r < 3; ++r) {
      if (!holds(k, r)) continue;
      double arm = std::max(norm(block.a.angular[r]), norm(block.b.angular[r]));
      for (const JointEnd& end : block.others) arm = std::max(arm, norm(end.rows.angular[r]));
      const double moving = slides(r) ? sliding : 0.0;
      if (!(std::abs(row_of(added[at(k)], r)) <= kLargestShare * (turning * arm + moving) + least)) return false;
    }
  }
  return true;
}

/// With J v before and J v⁺ = `added` after the impulses λ the rows do the work Σ λ (J v + J v⁺)/2. A body that turns
/// by φ per step has J v⁺ = −½ φ v, and J v = ½ φ v where the position constraint held in the step before: the work is
/// the oscillation of a symplectic method. After a step at velocity level J v is φ v: work that nothing gives back.
bool JointProjection::raises_energy(std::span<const ContactVec> added, std::span<const ContactVec> lambda,
                                    const NodeVelocities& change) const {
  const auto row = [&](int body, const BodyJacobian& J, int r) {
    if (body == kWorldBody) return 0.0;
    const StepBody& s = context_.bodies[at(body)];
    return dot(J.linear[r], s.moves ? s.before : s.velocity) + dot(J.angular[r], s.moves ? s.spin_before : s.spin);
  };
  double work = 0, turned = 0;
  for (int k = 0; k < static_cast<int>(index_.size()); ++k) {
    const JointBlock& block = blocks_[at(index_[at(k)])];
    if (block.role != JointRole::kPosition) continue;
    for (int r = 0; r < 3; ++r) {
      if (!holds(k, r)) continue;
      const double impulse = row_of(lambda[at(k)], r), after = row_of(added[at(k)], r);
      double before = row(block.body_a, block.a, r) + row(block.body_b, block.b, r);
      for (const JointEnd& other : block.others) before += row(other.body, other.rows, r);
      work += 0.5 * impulse * (before + after);
      turned += std::abs(impulse * after);
    }
  }
  if (work <= kUnbalanced * turned) return false;
  double energy = 0, turn = 0;
  for (const int b : bodies_) {
    const StepBody& step = context_.bodies[at(b)];
    const BodyModel& model = context_.setup->models[at(b)];
    const std::size_t node = at(nodes_[at(b)]);
    const auto add = [&](Vec3 v, Vec3 w) {
      energy += 0.5 * model.mass * dot(v, v) + spin_energy(model.rotor, step.rotation, w);
    };
    add(step.velocity, step.spin);
    const Vec3 spin = step.spin + change.angular[node];
    add(step.velocity + change.linear[node], spin);
    turn = std::max(turn, h_ * norm(spin));
  }
  return work > kUnnoticed * energy && turn > kWhip;
}

/// I + Σ s (J L)ᵀ (J⁺ L) over the rows that are held, or the same with J in the place of J⁺.
void JointProjection::assemble(bool at_end, BodyForm::Lu& lu) const {
  const int ground = form_->bodies();
  lu.set_identity();
  for (int k = 0; k < static_cast<int>(index_.size()); ++k) {
    if (!holds(k, 0) && !holds(k, 1) && !holds(k, 2)) continue;
    const auto [a, b] = form_->ends(first_ + k);
    const BodyForm::Rows& J = form_->rows(first_ + k);
    const BodyForm::Rows& other = at_end ? parts_[at(k)].scaled : J;
    Pack Y_a[3], Y_b[3];
    for (int r = 0; r < 3; ++r) {
      const double s = holds(k, r) ? stiffness_[at(k)] : 0.0;
      Y_a[r] = s * J.a[r], Y_b[r] = s * J.b[r];
    }
    if (a < ground) add_outer(lu.diagonal(a), Y_a, other.a);
    if (b < ground) add_outer(lu.diagonal(b), Y_b, other.b);
    if (a >= ground || b >= ground) continue;
    BodyBlock ab{}, ba{};
    add_outer(ab, Y_a, other.b);
    add_outer(ba, Y_b, other.a);
    lu.add(edge_of_[at(k)], a < b ? ab : ba, a < b ? ba : ab);
  }
  assemble_further(at_end, lu);
}

/// The same for pairs of ends of which one is beyond the second.
void JointProjection::assemble_further(bool at_end, BodyForm::Lu& lu) const {
  for (const Pair& pair : further_) {
    const int k = pair.block;
    if (!holds_any(k)) continue;
    const auto weighted = [&](const BodyForm::End& end, Pack(&Y)[3]) {
      for (int r = 0; r < 3; ++r) Y[r] = (holds(k, r) ? stiffness_[at(k)] : 0.0) * end.rows[r];
    };
    const BodyForm::End p = form_->end(first_ + k, pair.e), q = form_->end(first_ + k, pair.f);
    Pack Y_p[3], Y_q[3];
    weighted(p, Y_p), weighted(q, Y_q);
    const auto &other_p = at_end ? rows_at_end(k, pair.e) : p.rows, &other_q = at_end ? rows_at_end(k, pair.f) : q.rows;
    if (pair.edge < 0) {
      add_outer(lu.diagonal(p.node), Y_p, other_p);
      continue;
    }
    BodyBlock pq{}, qp{};
    add_outer(pq, Y_p, other_q);
    add_outer(qp, Y_q, other_p);
    lu.add(pair.edge, p.node < q.node ? pq : qp, p.node < q.node ? qp : pq);
  }
}

/// Factors the rows of the step's start, once for the same held rows.
bool JointProjection::factor_start() {
  if (start_held_ == held_) return true;
  assemble(false, start_);
  start_held_ = held_;
  if (start_.factor()) return true;
  start_held_.clear();
  return false;
}

/// y ← Σ s (J L)ᵀ x over the rows that are held
void JointProjection::scatter(std::span<const ContactVec> x) {
  const int ground = form_->bodies();
  std::fill(y_.begin(), y_.end(), Pack{});
  for (int k = 0; k < static_cast<int>(index_.size()); ++k) {
    const auto [a, b] = form_->ends(first_ + k);
    const BodyForm::Rows& J = form_->rows(first_ + k);
    for (int r = 0; r < 3; ++r) {
      if (!holds(k, r)) continue;
      const double push = stiffness_[at(k)] * row_of(x[at(k)], r);
      if (a < ground) y_[at(a)] += push * J.a[r];
      if (b < ground) y_[at(b)] += push * J.b[r];
      for (const BodyForm::Further& end : form_->further(first_ + k)) y_[at(end.node)] += push * end.rows[r];
    }
  }
}

bool JointProjection::step(std::span<ContactVec> lambda) {
  prepare();
  if (!factor_start()) return false;
  find_scaled_rows();
  assemble(true, end_);
  if (!end_.factor()) return false;
  for (std::size_t k = 0; k < index_.size(); ++k) wanted_[k] = (-1 / h_) * parts_[k].error;
  scatter(wanted_);
  end_.solve(y_);
  y_.push_back(Pack{});  // the static node
  for (std::size_t k = 0; k < index_.size(); ++k) wanted_[k] = form_->gather(first_ + static_cast<int>(k), y_.data());
  y_.pop_back();
  find_impulses(lambda);
  return true;
}

bool JointProjection::change_velocities(std::span<const ContactVec> wanted, std::span<ContactVec> lambda) {
  prepare();
  if (!factor_start()) return false;
  wanted_.assign(wanted.begin(), wanted.end());
  find_impulses(lambda);
  return true;
}

/// λ += δλ with J M⁻¹ Jᵀ δλ = the velocities wanted; refined, because the rows are stiff and not rigid.
void JointProjection::find_impulses(std::span<ContactVec> lambda) {
  const int count = static_cast<int>(index_.size());
  for (int n = 0; n < kRefinements; ++n) {
    scatter(wanted_);
    start_.solve(y_);
    y_.push_back(Pack{});  // the static node
    for (int k = 0; k < count; ++k) {
      const ContactVec missing = wanted_[at(k)] - form_->gather(first_ + k, y_.data());
      impulse_[at(k)] = {};
      for (int r = 0; r < 3; ++r)
        if (holds(k, r)) row_of(impulse_[at(k)], r) = stiffness_[at(k)] * row_of(missing, r);
      lambda[at(first_ + k)] = lambda[at(first_ + k)] + impulse_[at(k)];
    }
    std::fill(y_.begin(), y_.end(), Pack{});
    for (int k = 0; k < count; ++k) form_->scatter(first_ + k, impulse_[at(k)], y_.data());
    for (int k = 0; k < count; ++k) wanted_[at(k)] = wanted_[at(k)] - form_->gather(first_ + k, y_.data());
    y_.pop_back();
  }
}

}  // namespace repose
