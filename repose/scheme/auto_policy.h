// SPDX-License-Identifier: Apache-2.0
// Every number that `auto` decides by, with its unit or what it is a share of, and the decision that measured it, where
// one did. `repose bench hard` runs the corpus of stored problems.
#pragma once

#include <array>

#include "repose/stage/law_equation.h"

namespace repose {

/// One round on a structure that has stalled: a long run of proximal Newton, then path following of a large step.
/// Rounds differ on purpose: no setting suits all problems, and different ones seldom stall at the same point.
/// [decision 003]
struct StructureRound {
  /// Stiffness of a new interior-point start, in units of 1/ρ_i; 0: the round continues from the best iterate.
  double start_stiffness = 0;
  LawEquation equation = LawEquation::kAlartCurnier;
  double local_cut = 0.1;    ///< ProxSchedule::local_cut
  int halvings = 7;          ///< ProxSchedule::halvings
  int newton_budget = 8000;  ///< Newton steps
  /// Proximal steps whose paths are followed, one after the other, in units of 1/ρ_i.
  std::array<double, 2> path_alpha{1e6, 1e7};
};

/// One round on a pack of point contacts: where it starts and how momentum restarts. Which restart suits a pack is not
/// known beforehand, so rounds differ. Most starting points have extra normal impulse: in a pack that stalls, the
/// self-stress of sticking loops must grow until a contact slips, which takes thousands of sweeps from below.
/// [decision 001]
struct PackRound {
  bool fresh = false;           ///< restarts instead of continuing from the best iterate
  double prestress = 0;         ///< normal impulse added, in units of the rms impulse
  double keep = 0;              ///< factor on the impulses of the best iterate
  double momentum_restart = 0;  ///< R of gauss_seidel.h; 0: increases with the sweeps
};

struct AutoPolicy {
  // ---- which family a problem belongs to ----
  /// Contacts up to which a problem takes one sweep and large Newton steps.
  int tiny = 12;
  /// Contacts per pair of bodies below which contacts count as points (balls: 1, bricks: 4). Irregular grains have 1.8
  /// and are solved by Newton's method.
  double point_contacts = 1.5;
  /// Block products of one factorisation per contact above which point contacts are swept first: 1 to 3 for chains, 7
  /// for a cube of 27 balls, hundreds for settled packs.
  double loose_factor_cost = 3;
  /// Cost of one factorisation in sweeps above which any problem is swept: 140 for 24 000 contacts of boxes in layers,
  /// 350 for 20 000 contacts of tumbled cubes.
  double heap_factor = 200;

  // ---- first sweeps ----
  /// Cost of one factorisation in sweeps above which sweeps come first, cold and warm. [decision 001, later]
  double expensive_factor = 2, expensive_factor_warm = 15;
  /// Limit on the first sweeps; higher where one factorisation costs more.
  double first_sweeps = 10;
  /// Limits, cold and warm, on the cost of further sweeps, in factorisations.
  double further_sweeps = 10, further_sweeps_warm = 20;
  /// Residual after the first sweeps below which the remaining error is local and further sweeps follow.
  double further_sweeps_below = 2e-3;
  /// Limits, cold and warm, on residual × contacts, an estimate of the unsolved contacts, below which sweeps stop.
  double sweeps_stop_at = 0.1, sweeps_stop_at_warm = 0.02;
  /// The same estimate below which Newton's method starts without an interior point. [decision 001, later]
  double newton_first_below = 0.6;

