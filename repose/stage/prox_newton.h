// SPDX-License-Identifier: Apache-2.0
// Proximal semismooth Newton on the exact law: the coupling is implicit, nothing lags by an iteration.
//
// A proximal step of size α from λ solves  λ⁺ = AC(λ, v(λ⁺))  with g_i = α/ρ_i (alart_curnier.h, or De Saxcé's map). In
// the response space this is F(y) = y − R AC(λ, G y + v_f) = 0, whose Newton matrix is I + R D G (newton_system.h). A
// larger α needs fewer steps, each of which is harder; α grows while they succeed. Two things decide whether 1e-10 is
// reached:
//   - v is tracked: v += t G dy, never recomputed from y, because g would multiply the rounding error ε‖y‖.
//   - each proximal step is solved far below the current residual, and a step that does not lower ‖F‖ is rejected.
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"
#include "repose/stage/law_equation.h"
#include "repose/stage/stage.h"

namespace repose {

/// Share of the current residual to which a proximal step is solved, unless a schedule allows looser steps.
inline constexpr double kSharp = 1e-3;

/// Step sizes and budgets. Budgets count work, not time.
struct ProxSchedule {
  double alpha = 1e2;        ///< first step size, in units of 1/ρ_i; > 0
  int newton_per_step = 12;  ///< limit on the Newton iterations of one proximal step
  int failures = 2;          ///< failed proximal steps before the run ends
  /// Newton iterations after which the run ends. It is compared between proximal steps: the run may exceed it by
  /// newton_per_step − 1.
  int newton_budget = 400;
  int halvings = 7;  ///< halvings of a Newton step that does not lower ‖F‖ before the proximal step fails
  LawEquation equation = LawEquation::kAlartCurnier;
  /// Factor on α of the contacts whose change of mode (open, stick, slip) made a step fail; the other contacts keep
  /// their α. It grows back by 1.5 with every accepted step. 0: α is reduced for all contacts.
  double local_cut = 0;
  /// Share of the current residual to which a proximal step is solved while the residual is between 1e-3 and 5e-8;
  /// kSharp outside that range.
  double sharpness = kSharp;
  /// Takes the first Newton step of each proximal step in the modes of the impulses it starts from, instead of those
  /// that their velocities give, whatever it does to ‖F‖.
  bool hold_modes = false;
  /// Keeps α, so that the factor is reused while modes repeat.
  bool keep_alpha = false;
};

struct ProxResult {
  Certificate certificate;  ///< of the best iterate, which is the λ returned
  int newton_iterations = 0;
  int prox_steps = 0;
  bool sound = true;  ///< false after a singular pivot or a value that is not finite
};

template <class Form>
class ProxNewton {
 public:
  using Node = typename Form::Node;

  /// The caller binds `system` and `judge` to the same problem.
  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge);
  /// Improves `lambda` until it is solved or the schedule is exhausted. `before` is the certificate of `lambda`.
  ProxResult run(ContactArray& lambda, const Certificate& before, const ProxSchedule& schedule,
                 const StageContext& context);

 private:
  enum class Step { kAccepted, kFailed, kBroken };
  void start_from(const ContactArray& lambda);
  double evaluate_held_modes();
  void take_whole_step(double& F_norm);
  Step prox_step(double inner_tolerance, const ProxSchedule& schedule, int& newton_used);
  bool line_search(double& F_norm, int halvings);
  double evaluate(const AlignedVector<Node>& y, const ContactArray& v, AlignedVector<Node>& F);
  [[nodiscard]] bool changes_mode(int i, const ContactArray& v) const;
  bool cut_locally(const ContactArray& v_failed, double factor);

  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  ContactArray center_, v_, P_, dv_, v_trial_, best_, v_saved_;
  ScalarArray g_, share_;  // step sizes; factors on α in 0 … 1
  LawEquation equation_ = LawEquation::kAlartCurnier;
  SlopeArray D_;
  AlignedVector<Node> y_, F_, dy_, y_trial_, F_trial_, y_saved_;
};

extern template class ProxNewton<BodyForm>;
extern template class ProxNewton<MatrixForm>;

}  // namespace repose
