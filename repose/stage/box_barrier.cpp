// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/box_barrier.h"

#include <algorithm>
#include <cmath>

#include "repose/set/block_mode.h"

namespace repose {
namespace {

constexpr double kInset = 0.1;          // share of an interval's width that a start keeps away from its bounds
constexpr double kCentralInset = 1e-3;  // the same for a start on the central path

double entry(const ContactArray& x, int block, double ContactVec::*row) { return x[block].*row; }

void set_entry(ContactArray& x, int block, double ContactVec::*row, double value) {
  ContactVec changed = x[block];
  changed.*row = value;
  x.set(block, changed);
}

double& diagonal(SlopeArray& D, int block, double ContactVec::*row) {
  ContactSlope<Pack>& slope = D[static_cast<std::size_t>(block / kLanes)];
  Pack& entry = row == &ContactVec::t1 ? slope.t1t1 : row == &ContactVec::t2 ? slope.t2t2 : slope.nn;
  return reinterpret_cast<double*>(&entry)[block % kLanes];
}

/// Returns the root s > 0 of s − u = g m/s: the smoothed projection of u on the half line.
double smoothed(double u, double gm) {
  const double r = std::sqrt(u * u + 4 * gm);
  return u > 0 ? 0.5 * (u + r) : 2 * gm / (r - u);
}

}  // namespace

void BoxBarrier::bind(const SetList& sets, const ScalarArray& inverse_rho, double damping) {
  rows_.clear();
  fixed_.clear();
  bounds_ = 0;
  if (sets.plain()) return;
  for (int i = 0; i < sets.size(); ++i) {
    if (!sets.is_box(i)) continue;
    const BlockSet set = sets[i];
    const double rho = inverse_rho[i] > 0 ? 1.0 / inverse_rho[i] : 1.0;
    for (const auto row : kRows) {
      const double lower = set.bounds().lower.*row, upper = set.bounds().upper.*row;
      if (!row_is_live(lower, upper)) {
        fixed_.push_back({i, row, lower});
        continue;
      }
      const bool has_lower = lower > -kUnbounded, has_upper = upper < kUnbounded;
      rows_.push_back({i, row, lower, upper, set.compliance().*row, damping * rho, 1 / rho, has_lower, has_upper});
      bounds_ += has_lower + has_upper;
    }
  }
}

void BoxBarrier::start(const ContactArray& lambda, double impulse, double speed, Point& at) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& r = rows_[k];
    const double guess = entry(lambda, r.block, r.row);
    const double inset = r.has_lower && r.has_upper ? std::min(impulse, kInset * (r.upper - r.lower)) : impulse;
    RowPoint& p = at[k];
    p.lambda = guess;
    if (r.has_lower) p.lambda = std::max(p.lambda, r.lower + inset);
    if (r.has_upper) p.lambda = std::min(p.lambda, r.upper - inset);
    p.s_lower = r.has_lower ? p.lambda - r.lower : 0;
    p.s_upper = r.has_upper ? r.upper - p.lambda : 0;
    p.z_lower = r.has_lower ? speed : 0;
    p.z_upper = r.has_upper ? speed : 0;
  }
}

void BoxBarrier::start_central(const ContactArray& lambda, const ContactArray& v, double m, Point& at) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& r = rows_[k];
    const double guess = entry(lambda, r.block, r.row), speed = entry(v, r.block, r.row), g = r.inverse_rho;
    RowPoint& p = at[k];
    p = {.lambda = guess};
    if (r.has_lower && r.has_upper) {
      const double inset = kCentralInset * (r.upper - r.lower);
      p.lambda = std::clamp(guess - g * speed, r.lower + inset, r.upper - inset);
      p.s_lower = p.lambda - r.lower;
      p.s_upper = r.upper - p.lambda;
    } else if (r.has_lower) {
      p.s_lower = smoothed(guess - r.lower - g * speed, g * m);
      p.lambda = r.lower + p.s_lower;
    } else if (r.has_upper) {
      p.s_upper = smoothed(r.upper - guess + g * speed, g * m);
      p.lambda = r.upper - p.s_upper;
    }
    if (r.has_lower) p.z_lower = m / p.s_lower;
    if (r.has_upper) p.z_upper = m / p.s_upper;
  }
}

double BoxBarrier::complementarity(const Point& at) const {
  double total = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (rows_[k].has_lower) total += at[k].s_lower * at[k].z_lower;
    if (rows_[k].has_upper) total += at[k].s_upper * at[k].z_upper;
  }
  return total;
}

void BoxBarrier::put_impulse(const Point& at, ContactArray& lambda) const {
  for (std::size_t k = 0; k < rows_.size(); ++k)
    set_entry(lambda, rows_[k].block, rows_[k].row, std::clamp(at[k].lambda, rows_[k].lower, rows_[k].upper));
  for (const Fixed& f : fixed_) set_entry(lambda, f.block, f.row, f.value);
}

void BoxBarrier::put_trial_impulse(const Point& at, ContactArray& lambda) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) set_entry(lambda, rows_[k].block, rows_[k].row, at[k].lambda);
  for (const Fixed& f : fixed_) set_entry(lambda, f.block, f.row, f.value);
}

void BoxBarrier::put_slopes(const Point& at, SlopeArray& D) {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Row& r = rows_[k];
    double stiffness = r.compliance + r.damping;
    if (r.has_lower) stiffness += at[k].z_lower / at[k].s_lower;
    if (r.has_upper) stiffness += at[k].z_upper / at[k].s_upper;
    diagonal(D, r.block, r.row) = r.D = 1.0 / stiffness;
  }
}

void BoxBarrier::put(const Row& row, ContactArray& pre) const { set_entry(pre, row.block, row.row, row.D * row.r); }

