// SPDX-License-Identifier: Apache-2.0
// Every number that `auto` decides by. Each names its unit or what it is a share of, what its extremes do, and where it
// was measured (docs/decisions; `repose bench hard` runs the corpus behind them).
#pragma once

#include <array>

#include "repose/stage/prox_newton.h"

namespace repose {

/// One round on a structure that resists: a long run of proximal Newton, then the path of a large step. Rounds differ
/// on purpose: no setting suits all, and different ones seldom stall at the same place. [decision 003]
struct StructureRound {
  /// Stiffness of a new interior-point start, in units of 1/ρ_i; 0: go on from the best iterate.
  double start_stiffness = 0;
  LawEquation equation = LawEquation::kAlartCurnier;
  double local_cut = 0.1;    ///< ProxSchedule::local_cut
  int halvings = 7;          ///< ProxSchedule::halvings
  int newton_budget = 8000;  ///< Newton steps
  /// Proximal steps whose paths are followed, one after the other, in units of 1/ρ_i.
  std::array<double, 2> path_alpha{1e6, 1e7};
};

/// One round on a pack of point contacts: where it starts and how momentum restarts. Which restart suits a pack is not
/// known beforehand, so rounds differ. Starting points have extra normal impulse more often than none: the stuck loops
/// of a pack that stalls must be loaded until something slips, and from below that takes thousands of sweeps.
/// [decision 001]
struct PackRound {
  bool fresh = false;           ///< restart rather than go on from the best iterate
  double prestress = 0;         ///< normal impulse added, in units of the rms impulse
  double keep = 0;              ///< factor on the impulses of the best iterate
  double momentum_restart = 0;  ///< R of gauss_seidel.h; 0: grows with the sweeps
};

struct AutoPolicy {
  // ---- which family a problem belongs to ----
  /// Contacts up to which one sweep and bold Newton steps beat everything else. 0: small problems pay for an
  /// interior-point start; 50: problems with many modes lose Newton steps. [decision 001]
  int tiny = 12;
  /// Contacts per pair of bodies below which contacts count as points (balls: 1, bricks: 4). Irregular grains have 1.8
  /// and are solved thirty times as fast by Newton's method as by sweeps. [decision 001]
  double point_contacts = 1.5;
  /// Block products of one factorisation per contact above which point contacts are swept first: chains have 1 to 3, a
  /// cube of 27 balls 7, settled packs hundreds. [decision 001]
  double loose_factor_cost = 3;
  /// Sweeps that cost as much as one factorisation above which any problem is swept: 24 000 contacts of boxes in layers
  /// have 140, 20 000 of tumbled cubes 350. [decision 001]
  double heap_factor = 200;

  // ---- first sweeps ----
  /// Sweeps come first where a factorisation costs more than this many of them, cold and warm. [decision 001]
  double expensive_factor = 2, expensive_factor_warm = 15;
  /// Sweeps granted at first; more where one factorisation costs more.
  double first_sweeps = 10;
  /// Factorisations whose price further sweeps may cost once the problem has shown a local nature; twice that warm.
  double factors_worth = 10;
  /// Residual after the first sweeps below which what is wrong is local. [decision 001]
  double local_nature = 2e-3;
  /// residual × contacts counts the contacts that are still wrong: sweeps stop below these, cold and warm.
  double hardly_any_wrong = 0.1, hardly_any_wrong_warm = 0.02;
  /// Contacts still wrong below which Newton's method starts without an interior point. [decision 001]
  double few_wrong = 0.6;

  // ---- first Newton and interior point ----
  /// Residual below which an iterate is worth Newton steps of its own. 1: warm starts far away waste them. [decision
  /// 001]
  double warm_enough = 0.05;
  /// Residual the interior point is asked for, and above which it is called: closer iterates it only disturbs.
  double interior_tolerance = 1e-4;
  int interior_iterations = 60;  ///< factorisations; some of them lead back to the central path
  /// Stiffness, in units of 1/ρ_i, of a second start when contacts cannot all stand still. [decision 003]
  double soft_start = 10;
  /// Residual of the first start above which a cold problem gets the second one. [decision 003, shorter ways]
  double second_start_above = 0.3;
  /// Residual below which Newton's method follows the interior point.
  double newton_after_interior = 1e-2;
  /// First α after the interior point, times the residual it left. 1e-3: slow; 10: line-search failures. [decision 003]
  double alpha_after_interior = 0.2;

  // ---- rounds of fallback ----
  int round_newton_per_step = 40;  ///< Newton steps granted to one proximal step of a round
  double round_alpha = 3;          ///< first α of a round's run, in units of 1/ρ_i
  /// Residual a new interior-point start of a round is asked for.
  double round_interior_tolerance = 1e-5;
  /// Share of the residual to which the proximal steps of a warm problem's run are solved. Loose steps suit what jams
  /// step after step; a pile that is struck and solved from zero takes up to thirty times as long with them.
  /// [decision 003, loose steps]
  double loose_steps = 0.1;
  /// Residual below which the path of a large step is short enough to be followed. [decision 003]
  double path_below = 1e-6;
  std::array<StructureRound, 6> structure_rounds{
      {{},
       {.start_stiffness = 1000, .equation = LawEquation::kDeSaxce, .newton_budget = 3000, .path_alpha = {1e5, 1e8}},
       {.halvings = 12},
       {.start_stiffness = 1, .local_cut = 0, .newton_budget = 3000, .path_alpha = {1e5, 1e8}},
       {.equation = LawEquation::kDeSaxce, .local_cut = 0.3},
       {.start_stiffness = 100, .halvings = 12, .path_alpha = {1e5, 1e8}}}};

  // ---- packs ----
  int large_pack = 400;                                     ///< contacts
  double least_sweeps = 300, least_sweeps_of_large = 1500;  ///< of the first round
  /// Factorisations that Newton's method has in the first round on a pack; the sweeps before it may do as much work.
  double pack_newton = 30;
  /// Factor on the work of the next round: many cheap tries beat a few long ones. [decision 001]
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

/// The policy of the default scheme.
inline constexpr AutoPolicy kAutoPolicy{};

}  // namespace repose
