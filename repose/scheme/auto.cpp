// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/auto.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/scheme/stage_runner_internal.h"

namespace repose {

struct AutoSolver::Runner {
  AnyStageRunner stages;
};

namespace {

/// In a long run failures only shorten the steps: they never end it.
constexpr int kAnyFailures = 1 << 20;

/// One solve by `auto`: which stage comes next.
template <class Form>
class Decisions {
 public:
  Decisions(StageRunner<Form>& runner, const AutoOptions& options, double tolerance)
      : stages_(runner), policy_(options.policy), rounds_(options.rounds), tolerance_(tolerance) {}

  /// Swept first: packs of point contacts, and anything whose factorisation costs as much as hundreds of sweeps.
  [[nodiscard]] bool is_pack() const {
    return (stages_.contacts_per_patch() < policy_.point_contacts &&
            stages_.factor_cost() > policy_.loose_factor_cost) ||
           stages_.sweeps_per_factor() > policy_.heap_factor;
  }

  void solve_structure() {
    if (stages_.warm()) newton_in_held_modes();
    if (stages_.done()) return;
    smooth();
    if (stages_.warm() || is_tiny() || stages_.worst() * stages_.contacts() < policy_.newton_first_below)
      newton_from_start();
    if (jams_by_faces()) long_run({.newton_budget = policy_.long_run_of_faces});
    if (stages_.worst() > policy_.interior_tolerance) interior_point_and_newton();
    if (rounds_ == 0) return;
    const bool path_first = meets_folds();
    if (path_first) central_path_and_newton(0);
    if (factor_is_cheap()) first_long_run();
    for (std::size_t round = 0; round < policy_.central_rounds.size() && !stages_.done(); ++round) {
      if (round > 0 || !path_first) central_path_and_newton(round);
      long_run({.newton_budget = policy_.central_rounds[round].newton_budget});
      stages_.keep_better();
    }
    for (int round = 0; round < rounds_ && !stages_.done(); ++round)
      structure_round(policy_.structure_rounds[static_cast<std::size_t>(round) % policy_.structure_rounds.size()]);
  }

  void solve_pack() {
    const double least = stages_.contacts() < policy_.large_pack ? policy_.least_sweeps : policy_.least_sweeps_of_large;
    const double first = std::max(least, policy_.pack_newton * stages_.sweeps_per_factor());
    if (rounds_ > 0 && stages_.newton_usable() && stages_.sweeps_per_factor() < policy_.heap_factor) {
      smooth();
      pack_path(0);
    }
    double effort = 1;
    for (int round = 0; round < rounds_ && !stages_.done(); ++round, effort *= policy_.growth) {
      const PackRound& plan = policy_.pack_rounds[static_cast<std::size_t>(round) % policy_.pack_rounds.size()];
      if (plan.fresh) stages_.restart(plan.prestress, plan.keep);
      stages_.sweeps({.newton = true,
                      .restart = plan.momentum_restart,
                      .global_momentum = !stages_.newton_usable(),
                      .sweep_budget = first * effort});
      stages_.newton({.alpha = policy_.pack_alpha,
                      .newton_per_step = policy_.pack_newton_per_step,
                      .failures = policy_.pack_failures,
                      .newton_budget = static_cast<int>(policy_.pack_newton * effort)});
      stages_.keep_better();
      if (stages_.newton_usable()) pack_path(round + 1);
    }
  }

  /// The short run on an answer that is solved but above the aim.
  [[nodiscard]] ProxSchedule polish() const {
    const int steps = is_tiny() ? policy_.polish_newton_tiny : policy_.polish_newton;
    return {.alpha = policy_.polish_alpha, .newton_per_step = steps, .failures = 1, .newton_budget = steps};
  }

 private:
  [[nodiscard]] bool is_tiny() const { return stages_.contacts() <= policy_.tiny; }
  /// Whether only contacts have changed since the step before: no joint's row starts at its bound.
  [[nodiscard]] bool is_warm_structure() const { return stages_.warm() && stages_.plain(); }
  /// Whether neither Newton's method nor the interior point came near an answer on a structure that is large, though
  /// its factorisations are cheap. Small ones may have no answer, and the path then runs along a self-stress. [decision
  /// 047]
  [[nodiscard]] bool meets_folds() const {
    return is_warm_structure() && factor_is_cheap() && stages_.sweeps_per_factor() >= policy_.central_factor &&
           stages_.worst() > policy_.central_above;
  }
  /// Whether Newton's method finishes a heap sooner than the central path, at three to four times the price of a step:
  /// heaps of bodies that meet with faces, from a start or with sweeps that have solved most of it. [decision 036]
  [[nodiscard]] bool jams_by_faces() const {
    const double points = stages_.contacts_per_patch();
    return !factor_is_cheap() && points >= policy_.face_contacts && std::isfinite(points) &&
           stages_.contacts() >= policy_.face_heap &&
           (stages_.warm() || stages_.sweeps_per_factor() >= policy_.expensive_factor_warm);
  }
  [[nodiscard]] bool factor_is_cheap() const { return stages_.sweeps_per_factor() < policy_.expensive_factor; }

