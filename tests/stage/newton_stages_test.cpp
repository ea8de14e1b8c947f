// SPDX-License-Identifier: Apache-2.0
// Where each Newton-like stage is meant to converge, and how its options act.
#include <gtest/gtest.h>

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/cards.h"
#include "problems/families.h"
#include "problems/simple.h"
#include "tests/stage/rig.h"

namespace repose::testing {
namespace {

using problems::make_problem;

Impulses cold(const ContactProblem& problem) { return Impulses(static_cast<std::size_t>(problem.size())); }

struct Structure {
  const char* name;
  ContactProblem problem;
};

/// Structures that stand still under their own weight.
std::vector<Structure> standing() {
  return {{"arch", make_problem(problems::arch({.stones = 25}))},
          {"catenary", make_problem(problems::catenary_arch({.stones = 25}))},
          {"cards", make_problem(problems::cards({.levels = 3}))},
          {"wall", make_problem(problems::wall({.rows = 4, .columns = 4, .shift = 0.4}))},
          {"box", make_problem(problems::box({.slope = 0.3, .mu = 0.5}))}};
}

// ---- interior point ------------------------------------------------------------------------------------------------

InteriorPointResult run_interior(const ContactProblem& problem, const InteriorPointSchedule& schedule, Impulses& end) {
  return std::visit(
      [&](const auto& form) {
        using Form = std::decay_t<decltype(form)>;
        Rig<Form> rig(problem, cold(problem));
        InteriorPoint<Form> interior;
        interior.bind(form, rig.system, rig.judge);
        const InteriorPointResult result = interior.run(rig.lambda, rig.before, schedule, rig.context);
        end = unpacked(rig.lambda);
        return result;
      },
      problem.form());
}

/// The header's claim: 8 to 12 iterations for stuck structures of any size.
TEST(InteriorPoint, TakesFewIterationsForStandingStructures) {
  for (const auto& [name, problem] : standing()) {
    Impulses lambda;
    const InteriorPointResult result = run_interior(problem, {}, lambda);
    EXPECT_TRUE(result.certificate.solved(1e-4)) << name << ' ' << result.certificate.worst();
    EXPECT_LE(result.iterations, 12) << name;
  }
}

TEST(InteriorPoint, BothFormsFindTheSameVelocities) {
  for (const auto& [name, problem] : standing()) {
    Impulses body, matrix;
    const InteriorPointSchedule schedule{.tolerance = 1e-6};
    const auto first = run_interior(problem, schedule, body);
    const auto second = run_interior(in_matrix_form(problem), schedule, matrix);
    EXPECT_TRUE(first.certificate.solved(1e-6)) << name << ' ' << first.certificate.worst();
    EXPECT_TRUE(second.certificate.solved(1e-6)) << name << ' ' << second.certificate.worst();
    EXPECT_LE(distance(velocity(problem, body), velocity(problem, matrix)), 1e-4 * length(problem.v_free())) << name;
  }
}

/// The start does not look at λ: every warm start leads to the same iterates.
TEST(InteriorPoint, StartsFromTheProblemAlone) {
  const ContactProblem problem = make_problem(problems::arch({.stones = 9}));
  const Impulses far = Impulses(static_cast<std::size_t>(problem.size()), {1e6, 0, -1e6});
  const Ending a = run_stage(StageKind::kInteriorPoint, problem, cold(problem), 1e-6);
  const Ending b = run_stage(StageKind::kInteriorPoint, problem, far, 1e-6);
  ASSERT_TRUE(a.after.solved(1e-6));
  EXPECT_LE(distance(velocity(problem, a.lambda), velocity(problem, b.lambda)), 1e-4 * length(problem.v_free()));
}

TEST(InteriorPoint, ASlidingBoxNeedsTheSoftStart) {
  const ContactProblem problem = problems::family("sliding_box", 0.3, 1);
  Impulses lambda;
  const InteriorPointResult soft = run_interior(problem, {.tolerance = 1e-6, .soft_start = 1}, lambda);
  EXPECT_TRUE(soft.certificate.solved(1e-6)) << soft.certificate.worst();
}

// ---- proximal Newton -----------------------------------------------------------------------------------------------

ProxResult run_prox(const ContactProblem& problem, const Impulses& from, const ProxSchedule& schedule,
                    double tolerance) {
  return std::visit(
      [&](const auto& form) {
        using Form = std::decay_t<decltype(form)>;
        Rig<Form> rig(problem, from, tolerance);
        ProxNewton<Form> newton;
        newton.bind(form, rig.system, rig.judge);
        return newton.run(rig.lambda, rig.before, schedule, rig.context);
      },
      problem.form());
}

/// Standing structures from a weakened answer, with either equation of the law, in either form.
TEST(ProxNewton, ReachesTheLastDigitsOfStandingStructures) {
  for (const auto& [name, problem] : standing()) {
    const Impulses from = weakened(solution(problem), 0.99, 3);
    for (const ContactProblem& form : {problem, in_matrix_form(problem)})
      for (const LawEquation equation : {LawEquation::kAlartCurnier, LawEquation::kDeSaxce}) {
        const ProxResult result = run_prox(form, from, {.equation = equation}, 1e-10);
        EXPECT_TRUE(result.certificate.solved(1e-10)) << name << ' ' << result.certificate.worst();
        EXPECT_TRUE(result.sound) << name;
      }
  }
}

/// The problem after impulses of this size on its bodies: v_f + W r.
ContactProblem disturbed(const ContactProblem& problem, double size) {
  Random random(5);
  Impulses r = cold(problem);
  for (ContactVec& one : r)
    one = size * ContactVec{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  return {problem.form(), velocity(problem, r), problem.sets()};
}

/// Where no contact changes its mode, the law in held modes is linear: one step solves it, and as many proximal steps
/// with the same factor as the tolerance needs.
TEST(ProxNewton, HeldModesSolveASmallDisturbanceAtOnce) {
  for (const auto& [name, problem] : standing()) {
    const Impulses from = solution(problem);
    const double mean = length(from) / std::sqrt(static_cast<double>(from.size()));
    const ContactProblem after = disturbed(problem, 1e-3 * mean);
    for (const ContactProblem& form : {after, in_matrix_form(after)}) {
      const ProxResult result =
          run_prox(form, from, {.alpha = 1e6, .newton_budget = 4, .hold_modes = true, .keep_alpha = true}, 1e-9);
      EXPECT_TRUE(result.certificate.solved(1e-9)) << name << ' ' << result.certificate.worst();
      EXPECT_LE(result.newton_iterations, 4) << name;
    }
  }
}

/// Impulses at a bound whose velocities point inwards: their held modes have F = 0 and are not an answer. The run takes
/// steps of the law and ends, and `auto` solves the problem from there.
TEST(ProxNewton, HeldModesThatAreWrongDoNotLast) {
  const ContactProblem free = make_problem(problems::box({.slope = 0, .mu = 0.5}));
  const Impulses answer = solution(free);
  std::vector<BlockSet> sets;
  Impulses at_bound;
  for (const ContactVec& l : answer) {
    sets.push_back(BlockSet::interval(-4 * l.n, 2 * l.n));
    at_bound.push_back({0, 0, 2 * l.n});
  }
  const ContactProblem problem = with_sets(free, sets);
  const ProxResult result = run_prox(problem, at_bound, {.alpha = 1e6, .hold_modes = true, .keep_alpha = true}, 1e-9);
  EXPECT_GE(result.newton_iterations, 1);
  Impulses lambda = at_bound;
  const auto solver = make_solver({.tolerance = 1e-9});
  solver->bind(problem);
  EXPECT_EQ(solver->solve(lambda).status, Status::kConverged);
}

/// A proximal step of size α is one Newton solve or more: never more steps than iterations.
TEST(ProxNewton, CountsItsWork) {
  const ContactProblem problem = problems::family("arch_15", 0.5, 1);
  for (const int budget : {1, 5, 50}) {
    const ProxResult result = run_prox(problem, cold(problem), {.newton_budget = budget}, 1e-300);
    EXPECT_LE(result.prox_steps, result.newton_iterations) << budget;
    EXPECT_LT(result.newton_iterations, budget + ProxSchedule{}.newton_per_step) << budget;
  }
}

// ---- pile ----------------------------------------------------------------------------------------------------------

PileResult run_pile(const ContactProblem& problem, const PileOptions& options, double tolerance) {
  return std::visit(
      [&](const auto& form) {
        using Form = std::decay_t<decltype(form)>;
        Rig<Form> rig(problem, cold(problem), tolerance);
        PileSolver<Form> pile;
        pile.bind(form, problem, rig.system, rig.judge);
        return pile.run(rig.lambda, rig.before, options, rig.context);
      },
      problem.form());
}

TEST(Pile, SolvesALatticeOfBallsWithAndWithoutNewtonSteps) {
  const ContactProblem body = make_problem(problems::lattice({.n = 3}));
  for (const ContactProblem& problem : {body, in_matrix_form(body)})
    for (const bool newton : {true, false})
      for (const bool global : {true, false}) {
        const PileResult result = run_pile(problem, {.newton = newton, .global_momentum = global}, 1e-8);
        EXPECT_TRUE(result.certificate.solved(1e-8)) << newton << global << ' ' << result.certificate.worst();
        EXPECT_TRUE(newton || result.newton_steps == 0);
      }
}

TEST(Pile, StopsWhereItIsEnough) {
  const ContactProblem problem = problems::family("pile_2x2x3", 0.5, 1);
  const PileResult rough = run_pile(problem, {.newton = false, .enough = 1e-2}, 1e-12);
  const PileResult fine = run_pile(problem, {.newton = false, .sweep_budget = 400, .enough = 1e-4}, 1e-12);
  EXPECT_TRUE(rough.certificate.solved(1e-2));
  EXPECT_LE(rough.sweeps, fine.sweeps);
}

}  // namespace
}  // namespace repose::testing
