// SPDX-License-Identifier: Apache-2.0
// Proximal semismooth Newton on the exact law: the coupling is implicit, nothing is lagged.
//
// A proximal step of size α from λ solves  λ⁺ = AC(λ, v(λ⁺))  with g_i = α/ρ_i (alart_curnier.h, or De Saxcé's map). In
// the response space this is F(y) = y − R AC(λ, G y + v_f) = 0, whose Newton matrix is I + R D G (newton_system.h). A
// larger α makes fewer, harder steps; α grows while they succeed. Two facts decide whether 1e-10 is reached:
//   - v is tracked: v += t G dy, never recomputed from y. Rounding of size ε‖y‖ would be multiplied by g otherwise.
//   - each proximal step is solved far below the current residual, and a step that does not lower ‖F‖ is rejected.
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/contact/residual.h"
#include "repose/stage/stage.h"

namespace repose {

/// Two equations with the same solutions. Which one Newton's method gets through on a hard problem is not known
/// beforehand.
enum class LawEquation { kAlartCurnier, kDeSaxce };

/// Share of the current residual to which a proximal step is solved, unless a schedule allows looser steps.
inline constexpr double kSharp = 1e-3;

/// Step sizes and budgets. Work is counted, time is not measured.
struct ProxSchedule {
  double alpha = 1e2;        ///< first step size, in units of 1/ρ_i; > 0
  int newton_per_step = 12;  ///< Newton iterations granted to one proximal step
  int failures = 2;          ///< failed proximal steps before giving up
  int newton_budget = 400;   ///< Newton iterations in all
  int halvings = 7;          ///< of a Newton step that does not lower ‖F‖, before the proximal step fails
  LawEquation equation = LawEquation::kAlartCurnier;
  /// Factor on the α of those contacts whose change of mode (open, stick, slip) made a step fail, so that the others
  /// keep theirs; it grows back by 1.5 with every step that succeeds. 0: α is cut for all contacts.
  double local_cut = 0;
  /// Share of the current residual to which a proximal step is solved while that is between 1e-3 and 5e-8; else kSharp.
  double sharpness = kSharp;
};

struct ProxResult {
  Certificate certificate;  ///< of the λ handed back: the best seen
  int newton_iterations = 0;
  int prox_steps = 0;
  bool sound = true;  ///< false after a singular pivot or a number that is not finite
};

template <class Form>
class ProxNewton {
 public:
  using Node = typename Form::Node;

  /// `system` and `judge` are bound by the caller to the same problem.
  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge);
  /// Improves `lambda` until it is solved or the schedule is used up. `before` is its certificate.
  ProxResult run(ContactArray& lambda, const Certificate& before, const ProxSchedule& schedule,
                 const StageContext& context);

 private:
  enum class Step { kAccepted, kFailed, kBroken };
  void start_from(const ContactArray& lambda);
  Step prox_step(double inner_tolerance, const ProxSchedule& schedule, int& newton_used);
  bool line_search(double& F_norm, int halvings);
  double evaluate(const AlignedVector<Node>& y, const ContactArray& v, AlignedVector<Node>& F);
  [[nodiscard]] bool changes_mode(int i, const ContactArray& v) const;
  bool cut_locally(const ContactArray& v_failed, double factor);

  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  ContactArray center_, v_, P_, dv_, v_trial_, best_, v_saved_;
  ScalarArray g_, share_;  // step sizes; factors on α, 0 … 1
  LawEquation equation_ = LawEquation::kAlartCurnier;
  SlopeArray D_;
  AlignedVector<Node> y_, F_, dy_, y_trial_, F_trial_, y_saved_;
};

extern template class ProxNewton<BodyForm>;
extern template class ProxNewton<MatrixForm>;

}  // namespace repose