  /// Returns the first α of proximal Newton from an iterate with this residual. The soft modes of a long arch need a
  /// large α, which a close start permits.
  [[nodiscard]] double first_alpha(double worst) const {
    return policy_.first_alpha * std::sqrt(std::max(1.0, policy_.first_alpha_grows_below / worst));
  }

  /// Runs Gauss–Seidel first: a sweep corrects modes that are wrong locally, each of which would cost Newton's method a
  /// step. From a warm start one sweep is enough unless factorisations are expensive; a tiny problem needs no more.
  void smooth() {
    const double stop_at = stages_.warm() ? policy_.sweeps_stop_at_warm : policy_.sweeps_stop_at;
    const double enough = stop_at / stages_.contacts(), per_factor = stages_.sweeps_per_factor();
    const double factors = stages_.warm() ? policy_.further_sweeps_warm : policy_.further_sweeps;
    if ((stages_.warm() && per_factor < policy_.expensive_factor_warm) || is_tiny())
      return stages_.sweeps({.newton = false, .sweep_budget = 1});
    if (factor_is_cheap()) return;
    stages_.sweeps({.newton = false, .sweep_budget = std::max(policy_.first_sweeps, per_factor), .enough = enough});
    if (stages_.worst() < policy_.further_sweeps_below)
      stages_.sweeps({.newton = false, .sweep_budget = factors * per_factor, .enough = enough});
  }

  /// Runs Newton's method in the modes of the given impulses. A structure that is disturbed without a change of mode
  /// takes one factorisation, and one solve per proximal step. [decision 014]
  void newton_in_held_modes() {
    if (policy_.held_newton == 0) return;
    if (stages_.plain() && stages_.worst() > policy_.held_below) return;
    stages_.newton({.alpha = policy_.held_alpha,
                    .newton_per_step = policy_.held_newton,
                    .failures = 0,
                    .newton_budget = policy_.held_newton,
                    .hold_modes = true,
                    .keep_alpha = true});
  }

  void newton_from_start() {
    if (is_tiny())
      for (const double alpha : {policy_.tiny_alpha, policy_.tiny_alpha_second})
        newton_at(alpha, policy_.tiny_newton_budget);
    else if (stages_.worst() < policy_.warm_enough)
      newton_at(first_alpha(stages_.worst()), policy_.newton_budget);
  }
  void newton_at(double alpha, int budget) {
    stages_.newton({.alpha = alpha,
                    .newton_per_step = policy_.start_newton_per_step,
                    .failures = policy_.start_failures,
                    .newton_budget = budget,
                    .hold_modes = stages_.warm()});
  }

  void interior_point_and_newton() {
    const bool cheap = factor_is_cheap(), warm = is_warm_structure();
    const double tolerance = warm ? policy_.interior_tolerance_warm : policy_.interior_tolerance;
    stages_.interior_point({.tolerance = std::max(tolerance_, tolerance),
                            .smoothing = warm ? policy_.interior_smoothing_warm : 1,
                            .iterations = policy_.interior_iterations,
                            .stiff = !(warm && cheap),
                            .soft_start = cheap ? policy_.soft_start : 0,
                            .second_start_above = stages_.warm() ? 0 : policy_.second_start_above});
    if (stages_.worst() < (cheap ? policy_.newton_after_interior : policy_.newton_after_interior_else))
      newton_near_the_path();
  }
  void newton_near_the_path() {
    stages_.newton({.alpha = policy_.alpha_after_interior / stages_.worst(),
                    .newton_per_step = policy_.newton_per_step_after_interior,
                    .failures = policy_.failures_after_interior,
                    .newton_budget = policy_.newton_budget});
  }

  /// Takes the central path of this round on a pack; after the last of them, one long run.
  void pack_path(int round) {
    const auto k = static_cast<std::size_t>(round), rounds = policy_.central_rounds.size();
    if (k < rounds) central_path_and_newton(k);
    if (k + 1 == rounds) long_run({.newton_budget = policy_.central_rounds[k].newton_budget});
    stages_.keep_better();
  }

