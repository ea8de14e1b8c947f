// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/path_following.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "repose/set/mode_change.h"

namespace repose {
namespace {

constexpr double kTurn = 0.1;          // largest turn of a slip direction in one step, rad
constexpr double kOnPath = 1e-10;      // ‖F‖ over ‖y‖ on the path
constexpr double kRoundingRoom = 100;  // factor on kOnPath that the rounding floor of ‖F‖ may reach
constexpr int kCorrections = 5;        // Newton corrections before a step is rejected and shortened
constexpr double kCut = 0.25;          // factor on the length of a rejected step; it grows back by the inverse
constexpr double kShortest = 1e-13;    // step over ‖y‖ below which path following fails
constexpr double kFarBack = -100;      // t below which a path is taken not to return

/// Returns a number in ½ … 3/2, different for each contact, so that no two kinks coincide.
double spread(int i) {
  constexpr double golden = 0.6180339887498949;
  return 0.5 + (i * golden - std::floor(i * golden));
}

/// Returns the number of pivots that the limit on work permits. Only the end of a path is certified, so the limit is
/// compared with the start alone.
int pivots_within(const WorkLimit& limit, const Certificate& before, int pivots, double pivot_work) {
  if (!limit.reached(before, HUGE_VAL)) return pivots;
  return static_cast<int>(std::clamp(std::ceil(limit.left / pivot_work), 0.0, static_cast<double>(pivots)));
}

void set_lane(ContactSlope<Pack>& D, int lane, const ContactSlope<double>& d) {
  D.t1t1[lane] = d.t1t1, D.t1t2[lane] = D.t2t1[lane] = d.t1t2, D.t2t2[lane] = d.t2t2;
  D.t1n[lane] = d.t1n, D.t2n[lane] = d.t2n, D.nn[lane] = d.nn;
  D.nt1[lane] = D.nt2[lane] = 0;
}

}  // namespace

template <class Form>
void PathFollowing<Form>::bind(const Form& form, NewtonSystem<Form>& system, Judge& judge) {
  form_ = &form;
  system_ = &system;
  judge_ = &judge;
  for (ContactArray* array : {&center_, &q_, &packed_, &at_.v, &at_.dv, &last_.v, &last_.dv}) array->claim(form.size());
  g_.claim(form.size());
  mode_.assign(static_cast<std::size_t>(form.size()), {});
  D_.assign(static_cast<std::size_t>(g_.packs()), {});
  for (auto* nodes : {&F_, &at_.y, &at_.dy, &last_.y, &last_.dy}) nodes->resize(static_cast<std::size_t>(form.nodes()));
}

/// Starts at t = 0: λ⁰ ← Π λ, y = R λ⁰, and q such that v is what the law allows.
template <class Form>
void PathFollowing<Form>::start(const ContactArray& lambda) {
  for (int p = 0; p < lambda.packs(); ++p) center_.pack(p) = project(judge_->sets().pack(p), lambda.pack(p));
  const auto velocity = [&] {
    respond(*form_, center_, at_.y);
    gather_all(*form_, at_.y, at_.v);
    add(at_.v, judge_->v_free());
    add_compliance(judge_->sets(), center_, at_.v);
  };
  velocity();
  for (int i = 0; i < form_->size(); ++i) {
    ContactVec lambda_i = center_[i];
    q_.set(i, nearest_allowed_velocity(judge_->sets()[i], at_.v[i], spread(i), lambda_i,
                                       mode_[static_cast<std::size_t>(i)]));
    center_.set(i, lambda_i);
  }
  velocity();  // of the impulses that nearest_allowed_velocity() has moved
  for (int p = 0; p < q_.packs(); ++p) {
    const ContactPack allowed = std::exchange(q_.pack(p), q_.pack(p) - at_.v.pack(p));
    at_.v.pack(p) = without_compliance(judge_->sets().pack(p), allowed, center_.pack(p));
  }
  at_.t = 0;
  weight_ = 0;
  moving_ = false;
}

/// Evaluates F in the current modes and factors I + R D G. Returns ‖F‖; HUGE_VAL when a pivot vanishes.
template <class Form>
double PathFollowing<Form>::linearise() {
  for (int i = 0; i < form_->size(); ++i) {
    const SetRef<double> set = judge_->sets()[i];
    ContactSlope<double> D;
    const BlockMode mode = mode_[static_cast<std::size_t>(i)];
    const ContactVec P = impulse_in_mode(set, mode, trial(i), trial_steps(set, g_[i]), D);
    packed_.set(i, P);
    set_lane(D_[static_cast<std::size_t>(i / kLanes)], i % kLanes, D);
  }
  respond(*form_, packed_, F_);
  for (std::size_t k = 0; k < F_.size(); ++k) F_[k] = at_.y[k] - F_[k];
  return system_->factor(D_) ? norm_of(F_) : HUGE_VAL;
}

/// Solves (I + R D G) dy = R D q dt, dv = G dy − q dt.
template <class Form>
void PathFollowing<Form>::find_tangent() {
  for (int p = 0; p < q_.packs(); ++p) {
    const ContactSlope<Pack>& D = D_[static_cast<std::size_t>(p)];
    const ContactPack q = q_.pack(p);
    packed_.pack(p) = {D.t1t1 * q.t1 + D.t1t2 * q.t2 + D.t1n * q.n, D.t2t1 * q.t1 + D.t2t2 * q.t2 + D.t2n * q.n,
                       D.nn * q.n};
  }
  respond(*form_, packed_, at_.dy);
  system_->solve(at_.dy);
  gather_all(*form_, at_.dy, at_.dv);
  for (int p = 0; p < q_.packs(); ++p) at_.dv.pack(p) = at_.dv.pack(p) - q_.pack(p);
}

/// Makes one Newton step onto the path, orthogonal to the last step; at fixed t at both ends of the path.
template <class Form>
void PathFollowing<Form>::correct(bool at_end) {
  for (auto& node : F_) node = -node;
  system_->solve(F_);
  const double along = dot_of(last_.dy, at_.dy) + weight_;  // 0 while every block is open or at a bound: y stands still
  const double dt = at_end || !moving_ || along == 0 ? 0.0 : -dot_of(last_.dy, F_) / along;
  for (std::size_t k = 0; k < F_.size(); ++k) F_[k] += dt * at_.dy[k];
  gather_all(*form_, F_, packed_);
  for (std::size_t k = 0; k < F_.size(); ++k) at_.y[k] += F_[k];
  for (int p = 0; p < q_.packs(); ++p) at_.v.pack(p) = at_.v.pack(p) + (packed_.pack(p) - broadcast(dt) * q_.pack(p));
  at_.t += dt;
}

/// Corrects until F = 0 in the current modes and computes the tangent there. False when it does not converge.
template <class Form>
bool PathFollowing<Form>::settle(bool at_end, int& pivots, int limit) {
  double last = HUGE_VAL;
  for (int k = 0; pivots < limit; ++k) {
    const double F_norm = linearise(), size = norm_of(at_.y);
    ++pivots;
    if (!std::isfinite(F_norm)) return false;
    find_tangent();
    if (F_norm <= kOnPath * size) return true;
    if (F_norm > 0.5 * last && F_norm <= kRoundingRoom * kOnPath * size) return true;
    if (k == kCorrections || F_norm > 4 * last) return false;
    last = F_norm;
    correct(at_end);
  }
  return false;
}

/// Whether contact i, which is at the kink just passed, moves into its new mode as t grows.
template <class Form>
bool PathFollowing<Form>::enters_mode(int i, BlockMode before) const {
  const SetRef<double> set = judge_->sets()[i];
  return repose::enters_mode(set, before, mode_[static_cast<std::size_t>(i)], trial(i), rate(i, 1.0));
}

/// Returns the first change of mode ahead in the direction `sign` of t.
template <class Form>
auto PathFollowing<Form>::next_kink(double sign) const -> Kink {
  Kink first{HUGE_VAL, -1, {}};
  for (int i = 0; i < form_->size(); ++i) {
    const BlockMode mode = mode_[static_cast<std::size_t>(i)];
    const auto offer = [&](double step, BlockMode next) {
      if (step < first.step) first = {step, i, next};
    };
    const auto pause = [&](double step) {
      if (step < first.step) first = {step, -1, mode};
    };
    offer_mode_changes(judge_->sets()[i], mode, trial(i), rate(i, sign), kTurn, offer, pause);
  }
  return first;
}

/// Returns dp/dt of the trial impulse in the direction `sign` of t.
template <class Form>
ContactVec PathFollowing<Form>::rate(int i, double sign) const {
  const ContactVec steps = trial_steps(judge_->sets()[i], g_[i]), dv = at_.dv[i];
  return {(-sign * steps.t1) * dv.t1, (-sign * steps.t2) * dv.t2, (-sign * steps.n) * dv.n};
}

template <class Form>
void PathFollowing<Form>::move(double dt) {
  for (std::size_t k = 0; k < at_.y.size(); ++k) at_.y[k] += dt * at_.dy[k];
  for (int p = 0; p < q_.packs(); ++p) at_.v.pack(p) = at_.v.pack(p) + broadcast(dt) * at_.dv.pack(p);
  at_.t += dt;
}

/// Follows the path from t = 0. True when it reaches t = 1.
template <class Form>
bool PathFollowing<Form>::follow(int& pivots, int limit, const StageContext& context) {
  double sign = 1, length = 0, longest = HUGE_VAL;  // lengths of a step in (y, t)
  int passed = -1;                                  // contact at whose kink the last step ended; −1: none
  BlockMode before;                                 // its mode before that kink
  bool at_end = false;
  while (pivots < limit && !context.stopped()) {
    if (!settle(at_end, pivots, limit)) {
      longest = kCut * length;
      if (!moving_ || !(longest > kShortest * norm_of(last_.y))) return false;
      if (passed >= 0) mode_[static_cast<std::size_t>(passed)] = before;
      at_ = last_;
      passed = -1;
      at_end = false;
      length = longest;
      move(sign * length / std::sqrt(dot_of(at_.dy, at_.dy) + weight_));
      continue;
    }
    if (at_end) return true;
    if (!moving_ || weight_ == 0) weight_ = dot_of(at_.dy, at_.dy);
    if (passed >= 0)
      sign = enters_mode(passed, before) ? 1.0 : -1.0;
    else if (moving_ && dot_of(at_.dy, last_.dy) + weight_ < 0)
      sign = -sign;
    moving_ = true;
    last_ = at_;
    longest = std::max(longest, length) / kCut;
    const double speed = std::sqrt(dot_of(at_.dy, at_.dy) + weight_);
    const Kink kink = next_kink(sign);
    const double room = sign > 0 ? 1.0 - at_.t : HUGE_VAL, step = std::min({kink.step, longest / speed, room});
    if (!std::isfinite(step)) return false;
    at_end = step == room;
    passed = step == kink.step && !at_end ? kink.contact : -1;
    move(sign * step);
    length = step * speed;
    if (passed >= 0) before = std::exchange(mode_[static_cast<std::size_t>(passed)], kink.next);
    if (at_.t < kFarBack) return false;
  }
  return false;
}

template <class Form>
PathResult PathFollowing<Form>::run(ContactArray& lambda, const Certificate& before, const PathSchedule& schedule,
                                    const StageContext& context) {
  PathResult result;
  result.certificate = before;
  for (int p = 0; p < g_.packs(); ++p) g_.pack(p) = schedule.alpha * judge_->inverse_rho().pack(p);
  start(lambda);
  const int limit = pivots_within(context.limit, before, schedule.pivots, newton_step_work(*form_, *system_));
  if (!follow(result.pivots, limit, context)) return result;
  for (int p = 0; p < packed_.packs(); ++p)
    packed_.pack(p) = newton_map(judge_->sets().pack(p), center_.pack(p), at_.v.pack(p), g_.pack(p));
  const Certificate now = judge_->certify(packed_);
  context.observe(result.pivots, now);
  if (now.worst() < before.worst()) {
    result.certificate = now;
    lambda = packed_;
  }
  return result;
}

template class PathFollowing<BodyForm>;
template class PathFollowing<MatrixForm>;

}  // namespace repose
