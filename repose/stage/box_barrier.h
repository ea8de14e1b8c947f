// SPDX-License-Identifier: Apache-2.0
// The rows of boxes in an interior-point iteration: one barrier per finite bound, one proximal term per row.
//
//   s_l = λ − lower,  s_u = upper − λ,  v = z_l − z_u,  s_l z_l = s_u z_u = m
//   dλ = D (r − dw),  1/D = C + δ + z_l/s_l + z_u/s_u
//
// A row without bounds keeps the proximal term δ alone: proximal steps enforce the bilateral constraint v = 0. Points
// and steps are the caller's; the rows keep what belongs to one linearisation.
#pragma once

#include <vector>

#include "repose/contact/newton_system.h"
#include "repose/set/set_list.h"

namespace repose {

class BoxBarrier {
 public:
  struct RowPoint {
    double lambda = 0;
    double s_lower = 0, s_upper = 0;  // moved by their own increments: the difference to a bound would round to zero
    double z_lower = 0, z_upper = 0;
  };
  struct RowStep {
    double lambda = 0, z_lower = 0, z_upper = 0;
  };
  using Point = std::vector<RowPoint>;
  using Step = std::vector<RowStep>;

  /// Lists the rows with lower < upper; δ = `damping` · ρ_i.
  void bind(const SetList& sets, const ScalarArray& inverse_rho, double damping);
  [[nodiscard]] bool empty() const { return rows_.empty() && fixed_.empty(); }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }  ///< the size of a point or a step
  /// Number of finite bounds, each a complementarity term in addition to those of the cones.
  [[nodiscard]] int bounds() const { return bounds_; }

  /// Starts each row from its impulse in `lambda`, moved inside its bounds (by `impulse`, N·s, at most); z ← `speed`.
  void start(const ContactArray& lambda, double impulse, double speed, Point& at) const;
  /// Starts each row near its impulse and velocity with s z = m.
  void start_central(const ContactArray& lambda, const ContactArray& v, double m, Point& at) const;
  /// Returns Σ s z over all finite bounds.
  [[nodiscard]] double complementarity(const Point& at) const;
  /// Writes λ into the lanes of the box rows, the prescribed ones included.
  void put_impulse(const Point& at, ContactArray& lambda) const;
  /// The same for a point that may lie outside the bounds.
  void put_trial_impulse(const Point& at, ContactArray& lambda) const;
  /// Linearises at a point, which the functions below refer to as `at`, and writes D of every row.
  void put_slopes(const Point& at, SlopeArray& D);

  // ---- right-hand sides D r, written into `pre`; take_step() completes them ----
  /// For s z = m after at + step; `v` is the velocity there, with C λ. The step found is added to `step` by the caller.
  void put_residual(const Point& at, const Step& step, const ContactArray& v, double m, ContactArray& pre);
  /// For the tangent of the central path, per unit of log m.
  void put_tangent(const Point& at, double m, ContactArray& pre);
  /// For s z = m with the second-order terms of `step`, from `at`; `v` is the velocity at `at`.
  void put_second_order(const Point& at, const Step& step, const ContactArray& v, double m, ContactArray& pre);
  /// Computes the step from dw = G dy, given in `dv`, and replaces `dv` by dw + C dλ.
  void take_step(const Point& at, ContactArray& dv, Step& step) const;

  /// Returns 1/α of the largest step that keeps every s, z ≥ 0.
  [[nodiscard]] double inverse_step(const Point& at, const Step& step) const;
  /// to ← at + t step
  static void move(const Point& at, const Step& step, double t, Point& to);

  /// Returns the largest of m/(s z), s z/m and `dual_weight` · |v − z_l + z_u|/z.
  [[nodiscard]] double distance(const Point& at, const ContactArray& v, double m, double dual_weight) const;
  /// Returns the sum of squares of s z/m − 1 and `dual_weight` · |v − z_l + z_u|/z; infinite outside the bounds.
  [[nodiscard]] double merit(const Point& at, const ContactArray& v, double m, double dual_weight) const;
  /// Returns Σ ds_a ds_b z/s + dz_a dz_b s/z over all finite bounds: the product of two steps in the scaled frame.
  [[nodiscard]] double product(const Point& at, const Step& a, const Step& b) const;

 private:
  struct Row {
    int block;
    double ContactVec::*row;
    double lower, upper, compliance, damping, inverse_rho;
    bool has_lower, has_upper;
    double D = 0, r = 0, q_lower = 0, q_upper = 0;  // dz = q ∓ (z/s) dλ
  };
  struct Fixed {  // a prescribed row
    int block;
    double ContactVec::*row;
    double value;
  };
  void put(const Row& row, ContactArray& pre) const;
  void put_fixed(ContactArray& pre) const;

  std::vector<Row> rows_;
  std::vector<Fixed> fixed_;
  int bounds_ = 0;
};

}  // namespace repose
