// SPDX-License-Identifier: Apache-2.0
// Every number that `auto` decides by, with its unit or what it is a share of, what happens at its extremes, and the
// decision that measured it. `repose bench policy` measures them again (docs/benchmarks/policy.md); "not reached" means
// that no problem of that benchmark depends on the number, "scatter" that counts change no more than after a change of
// one percent. Factors are ratios of work, and a ratio above 1 is more work.
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
/// self-stress of sticking loops must grow until a contact slips, which takes thousands of sweeps from below. [decision
/// 001]
struct PackRound {
  bool fresh = false;           ///< restarts instead of continuing from the best iterate
  double prestress = 0;         ///< normal impulse added, in units of the rms impulse
  double keep = 0;              ///< factor on the impulses of the best iterate
  double momentum_restart = 0;  ///< R of gauss_seidel.h; 0: increases with the sweeps
};

/// One round on a problem that Newton's method has not solved: the central path, from the given impulses in the first
/// round of a warm problem and from soft contacts otherwise, Newton's method from its end, then a long run. Rounds
/// differ in the smoothing, which moves the folds of the path. [decision 009]
struct CentralRound {
  double smoothing = 1e-4;  ///< CentralPathSchedule::smoothing
  int newton_budget = 600;  ///< Newton steps of the long run; packs have none
};

struct AutoPolicy {
  // ---- which family a problem belongs to ----
  /// Contacts up to which a problem takes one sweep and large Newton steps. 0: small problems 1.11; 100: 1.29.
  /// [decision 007]
  int tiny = 12;
  /// Contacts per pair of bodies below which contacts count as points (balls: 1, a bin of mixed shapes: 1.2 to 1.6,
  /// bricks: 4). 0: settled packs 0.55, stored packs of balls 1.21; always: mixed piles 0.36. [decisions 001, 007, 009]
  double point_contacts = 1.05;
  /// Contacts per pair of bodies from which bodies meet with faces (cubes 2.4 to 3.3, mixed shapes 1.2 to 1.6): their
  /// heaps take a long run of Newton's method before the central path. Never: steps of 300 cubes 1.8, of 1000
  /// cubes 2.0; always: steps of mixed shapes 1.3. [decision 036]
  double face_contacts = 2;
  /// Contacts from which such a heap is large enough for that: below, the path is shorter than the run. 0: struck
  /// houses of ten levels 1.5; always: steps of 300 cubes 1.6. [decision 055]
  int face_heap = 1000;
  /// Block products of one factorisation per contact above which point contacts are swept first: 1 to 3 for chains, 7
  /// for a cube of 27 balls, hundreds for settled packs. 0: not reached. Never swept first: as point_contacts 0.
  /// [decision 007]
  double loose_factor_cost = 3;
  /// Cost of one factorisation in sweeps above which any problem is swept: 140 for 24 000 contacts of boxes in layers,
  /// 350 for 20 000 contacts of tumbled cubes. 0: ordinary steps 8.4, arches 7.2. Never: not reached. [decision 007]
  double heap_factor = 200;

  // ---- modes of the warm start ----
  /// α, in units of 1/ρ_i, of the first run on a warm problem, which starts in the modes of its impulses. 1e4: ordinary
  /// steps 1.56; 1e8: 0.89, but redundant contacts in matrix form lose digits. [decisions 007, 014]
  double held_alpha = 1e6;
  /// Newton steps of that run. 0, no such run: ordinary steps 1.44, arches 1.19; 50: scatter. [decisions 007, 014]
  int held_newton = 5;
  /// Residual of a warm start above which contacts do not keep their modes, and that run is left out. Always left out:
  /// ordinary steps 1.44; never: struck houses of four levels 1.05. [decisions 014, 055]
  double held_below = 0.1;

  // ---- first sweeps ----
  /// Cost of one factorisation in sweeps above which sweeps come first, cold and warm. Cold: always swept, cards 0.36,
  /// mixed piles 0.59 (a step of the path counts as one of Newton's); never, cubes 1.38, balls 0.65. Warm: always
  /// swept, piles 0.84; never, scatter. Below the first, a long run of Newton's method comes before the central path:
  /// factorisations are cheap there, and a step of the path costs three of Newton's. [decisions 001, 007, 009]
  double expensive_factor = 2, expensive_factor_warm = 15;
  /// Limit on the first sweeps; higher where one factorisation costs more. 1: scatter; 100: piles 0.65. [decision 007]
  double first_sweeps = 10;
  /// Limits, cold and warm, on the cost of further sweeps, in factorisations. A tenth: scatter; ten times: not reached.
  /// [decision 007]
  double further_sweeps = 10, further_sweeps_warm = 20;
  /// Residual after the first sweeps below which the remaining error is local and further sweeps follow. Never:
  /// scatter; always: piles 0.64. [decision 007]
  double further_sweeps_below = 2e-3;
  /// Limits, cold and warm, on residual × contacts, an estimate of the unsolved contacts, below which sweeps stop.
  /// Cold: 0, settled packs 0.30; always, scatter. Warm: scatter. [decision 007]
  double sweeps_stop_at = 0.1, sweeps_stop_at_warm = 0.02;
  /// The same estimate below which Newton's method starts without an interior point. Never: scatter; always: piles
  /// 1.12, cubes 1.10. [decisions 001, 007]
  double newton_first_below = 0.6;