  // ---- first Newton and interior point ----
  /// First and second α of a tiny problem, in units of 1/ρ_i.
  double tiny_alpha = 1e4, tiny_alpha_second = 1e2;
  int tiny_newton_budget = 30;  ///< Newton steps of each of the two runs on a tiny problem
  /// Residual below which an iterate is worth Newton steps of its own.
  double warm_enough = 0.05;
  /// First α of Newton's method from such an iterate, in units of 1/ρ_i …
  double first_alpha = 1e2;
  /// … and the residual below which it is larger, as the root of their ratio.
  double first_alpha_grows_below = 1e-3;
  int start_newton_per_step = 12;  ///< limit on the Newton steps of one proximal step before the interior point
  int start_failures = 2;          ///< failed proximal steps that end such a run
  int newton_budget = 400;         ///< Newton steps of a run before the rounds
  /// Residual at which the interior point stops, and above which it is called: it would disturb a closer iterate.
  double interior_tolerance = 1e-4;
  int interior_iterations = 60;  ///< factorisations, including those that return to the central path
  /// Stiffness, in units of 1/ρ_i, of a second start when not all contacts can stick. [decision 003, shorter ways]
  double soft_start = 10;
  /// Residual of the first start above which a cold problem gets the second one. [decision 003, shorter ways]
  double second_start_above = 0.3;
  /// Residual below which Newton's method follows the interior point.
  double newton_after_interior = 1e-2;
  /// First α after the interior point, times the residual it reached. [decision 003, shorter ways]
  double alpha_after_interior = 0.2;
  int newton_per_step_after_interior = 15;  ///< limit on the Newton steps of one proximal step of that run
  int failures_after_interior = 5;          ///< failed proximal steps that end it

  // ---- polish of a solved answer ----
  double polish_alpha = 1e4;                       ///< α, in units of 1/ρ_i
  int polish_newton = 3, polish_newton_tiny = 12;  ///< Newton steps; a tiny problem's are cheap

  // ---- rounds of fallback ----
  int round_newton_per_step = 40;  ///< limit on the Newton steps of one proximal step of a round
  double round_alpha = 3;          ///< first α of a round's run, in units of 1/ρ_i
  /// Residual at which a new interior-point start of a round stops.
  double round_interior_tolerance = 1e-5;
  /// Share of the residual to which the proximal steps of a warm problem's run are solved. Loose steps suit structures
  /// that jam in step after step; a pile that is struck and solved from zero takes up to thirty times as long with
  /// them. [decision 003, loose steps]
  double loose_steps = 0.1;
  /// Residual below which the path of a large step is short enough to follow. [decision 003]
  double path_below = 1e-6;
  int path_newton_per_step = 15;  ///< limit on the Newton steps of one proximal step after a path
  int path_failures = 2;          ///< failed proximal steps that end that run
  int path_newton_budget = 40;    ///< its Newton steps
  std::array<StructureRound, 6> structure_rounds{
      {{},
       {.start_stiffness = 1000, .equation = LawEquation::kDeSaxce, .newton_budget = 3000, .path_alpha = {1e5, 1e8}},
       {.halvings = 12},
       {.start_stiffness = 1, .local_cut = 0, .newton_budget = 3000, .path_alpha = {1e5, 1e8}},
       {.equation = LawEquation::kDeSaxce, .local_cut = 0.3},
       {.start_stiffness = 100, .halvings = 12, .path_alpha = {1e5, 1e8}}}};

  // ---- packs ----
  int large_pack = 400;                                     ///< contacts
  double least_sweeps = 300, least_sweeps_of_large = 1500;  ///< limits on the sweeps of the first round
  /// Factorisations of Newton's method in the first round on a pack; the sweeps before it may do as much work.
  double pack_newton = 30;
  double pack_alpha = 1e2;        ///< first α of that run, in units of 1/ρ_i
  int pack_newton_per_step = 25;  ///< limit on the Newton steps of one of its proximal steps
  int pack_failures = 10;         ///< failed proximal steps that end it
  /// Factor on the work of the next round.
  double growth = 1.5;
  std::array<PackRound, 8> pack_rounds{{{},
                                        {.fresh = true, .prestress = 0.3, .keep = 1, .momentum_restart = 2},
                                        {.fresh = true, .keep = 2, .momentum_restart = 5},
                                        {.fresh = true, .prestress = 3, .momentum_restart = 1.5},
                                        {.fresh = true, .prestress = 0.3, .keep = 1, .momentum_restart = 10},
                                        {.fresh = true, .momentum_restart = 3},
                                        {.fresh = true, .prestress = 1, .keep = 1},
                                        {.fresh = true, .prestress = 3, .momentum_restart = 2}}};
};

}  // namespace repose
