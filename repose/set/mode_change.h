// SPDX-License-Identifier: Apache-2.0
// The pieces of a block's law and the kinks between them, along a path of trial impulses p (trial_impulse()).
#pragma once

#include <algorithm>
#include <cmath>

#include "repose/set/block_mode.h"

namespace repose {

/// Returns the `steps` with dp/dw = −steps, row by row: g/(1 + g C).
[[nodiscard]] inline ContactVec trial_steps(const SetRef<double>& set, double g) {
  if (!set.extra) return {g, g, g};
  const ContactVec soft = softness(*set.extra, g);
  return {g * soft.t1, g * soft.t2, g * soft.n};
}

/// Returns the impulse of the trial p in the given mode, and its slope dP = −D dw.
[[nodiscard]] inline ContactVec impulse_in_mode(const SetRef<double>& set, BlockMode mode, ContactVec p,
                                                ContactVec steps, ContactSlope<double>& D) {
  D = {};
  if (set.extra && set.extra->box) {
    ContactVec P, slope;
    for (int r = 0; r < 3; ++r) {
      const auto row = kRows[r];
      const RowMode at = mode.row(r);
      P.*row = at == RowMode::kInside  ? p.*row
               : at == RowMode::kLower ? set.extra->bounds.lower.*row
                                       : set.extra->bounds.upper.*row;
      slope.*row = at == RowMode::kInside ? steps.*row : 0.0;
    }
    D = {.t1t1 = slope.t1, .t2t2 = slope.t2, .nn = slope.n};
    return P;
  }
  switch (mode.contact()) {
    case ContactMode::kOpen: return {};
    case ContactMode::kStick: D = {.t1t1 = steps.t1, .t2t2 = steps.t1, .nn = steps.n}; return p;
    case ContactMode::kSlip: break;
  }
  const double mu = set.mu, t = tangential_norm(p), d1 = t > 0 ? p.t1 / t : 0, d2 = t > 0 ? p.t2 / t : 0;
  const double bend = t > 0 ? steps.t1 * mu * p.n / t : 0;
  D = {.t1t1 = bend * d2 * d2,
       .t1t2 = -bend * d1 * d2,
       .t2t2 = bend * d1 * d1,
       .t1n = mu * steps.n * d1,
       .t2n = mu * steps.n * d2,
       .nn = steps.n};
  return {mu * p.n * d1, mu * p.n * d2, p.n};
}

/// Whether a block at the kink between `before` and `mode` moves into `mode` when p moves along `rate`.
[[nodiscard]] inline bool enters_mode(const SetRef<double>& set, BlockMode before, BlockMode mode, ContactVec p,
                                      ContactVec rate) {
  if (set.extra && set.extra->box) {
    for (int r = 0; r < 3; ++r) {
      if (before.row(r) == mode.row(r)) continue;
      const bool rising = mode.row(r) > before.row(r);
      return rising ? rate.*kRows[r] > 0 : rate.*kRows[r] < 0;
    }
    return true;
  }
  const double mu = set.mu, t = tangential_norm(p);
  const double slide = p.t1 * rate.t1 + p.t2 * rate.t2 - mu * mu * p.n * rate.n;
  switch (mode.contact()) {
    case ContactMode::kOpen: return rate.n < 0;
    case ContactMode::kStick: return slide < 0;
    case ContactMode::kSlip: break;
  }
  const bool was_open = mu * std::abs(p.n) < 0.5 * t;
  return was_open ? rate.n > 0 : slide > 0;
}

/// Returns the first τ ≥ 0 at which a τ² + 2 b τ + c rises through zero; HUGE_VAL when it does not.
[[nodiscard]] inline double first_rise(double a, double b, double c) {
  if (c > 0 && b > 0) return 0.0;
  const double square = b * b - a * c;
  if (square < 0) return HUGE_VAL;
  if (b > 0) return -c / (b + std::sqrt(square));
  return a > 0 ? (std::sqrt(square) - b) / a : HUGE_VAL;
}

/// Calls offer(s, next mode) for changes of mode when p moves to p + s · rate, s ≥ 0, the first one included. Where the
/// slip direction has turned by `turn` rad, calls pause(s): a point to stop at without a change of mode.
template <class Offer, class Pause>
void offer_mode_changes(const SetRef<double>& set, BlockMode mode, ContactVec p, ContactVec rate, double turn,
                        const Offer& offer, const Pause& pause) {
  if (set.extra && set.extra->box) {
    for (int r = 0; r < 3; ++r) {
      const double lower = set.extra->bounds.lower.*kRows[r], upper = set.extra->bounds.upper.*kRows[r];
      const double at = p.*kRows[r], speed = rate.*kRows[r];
      if (!row_is_live(lower, upper) || speed == 0) continue;
      const auto reach = [&](double bound) { return std::max(0.0, (bound - at) / speed); };
      const RowMode now = mode.row(r);
      if (now == RowMode::kLower && speed > 0) offer(reach(lower), mode.with_row(r, RowMode::kInside));
      if (now == RowMode::kUpper && speed < 0) offer(reach(upper), mode.with_row(r, RowMode::kInside));
      if (now != RowMode::kInside) continue;
      if (speed > 0 && upper < kUnbounded) offer(reach(upper), mode.with_row(r, RowMode::kUpper));
      if (speed < 0 && lower > -kUnbounded) offer(reach(lower), mode.with_row(r, RowMode::kLower));
    }
    return;
  }
  const double mu = set.mu;
  if (mode.contact() == ContactMode::kOpen) {
    if (rate.n > 0) offer(std::max(0.0, -p.n / rate.n), BlockMode(ContactMode::kSlip));
    return;
  }
  // ‖p_T‖² − μ² p_N² along the step: positive while sliding
  const double a = rate.t1 * rate.t1 + rate.t2 * rate.t2 - mu * mu * rate.n * rate.n;
  const double b = p.t1 * rate.t1 + p.t2 * rate.t2 - mu * mu * p.n * rate.n;
  const double c = p.t1 * p.t1 + p.t2 * p.t2 - mu * mu * p.n * p.n;
  if (mode.contact() == ContactMode::kStick) {
    offer(first_rise(a, b, c), BlockMode(ContactMode::kSlip));
    return;
  }
  if (rate.n < 0) offer(std::max(0.0, -p.n / rate.n), BlockMode(ContactMode::kOpen));
  offer(first_rise(-a, -b, -c), BlockMode(ContactMode::kStick));
  const double turning = std::abs(p.t1 * rate.t2 - p.t2 * rate.t1);
  if (p.n > 0 && turning > 0) pause(turn * (p.t1 * p.t1 + p.t2 * p.t2) / turning);
}

/// Returns the velocity, nearest to v, that the law allows a block with the impulse λ of its set, and sets its mode.
/// `spread`, in ½ … 3/2, differs between blocks, so that no two of them start at the same kink: it scales the velocity
/// of separation and moves impulses at the friction limit by a share of at most 1.5e-7.
[[nodiscard]] inline ContactVec nearest_allowed_velocity(const SetRef<double>& set, ContactVec v, double spread,
                                                         ContactVec& lambda, BlockMode& mode) {
  constexpr double kOnSurface = 1 - 1e-7;  // share of μ λ_N from which a contact counts as at its friction limit
  constexpr double kApart = 1e-2;          // share of its approach speed at which a row without impulse separates
  if (set.extra && set.extra->box) {
    ContactVec allowed;  // zero inside the bounds; at a bound a velocity that keeps the impulse there
    for (int r = 0; r < 3; ++r) {
      const auto row = kRows[r];
      const double lower = set.extra->bounds.lower.*row, upper = set.extra->bounds.upper.*row;
      const double apart = -kApart * spread * v.*row;
      const RowMode at = row_mode(lambda.*row, lower, upper);
      mode = mode.with_row(r, at);
      if (!row_is_live(lower, upper))
        allowed.*row = v.*row;
      else if (at == RowMode::kLower)
        allowed.*row = v.*row > 0 ? v.*row : apart;
      else if (at == RowMode::kUpper)
        allowed.*row = v.*row < 0 ? v.*row : apart;
    }
    return allowed;
  }
  if (lambda.n <= 0) {
    mode = BlockMode(ContactMode::kOpen);
    return {v.t1, v.t2, v.n > 0 ? v.n : -kApart * spread * v.n};
  }
  const double limit = set.mu * lambda.n, t = tangential_norm(lambda);
  mode = BlockMode(ContactMode::kStick);
  if (t <= kOnSurface * limit || limit == 0) return {};
  const double d1 = lambda.t1 / t, d2 = lambda.t2 / t, slip = -(d1 * v.t1 + d2 * v.t2);
  const double share = slip > 0 ? 1.0 : 1.0 - (1.0 - kOnSurface) * spread;
  lambda = {share * limit * d1, share * limit * d2, lambda.n};
  if (!(slip > 0)) return {};
  mode = BlockMode(ContactMode::kSlip);
  return {-slip * d1, -slip * d2, 0};
}

}  // namespace repose
