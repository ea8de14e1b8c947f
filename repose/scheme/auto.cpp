// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/auto.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "repose/base/error.h"
#include "repose/scheme/stage_runner_internal.h"

namespace repose {

struct AutoSolver::Runner {
  AnyStageRunner stages;
};

namespace {

/// Packs of point contacts go to Gauss–Seidel first when a factorisation costs more than this many block products per
/// contact: chains have one to three, a cube of 27 balls seven, settled packs hundreds.
constexpr double kLooseFactorCost = 3;
constexpr int kLargePack = 400;
/// Any problem is one to sweep when a factorisation costs more than this many sweeps: 24 000 contacts of boxes in
/// layers have 140, 20 000 of tumbled cubes 350.
constexpr double kHeapFactor = 200;

/// Factorisations that Newton's method has in the first round on a pack. The sweeps before it may do as much work.
constexpr double kPackNewton = 30;
/// Each round of fallback on a pack may do this much more work than the last: many cheap tries beat a few long ones.
constexpr double kGrowth = 1.5;

/// One round on a structure that resists. Houses of cards under fire taught three things. The proximal method wanders
/// for a thousand iterations and then arrives: one long run in which failures only shorten the step does in a tenth of
/// the time what many short ones, each from the best iterate, do. Where it goes round in circles the path of one large
/// step leads out. And no setting suits all, while different ones seldom stall at the same place.
struct StructureRound {
  double glue;  ///< from InteriorPointSchedule::glue; 0: from the best iterate
  LawEquation equation;
  double care;           ///< ProxSchedule::care
  int halvings, budget;  ///< ProxSchedule::halvings, newton_budget
  double path_alpha[2];  ///< PathSchedule::alpha, one after the other
};
constexpr StructureRound kStructureRounds[] = {{0, LawEquation::kAlartCurnier, 0.1, 7, 8000, {1e6, 1e7}},
                                               {1000, LawEquation::kDeSaxce, 0.1, 7, 3000, {1e5, 1e8}},
                                               {0, LawEquation::kAlartCurnier, 0.1, 12, 8000, {1e6, 1e7}},
                                               {1, LawEquation::kAlartCurnier, 0, 7, 3000, {1e5, 1e8}},
                                               {0, LawEquation::kDeSaxce, 0.3, 7, 8000, {1e6, 1e7}},
                                               {100, LawEquation::kAlartCurnier, 0.1, 12, 8000, {1e5, 1e8}}};
constexpr int kNeverMind = 1 << 20;  // failures
/// Sharpness of a run whose centre moves on anyway. It suits what jams step after step; a pile that is struck and
/// solved from zero goes straight to its answer with sharp steps, and gets lost with loose ones (up to thirty times as
/// long).
constexpr double kWandering = 0.1;
constexpr int kInteriorIterations = 60;  // some of them lead back to the central path
constexpr double kSoftGlue = 10;         // of a second start, under fire
constexpr double kLost = 0.3;            // cold, a first start below this is as good as the second would be
constexpr double kNear = 1e-4;           // what the interior point is asked for; closer ones it only disturbs
constexpr double kAfterInterior = 0.2;   // first α after it, over the residual it left
constexpr double kNearEnd = 1e-6;        // where a path is short enough to be followed

/// An iterate within this residual is worth a Newton step of its own.
constexpr double kWarmEnough = 0.05;

/// Cold, sweeps come first where a factorisation costs more than two of them, warm where it costs more than fifteen:
/// for the price of one factorisation, and when that shows a problem of local nature, of ten. From a warm start the
/// problem of a large heap is local nearly always, and twice as many sweeps halve the time.
constexpr double kDearFactor = 2, kDearWarm = 15, kFirstSweeps = 10, kFactorsWorth = 10, kLocalNature = 2e-3;
/// The residual is a share of the whole, so residual · contacts counts the contacts that are still wrong. When hardly
/// any is, Newton's method goes straight to the end; otherwise the interior-point method is the better start.
constexpr double kFewWrong = 0.6, kHardlyAnyWrong = 0.1, kHardlyAnyWarm = 0.02;

/// The closer the start, the bolder the first step: soft modes of a long arch need a large α.
double first_alpha(double worst) { return 1e2 * std::sqrt(std::max(1.0, 1e-3 / worst)); }

/// Gauss–Seidel first: a sweep takes away what is wrong locally, which would cost Newton's method a step per change of
/// mode. From a warm start one sweep is enough unless factorisations are dear, and it is all that a tiny problem needs.
template <class Form>
void smooth(StageRunner<Form>& stages) {
  const double enough = (stages.warm() ? kHardlyAnyWarm : kHardlyAnyWrong) / stages.contacts();
  const double per_factor = stages.sweeps_per_factor(), worth = (stages.warm() ? 2 : 1) * kFactorsWorth;
  if ((stages.warm() && per_factor < kDearWarm) || stages.contacts() <= kTiny)
    return stages.sweeps({.newton = false, .sweep_budget = 1});
  if (per_factor < kDearFactor) return;
  stages.sweeps({.newton = false, .sweep_budget = std::max(kFirstSweeps, per_factor), .enough = enough});
  if (stages.worst() < kLocalNature)
    stages.sweeps({.newton = false, .sweep_budget = worth * per_factor, .enough = enough});
}

template <class Form>
void newton_from_here(StageRunner<Form>& stages) {
  if (stages.contacts() <= kTiny)
    for (const double alpha : {1e4, 1e2})
      stages.newton({.alpha = alpha, .newton_per_step = 12, .failures = 2, .newton_budget = 30});
  else if (stages.worst() < kWarmEnough)
    stages.newton({.alpha = first_alpha(stages.worst()), .newton_per_step = 12, .failures = 2});
}

template <class Form>
void solve_structure(StageRunner<Form>& stages, double tolerance, int rounds) {
  smooth(stages);
  if (stages.warm() || stages.contacts() <= kTiny || stages.worst() * stages.contacts() < kFewWrong)
    newton_from_here(stages);
  if (stages.worst() > kNear) {
    stages.interior_point({.tolerance = std::max(tolerance, kNear),
                           .iterations = kInteriorIterations,
                           .glue = stages.warm() || stages.sweeps_per_factor() < kDearFactor ? kSoftGlue : 0,
                           .lost = stages.warm() ? 0 : kLost});
    if (stages.worst() < 1e-2)
      stages.newton({.alpha = kAfterInterior / stages.worst(), .newton_per_step = 15, .failures = 5});
  }
  for (int round = 0; round < rounds && !stages.done(); ++round) {
    const StructureRound& plan = kStructureRounds[static_cast<std::size_t>(round) % std::size(kStructureRounds)];
    if (plan.glue > 0) {
      stages.restart(0, 0);
      stages.interior_point({.tolerance = 1e-5, .iterations = kInteriorIterations, .stiff = false, .glue = plan.glue});
    }
    stages.newton({.alpha = 3,
                   .newton_per_step = 40,
                   .failures = kNeverMind,
                   .newton_budget = plan.budget,
                   .halvings = plan.halvings,
                   .equation = plan.equation,
                   .care = plan.care,
                   .sharpness = stages.warm() && stages.contacts() > kTiny ? kWandering : kSharp});
    for (const double alpha : plan.path_alpha) {
      if (stages.worst() > kNearEnd) break;
      const double before = stages.worst();
      stages.path({.alpha = alpha});
      if (stages.worst() < before)
        stages.newton({.alpha = alpha, .newton_per_step = 15, .failures = 2, .newton_budget = 40});
    }
    stages.keep_better();
  }
}

/// One round on a pack: where it starts and how momentum restarts. Which restart suits a pack is not known beforehand,
/// so rounds differ. Starting points carry extra normal impulse more often than none: a pack that stalls is one whose
/// stuck loops must first be pressed until something slips, and from below that takes thousands of sweeps.
struct PackRound {
  bool fresh;               ///< restart rather than go on from the best iterate
  double prestress, keep;   ///< see StageRunner::restart
  double momentum_restart;  ///< R of gauss_seidel.h; 0: grows
};
constexpr PackRound kPackRounds[] = {{false, 0, 0, 0},   {true, 0.3, 1, 2}, {true, 0, 2, 5}, {true, 3, 0, 1.5},
                                     {true, 0.3, 1, 10}, {true, 0, 0, 3},   {true, 1, 1, 0}, {true, 3, 0, 2}};

template <class Form>
void solve_pack(StageRunner<Form>& stages, int rounds) {
  const double least = stages.contacts() < kLargePack ? 300 : 1500;
  const double first = std::max(least, kPackNewton * stages.sweeps_per_factor());
  double effort = 1;
  for (int round = 0; round < rounds && !stages.done(); ++round, effort *= kGrowth) {
    const PackRound& plan = kPackRounds[static_cast<std::size_t>(round) % std::size(kPackRounds)];
    if (plan.fresh) stages.restart(plan.prestress, plan.keep);
    stages.sweeps({.newton = true,
                   .restart = plan.momentum_restart,
                   .global_momentum = !stages.newton_usable(),
                   .sweep_budget = first * effort});
    stages.newton(
        {.alpha = 1e2, .newton_per_step = 25, .failures = 10, .newton_budget = static_cast<int>(kPackNewton * effort)});
    stages.keep_better();
  }
}

}  // namespace

AutoSolver::AutoSolver(const AutoOptions& options) : options_(options), runner_(std::make_unique<Runner>()) {
  require(options.rounds >= 0, "auto: rounds ", options.rounds, " must be >= 0");
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
        const bool pack = (stages.point_contacts() && stages.factor_cost() > kLooseFactorCost) ||
                          stages.sweeps_per_factor() > kHeapFactor;
        const double aim = pack ? 0.0 : limits.aim;  // one factorisation of a pack costs more than all the rest
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
