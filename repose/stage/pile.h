// SPDX-License-Identifier: Apache-2.0
// For thousands of contacts: Gauss–Seidel with momentum, and bursts of mode-Newton steps for the soft modes.
// Counted work (contact visits against block products) balances the two, not the clock, so that runs are repeatable.
#pragma once

#include "repose/stage/gauss_seidel.h"
#include "repose/stage/mode_newton.h"
#include "repose/stage/packed_sweeps.h"
#include "repose/stage/stage.h"

namespace repose {

struct PileOptions {
  bool newton = true;            ///< mode-Newton bursts; worthwhile for point contacts, not for patches
  double newton_below = 1e-3;    ///< residual below which bursts may start
  double restart = 0;            ///< R of the momentum restart; 0: 1.5, 3, then 10 as the sweeps increase
  bool global_momentum = false;  ///< the same momentum for all contacts
  double sweep_budget = 20000;   ///< sweeps, including Newton's work in units of sweeps
  double enough = 0;             ///< residual at which to stop even if the tolerance is lower
};

struct PileResult {
  Certificate certificate;
  int sweeps = 0;
  int newton_steps = 0;
  double work = 0;  ///< in block products
};

template <class Form>
class PileSolver {
 public:
  void bind(const Form& form, const ContactProblem& problem, NewtonSystem<Form>& system, Judge& judge);
  PileResult run(ContactArray& lambda, const Certificate& before, const PileOptions& options,
                 const StageContext& context);

 private:
  void start_sweeps(const ContactArray& lambda);
  void sweep_batch(const PileOptions& options, const StageContext& context, PileResult& result);
  bool burst(const StageContext& context, PileResult& result, double& newton_work, double sweep_work);
  bool try_step(double t, double nat, Certificate& accepted);
  [[nodiscard]] double work_of(const PileResult& result, double newton_work) const;
  [[nodiscard]] bool is_over(const StageContext& context, const PileResult& result, double newton_work) const;
  void keep_best(const ContactArray& lambda, const Certificate& now, PileResult& result);

  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  GaussSeidel<Form> sweeps_, repair_;
  PackedSweeps packed_;
  bool may_pack_ = false, packs_ = false;  // the problem suits packed_; this run has it
  ModeNewton<Form> newton_;
  ContactArray x_, current_, proposal_, trial_, velocity_, best_;
};

extern template class PileSolver<BodyForm>;
extern template class PileSolver<MatrixForm>;

}  // namespace repose