  /// Follows the central path to a residual from which Newton's method is cheaper, and on to a tenth of that where
  /// Newton's method does not finish. [decision 009]
  void central_path_and_newton(std::size_t round) {
    CentralPathSchedule schedule{.tolerance = std::max(tolerance_, policy_.central_tolerance),
                                 .iterations = policy_.central_iterations,
                                 .smoothing = policy_.central_rounds[round].smoothing,
                                 .warm = round == 0 && stages_.warm()};
    if (round > 0) stages_.restart(0, 0);
    while (stages_.central_path(schedule) && !stages_.done()) {
      newton_near_the_path();
      if (stages_.done() || schedule.tolerance <= tolerance_) return;
      schedule.tolerance = std::max(tolerance_, std::min(0.1 * schedule.tolerance, 0.3 * stages_.worst()));
      schedule.resume = true;
      schedule.iterations = policy_.resumed_iterations;
    }
    newton_near_the_path();
  }

  /// Runs one long stage in which failures only shorten the step: it takes a tenth of the time of many short ones that
  /// each start from the best iterate. [decision 003]
  void long_run(const StructureRound& plan) {
    stages_.newton({.alpha = policy_.round_alpha,
                    .newton_per_step = policy_.round_newton_per_step,
                    .failures = kAnyFailures,
                    .newton_budget = plan.newton_budget,
                    .halvings = plan.halvings,
                    .equation = plan.equation,
                    .local_cut = plan.local_cut,
                    .sharpness = stages_.warm() && !is_tiny() ? policy_.loose_steps : kSharp});
  }
  void first_long_run() {
    StructureRound first = policy_.structure_rounds.front();
    first.newton_budget = policy_.long_run_first;
    if (is_warm_structure())
      long_run(first);
    else
      structure_round(first);
  }
  /// Makes a long run. Where it ends in a limit cycle, path following of one large step leaves the cycle. [decision
  /// 003]
  void structure_round(const StructureRound& plan) {
    if (plan.start_stiffness > 0) {
      stages_.restart(0, 0);
      stages_.interior_point({.tolerance = policy_.round_interior_tolerance,
                              .iterations = policy_.interior_iterations,
                              .stiff = false,
                              .soft_start = plan.start_stiffness});
    }
    long_run(plan);
    for (const double alpha : plan.path_alpha) {
      if (stages_.worst() > policy_.path_below) break;
      follow_path(alpha);
    }
    stages_.keep_better();
  }
  void follow_path(double alpha) {
    const double before = stages_.worst();
    stages_.path({.alpha = alpha});
    if (stages_.worst() < before)
      stages_.newton({.alpha = alpha,
                      .newton_per_step = policy_.path_newton_per_step,
                      .failures = policy_.path_failures,
                      .newton_budget = policy_.path_newton_budget});
  }

  StageRunner<Form>& stages_;
  const AutoPolicy& policy_;
  int rounds_;
  double tolerance_;
};

}  // namespace

AutoSolver::AutoSolver(const AutoOptions& options) : options_(options), runner_(std::make_unique<Runner>()) {
  require(options.rounds >= 0, "auto: rounds: expected >= 0, got ", options.rounds);
}
AutoSolver::~AutoSolver() = default;

void AutoSolver::bind(const ContactProblem& problem) { bind_runner(runner_->stages, problem); }

void AutoSolver::refresh(const ContactProblem& problem) {
  std::visit([&](auto& stages) { stages.refresh(problem); }, runner_->stages);
}

OuterReport AutoSolver::solve(std::span<ContactVec> lambda) {
  return std::visit(
      [&]<class Form>(StageRunner<Form>& stages) {
        stages.begin(lambda, *this);
        if (stages.separable()) return stages.finish(lambda);
        Decisions<Form> decide(stages, options_, limits.tolerance);
        const bool pack = decide.is_pack();
        const double aim = pack ? 0.0 : limits.aim;  // a factorisation of a pack costs more than the rest of the solve
        if (stages.done()) return stages.polished(aim, decide.polish(), lambda);
        stages.prepare();
        if (stages.frictionless()) stages.convex_newton({});
        if (stages.done()) return stages.polished(aim, decide.polish(), lambda);
        if (pack || !stages.newton_usable())
          decide.solve_pack();
        else
          decide.solve_structure();
        return stages.polished(aim, decide.polish(), lambda);
      },
      runner_->stages);
}

}  // namespace repose
