// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/auto.h"

#include <algorithm>
#include <cmath>

#include "repose/base/error.h"
#include "repose/scheme/auto_policy.h"
#include "repose/scheme/stage_runner_internal.h"

namespace repose {

struct AutoSolver::Runner {
  AnyStageRunner stages;
};

namespace {

constexpr const AutoPolicy& policy = kAutoPolicy;

/// In a long run failures only shorten the steps: they never end it.
constexpr int kAnyFailures = 1 << 20;

/// Returns the first α of proximal Newton from an iterate with this residual. The soft modes of a long arch need a
/// large α, which a close start permits.
double first_alpha(double worst) { return 1e2 * std::sqrt(std::max(1.0, 1e-3 / worst)); }

template <class Form>
bool is_tiny(const StageRunner<Form>& stages) {
  return stages.contacts() <= policy.tiny;
}

/// Swept first: packs of point contacts, and anything whose factorisation costs as much as hundreds of sweeps.
template <class Form>
bool is_pack(const StageRunner<Form>& stages) {
  return (stages.contacts_per_patch() < policy.point_contacts && stages.factor_cost() > policy.loose_factor_cost) ||
         stages.sweeps_per_factor() > policy.heap_factor;
}

/// Runs Gauss–Seidel first: a sweep corrects modes that are wrong locally, each of which would cost Newton's method a
/// step. From a warm start one sweep is enough unless factorisations are expensive; a tiny problem needs no more.
template <class Form>
void smooth(StageRunner<Form>& stages) {
  const double wrong = stages.warm() ? policy.hardly_any_wrong_warm : policy.hardly_any_wrong;
  const double enough = wrong / stages.contacts(), per_factor = stages.sweeps_per_factor();
  const double factors = (stages.warm() ? 2 : 1) * policy.factors_worth;
  if ((stages.warm() && per_factor < policy.expensive_factor_warm) || is_tiny(stages))
    return stages.sweeps({.newton = false, .sweep_budget = 1});
  if (per_factor < policy.expensive_factor) return;
  stages.sweeps({.newton = false, .sweep_budget = std::max(policy.first_sweeps, per_factor), .enough = enough});
  if (stages.worst() < policy.local_nature)
    stages.sweeps({.newton = false, .sweep_budget = factors * per_factor, .enough = enough});
}

template <class Form>
void newton_from_start(StageRunner<Form>& stages) {
  if (is_tiny(stages))
    for (const double alpha : {1e4, 1e2})
      stages.newton({.alpha = alpha, .newton_per_step = 12, .failures = 2, .newton_budget = 30});
  else if (stages.worst() < policy.warm_enough)
    stages.newton({.alpha = first_alpha(stages.worst()), .newton_per_step = 12, .failures = 2});
}

template <class Form>
void interior_point_and_newton(StageRunner<Form>& stages, double tolerance) {
  const bool second_start = stages.warm() || stages.sweeps_per_factor() < policy.expensive_factor;
  stages.interior_point({.tolerance = std::max(tolerance, policy.interior_tolerance),
                         .iterations = policy.interior_iterations,
                         .soft_start = second_start ? policy.soft_start : 0,
                         .second_start_above = stages.warm() ? 0 : policy.second_start_above});
  if (stages.worst() < policy.newton_after_interior)
    stages.newton({.alpha = policy.alpha_after_interior / stages.worst(), .newton_per_step = 15, .failures = 5});
}

/// Runs one long stage in which failures only shorten the step: it takes a tenth of the time of many short ones that
/// each start from the best iterate. Where it ends in a limit cycle, path following of one large step leaves the cycle.
/// [decision 003]
template <class Form>
void structure_round(StageRunner<Form>& stages, const StructureRound& plan) {
  if (plan.start_stiffness > 0) {
    stages.restart(0, 0);
    stages.interior_point({.tolerance = policy.round_interior_tolerance,
                           .iterations = policy.interior_iterations,
                           .stiff = false,
                           .soft_start = plan.start_stiffness});
  }
  stages.newton({.alpha = policy.round_alpha,
                 .newton_per_step = policy.round_newton_per_step,
                 .failures = kAnyFailures,
                 .newton_budget = plan.newton_budget,
                 .halvings = plan.halvings,
                 .equation = plan.equation,
                 .local_cut = plan.local_cut,
                 .sharpness = stages.warm() && !is_tiny(stages) ? policy.loose_steps : kSharp});
  for (const double alpha : plan.path_alpha) {
    if (stages.worst() > policy.path_below) break;
    const double before = stages.worst();
    stages.path({.alpha = alpha});
    if (stages.worst() < before)
      stages.newton({.alpha = alpha, .newton_per_step = 15, .failures = 2, .newton_budget = 40});
  }
  stages.keep_better();
}

template <class Form>
void solve_structure(StageRunner<Form>& stages, double tolerance, int rounds) {
  smooth(stages);
  if (stages.warm() || is_tiny(stages) || stages.worst() * stages.contacts() < policy.few_wrong)
    newton_from_start(stages);
  if (stages.worst() > policy.interior_tolerance) interior_point_and_newton(stages, tolerance);
  for (int round = 0; round < rounds && !stages.done(); ++round)
    structure_round(stages, policy.structure_rounds[static_cast<std::size_t>(round) % policy.structure_rounds.size()]);
}

template <class Form>
void solve_pack(StageRunner<Form>& stages, int rounds) {
  const double least = stages.contacts() < policy.large_pack ? policy.least_sweeps : policy.least_sweeps_of_large;
  const double first = std::max(least, policy.pack_newton * stages.sweeps_per_factor());
  double effort = 1;
  for (int round = 0; round < rounds && !stages.done(); ++round, effort *= policy.growth) {
    const PackRound& plan = policy.pack_rounds[static_cast<std::size_t>(round) % policy.pack_rounds.size()];
    if (plan.fresh) stages.restart(plan.prestress, plan.keep);
    stages.sweeps({.newton = true,
                   .restart = plan.momentum_restart,
                   .global_momentum = !stages.newton_usable(),
                   .sweep_budget = first * effort});
    stages.newton({.alpha = 1e2,
                   .newton_per_step = 25,
                   .failures = 10,
                   .newton_budget = static_cast<int>(policy.pack_newton * effort)});
    stages.keep_better();
  }
}

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
      [&](auto& stages) {
        stages.begin(lambda, *this);
        if (stages.separable()) return stages.finish(lambda);
        const bool pack = is_pack(stages);
        const double aim = pack ? 0.0 : limits.aim;  // a factorisation of a pack costs more than the rest of the solve
        if (stages.done()) return stages.polished(aim, lambda);
        stages.prepare();
        if (pack || !stages.newton_usable())
          solve_pack(stages, options_.rounds);
        else
          solve_structure(stages, limits.tolerance, options_.rounds);
        return stages.polished(aim, lambda);
      },
      runner_->stages);
}

}  // namespace repose