void BoxBarrier::put_fixed(ContactArray& pre) const {
  for (const Fixed& f : fixed_) set_entry(pre, f.block, f.row, 0.0);
}

void BoxBarrier::put_residual(const Point& at, const Step& step, const ContactArray& v, double m, ContactArray& pre) {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Row& r = rows_[k];
    const RowPoint& p = at[k];
    const double z_lower = p.z_lower + step[k].z_lower, z_upper = p.z_upper + step[k].z_upper;
    r.q_lower = r.has_lower ? (m - (p.s_lower + step[k].lambda) * z_lower) / p.s_lower : 0.0;
    r.q_upper = r.has_upper ? (m - (p.s_upper - step[k].lambda) * z_upper) / p.s_upper : 0.0;
    r.r = r.q_lower - r.q_upper - (entry(v, r.block, r.row) - z_lower + z_upper);
    put(r, pre);
  }
  put_fixed(pre);
}

void BoxBarrier::put_tangent(const Point& at, double m, ContactArray& pre) {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Row& r = rows_[k];
    r.q_lower = r.has_lower ? m / at[k].s_lower : 0.0;
    r.q_upper = r.has_upper ? m / at[k].s_upper : 0.0;
    r.r = r.q_lower - r.q_upper;
    put(r, pre);
  }
  put_fixed(pre);
}

void BoxBarrier::put_second_order(const Point& at, const Step& step, const ContactArray& v, double m,
                                  ContactArray& pre) {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    // z + dz = (m ∓ dλ dz)/s ∓ (z/s) dλ, with v + dv = (z_l + dz_l) − (z_u + dz_u)
    Row& r = rows_[k];
    const double to_lower = r.has_lower ? (m - step[k].lambda * step[k].z_lower) / at[k].s_lower : 0.0;
    const double to_upper = r.has_upper ? (m + step[k].lambda * step[k].z_upper) / at[k].s_upper : 0.0;
    r.q_lower = r.has_lower ? to_lower - at[k].z_lower : 0.0;
    r.q_upper = r.has_upper ? to_upper - at[k].z_upper : 0.0;
    r.r = to_lower - to_upper - entry(v, r.block, r.row);
    put(r, pre);
  }
  put_fixed(pre);
}

void BoxBarrier::take_step(const Point& at, ContactArray& dv, Step& step) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& r = rows_[k];
    const double dw = entry(dv, r.block, r.row), d_lambda = r.D * (r.r - dw);
    step[k].lambda = d_lambda;
    step[k].z_lower = r.has_lower ? r.q_lower - at[k].z_lower / at[k].s_lower * d_lambda : 0.0;
    step[k].z_upper = r.has_upper ? r.q_upper + at[k].z_upper / at[k].s_upper * d_lambda : 0.0;
    set_entry(dv, r.block, r.row, dw + r.compliance * d_lambda);
  }
}

double BoxBarrier::inverse_step(const Point& at, const Step& step) const {
  double inverse = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const RowPoint& p = at[k];
    if (rows_[k].has_lower) inverse = std::max({inverse, -step[k].lambda / p.s_lower, -step[k].z_lower / p.z_lower});
    if (rows_[k].has_upper) inverse = std::max({inverse, step[k].lambda / p.s_upper, -step[k].z_upper / p.z_upper});
  }
  return inverse;
}

void BoxBarrier::move(const Point& at, const Step& step, double t, Point& to) {
  for (std::size_t k = 0; k < at.size(); ++k)
    to[k] = {.lambda = at[k].lambda + t * step[k].lambda,
             .s_lower = at[k].s_lower + t * step[k].lambda,
             .s_upper = at[k].s_upper - t * step[k].lambda,
             .z_lower = at[k].z_lower + t * step[k].z_lower,
             .z_upper = at[k].z_upper + t * step[k].z_upper};
}

double BoxBarrier::distance(const Point& at, const ContactArray& v, double m, double dual_weight) const {
  double worst = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& r = rows_[k];
    const RowPoint& p = at[k];
    const double dual = dual_weight * std::abs(entry(v, r.block, r.row) - p.z_lower + p.z_upper);
    const auto bound = [&](double s, double z) {
      if (!(s > 0 && z > 0)) return HUGE_VAL;
      return std::max({m / (s * z), s * z / m, dual / z});
    };
    if (r.has_lower) worst = std::max(worst, bound(p.s_lower, p.z_lower));
    if (r.has_upper) worst = std::max(worst, bound(p.s_upper, p.z_upper));
  }
  return worst;
}

double BoxBarrier::merit(const Point& at, const ContactArray& v, double m, double dual_weight) const {
  double total = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& r = rows_[k];
    const RowPoint& p = at[k];
    const double dual = dual_weight * (entry(v, r.block, r.row) - p.z_lower + p.z_upper);
    const auto bound = [&](double s, double z) {
      if (!(s > 0 && z > 0)) return HUGE_VAL;
      const double product = s * z / m - 1, rest = dual / z;
      return product * product + rest * rest;
    };
    if (r.has_lower) total += bound(p.s_lower, p.z_lower);
    if (r.has_upper) total += bound(p.s_upper, p.z_upper);
  }
  return total;
}

double BoxBarrier::product(const Point& at, const Step& a, const Step& b) const {
  double total = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const RowPoint& p = at[k];
    const double ds2 = a[k].lambda * b[k].lambda;
    if (rows_[k].has_lower) total += ds2 * p.z_lower / p.s_lower + a[k].z_lower * b[k].z_lower * p.s_lower / p.z_lower;
    if (rows_[k].has_upper) total += ds2 * p.z_upper / p.s_upper + a[k].z_upper * b[k].z_upper * p.s_upper / p.z_upper;
  }
  return total;
}

}  // namespace repose