  // ---- first Newton and interior point ----
  /// First and second α of a tiny problem, in units of 1/ρ_i. A tenth and ten times of each: scatter. [decision 007]
  double tiny_alpha = 1e4, tiny_alpha_second = 1e2;
  /// Newton steps of each of the two runs on a tiny problem. 3: scatter; 300: not reached. [decision 007]
  int tiny_newton_budget = 30;
  /// Residual below which an iterate is worth Newton steps of its own. Never: arches 1.28; always: scatter. [decision
  /// 007]
  double warm_enough = 0.05;
  /// First α of Newton's method from such an iterate, in units of 1/ρ_i. 10: cubes 1.13, arches 1.11; 1000: cubes 1.10.
  /// [decision 007]
  double first_alpha = 1e2;
  /// Residual below which that α is larger, as the root of their ratio. Never and 1: scatter. [decision 007]
  double first_alpha_grows_below = 1e-3;
  /// Limit on the Newton steps of one proximal step before the interior point. 1: arches 1.32; 120: scatter. [decision
  /// 007]
  int start_newton_per_step = 12;
  /// Failed proximal steps that end such a run. 1: cubes 1.07; 20: 1.38. [decision 007]
  int start_failures = 2;
  /// Newton steps of a run before the rounds. 40: balls 1.25; 4000: not reached. [decision 007]
  int newton_budget = 400;
  /// Residual at which the interior point stops, and above which it is called: it would disturb a closer iterate.
  /// 1e-12: mixed piles 1.35, ordinary steps 1.12; no interior point: arches 1.90, small problems 1.23. [decision 007]
  double interior_tolerance = 1e-4;
  /// Residual at which it stops on a warm problem of contacts alone, and the smoothing of |v_T| there, in units of the
  /// mean complementarity. 1e-4 and 1: struck houses of four levels 1.27, of five 1.42. [decisions 024, 055]
  double interior_tolerance_warm = 1e-5, interior_smoothing_warm = 1e-4;
  /// Factorisations, including those that return to the central path. 6: arches 1.11; 600: mixed 1.40, cubes 1.31.
  /// [decision 007]
  int interior_iterations = 60;
  /// Stiffness, in units of 1/ρ_i, of a second start when not all contacts can stick and factorisations are cheap. No
  /// second start and 100: scatter. [decisions 003, 007]
  double soft_start = 10;
  /// Residual of the first start above which a cold problem gets the second one. Always: small problems 1.24; never:
  /// scatter. [decisions 003, 007]
  double second_start_above = 0.3;
  /// Residual below which Newton's method follows the interior point: where factorisations are cheap, and elsewhere.
  /// Cheap: never, cubes 0.94; always, scatter. Elsewhere: never, scatter; always, piles 0.76, cubes 1.13. [decisions
  /// 007, 009]
  double newton_after_interior = 1e-2, newton_after_interior_else = 2e-4;
  /// First α after the interior point, times the residual it reached. 0.02: cubes 1.06; 2: arches 1.05. [decisions 003,
  /// 007]
  double alpha_after_interior = 0.2;
  /// Limit on the Newton steps of one proximal step of that run. 1: balls 2.46; 150: scatter. [decision 007]
  int newton_per_step_after_interior = 15;
  /// Failed proximal steps that end it. 1: balls 1.65; 50: cubes 1.12. [decision 007]
  int failures_after_interior = 5;

