// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/prox_newton.h"

#include <algorithm>
#include <cmath>

#include "repose/set/block_mode.h"
#include "repose/set/coulomb_cone.h"

namespace repose {
namespace {

/// A self-stress that must grow until a contact slips grows by α v per step, and v may be close to the rounding floor:
/// an arch takes 1800 iterations for that with 1e9 and forty with 1e11. Above 1e11 rounding errors times α dominate.
constexpr double kLargestAlpha = 1e11;
constexpr double kClose = 1e-3, kEnd = 5e-8;  // residuals between which ProxSchedule::sharpness applies
constexpr double kLocalGrowth = 1.5;          // growth of a contact's factor on α per accepted proximal step
constexpr double kMostCut = 0.3;              // share of contacts above which a failed step reduces α for all of them
constexpr double kFloorFactor = 1e3;          // factor on the sharp tolerance below which a stalled step is accepted

/// Returns the factor by which α grows after a proximal step of `iterations` Newton steps.
double growth(int iterations) { return iterations <= 1 ? 30.0 : iterations <= 3 ? 10.0 : iterations <= 6 ? 4.0 : 2.0; }

}  // namespace

template <class Form>
void ProxNewton<Form>::bind(const Form& form, NewtonSystem<Form>& system, Judge& judge) {
  form_ = &form;
  system_ = &system;
  judge_ = &judge;
  for (ContactArray* array : {&center_, &v_, &P_, &dv_, &v_trial_, &best_, &v_saved_}) array->claim(form.size());
  g_.claim(form.size());
  share_.claim(form.size());
  D_.resize(static_cast<std::size_t>(g_.packs()));
  for (auto* nodes : {&y_, &F_, &dy_, &y_trial_, &F_trial_, &y_saved_})
    nodes->resize(static_cast<std::size_t>(form.nodes()));
}

/// center ← Π_K λ, y ← R λ, v ← G y + v_f. Nowhere else is v computed from y.
template <class Form>
void ProxNewton<Form>::start_from(const ContactArray& lambda) {
  for (int p = 0; p < lambda.packs(); ++p) center_.pack(p) = project(judge_->sets().pack(p), lambda.pack(p));
  respond(*form_, center_, y_);
  gather_all(*form_, y_, v_);
  add(v_, judge_->v_free());
}

/// P ← AC(λ, v), D ← its slope, F ← y − R P. Returns ‖F‖.
template <class Form>
double ProxNewton<Form>::evaluate(const AlignedVector<Node>& y, const ContactArray& v, AlignedVector<Node>& F) {
  const bool projection = equation_ == LawEquation::kDeSaxce;
  for (int p = 0; p < v.packs(); ++p) {
    const PackSet set = judge_->sets().pack(p);
    ContactSlope<Pack>& D = D_[static_cast<std::size_t>(p)];
    P_.pack(p) = projection ? de_saxce_map(set, center_.pack(p), v.pack(p), g_.pack(p), D)
                            : newton_map(set, center_.pack(p), v.pack(p), g_.pack(p), D);
  }
  respond(*form_, P_, F);
  for (std::size_t k = 0; k < F.size(); ++k) F[k] = y[k] - F[k];
  return norm_of(F);
}

/// F ← y − R (P − D (v − v̂)): the law linearised at the velocities v̂ that hold the modes of the impulses λ, with
/// P = AC(λ, v̂) and D its slope there. Returns ‖F‖.
template <class Form>
double ProxNewton<Form>::evaluate_held_modes() {
  for (int p = 0; p < v_.packs(); ++p) {
    const PackSet set = judge_->sets().pack(p);
    ContactSlope<Pack>& D = D_[static_cast<std::size_t>(p)];
    const auto held = velocity_that_holds_mode(set, center_.pack(p), v_.pack(p), g_.pack(p));
    const auto value = newton_map(set, center_.pack(p), held, g_.pack(p), D);
    P_.pack(p) = minus_slope(value, D, v_.pack(p) - held);
  }
  respond(*form_, P_, F_);
  for (std::size_t k = 0; k < F_.size(); ++k) F_[k] = y_[k] - F_[k];
  return norm_of(F_);
}

/// Moves (y, v) along (dy, dv), which may raise ‖F‖.
template <class Form>
void ProxNewton<Form>::take_whole_step(double& F_norm) {
  for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = y_[k] + dy_[k];
  for (int p = 0; p < v_.packs(); ++p) v_.pack(p) = v_.pack(p) + dv_.pack(p);
  F_norm = evaluate(y_, v_, F_);
}

/// Moves (y, v) along (dy, dv) by the first t = 1, ½, ¼ … that lowers ‖F‖. False when none does; then only P and D have
/// changed.
template <class Form>
bool ProxNewton<Form>::line_search(double& F_norm, int halvings) {
  double t = 1.0;
  for (int halving = 0; halving <= halvings; ++halving, t *= 0.5) {
    for (std::size_t k = 0; k < y_.size(); ++k) y_trial_[k] = y_[k] + t * dy_[k];
    for (int p = 0; p < v_.packs(); ++p) v_trial_.pack(p) = v_.pack(p) + broadcast(t) * dv_.pack(p);
    const double trial = evaluate(y_trial_, v_trial_, F_trial_);
    if (!(trial < F_norm)) continue;
    std::swap(y_, y_trial_);
    std::swap(v_, v_trial_);
    std::swap(F_, F_trial_);
    F_norm = trial;
    return true;
  }
  return false;
}

/// Whether contact i changes its mode (open, stick, slip) between the saved velocity and v.
template <class Form>
bool ProxNewton<Form>::changes_mode(int i, const ContactArray& v) const {
  const SetRef<double> set = judge_->sets()[i];
  const auto mode = [&](ContactVec u) { return mode_of(set, trial_impulse(set, center_[i], u, g_[i])); };
  return mode(v_saved_[i]) != mode(v[i]);
}

/// Reduces the steps of the contacts whose change of mode made the last step fail. False when no contact or more than
/// the share kMostCut of them changed mode.
template <class Form>
bool ProxNewton<Form>::cut_locally(const ContactArray& v_failed, double factor) {
  int changed = 0;
  for (int i = 0; i < form_->size(); ++i) changed += changes_mode(i, v_failed);
  if (changed == 0 || changed > kMostCut * form_->size()) return false;
  for (int i = 0; i < form_->size(); ++i)
    if (changes_mode(i, v_failed)) share_.set(i, factor * share_[i]);
  return true;
}

/// Runs Newton's method on F from the current (y, v), at least one step. P = AC(λ, v) when the step is accepted.
template <class Form>
auto ProxNewton<Form>::prox_step(double inner_tolerance, const ProxSchedule& schedule, int& newton_used) -> Step {
  newton_used = 0;
  double F_norm = schedule.hold_modes ? evaluate_held_modes() : evaluate(y_, v_, F_), last = HUGE_VAL;
  if (!std::isfinite(F_norm)) return Step::kBroken;
  while (newton_used < schedule.newton_per_step) {
    const double sharp = inner_tolerance * norm_of(y_);
    const bool held = schedule.hold_modes && newton_used == 0;  // F is then not yet that of the law
    if ((F_norm == 0 && !held) || (newton_used > 0 && F_norm <= sharp)) return Step::kAccepted;
    // Near the solution ‖F‖ reaches its rounding floor before the sharp tolerance; the judge then decides about λ.
    if (F_norm > 0.5 * last && F_norm <= kFloorFactor * sharp) return Step::kAccepted;
    last = F_norm;
    if (!system_->factor(D_)) return Step::kBroken;
    for (std::size_t k = 0; k < F_.size(); ++k) dy_[k] = -F_[k];
    system_->solve(dy_);
    gather_all(*form_, dy_, dv_);
    ++newton_used;
    if (schedule.hold_modes && newton_used == 1) {
      take_whole_step(F_norm);
      if (!std::isfinite(F_norm)) return Step::kBroken;
      last = HUGE_VAL;
      continue;
    }
    if (line_search(F_norm, schedule.halvings)) continue;
    if (F_norm > kFloorFactor * sharp) return Step::kFailed;
    evaluate(y_, v_, F_);
    return Step::kAccepted;
  }
  return F_norm <= kFloorFactor * inner_tolerance * norm_of(y_) ? Step::kAccepted : Step::kFailed;
}

template <class Form>
ProxResult ProxNewton<Form>::run(ContactArray& lambda, const Certificate& before, const ProxSchedule& schedule,
                                 const StageContext& context) {
  ProxResult result;
  result.certificate = before;
  best_ = lambda;
  start_from(lambda);
  double alpha = schedule.alpha, current = before.worst();
  int failures = 0;
  bool was_cut = false;  // local cut already made for the step that failed last: the next failure reduces α
  equation_ = schedule.equation;
  for (int p = 0; p < share_.packs(); ++p) share_.pack(p) = broadcast(1.0);
  const double step_work = newton_step_work(*form_, *system_);
  while (result.newton_iterations < schedule.newton_budget && !context.stopped() &&
         !context.limit.reached(result.certificate, result.newton_iterations * step_work)) {
    for (int p = 0; p < g_.packs(); ++p) g_.pack(p) = alpha * share_.pack(p) * judge_->inverse_rho().pack(p);
    y_saved_ = y_;
    v_saved_ = v_;
    const double sharpness = current < kClose && current > kEnd ? schedule.sharpness : kSharp;
    int used = 0;
    const Step step = prox_step(sharpness * std::min(current, 1.0), schedule, used);
    result.newton_iterations += used;
    // A step that failed at its first iteration did not move: its shortest trial shows which contacts changed mode.
    if (step == Step::kFailed && schedule.local_cut > 0 && !was_cut &&
        cut_locally(used <= 1 ? v_trial_ : v_, schedule.local_cut)) {
      y_ = y_saved_;
      v_ = v_saved_;
      was_cut = true;
      continue;
    }
    was_cut = false;
    if (step != Step::kAccepted) {
      y_ = y_saved_;
      v_ = v_saved_;
      alpha /= failures >= 2 ? 10.0 : 4.0;
      if (++failures > schedule.failures || alpha < 1e-6) break;
      continue;
    }
    ++result.prox_steps;
    for (int p = 0; p < share_.packs(); ++p) share_.pack(p) = smaller(kLocalGrowth * share_.pack(p), broadcast(1.0));
    std::swap(center_, P_);
    const Certificate now = judge_->certify(center_);
    current = now.worst();
    if (current < result.certificate.worst()) {
      result.certificate = now;
      best_ = center_;
    }
    context.observe(result.prox_steps, now);
    if (now.solved(context.tolerance)) break;
    if (used == 0 && (alpha == kLargestAlpha || schedule.keep_alpha))
      break;  // F = 0 exactly: no further step changes anything
    if (schedule.keep_alpha) continue;
    alpha = std::min(alpha * (failures > 0 ? std::min(growth(used), 2.5) : growth(used)), kLargestAlpha);
  }
  lambda = best_;
  return result;
}

template class ProxNewton<BodyForm>;
template class ProxNewton<MatrixForm>;

}  // namespace repose
