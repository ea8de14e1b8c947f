// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/interior_point.h"

#include <algorithm>
#include <cmath>

namespace repose {
namespace {

constexpr double kSmallestMu = 1e-3;   // below this the interior of the cone is too thin
constexpr double kStiff = 1e6;         // stiffness at which contacts stick, in units of 1/ρ_i
constexpr double kDualDamping = 1e-9;  // bounds D by 1e9/ρ_i
constexpr double kShortStep = 0.1;     // step length below which x and z are returned to the central path
constexpr int kRecentring = 5;         // limit on the number of recentring steps
constexpr int kFalseStart = 3;         // short steps in a row after a stiff start: not all contacts can stick

}  // namespace

template <class Form>
void InteriorPoint<Form>::bind(const Form& form, NewtonSystem<Form>& system, Judge& judge) {
  form_ = &form;
  system_ = &system;
  judge_ = &judge;
  cones_.claim(form.size());
  for (ContactArray* array : {&v_, &dv_, &rd_, &packed_, &best_}) array->claim(form.size());
  mu_.claim(form.size());
  coupling_.claim(form.size());
  for (int p = 0; p < mu_.packs(); ++p) mu_.pack(p) = larger(judge.sets().pack(p).mu, broadcast(kSmallestMu));
  boxes_.bind(judge.sets().list(), judge.inverse_rho(), kDualDamping);
  box_.resize(boxes_.rows());
  box_step_.resize(boxes_.rows());
  soft_.bind(judge.sets().list());
  const auto packs = static_cast<std::size_t>(mu_.packs());
  slip_.resize(packs);
  D_.resize(packs);
  for (auto* nodes : {&y_, &dy_, &rp_}) nodes->resize(static_cast<std::size_t>(form.nodes()));
}

template <class Form>
ContactPack InteriorPoint<Form>::impulse(int p) const {
  const ContactPack& x = cones_.x.pack(p);
  return {x.t1, x.t2, x.n / mu_.pack(p)};
}

/// Puts x and z on the axes of the cones, x at the size of the impulses of hold(). False when a pivot vanishes.
template <class Form>
bool InteriorPoint<Form>::start(double stiffness) {
  if (!hold_bilaterally(*form_, *system_, *judge_, stiffness, D_, packed_, dy_, v_)) return false;
  Pack total{};
  for (int p = 0; p < v_.packs(); ++p) {
    const Pack size = D_[static_cast<std::size_t>(p)].nn * root(squared_norm(v_.pack(p)));
    cones_.x.pack(p) = {Pack{}, Pack{}, size};
    total += size;
  }
  const double contacts = v_.size(), mean = std::max(sum(total) / contacts, kScaleFloor);
  const double speed = std::max(judge_->v_free_norm() / std::sqrt(contacts), kScaleFloor);
  if (!boxes_.empty()) {
    for (int p = 0; p < v_.packs(); ++p) packed_.pack(p) = -D_[static_cast<std::size_t>(p)].nn * v_.pack(p);
    boxes_.start(packed_, mean, speed, box_);
  }
  for (int p = 0; p < v_.packs(); ++p) {
    cones_.x.pack(p).n = 0.5 * (cones_.x.pack(p).n + mean);
    cones_.z.pack(p) = {Pack{}, Pack{}, broadcast(speed)};
    packed_.pack(p) = impulse(p);
  }
  boxes_.put_impulse(box_, packed_);
  // Lanes without a cone hold x, z ≠ 0, but they scatter nothing and never limit a step.
  respond(*form_, packed_, y_);
  gather_all(*form_, y_, v_);
  add(v_, judge_->v_free());
  add_compliance(judge_->sets(), packed_, v_);
  return true;
}

/// Returns the mean of xᵀz over the cones and of s z over the bounds of boxes.
template <class Form>
double InteriorPoint<Form>::complementarity() const {
  const double total = cones_.total_complementarity([this](int p) { return judge_->sets().cones(p); });
  if (boxes_.empty()) return total / v_.size();
  int terms = boxes_.bounds();
  for (int i = 0; i < v_.size(); ++i) terms += !judge_->sets().list().is_box(i);
  return (total + boxes_.complementarity(box_)) / std::max(1, terms);
}

/// Computes scalings, residuals and D = S W² ∂z/∂v at the current point and factors the system. False when a pivot
/// vanishes.
template <class Form>
bool InteriorPoint<Form>::linearise() {
  mean_ = complementarity();
  for (int p = 0; p < v_.packs(); ++p) {
    const auto q = static_cast<std::size_t>(p);
    const Pack mu = mu_.pack(p), inverse_mu = 1.0 / mu, inverse_rho = judge_->inverse_rho().pack(p);
    const Pack rho = 1.0 / select(inverse_rho > Pack{}, inverse_rho, inverse_rho + 1.0);
    const ContactPack v = v_.pack(p);
    const Pack e2 = (smoothing_ * mean_) * rho, t2 = v.t1 * v.t1 + v.t2 * v.t2, s = root(t2 + e2), inverse_s = 1.0 / s;
    const Pack slope = (t2 + 2.0 * e2) * inverse_s * inverse_s * inverse_s;
    const ContactPack c =
        frozen_ ? ContactPack{Pack{}, Pack{}, inverse_mu} : ContactPack{slope * v.t1, slope * v.t2, inverse_mu};
    slip_[q] = c;
    if (!frozen_) coupling_.pack(p) = t2 * inverse_s;
    rd_.pack(p) = cones_.z.pack(p) - ContactPack{v.t1, v.t2, v.n * inverse_mu + coupling_.pack(p)};
    cones_.scale(p, kDualDamping * rho);
    D_[q] = coupled_slope(cones_.scaling[q].square, c);
    packed_.pack(p) = impulse(p);
  }
  if (!boxes_.empty()) put_boxes();
  soft_.soften(D_);
  respond(*form_, packed_, rp_);
  for (std::size_t k = 0; k < rp_.size(); ++k) rp_[k] = y_[k] - rp_[k];
  return system_->factor(D_);
}

/// Replaces what the cone arithmetic left in the lanes of boxes by their slopes and impulses.
template <class Form>
void InteriorPoint<Form>::put_boxes() {
  for (int p = 0; p < v_.packs(); ++p)
    if (const PackSet set = judge_->sets().pack(p); set.extra) {
      ContactSlope<Pack>& D = D_[static_cast<std::size_t>(p)];
      D = choose_slope(set.extra->box, ContactSlope<Pack>{}, D);
    }
  boxes_.put_slopes(box_, D_);
  boxes_.put_impulse(box_, packed_);
}

/// Computes (dx, dz, dy, dv) for the centring σ; the corrector adds the predictor's second-order term.
template <class Form>
void InteriorPoint<Form>::direction(double centring, bool corrector) {
  for (int p = 0; p < v_.packs(); ++p) {
    const NesterovTodd<Pack>& scale = cones_.scaling[static_cast<std::size_t>(p)];
    const ContactPack target =
        corrector ? scale.root * cones_.corrector(p, centring * mean_) : broadcast(-1.0) * cones_.x.pack(p);
    cones_.dx.pack(p) = target + scale.square * rd_.pack(p);  // completed below by −W² ∂z/∂v dv
    packed_.pack(p) = {cones_.dx.pack(p).t1, cones_.dx.pack(p).t2, cones_.dx.pack(p).n / mu_.pack(p)};
  }
  if (!corrector) std::fill(box_step_.begin(), box_step_.end(), BoxBarrier::RowStep{});
  boxes_.put_second_order(box_, box_step_, v_, centring * mean_, packed_);
  soft_.soften(packed_);
  respond(*form_, packed_, dy_);
  for (std::size_t k = 0; k < dy_.size(); ++k) dy_[k] -= rp_[k];
  system_->solve(dy_);
  gather_all(*form_, dy_, dv_);
  soft_.add_compliance(packed_, dv_);
  boxes_.take_step(box_, dv_, box_step_);
  for (int p = 0; p < v_.packs(); ++p) {
    const ContactPack dv = dv_.pack(p), c = slip_[static_cast<std::size_t>(p)];
    const ContactPack change{dv.t1, dv.t2, c.n * dv.n + c.t1 * dv.t1 + c.t2 * dv.t2};
    cones_.dz.pack(p) = change - rd_.pack(p);
    cones_.dx.pack(p) = cones_.dx.pack(p) - cones_.scaling[static_cast<std::size_t>(p)].square * change;
  }
}

template <class Form>
double InteriorPoint<Form>::step_length() const {
  const double inverse = cones_.inverse_step([this](int p) { return judge_->sets().cones(p); });
  return PrimalDualCones::step_length(std::max(inverse, boxes_.inverse_step(box_, box_step_)));
}

template <class Form>
void InteriorPoint<Form>::move(double step) {
  cones_.move(step, [this](int p) { return judge_->sets().cones(p); });
  BoxBarrier::move(box_, box_step_, step, box_);
  for (int p = 0; p < v_.packs(); ++p)
    v_.pack(p) = v_.pack(p) + select(judge_->sets().blocks(p), broadcast(step), Pack{}) * dv_.pack(p);
  for (std::size_t k = 0; k < y_.size(); ++k) y_[k] += step * dy_[k];
}

/// Returns to x ∘ z = m 1 at constant m, with the coupling frozen. False when a pivot vanishes.
template <class Form>
bool InteriorPoint<Form>::recentre(int& iterations, int limit) {
  frozen_ = true;
  bool sound = true;
  for (int k = 0; k < kRecentring && iterations < limit; ++k) {
    sound = linearise();
    if (!sound) break;
    cones_.clear_direction();  // no predictor, no second-order term
    std::fill(box_step_.begin(), box_step_.end(), BoxBarrier::RowStep{});
    direction(1.0, true);
    const double step = step_length();
    move(step);
    ++iterations;
    if (step > 1.0 - kShortStep) break;
  }
  frozen_ = false;
  return sound;
}

template <class Form>
InteriorPointResult InteriorPoint<Form>::run(ContactArray& lambda, const Certificate& before,
                                             const InteriorPointSchedule& schedule, const StageContext& context) {
  InteriorPointResult result;
  result.certificate = before;
  best_ = lambda;
  smoothing_ = schedule.smoothing;
  bool stiff = schedule.stiff, sound = start(stiff ? kStiff : schedule.soft_start);
  int short_steps = 0;
  const double step_work = newton_step_work(*form_, *system_);
  while (sound && result.iterations < schedule.iterations && !context.stopped() &&
         !context.limit.reached(result.certificate, result.iterations * step_work)) {
    sound = linearise();
    if (!sound) break;
    direction(0.0, false);
    const double rest = 1.0 - step_length();
    direction(rest * rest * rest, true);
    const double step = step_length();
    ++result.iterations;
    short_steps = step < kShortStep ? short_steps + 1 : 0;
    sound = std::isfinite(step);
    if (!sound) break;
    if (stiff && short_steps == kFalseStart) {
      stiff = false;
      sound = schedule.soft_start > 0 && result.certificate.worst() >= schedule.second_start_above &&
              start(schedule.soft_start);
      continue;
    }
    if (!stiff && short_steps > 0) {
      sound = recentre(result.iterations, schedule.iterations);
      continue;
    }
    move(step);
    for (int p = 0; p < v_.packs(); ++p) packed_.pack(p) = project(judge_->sets().pack(p), impulse(p));
    boxes_.put_impulse(box_, packed_);
    for (int i = packed_.size(); i < packed_.packs() * kLanes; ++i) packed_.set(i, {});
    const Certificate now = judge_->certify(packed_);
    if (now.worst() < result.certificate.worst()) {
      result.certificate = now;
      best_ = packed_;
    }
    context.observe(result.iterations, now);
    if (now.solved(schedule.tolerance)) break;
  }
  lambda = best_;
  return result;
}

template class InteriorPoint<BodyForm>;
template class InteriorPoint<MatrixForm>;

}  // namespace repose