  // ---- central path ----
  /// Residual of such a problem above which the path comes before the long run where factorisations are cheap, too: the
  /// interior point has met a fold. Never: struck houses of ten levels 1.7; always: of five levels 1.4. [decision 055]
  double central_above = 1e-5;
  /// Cost of a factorisation in sweeps from which it does: struck houses of four levels 0.8 to 1.2, of five 0.9 to 1.5,
  /// of ten 1.6 to 3.2. 0: of four and five levels 1.02 and scatter, but squeezed bodies are crushed. [decision 055]
  double central_factor = 1.5;
  /// Newton steps of the long run that comes before the path where factorisations are cheap. 100: towers of planks
  /// 1.56, cubes 1.53; 10000: not reached. [decisions 007, 009]
  int long_run_first = 1000;
  /// The same where bodies meet with faces (face_contacts). 200: jammed steps of 1000 cubes to 1e-8 1.42; 1000: of 2000
  /// cubes to 1e-6 1.15. [decision 036]
  int long_run_of_faces = 3000;
  /// Residual at which the path ends: Newton's method is cheaper from there. 1e-7: scatter; 1e-3: balls 1.69, towers of
  /// planks 1.25, piles 0.52. [decisions 007, 009]
  double central_tolerance = 1e-5;
  /// Factorisations of one path, and of its continuation where Newton's method does not finish. The first: 15, balls
  /// 3.96, settled packs 1.42, piles 0.58; 1500, piles 1.12. The second: scatter. [decisions 007, 009]
  int central_iterations = 150, resumed_iterations = 50;
  std::array<CentralRound, 4> central_rounds{{{},
                                              {.smoothing = 1e-3, .newton_budget = 1200},
                                              {.smoothing = 1e-5, .newton_budget = 1800},
                                              {.smoothing = 1e-2, .newton_budget = 2400}}};

  // ---- polish of a solved answer ----
  /// α, in units of 1/ρ_i. 1e3: scatter [decision 007]; 1e4: weak modes of long arches need three Newton steps instead
  /// of one [decision 023].
  double polish_alpha = 1e5;
  /// Newton steps; a tiny problem's are cheap. 0: ordinary steps 0.76 and less exact answers (tiny: scatter); ten
  /// times: cubes 1.12 (tiny: not reached). [decision 007]
  int polish_newton = 3, polish_newton_tiny = 12;

  // ---- rounds of fallback ----
  /// Limit on the Newton steps of one proximal step of a round. 4: small problems 1.07; 400: not reached. [decision
  /// 007]
  int round_newton_per_step = 40;
  /// First α of a round's run, in units of 1/ρ_i. 0.3: cubes 1.08; 30: scatter. [decision 007]
  double round_alpha = 3;
  /// Residual at which a new interior-point start of a round stops. Not reached. [decision 007]
  double round_interior_tolerance = 1e-5;
  /// Share of the residual to which the proximal steps of a warm problem's run are solved. Loose steps suit structures
  /// that jam in step after step; a pile that is struck and solved from zero takes up to thirty times as long with
  /// them. 1e-3 and 1: scatter. [decisions 003, 007]
  double loose_steps = 0.1;
  /// Residual below which the path of a large step is short enough to follow. Not reached. [decisions 003, 007]
  double path_below = 1e-6;
  /// Limit on the Newton steps of one proximal step after a path. Not reached. [decision 007]
  int path_newton_per_step = 15;
  int path_failures = 2;        ///< Failed proximal steps that end that run. Not reached. [decision 007]
  int path_newton_budget = 40;  ///< Its Newton steps. Not reached. [decision 007]
  std::array<StructureRound, 6> structure_rounds{
      {{},
       {.start_stiffness = 1000, .equation = LawEquation::kDeSaxce, .newton_budget = 3000, .path_alpha = {1e5, 1e8}},
       {.halvings = 12},
       {.start_stiffness = 1, .local_cut = 0, .newton_budget = 3000, .path_alpha = {1e5, 1e8}},
       {.equation = LawEquation::kDeSaxce, .local_cut = 0.3},
       {.start_stiffness = 100, .halvings = 12, .path_alpha = {1e5, 1e8}}}};

  // ---- packs ----
  /// Contacts from which a pack is large. Not reached. [decision 007]
  int large_pack = 400;
  /// Limits on the sweeps of the first round. Not reached; large: scatter. [decision 007]
  double least_sweeps = 300, least_sweeps_of_large = 1500;
  /// Factorisations of Newton's method in the first round on a pack; the sweeps before it may do as much work. 3 and
  /// 300: scatter. [decision 007]
  double pack_newton = 30;
  double pack_alpha = 1e2;  ///< First α of that run, in units of 1/ρ_i. 10 and 1000: scatter. [decision 007]
  /// Limit on the Newton steps of one of its proximal steps. 3: scatter; 250: not reached. [decision 007]
  int pack_newton_per_step = 25;
  /// Failed proximal steps that end it. 1: scatter; 100: not reached. [decision 007]
  int pack_failures = 10;
  /// Factor on the work of the next round. 1 and 10: scatter. [decision 007]
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
