// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/box_barrier.h"

#include <algorithm>
#include <cmath>

#include "repose/set/block_mode.h"

namespace repose {
namespace {

constexpr double kInset = 0.1;  // share of an interval's width that a start keeps away from its bounds

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
      rows_.push_back({i, row, lower, upper, set.compliance().*row, damping * rho, has_lower, has_upper});
      bounds_ += has_lower + has_upper;
    }
  }
}

void BoxBarrier::start(const ContactArray& lambda, double impulse, double speed) {
  for (Row& r : rows_) {
    const double guess = entry(lambda, r.block, r.row);
    const double inset = r.has_lower && r.has_upper ? std::min(impulse, kInset * (r.upper - r.lower)) : impulse;
    r.lambda = guess;
    if (r.has_lower) r.lambda = std::max(r.lambda, r.lower + inset);
    if (r.has_upper) r.lambda = std::min(r.lambda, r.upper - inset);
    r.s_lower = r.has_lower ? r.lambda - r.lower : 0;
    r.s_upper = r.has_upper ? r.upper - r.lambda : 0;
    r.z_lower = r.has_lower ? speed : 0;
    r.z_upper = r.has_upper ? speed : 0;
  }
}

double BoxBarrier::complementarity() const {
  double total = 0;
  for (const Row& r : rows_) {
    if (r.has_lower) total += r.s_lower * r.z_lower;
    if (r.has_upper) total += r.s_upper * r.z_upper;
  }
  return total;
}

void BoxBarrier::put_impulse(ContactArray& lambda) const {
  for (const Row& r : rows_) set_entry(lambda, r.block, r.row, std::clamp(r.lambda, r.lower, r.upper));
  for (const Fixed& f : fixed_) set_entry(lambda, f.block, f.row, f.value);
}

void BoxBarrier::put_slopes(SlopeArray& D) {
  for (Row& r : rows_) {
    double stiffness = r.compliance + r.damping;
    if (r.has_lower) stiffness += r.z_lower / r.s_lower;
    if (r.has_upper) stiffness += r.z_upper / r.s_upper;
    diagonal(D, r.block, r.row) = r.D = 1.0 / stiffness;
  }
}

void BoxBarrier::put_right_hand_side(const ContactArray& v, double centre, bool corrector, ContactArray& pre) {
  for (Row& r : rows_) {
    // z + dz = (σ m ∓ dλ dz)/s ∓ (z/s) dλ, with v + dv = (z_l + dz_l) − (z_u + dz_u)
    const double second_lower = corrector ? r.d_lambda * r.dz_lower : 0.0;
    const double second_upper = corrector ? -r.d_lambda * r.dz_upper : 0.0;
    r.r_lower = r.has_lower ? (centre - second_lower) / r.s_lower : 0.0;
    r.r_upper = r.has_upper ? (centre - second_upper) / r.s_upper : 0.0;
    r.r = r.r_lower - r.r_upper - entry(v, r.block, r.row);
    set_entry(pre, r.block, r.row, r.D * r.r);
  }
  for (const Fixed& f : fixed_) set_entry(pre, f.block, f.row, 0.0);
}

void BoxBarrier::clear_direction() {
  for (Row& r : rows_) r.d_lambda = r.dz_lower = r.dz_upper = 0;
}

void BoxBarrier::take_direction(ContactArray& dv) {
  for (Row& r : rows_) {
    const double dw = entry(dv, r.block, r.row);
    r.d_lambda = r.D * (r.r - dw);
    r.dz_lower = r.has_lower ? r.r_lower - r.z_lower - r.z_lower / r.s_lower * r.d_lambda : 0.0;
    r.dz_upper = r.has_upper ? r.r_upper - r.z_upper + r.z_upper / r.s_upper * r.d_lambda : 0.0;
    set_entry(dv, r.block, r.row, dw + r.compliance * r.d_lambda);
  }
}

double BoxBarrier::inverse_step() const {
  double inverse = 0;
  for (const Row& r : rows_) {
    if (r.has_lower) inverse = std::max({inverse, -r.d_lambda / r.s_lower, -r.dz_lower / r.z_lower});
    if (r.has_upper) inverse = std::max({inverse, r.d_lambda / r.s_upper, -r.dz_upper / r.z_upper});
  }
  return inverse;
}

void BoxBarrier::move(double step) {
  for (Row& r : rows_) {
    r.lambda += step * r.d_lambda;
    r.s_lower += step * r.d_lambda;
    r.s_upper -= step * r.d_lambda;
    r.z_lower += step * r.dz_lower;
    r.z_upper += step * r.dz_upper;
  }
}

}  // namespace repose
