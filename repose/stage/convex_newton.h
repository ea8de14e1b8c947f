// SPDX-License-Identifier: Apache-2.0
// Newton's method on problems without friction (μ = 0), which are convex: only normal impulses act, and λ ≥ 0 ⊥ v ≥ 0.
//
// The method of multipliers with centre c and steps g_i = α/ρ_i: each of its steps minimises
//   Φ(y) = ½ ‖y‖² + Σ_i max(0, c_i − g_i v_i)² / (2 g_i),  v = G y + v_f,   and then  c ← max(0, c − g v).
// ∇Φ = y − R max(0, c − g v), the equation of a proximal step (prox_newton.h); but here it is the gradient of a convex
// function, which is quadratic between changes of mode. Newton's direction with the least Φ along it needs no other
// globalisation and ends after finitely many steps. The residuals of non-convex problems have no such function.
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"
#include "repose/stage/stage.h"

namespace repose {

struct ConvexSchedule {
  double alpha = 1e3;        ///< first step size, in units of 1/ρ_i; > 0
  int failures = 3;          ///< failed minimisations before the run ends; each takes a tenth of α
  double most_alpha = 1e9;   ///< limit on α: rounding errors times α disturb what lies beyond
  int newton_per_step = 40;  ///< limit on the Newton steps of one minimisation
  int newton_budget = 200;   ///< Newton steps in all, compared between minimisations
};

struct ConvexResult {
  Certificate certificate;  ///< of the best iterate, which is the λ returned
  int newton_iterations = 0;
  int steps = 0;  ///< minimisations
};

class ConvexNewton {
 public:
  using Node = BodyForm::Node;

  /// The caller binds `system` and `judge` to the same problem.
  void bind(const BodyForm& form, NewtonSystem<BodyForm>& system, Judge& judge);
  /// Improves `lambda` until it is solved or the schedule is exhausted. `before` is the certificate of `lambda`.
  ConvexResult run(ContactArray& lambda, const Certificate& before, const ConvexSchedule& schedule,
                   const StageContext& context);

 private:
  void start_from(const ContactArray& lambda);
  double evaluate();
  [[nodiscard]] double slope_along(double t, double& curvature) const;
  [[nodiscard]] double line_minimum() const;
  bool minimise(double tolerance, const ConvexSchedule& schedule, int& newton_used);

  const BodyForm* form_ = nullptr;
  NewtonSystem<BodyForm>* system_ = nullptr;
  Judge* judge_ = nullptr;
  ContactArray centre_, v_, P_, dv_, best_, v_saved_;
  ScalarArray g_;
  SlopeArray D_;
  AlignedVector<Node> y_, F_, dy_, y_saved_;
};

}  // namespace repose
