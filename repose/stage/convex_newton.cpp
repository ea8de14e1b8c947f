// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/convex_newton.h"

#include <algorithm>
#include <cmath>

#include "repose/contact/operators.h"

namespace repose {
namespace {

constexpr double kSharp = 1e-3;       // of the residual: what a minimisation leaves of its gradient
constexpr double kFloorFactor = 1e3;  // times that: where a gradient at its rounding floor is accepted
constexpr double kCut = 0.1;          // factor on α after a minimisation that failed
constexpr int kLineSteps = 30;        // of the search for the least Φ along a direction
constexpr double kLineEnd = 1e-10;    // of the slope at t = 0

/// Returns the factor by which α grows after a minimisation of `iterations` Newton steps.
double growth(int iterations) { return iterations <= 2 ? 30.0 : iterations <= 6 ? 10.0 : 4.0; }

}  // namespace

void ConvexNewton::bind(const BodyForm& form, NewtonSystem<BodyForm>& system, Judge& judge) {
  form_ = &form;
  system_ = &system;
  judge_ = &judge;
  for (ContactArray* array : {&centre_, &v_, &P_, &dv_, &best_, &v_saved_}) array->claim(form.size());
  g_.claim(form.size());
  D_.resize(static_cast<std::size_t>(g_.packs()));
  for (auto* nodes : {&y_, &F_, &dy_, &y_saved_}) nodes->resize(static_cast<std::size_t>(form.nodes()));
}

/// centre ← max(0, λ_N), y ← R λ, v ← G y + v_f. From here on v changes with y and is never computed from it: g would
/// multiply the rounding error.
void ConvexNewton::start_from(const ContactArray& lambda) {
  for (int p = 0; p < lambda.packs(); ++p) centre_.pack(p) = {Pack{}, Pack{}, larger(lambda.pack(p).n, Pack{})};
  respond(*form_, centre_, y_);
  gather_all(*form_, y_, v_);
  add(v_, judge_->v_free());
}

/// P ← max(0, c − g v), D ← its slope, F ← ∇Φ = y − R P. Returns ‖F‖.
double ConvexNewton::evaluate() {
  for (int p = 0; p < v_.packs(); ++p) {
    const Pack g = g_.pack(p), trial = centre_.pack(p).n - g * v_.pack(p).n;
    const PackMask closed = trial > Pack{};
    P_.pack(p) = {Pack{}, Pack{}, select(closed, trial, Pack{})};
    D_[static_cast<std::size_t>(p)] = {};
    D_[static_cast<std::size_t>(p)].nn = select(closed, g, Pack{});
  }
  respond(*form_, P_, F_);
  for (std::size_t k = 0; k < F_.size(); ++k) F_[k] = y_[k] - F_[k];
  return norm_of(F_);
}

/// Returns dΦ(y + t dy)/dt, which increases with t, and its slope. The part of ½ ‖y‖² is added by the caller.
double ConvexNewton::slope_along(double t, double& curvature) const {
  Pack slope{}, bend{};
  for (int p = 0; p < v_.packs(); ++p) {
    const Pack g = g_.pack(p), dv = dv_.pack(p).n;
    const Pack trial = centre_.pack(p).n - g * (v_.pack(p).n + broadcast(t) * dv);
    const PackMask closed = trial > Pack{};
    slope -= select(closed, trial * dv, Pack{});
    bend += select(closed, g * dv * dv, Pack{});
  }
  curvature = sum(bend);
  return sum(slope);
}

/// Returns the t ≥ 0 of the least Φ(y + t dy): the root of a slope that is linear between changes of mode, by Newton's
/// method within a bracket.
double ConvexNewton::line_minimum() const {
  const double along = dot_of(y_, dy_), square = dot_of(dy_, dy_);
  double curvature = 0, low = 0, high = HUGE_VAL, t = 1;
  const double start = std::abs(along + slope_along(0, curvature));
  for (int k = 0; k < kLineSteps; ++k) {
    const double slope = along + t * square + slope_along(t, curvature);
    if (std::abs(slope) <= kLineEnd * start) break;
    (slope < 0 ? low : high) = t;
    double next = t - slope / (square + curvature);
    if (!(next > low && next < high)) next = high < HUGE_VAL ? 0.5 * (low + high) : 2 * t;
    if (next == t) break;
    t = next;
  }
  return t;
}

/// Minimises Φ from (y, v). P = max(0, c − g v) afterwards. False when that fails.
bool ConvexNewton::minimise(double tolerance, const ConvexSchedule& schedule, int& newton_used) {
  double F_norm = evaluate(), last = HUGE_VAL;
  for (newton_used = 0; newton_used < schedule.newton_per_step; ++newton_used) {
    const double sharp = tolerance * norm_of(y_);
    if (!std::isfinite(F_norm)) return false;
    if (F_norm <= sharp || (F_norm > 0.5 * last && F_norm <= kFloorFactor * sharp)) return true;
    last = F_norm;
    if (!system_->factor(D_)) return false;
    for (std::size_t k = 0; k < F_.size(); ++k) dy_[k] = -F_[k];
    system_->solve(dy_);
    gather_all(*form_, dy_, dv_);
    const double t = line_minimum();
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = y_[k] + t * dy_[k];
    for (int p = 0; p < v_.packs(); ++p) v_.pack(p) = v_.pack(p) + broadcast(t) * dv_.pack(p);
    F_norm = evaluate();
  }
  return F_norm <= kFloorFactor * tolerance * norm_of(y_);
}

ConvexResult ConvexNewton::run(ContactArray& lambda, const Certificate& before, const ConvexSchedule& schedule,
                               const StageContext& context) {
  ConvexResult result;
  result.certificate = before;
  best_ = lambda;
  start_from(lambda);
  double alpha = schedule.alpha, current = before.worst();
  int failures = 0;
  const double step_work = newton_step_work(*form_, *system_);
  while (result.newton_iterations < schedule.newton_budget && !context.stopped() &&
         !context.limit.reached(result.certificate, result.newton_iterations * step_work)) {
    for (int p = 0; p < g_.packs(); ++p) g_.pack(p) = alpha * judge_->inverse_rho().pack(p);
    int used = 0;
    y_saved_ = y_;
    v_saved_ = v_;
    const bool sound = minimise(kSharp * std::min(current, 1.0), schedule, used);
    result.newton_iterations += used;
    if (!sound) {
      y_ = y_saved_;
      v_ = v_saved_;
      alpha *= kCut;
      if (++failures > schedule.failures) break;
      continue;
    }
    ++result.steps;
    std::swap(centre_, P_);
    const Certificate now = judge_->certify(centre_);
    current = now.worst();
    if (current < result.certificate.worst()) {
      result.certificate = now;
      best_ = centre_;
    }
    context.observe(result.steps, now);
    if (now.solved(context.tolerance) || (used == 0 && alpha == schedule.most_alpha)) break;
    alpha = std::min(growth(used) * alpha, schedule.most_alpha);
  }
  lambda = best_;
  return result;
}

}  // namespace repose
