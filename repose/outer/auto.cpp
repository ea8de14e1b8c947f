// SPDX-License-Identifier: Apache-2.0
#include "repose/outer/auto.h"

#include <algorithm>

#include "repose/base/error.h"
#include "repose/cone/local_coulomb.h"
#include "repose/outer/interior_point.h"
#include "repose/outer/pile.h"
#include "repose/outer/prox_newton.h"

namespace repose {

class AutoSolver::Core {
 public:
  virtual ~Core() = default;
  virtual OuterReport solve(std::span<ContactVec> lambda, const SolveLimits& limits, const StopToken& stop) = 0;
};

namespace {

/// Block products of one factorisation per contact above which a problem counts as a pile: chains, arches and card
/// houses have 1 to 3, brick walls and box piles 15 to 20, sphere packs hundreds.
constexpr double kPileProducts = 8;
constexpr int kPileContacts = 150;
/// Contacts per patch below which bursts of mode-Newton pay.
constexpr double kPointContacts = 2;

template <class Form>
class CoreOf final : public AutoSolver::Core {
 public:
  CoreOf(const ContactProblem& problem, const AutoOptions& options) : problem_(problem), options_(options) {
    form_ = &std::get<Form>(problem.form());
    judge_.bind(problem);
    lambda_.resize(problem.size());
    kept_.resize(problem.size());
    local_.resize(static_cast<std::size_t>(problem.size()));
    for (int i = 0; i < problem.size(); ++i)
      local_[static_cast<std::size_t>(i)] =
          LocalCoulomb(form_->diagonal_block(i), problem.mu()[static_cast<std::size_t>(i)]);
    separable_ = problem.coupled_pairs().empty();
    if (separable_) return;
    system_.bind(*form_);
    prox_.bind(*form_, system_, judge_);
    ipm_.bind(*form_, system_, judge_);
    pile_.bind(*form_, problem, system_, judge_);
    is_pile_ = problem.size() > kPileContacts &&
               static_cast<double>(system_.factor_products()) > kPileProducts * problem.size();
  }

  OuterReport solve(std::span<ContactVec> lambda, const SolveLimits& limits, const StopToken& stop) override {
    tolerance_ = limits.tolerance;
    stop_ = &stop;
    report_ = {};
    has_kept_ = false;
    lambda_.load(lambda);
    now_ = judge_.start(lambda_);
    run_stages();
    lambda_.store(lambda);
    report_.certificate = now_;
    report_.status = verdict();
    return report_;
  }

 private:
  [[nodiscard]] bool done() const { return now_.solved(tolerance_) || stop_->asked() != StopReason::kGoOn; }

  void run_stages() {
    report_.add_stage("warm start", 0, now_.worst());
    if (done()) return;
    if (separable_) return solve_separately();
    if (is_pile_) return solve_pile();
    solve_structure();
  }

  void solve_separately() {
    for (int i = 0; i < lambda_.size(); ++i) {
      double rate = 0;
      lambda_.set(i, local_[static_cast<std::size_t>(i)].solve(judge_.v_free()[i], rate));
    }
    now_ = judge_.certify(lambda_);
    report_.outer_iterations += 1;
    report_.add_stage("local", 1, now_.worst());
  }

  void solve_structure() {
    if (now_.worst() < 0.05)
      newton({.alpha = 1e2 * std::sqrt(std::max(1.0, 1e-3 / now_.worst())), .newton_per_step = 12, .failures = 2});
    if (!done() && now_.worst() < 1e-3) newton({.alpha = 30, .newton_per_step = 20, .failures = 6});
    if (done()) return;
    interior_point();
    if (!done() && now_.worst() < 1e-2) newton({.alpha = 1e5, .newton_per_step = 15, .failures = 5});
    for (int round = 0; round < 6 && !done(); ++round) {
      const double effort = 1 << round;
      newton({.alpha = 3, .newton_per_step = 40, .failures = 25, .newton_budget = static_cast<int>(80 * effort)});
      if (done()) return;
      if (round % 2 == 1) restart();
      pile({.newton = round % 3 != 2, .sweep_budget = 200 * effort});
      if (!done())
        newton({.alpha = 1e2, .newton_per_step = 25, .failures = 10, .newton_budget = static_cast<int>(80 * effort)});
      keep_better();
    }
  }

  void restart() {
    kept_ = lambda_;
    kept_certificate_ = now_;
    has_kept_ = true;
    for (int p = 0; p < lambda_.packs(); ++p) lambda_.pack(p) = {};
    now_ = judge_.certify(lambda_);
  }
  void keep_better() {
    if (!has_kept_ || now_.worst() <= kept_certificate_.worst()) return;
    lambda_ = kept_;
    now_ = kept_certificate_;
  }

  void solve_pile() { pile({.newton = true}); }

  void newton(const ProxSchedule& schedule) {
    const ProxResult result = prox_.run(lambda_, now_, schedule, tolerance_, *stop_);
    now_ = result.certificate;
    report_.outer_iterations += result.prox_steps;
    report_.inner_iterations += result.newton_iterations;
    report_.add_stage("newton", result.newton_iterations, now_.worst());
  }

  void interior_point() {
    const InteriorPointResult result = ipm_.run(lambda_, now_, std::max(tolerance_, 1e-4), 40, *stop_);
    now_ = result.certificate;
    report_.outer_iterations += result.iterations;
    report_.inner_iterations += result.iterations;
    report_.add_stage("interior point", result.iterations, now_.worst());
  }

  void pile(const PileOptions& options) {
    const PileResult result = pile_.run(lambda_, now_, options, tolerance_, *stop_);
    now_ = result.certificate;
    report_.outer_iterations += result.sweeps;
    report_.inner_iterations += result.newton_steps;
    report_.add_stage("gauss-seidel", result.sweeps, now_.worst());
  }

  [[nodiscard]] Status verdict() const {
    if (now_.solved(tolerance_)) return Status::kConverged;
    switch (stop_->asked()) {
      case StopReason::kTimeLimit: return Status::kTimeLimit;
      case StopReason::kInterrupted: return Status::kInterrupted;
      case StopReason::kGoOn: break;
    }
    return std::isfinite(now_.worst()) ? Status::kStalled : Status::kNumericalFailure;
  }

  const ContactProblem& problem_;
  AutoOptions options_;
  const Form* form_ = nullptr;
  Judge judge_;
  NewtonSystem<Form> system_;
  ProxNewton<Form> prox_;
  InteriorPoint<Form> ipm_;
  PileSolver<Form> pile_;
  std::vector<LocalCoulomb> local_;
  ContactArray lambda_, kept_;
  Certificate kept_certificate_;
  bool has_kept_ = false;
  bool separable_ = false, is_pile_ = false;
  double tolerance_ = 0;
  const StopToken* stop_ = nullptr;
  Certificate now_;
  OuterReport report_;
};

}  // namespace

AutoSolver::AutoSolver(const AutoOptions& options) : options_(options) {
  require(options.budget > 0, "auto: budget ", options.budget, " must be > 0");
}
AutoSolver::~AutoSolver() = default;

void AutoSolver::bind(const ContactProblem& problem) {
  if (std::holds_alternative<BodyForm>(problem.form()))
    core_ = std::make_unique<CoreOf<BodyForm>>(problem, options_);
  else
    core_ = std::make_unique<CoreOf<MatrixForm>>(problem, options_);
}

OuterReport AutoSolver::solve(std::span<ContactVec> lambda) { return core_->solve(lambda, limits, stop); }

}  // namespace repose
