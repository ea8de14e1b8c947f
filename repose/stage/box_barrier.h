// SPDX-License-Identifier: Apache-2.0
// The rows of boxes in an interior-point iteration: one barrier per finite bound, one proximal term per row.
//
//   s_l = λ − lower,  s_u = upper − λ,  v = z_l − z_u,  s_l z_l = s_u z_u = σ m
//   dλ = D (r − dw),  1/D = C + δ + z_l/s_l + z_u/s_u
//
// A row without bounds keeps the proximal term δ alone: proximal steps enforce the bilateral constraint v = 0.
#pragma once

#include <vector>

#include "repose/contact/newton_system.h"
#include "repose/set/set_list.h"

namespace repose {

class BoxBarrier {
 public:
  /// Lists the rows with lower < upper and claims memory; δ = `damping` · ρ_i.
  void bind(const SetList& sets, const ScalarArray& inverse_rho, double damping);
  [[nodiscard]] bool empty() const { return rows_.empty() && fixed_.empty(); }
  /// Number of finite bounds, each a complementarity term in addition to those of the cones.
  [[nodiscard]] int bounds() const { return bounds_; }

  /// Starts each row from its impulse in `lambda`, moved inside its bounds (by `impulse`, N·s, at most); z ← `speed`.
  void start(const ContactArray& lambda, double impulse, double speed);
  /// Returns Σ s z over all finite bounds.
  [[nodiscard]] double complementarity() const;
  /// Writes λ into the lanes of the box rows, the prescribed ones included.
  void put_impulse(ContactArray& lambda) const;
  /// Writes D of every row at the current point.
  void put_slopes(SlopeArray& D);
  /// Writes D r into `pre` for the target s z = centre; `v` is the velocity with C λ. The corrector adds the
  /// second-order terms of the last direction.
  void put_right_hand_side(const ContactArray& v, double centre, bool corrector, ContactArray& pre);
  /// Sets the last direction to zero: the next corrector has no second-order terms.
  void clear_direction();
  /// Computes the direction from dw = G dy, given in `dv`, and replaces `dv` by dw + C dλ.
  void take_direction(ContactArray& dv);
  /// Returns 1/α of the largest step that keeps every s, z ≥ 0.
  [[nodiscard]] double inverse_step() const;
  void move(double step);

 private:
  struct Row {
    int block;
    double ContactVec::*row;
    double lower, upper, compliance, damping;
    bool has_lower, has_upper;
    double lambda = 0;
    double s_lower = 0, s_upper = 0;  // moved by their own increments: the difference to a bound would round to zero
    double z_lower = 0, z_upper = 0;
    double d_lambda = 0, dz_lower = 0, dz_upper = 0;
    double D = 0, r = 0, r_lower = 0, r_upper = 0;
  };
  struct Fixed {  // a prescribed row
    int block;
    double ContactVec::*row;
    double value;
  };
  std::vector<Row> rows_;
  std::vector<Fixed> fixed_;
  int bounds_ = 0;
};

}  // namespace repose
