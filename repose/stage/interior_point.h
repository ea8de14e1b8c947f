// SPDX-License-Identifier: Apache-2.0
// Interior-point method on the exact law with an implicit coupling: the cold start for sticking structures.
//
//   x = (μλ_N, λ_T),  z = (v_N/μ + |v_T|_e, v_T),  x ∘ z = σ m 1  in Lorentz cones,  |v_T|_e = v²/√(v² + e²)
//
// Nesterov–Todd scaling, Mehrotra's predictor and corrector, one factorisation of I + R D G per iteration; boxes have
// their own barriers (box_barrier.h). Sticking structures of any size take 8 to 12 iterations. The system is not
// monotone: where many contacts slide, x and z approach the boundaries of their cones and steps become short. With
// |v_T|_e frozen the problem is convex, and a few steps at constant m return x and z to the central path, from which
// the implicit iteration continues.
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/contact/primal_dual_cones.h"
#include "repose/contact/residual.h"
#include "repose/set/lorentz.h"
#include "repose/stage/bilateral_start.h"
#include "repose/stage/box_barrier.h"
#include "repose/stage/soft_cones.h"
#include "repose/stage/stage.h"

namespace repose {

struct InteriorPointSchedule {
  double tolerance = 1e-4;  ///< residual at which the iteration stops
  double smoothing = 1;     ///< κ in |v_T|_e = |v_T|² / √(|v_T|² + κ m ρ), m the mean complementarity; > 0
  int iterations = 40;      ///< limit on the number of factorisations
  /// Starts from the impulses that make every contact stick. Three short steps in a row show that no impulses can.
  bool stiff = true;
  /// Stiffness of the contacts, in units of 1/ρ_i, at the second start that follows a failed stiff one, or at the first
  /// start without `stiff`; 0: no such start.
  double soft_start = 0;
  double second_start_above = 0;  ///< residual below which the second start is skipped
};

struct InteriorPointResult {
  Certificate certificate;  ///< of the best iterate, which is the λ returned
  int iterations = 0;
};

template <class Form>
class InteriorPoint {
 public:
  using Node = typename Form::Node;

  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge);
  /// Starts from a bilateral solve, not from `lambda`, and replaces `lambda` by a better iterate if it finds one.
  InteriorPointResult run(ContactArray& lambda, const Certificate& before, const InteriorPointSchedule& schedule,
                          const StageContext& context);

 private:
  bool start(double stiffness);
  bool recentre(int& iterations, int limit);
  bool linearise();
  void direction(double centring, bool corrector);
  [[nodiscard]] double step_length() const;
  void move(double step);
  [[nodiscard]] double complementarity() const;
  [[nodiscard]] ContactPack impulse(int p) const;
  void put_boxes();

  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  ScalarArray mu_;  // bounded away from zero: the result is a start, not the answer
  BoxBarrier boxes_;
  BoxBarrier::Point box_;
  BoxBarrier::Step box_step_;
  SoftCones soft_;
  PrimalDualCones cones_;
  ContactArray v_, dv_, rd_, packed_, best_;
  ScalarArray coupling_;             // |v_T|_e
  bool frozen_ = false;              // true: |v_T|_e keeps its value
  AlignedVector<ContactPack> slip_;  // ∂z_N/∂v
  SlopeArray D_;
  AlignedVector<Node> y_, dy_, rp_;
  double mean_ = 0;       // mean complementarity per cone or bound
  double smoothing_ = 1;  // of the schedule
};

extern template class InteriorPoint<BodyForm>;
extern template class InteriorPoint<MatrixForm>;

}  // namespace repose
