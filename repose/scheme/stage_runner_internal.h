// SPDX-License-Identifier: Apache-2.0
// The stages of `auto`, `newton` and `nsgs` over one problem form, with a shared judge, factor and current iterate. No
// stage makes the iterate worse.
#pragma once

#include <algorithm>
#include <utility>
#include <variant>

#include "repose/scheme/solver.h"
#include "repose/set/local_law.h"
#include "repose/stage/central_path.h"
#include "repose/stage/convex_newton.h"
#include "repose/stage/interior_point.h"
#include "repose/stage/path_following.h"
#include "repose/stage/pile.h"
#include "repose/stage/prox_newton.h"

namespace repose {

/// Number of stages for which a runner claims memory at bind(): enough for auto's default rounds.
inline constexpr int kMostStages = 128;

/// Whether all blocks are cones with μ = 0 and without compliance.
[[nodiscard]] inline bool is_frictionless(const SetList& sets) {
  return sets.plain() && std::all_of(sets.mu().begin(), sets.mu().end(), [](double mu) { return mu == 0; });
}

template <class Form>
class StageRunner {
 public:
  void bind(const ContactProblem& problem) {
    form_ = &std::get<Form>(problem.form());
    problem_ = &problem;
    judge_.bind(problem);
    report_.stages.reserve(kMostStages);
    lambda_.claim(problem.size());
    kept_.claim(problem.size());
    separable_ = problem.separable();
    frictionless_ = is_frictionless(problem.sets());
    stale_ = false;
    newton_usable_ = !separable_ && system_.bind(*form_);
    if (!separable_) bind_stages();
  }

  /// Announces new numbers on the graph of the last bind(). prepare() must precede any stage; most warm starts need no
  /// stage.
  void refresh(const ContactProblem& problem) {
    judge_.bind(problem);
    stale_ = true;
  }
  /// Computes what stages need from W beyond its graph. The sizes are those of bind(), so nothing is allocated.
  void prepare() {
    if (stale_ && !separable_) {
      system_.refresh();
      bind_stages();
    }
    stale_ = false;
  }

  /// Scores the start. A separable problem is solved here: the local solve of each contact is exact, and from zero it
  /// is cheaper than scoring the start.
  void begin(std::span<const ContactVec> lambda, const OuterSolver& solver) {
    context_ = {solver.limits.tolerance, &solver.stop, &solver.observer, 0};
    context_.limit.accept = solver.limits.accept;
    if (solver.limits.accept > 0 && solver.limits.budget > 0)
      context_.limit.left = solver.limits.budget * problem_->size();
    max_iterations_ = solver.limits.max_iterations;
    report_.reset();
    has_kept_ = false;
    stages_ = 0;
    system_.start();
    lambda_.load(lambda);
    warm_ = norm(lambda_) > 0;
    if (separable_ && !warm_) {
      judge_.open(lambda_);
      return local();
    }
    now_ = judge_.start(lambda_);
    report_.stages.add({"warm start", 0, now_.worst()});
    if (separable_ && !done()) local();
  }

  [[nodiscard]] OuterReport finish(std::span<ContactVec> lambda) {
    lambda_.store(lambda);
    report_.certificate = now_;
    const bool limited = out_of_iterations() || context_.limit.reached(now_, 0);
    report_.grade(verdict(now_.solved(context_.tolerance), now_.worst(), *context_.stop)
                      .value_or(limited ? Status::kIterationLimit : Status::kStalled),
                  context_.limit.accept);
    report_.work /= std::max(1, contacts());
    report_.fallbacks = std::max(0, stages_ - 1);
    return report_;
  }

  /// Calls finish(), after one Newton stage of this schedule if the answer is solved but above `aim`.
  [[nodiscard]] OuterReport polished(double aim, const ProxSchedule& schedule, std::span<ContactVec> lambda) {
    if (newton_usable_ && now_.worst() > aim && aim > 0 && now_.solved(context_.tolerance)) {
      prepare();
      const double tolerance = std::exchange(context_.tolerance, aim);
      const WorkLimit limit = std::exchange(context_.limit, {});  // a polish is short
      newton(schedule);
      context_.tolerance = tolerance;
      context_.limit = limit;
    }
    return finish(lambda);
  }

