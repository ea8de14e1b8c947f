// SPDX-License-Identifier: Apache-2.0
#include "repose/world/joint_newton_internal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "repose/set/block_set.h"
#include "repose/stage/work.h"

namespace repose {
namespace {

/// α of the proximal step, in units of 1/ρ_i: that of warm problems. [docs/decisions/014]
constexpr double kAlpha = 1e6;
constexpr int kMostSteps = 16;
/// Position error of the start, and of the result, below which a step is not worth its rounding errors, as a share of
/// the size of the island's largest body.
constexpr double kGoal = 1e-14;
/// The same that is good enough where a step does not reduce it any more.
constexpr double kFloor = 1e-11;
/// Factor by which a step must reduce the residual: otherwise modes have changed, and the next one takes their slopes.
constexpr double kContraction = 0.2;
/// Share of the residual that may be left after a step where the law counts as linear. Otherwise the next step goes on
/// from the same impulses: those of a large proximal step mean nothing before its equation is solved.
constexpr double kLinear = 0.05;
/// The same as a share of the scaled velocities that the impulses give: with α = 1e6 the impulses of a contact that
/// slides are nonlinear in velocities that are still wrong by more, and take the joints apart again.
constexpr double kSlack = 1e-7;
/// Steps from the same impulses, in the same modes, that reduce the residual by less than half: then it stays.
constexpr int kMostIdle = 2;
/// Growth of the residual that ends a run.
constexpr double kMostGrowth = 10;
/// Turn within a step beyond which the rows of its start say little about those of its end, rad.
constexpr double kLargestTurn = 0.5;
/// Factor by which a step must reduce the position error, above the floor.
constexpr double kLeastGain = 0.3;
/// Steps in a row that may miss it: one that takes over impulses of other modes moves the joints.
constexpr int kMostPoor = 1;
/// Share of the errors that velocities of bodies may leave where the rows count as consistent.
constexpr double kConsistent = 1e-4;
/// Sweeps that a factorisation may cost: beyond, schemes have cheaper ways.
constexpr double kMostSweeps = 200;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

bool any_of(PackMask mask) {
  for (int k = 0; k < kLanes; ++k)
    if (mask[k]) return true;
  return false;
}

double row_of(const ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }
double& row_of(ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }

}  // namespace

bool JointNewton::take(const ContactProblem& problem, ProblemChange change, int first,
                       std::span<const JointBlock> blocks, std::span<const int> index) {
  if (change == ProblemChange::kVelocities) return usable_;
  form_ = &std::get<BodyForm>(problem.form());
  judge_.bind(problem);
  const bool same = rows_.assign(*form_, first, blocks, index, change == ProblemChange::kGeometry);
  uses_ends_ = false;
  if (change == ProblemChange::kGeometry && same) {
    system_.refresh();
  } else {
    usable_ =
        system_.bind(rows_.form()) &&
        kVisitsPerProduct<BodyForm> * static_cast<double>(system_.factor_products()) <= kMostSweeps * problem.size();
    for (ContactArray* array : {&center_, &free_, &v_, &seen_, &dv_, &P_}) array->claim(problem.size());
    g_.claim(problem.size());
    for (auto* slopes : {&D_, &factored_}) slopes->resize(at(g_.packs()));
    for (auto* nodes : {&y_, &F_, &dy_}) nodes->resize(at(form_->nodes()));
    for (auto* blocks_of : {&start_, &v_free_, &start_v_free_}) blocks_of->resize(at(problem.size()));
  }
  boxes_.resize(at(v_.packs()));
  for (int p = 0; p < v_.packs(); ++p) {
    v_.pack(p) = dv_.pack(p) = {};
    boxes_[at(p)] = judge_.sets().pack(p).extra != nullptr && !any_of(judge_.sets().cones(p));
  }
  for (int p = 0; p < g_.packs(); ++p) g_.pack(p) = kAlpha * judge_.inverse_rho().pack(p);
  return usable_;
}

JointNewton::Result JointNewton::run(const Task& task, std::span<ContactVec> lambda, NodeVelocities& change) {
  Result result;
  std::copy(lambda.begin(), lambda.end(), start_.begin());
  std::copy(task.problem.v_free().begin(), task.problem.v_free().end(), start_v_free_.begin());
  free_.load(start_v_free_);
  center_.load(lambda);
  for (int p = 0; p < center_.packs(); ++p) center_.pack(p) = project(judge_.sets().pack(p), center_.pack(p));
  rows_.respond(center_, y_);
  system_.start();
  double last_error = HUGE_VAL, last_worst = HUGE_VAL, last_reached = HUGE_VAL;
  int poor = 0;
  is_centred_ = true;
  left_ = last_left_ = HUGE_VAL;
  for (;; ++result.steps) {
    const double error = position_error(task, lambda, change);
    const bool at_floor = result.steps > 1 && error <= kFloor && error > 0.5 * last_error;
    const bool settled = reached_error_ <= kGoal || reached_error_ > 0.5 * last_reached;
    if (is_centred_) last_reached = reached_error_;
    if (is_centred_ && settled && (error <= kGoal || at_floor)) {
      hold_rows(task);
      result.certificate = judge_.start(center_);
      const double worst = result.certificate.worst();
      const bool stays = result.steps > 1 && worst > 0.5 * last_worst && worst <= task.tolerance;
      result.solved = worst <= task.aim || stays;
      last_worst = worst;
    }
    const bool gains = !is_centred_ || error <= kFloor || error <= kLeastGain * last_error;
    poor = gains ? 0 : poor + 1;
    const bool converges = poor <= kMostPoor;
    if (is_centred_) last_error = error;
    if (result.solved || result.steps == kMostSteps || !std::isfinite(error) || !converges) break;
    if (result.steps == 0) take_rows(task);
    if (!step(task, result.steps == 0)) break;
  }
  result.work = result.steps * newton_step_work(*form_, system_) / std::max(1, form_->size());
  if (!result.solved) {
    std::copy(start_.begin(), start_.end(), lambda.begin());
    task.problem.set_v_free(start_v_free_);
  }
  return result;
}

/// Of the poses at the end, with the impulses `center_`.
double JointNewton::position_error(const Task& task, std::span<ContactVec> lambda, NodeVelocities& change) {
  center_.store(lambda);
  change.linear.resize(at(form_->bodies()));
  change.angular.resize(at(form_->bodies()));
  form_->body_velocity(y_, change.linear, change.angular);
  reached_error_ = task.rows.error_alone(lambda, change);
  return task.rows.largest_turn(change) <= kLargestTurn ? task.rows.bilateral_error() : HUGE_VAL;
}

/// The rows of positions at the end of the step that the start leads to: with them Newton's method converges by its
/// square. Those of the start where errors are linear in the motion.
void JointNewton::take_rows(const Task& task) {
  const bool before = std::exchange(uses_ends_, !task.rows.is_linear());
  if (uses_ends_) {
    task.rows.find_rows_at_end();
    rows_.take_ends(task.rows);
  }
  if (uses_ends_ || before) system_.refresh(uses_ends_ ? &rows_.form_at_end() : nullptr);
}

/// Whether a limit or a rope that is reached has a velocity of its own: one that is not rounding.
bool JointNewton::closes(const Task& task, int k, double rate) const {
  return !task.rows.is_bilateral(k) && std::abs(rate) > task.rows.rate_of(kFloor);
}

/// v_f of the problem: the rows of joints do not move, limits and ropes that are reached close as they do.
void JointNewton::hold_rows(const Task& task) {
  std::copy(start_v_free_.begin(), start_v_free_.end(), v_free_.begin());
  rows_.gather(y_, v_);
  for (int k = 0; k < task.rows.blocks(); ++k) {
    if (!task.rows.holds_any(k)) continue;
    const ContactVec v = v_[task.first + k], e = task.rows.error_rate(k);
    for (int r = 0; r < 3; ++r)
      if (task.rows.holds(k, r))
        row_of(v_free_[at(task.first + k)], r) = (closes(task, k, row_of(e, r)) ? row_of(e, r) : 0.0) - row_of(v, r);
  }
  task.problem.set_v_free(v_free_);
}

/// One Newton step. The first one holds the modes of the start. λ becomes that of the step where the modes are those of
/// the factor; otherwise the velocities alone move, and the next step goes on from the same λ in the new modes.
bool JointNewton::step(const Task& task, bool first) {
  if (is_centred_) {
    rows_.gather(y_, v_);
    add(v_, free_);
    keep_modes();
  }
  take_errors(task);
  const double before = evaluate(first);
  if (!std::isfinite(before) || (!first && before > kMostGrowth * last_residual_)) return false;
  if (stays(before, first)) return false;
  if (first || !is_centred_ || before > kContraction * last_residual_ || modes_differ()) {
    if (!system_.factor(rows_.sum_slopes(D_))) return false;
    std::copy(D_.begin(), D_.end(), factored_.begin());
  }
  last_residual_ = last_before_ = before;
  solve_linear();
  if (take_consistent_errors(task)) {
    residual();
    solve_linear();
  }
  for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = y_[k] + dy_[k];
  add(v_, dv_);
  const bool crossed = take_modes();
  const double left = left_ = residual();
  const bool modes_hold = !crossed && !modes_differ();
  if (!modes_hold) last_residual_ = std::max(last_residual_, left);  // impulses in other modes may be far larger
  if (crossed) last_residual_ = last_before_ = HUGE_VAL;  // a row that is held in between is linear beyond its bounds
  is_centred_ = modes_hold && left <= kLinear * before && left <= kSlack * norm_of(y_);
  if (!is_centred_) return true;
  std::swap(center_, P_);
  for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = y_[k] - F_[k];  // R λ
  return true;
}

/// newton_map(); eight boxes need no cones.
ContactPack JointNewton::map(int p, const ContactPack& v, ContactSlope<Pack>& D) const {
  const PackSet set = judge_.sets().pack(p);
  if (!boxes_[at(p)]) return newton_map(set, center_.pack(p), v, g_.pack(p), D);
  return box_newton_map(center_.pack(p), v, g_.pack(p), set.extra->bounds, set.extra->compliance, D);
}

/// The velocities at which blocks that neither slide nor are at a bound keep the mode of their impulses, those of the
/// last solve: with the step of the prox, what is left of a velocity would open what is closed.
void JointNewton::keep_modes() {
  constexpr double kInside = 1 - 1e-7;
  const Pack zero{};
  for (int p = 0; p < v_.packs(); ++p) {
    const PackSet set = judge_.sets().pack(p);
    const ContactPack lambda = center_.pack(p), v = v_.pack(p);
    ContactPack of_cone = v;
    if (!boxes_[at(p)]) {
      const PackMask closed = lambda.n > zero, sticks = tangential_norm(lambda) < kInside * set.mu * lambda.n;
      of_cone = {select(sticks, zero, v.t1), select(sticks, zero, v.t2), select(closed, zero, v.n)};
    }
    if (!set.extra) {
      seen_.pack(p) = of_cone;
      continue;
    }
    const auto& [lower, upper] = set.extra->bounds;
    const ContactPack of_box = by_row<Pack>([&](auto row) {
      const PackMask inside = (lambda.*row > lower.*row) & (lambda.*row < upper.*row);
      return select(inside, -(set.extra->compliance.*row * lambda.*row), v.*row);
    });
    seen_.pack(p) = choose(*set.extra, of_box, of_cone);
  }
}

/// P, D ← the law at v, whose modes the next step has. A row that went from one of its bounds to the other is held at
/// v = 0 in between, where its slope is not zero: dry friction that a step reverses mostly sticks. Returns whether one
/// did.
bool JointNewton::take_modes() {
  const Pack zero{};
  PackMask any{};
  for (int p = 0; p < v_.packs(); ++p) {
    const PackSet set = judge_.sets().pack(p);
    const ContactPack before = P_.pack(p);
    const Pack slid1 = D_[at(p)].t1n, slid2 = D_[at(p)].t2n;
    const ContactPack now = P_.pack(p) = map(p, v_.pack(p), D_[at(p)]);
    ContactPack& seen = seen_.pack(p) = v_.pack(p);
    if (!boxes_[at(p)]) {
      const PackMask reversed = slid1 * D_[at(p)].t1n + slid2 * D_[at(p)].t2n < zero;
      seen.t1 = select(reversed, center_.pack(p).t1 / g_.pack(p), seen.t1);
      seen.t2 = select(reversed, center_.pack(p).t2 / g_.pack(p), seen.t2);
      any |= reversed;
    }
    if (!set.extra) continue;
    const auto hold = [&](auto row) {
      const Pack lower = set.extra->bounds.lower.*row, upper = set.extra->bounds.upper.*row;
      const PackMask crossed =
          ((before.*row <= lower) & (now.*row >= upper)) | ((before.*row >= upper) & (now.*row <= lower));
      const PackMask counts = crossed & set.extra->box & (lower < upper);
      if (!any_of(counts)) return;
      const Pack middle = select(counts, 0.5 * (lower + upper), zero), g = g_.pack(p);
      const Pack at_middle = (center_.pack(p).*row - middle * (1.0 + g * set.extra->compliance.*row)) / g;
      seen.*row = select(counts, at_middle, seen.*row);
      any |= counts;
    };
    hold(&ContactPack::t1), hold(&ContactPack::t2), hold(&ContactPack::n);
  }
  return any_of(any);
}

/// Whether several steps from the same impulses have hardly reduced the residual.
bool JointNewton::stays(double before, bool first) {
  const bool moves = first || is_centred_ || before < 0.5 * last_before_ || left_ < 0.5 * last_left_;
  last_left_ = left_;
  idle_ = moves ? 0 : idle_ + 1;
  return idle_ > kMostIdle;
}

/// Whether a block is in another mode than in the slopes of the factor.
bool JointNewton::modes_differ() const {
  const Pack zero{};
  PackMask any{};
  for (std::size_t p = 0; p < D_.size(); ++p) {
    const ContactSlope<Pack>&x = D_[p], &y = factored_[p];
    any |= ((x.nn > zero) ^ (y.nn > zero)) | ((x.t1t1 > zero) ^ (y.t1t1 > zero)) | ((x.t2t2 > zero) ^ (y.t2t2 > zero)) |
           ((x.t1n != zero) ^ (y.t1n != zero)) | ((x.t2n != zero) ^ (y.t2n != zero));
  }
  return any_of(any);
}

/// v ← g/h for rows that are held. Modes follow from the velocities of the last solve: an error that the next one
/// undoes would open a limit or a rope. One without an impulse, which is held because it is beyond its end, closes.
void JointNewton::take_errors(const Task& task) {
  for (int k = 0; k < task.rows.blocks(); ++k) {
    if (!task.rows.holds_any(k)) continue;
    const int i = task.first + k;
    ContactVec v = v_[i], seen = seen_[i];
    const ContactVec e = task.rows.error_rate(k), lambda = center_[i];
    for (int r = 0; r < 3; ++r) {
      if (!task.rows.holds(k, r)) continue;
      row_of(v, r) = row_of(e, r);
      if (task.rows.is_bilateral(k) || row_of(lambda, r) == 0) row_of(seen, r) = row_of(e, r);
    }
    v_.set(i, v);
    seen_.set(i, seen);
  }
}

/// The same with what dy makes of them, which velocities of bodies can undo; P follows. False, and nothing is done,
/// where that is the same: rows that do not depend on each other.
bool JointNewton::take_consistent_errors(const Task& task) {
  double wanted = 0, missed = 0;
  for (int k = 0; k < task.rows.blocks(); ++k) {
    if (!task.rows.holds_any(k) || !task.rows.is_bilateral(k)) continue;
    const int i = task.first + k;
    wanted = std::max(wanted, squared_norm(v_[i]));
    missed = std::max(missed, squared_norm(v_[i] + dv_[i]));
  }
  if (missed <= kConsistent * kConsistent * wanted) return false;
  for (int k = 0; k < task.rows.blocks(); ++k) {
    if (!task.rows.holds_any(k) || !task.rows.is_bilateral(k)) continue;
    const int i = task.first + k;
    ContactVec v = v_[i], P = P_[i];
    const ContactVec dv = dv_[i];
    const ContactSlope<Pack>& D = D_[at(i / kLanes)];
    const ContactVec slope{D.t1t1[i % kLanes], D.t2t2[i % kLanes], D.nn[i % kLanes]};
    for (int r = 0; r < 3; ++r) {
      if (!task.rows.holds(k, r)) continue;
      row_of(P, r) += row_of(slope, r) * (row_of(v, r) + row_of(dv, r));
      row_of(v, r) = -row_of(dv, r);
    }
    v_.set(i, v);
    P_.set(i, P);
  }
  return true;
}

/// P ← AC(λ, v), or its linearisation in the modes of λ; D ← its slope, F ← y − R P. Returns ‖F‖.
double JointNewton::evaluate(bool hold_modes) {
  for (int p = 0; p < v_.packs(); ++p) {
    const PackSet set = judge_.sets().pack(p);
    ContactSlope<Pack>& D = D_[at(p)];
    if (hold_modes) {
      const auto held = velocity_that_holds_mode(set, center_.pack(p), v_.pack(p), g_.pack(p));
      P_.pack(p) = minus_slope(map(p, held, D), D, v_.pack(p) - held);
    } else {
      P_.pack(p) = minus_slope(map(p, seen_.pack(p), D), D, v_.pack(p) - seen_.pack(p));
    }
  }
  return residual();
}

double JointNewton::residual() {
  rows_.respond(P_, F_);
  for (std::size_t k = 0; k < F_.size(); ++k) F_[k] = y_[k] - F_[k];
  return norm_of(F_);
}

/// dy ← −(I + R D G)⁻¹ F, dv ← G dy
void JointNewton::solve_linear() {
  for (std::size_t k = 0; k < F_.size(); ++k) dy_[k] = -F_[k];
  system_.solve(dy_);
  uses_ends_ ? rows_.gather_change(dy_, dv_) : rows_.gather(dy_, dv_);
}

}  // namespace repose