  [[nodiscard]] double worst() const { return now_.worst(); }
  [[nodiscard]] bool done() const {
    return now_.solved(context_.tolerance) || context_.limit.reached(now_, 0) || out_of_iterations() ||
           context_.stopped();
  }
  [[nodiscard]] bool warm() const { return warm_; }  ///< the start was not zero
  [[nodiscard]] bool separable() const { return separable_; }
  /// Whether every block is a contact without compliance.
  [[nodiscard]] bool plain() const { return problem_->sets().plain(); }
  [[nodiscard]] bool newton_usable() const { return newton_usable_; }
  [[nodiscard]] int contacts() const { return lambda_.size(); }
  /// Returns the block products of one factorisation per contact.
  [[nodiscard]] double factor_cost() const {
    return static_cast<double>(system_.factor_products()) / std::max(1, contacts());
  }
  /// Returns the number of sweeps that cost as much as one factorisation.
  [[nodiscard]] double sweeps_per_factor() const { return kVisitsPerProduct<Form> * factor_cost(); }
  /// Returns the contacts per pair of bodies; infinite (a structure) for joints and in matrix form.
  [[nodiscard]] double contacts_per_patch() const {
    if constexpr (std::is_same_v<Form, BodyForm>)
      return problem_->sets().plain() ? system_.contacts_per_patch() : HUGE_VAL;
    else
      return HUGE_VAL;
  }

  void newton(ProxSchedule schedule) {
    if (done() || !newton_usable_) return;
    if (max_iterations_ > 0) schedule.newton_budget = std::min(schedule.newton_budget, remaining());
    const ProxResult result = prox_.run(lambda_, now_, schedule, context_);
    now_ = result.certificate;
    book("newton", result.newton_iterations, result.prox_steps, result.newton_iterations,
         result.newton_iterations * step_work());
  }

  /// Whether no block has friction: cones with μ = 0 only. Their law is convex.
  [[nodiscard]] bool frictionless() const {
    if constexpr (std::is_same_v<Form, BodyForm>) return newton_usable_ && frictionless_;
    return false;
  }
  void convex_newton(ConvexSchedule schedule) {
    if constexpr (std::is_same_v<Form, BodyForm>) {
      if (done() || !newton_usable_) return;
      if (max_iterations_ > 0) schedule.newton_budget = std::min(schedule.newton_budget, remaining());
      const ConvexResult result = convex_.run(lambda_, now_, schedule, context_);
      now_ = result.certificate;
      book("convex newton", result.newton_iterations, result.steps, result.newton_iterations,
           result.newton_iterations * step_work());
    }
  }

  void path(PathSchedule schedule) {
    if (done() || !newton_usable_) return;
    if (max_iterations_ > 0) schedule.pivots = std::min(schedule.pivots, remaining());
    const PathResult result = path_.run(lambda_, now_, schedule, context_);
    now_ = result.certificate;
    book("path", result.pivots, result.pivots, result.pivots, result.pivots * step_work());
  }

  void interior_point(InteriorPointSchedule schedule) {
    if (done() || !newton_usable_) return;
    if (max_iterations_ > 0) schedule.iterations = std::min(schedule.iterations, remaining());
    const InteriorPointResult result = interior_point_.run(lambda_, now_, schedule, context_);
    now_ = result.certificate;
    book("interior point", result.iterations, result.iterations, result.iterations, result.iterations * step_work());
  }

  /// Follows the central path. Returns whether a point of it had a residual within the tolerance of the schedule.
  bool central_path(CentralPathSchedule schedule) {
    if (done() || !newton_usable_) return false;
    if (max_iterations_ > 0) schedule.iterations = std::min(schedule.iterations, remaining());
    const CentralPathResult result = central_path_.run(lambda_, now_, schedule, context_);
    now_ = result.certificate;
    book("central path", result.iterations, result.iterations, result.iterations, result.iterations * step_work());
    return result.reached;
  }

  void sweeps(PileOptions options) {
    if (done()) return;
    options.newton = options.newton && newton_usable_;
    if (max_iterations_ > 0) options.sweep_budget = std::min(options.sweep_budget, static_cast<double>(remaining()));
    const PileResult result = pile_.run(lambda_, now_, options, context_);
    now_ = result.certificate;
    book("gauss-seidel", result.sweeps, result.sweeps, result.newton_steps, result.work);
  }

  /// λ_i ← keep · λ_i + prestress · (rms impulse) e_N for the next stages; keep_better() restores the present λ if that
  /// was better.
  void restart(double prestress, double keep) {
    keep_better();
    kept_ = lambda_;
    kept_certificate_ = now_;
    has_kept_ = true;
    context_.limit.at_hand = kept_certificate_.solved(context_.limit.accept);
    const double size = prestress * norm(lambda_) / std::sqrt(std::max(1, contacts()));
    for (int i = 0; i < contacts(); ++i) lambda_.set(i, keep * lambda_[i] + ContactVec{0, 0, size});
    now_ = judge_.certify(lambda_);
  }
  void keep_better() {
    if (!has_kept_) return;
    has_kept_ = false;
    context_.limit.at_hand = false;
    if (now_.worst() <= kept_certificate_.worst()) return;
    lambda_ = kept_;
    now_ = kept_certificate_;
  }

 private:
  /// Solves each contact alone: exact when no two of them interact.
  void local() {
    kept_ = lambda_;
    for (int i = 0; i < lambda_.size(); ++i) {
      lambda_.set(i, solve_locally(problem_->sets()[i], problem_->diagonal_block(i), judge_.v_free()[i]));
    }
    now_ = judge_.certify(lambda_);
    if (!now_.solved(context_.tolerance)) {
      const Certificate before = judge_.certify(kept_);
      if (before.worst() < now_.worst()) {
        lambda_ = kept_;
        now_ = before;
      }
    }
    book("local", 1, 1, 1, sweep_work(*form_));
  }

  void bind_stages() {
    if (newton_usable_) {
      prox_.bind(*form_, system_, judge_);
      interior_point_.bind(*form_, system_, judge_);
      path_.bind(*form_, system_, judge_);
      central_path_.bind(*form_, system_, judge_);
      if constexpr (std::is_same_v<Form, BodyForm>) convex_.bind(*form_, system_, judge_);
    }
    pile_.bind(*form_, *problem_, system_, judge_);
  }
  [[nodiscard]] int remaining() const { return std::max(0, max_iterations_ - report_.outer_iterations); }
  [[nodiscard]] bool out_of_iterations() const { return max_iterations_ > 0 && remaining() == 0; }

  [[nodiscard]] double step_work() const { return newton_step_work(*form_, system_); }

  /// Adds a stage to the report; `work` is in block products.
  void book(const char* method, int iterations, int outer, int inner, double work) {
    report_.work += work;
    context_.limit.left -= work;
    report_.outer_iterations += outer;
    report_.inner_iterations += inner;
    report_.stages.add({method, iterations, now_.worst()});
    context_.done_before = report_.outer_iterations;
    ++stages_;
  }

  const Form* form_ = nullptr;
  const ContactProblem* problem_ = nullptr;
  Judge judge_;
  NewtonSystem<Form> system_;
  ProxNewton<Form> prox_;
  InteriorPoint<Form> interior_point_;
  PileSolver<Form> pile_;
  PathFollowing<Form> path_;
  CentralPath<Form> central_path_;
  ConvexNewton convex_;
  ContactArray lambda_, kept_;
  Certificate now_, kept_certificate_;
  StageContext context_;
  OuterReport report_;
  int max_iterations_ = 0, stages_ = 0;
  bool warm_ = false, separable_ = false, newton_usable_ = false, has_kept_ = false, stale_ = false,
       frictionless_ = false;
};

/// The runner for either form of a problem; rebinding keeps it, and with it the symbolic factorisation.
using AnyStageRunner = std::variant<StageRunner<BodyForm>, StageRunner<MatrixForm>>;

inline void bind_runner(AnyStageRunner& runner, const ContactProblem& problem) {
  if (runner.index() != problem.form().index()) {
    if (std::holds_alternative<BodyForm>(problem.form()))
      runner.emplace<StageRunner<BodyForm>>();
    else
      runner.emplace<StageRunner<MatrixForm>>();
  }
  std::visit([&](auto& stages) { stages.bind(problem); }, runner);
}

}  // namespace repose
