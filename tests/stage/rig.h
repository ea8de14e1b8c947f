// SPDX-License-Identifier: Apache-2.0
// A stage on one problem, outside any scheme: bound, run from a given λ, and scored by a judge of its own.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "repose/stage/central_path.h"
#include "repose/stage/gauss_seidel.h"
#include "repose/stage/interior_point.h"
#include "repose/stage/path_following.h"
#include "repose/stage/pile.h"
#include "repose/stage/prox_newton.h"
#include "tests/support/problem_copies.h"

namespace repose::testing {

/// What a stage needs, bound to one problem and started at λ⁰.
template <class Form>
struct Rig {
  const ContactProblem& problem;
  const Form& form;
  Judge judge;
  NewtonSystem<Form> system;
  ContactArray lambda;
  Certificate before;
  StopToken stop;
  StageContext context;

  Rig(const ContactProblem& problem_, const Impulses& from, double tolerance = 1e-8,
      const std::atomic<bool>* interrupted = nullptr)
      : problem(problem_), form(std::get<Form>(problem_.form())), lambda(packed(from)), stop(0, interrupted) {
    judge.bind(problem);
    EXPECT_TRUE(system.bind(form));
    before = judge.start(lambda);
    context = {.tolerance = tolerance, .stop = &stop};
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
};

/// How a stage ended.
struct Ending {
  Impulses lambda;
  Certificate before, claimed, after;  ///< of λ⁰; of λ as the stage says; of λ, scored anew
  int work = 0;                        ///< in the unit of the stage's budget
};

enum class StageKind { kProxNewton, kInteriorPoint, kCentralPath, kPathFollowing, kPile };
inline constexpr StageKind kStages[] = {StageKind::kProxNewton, StageKind::kInteriorPoint, StageKind::kCentralPath,
                                        StageKind::kPathFollowing, StageKind::kPile};

[[nodiscard]] inline const char* name(StageKind stage) {
  switch (stage) {
    case StageKind::kProxNewton: return "proximal Newton";
    case StageKind::kInteriorPoint: return "interior point";
    case StageKind::kCentralPath: return "central path";
    case StageKind::kPathFollowing: return "path following";
    case StageKind::kPile: return "pile";
  }
  return "";
}

/// A budget of 0 takes the stage's own default.
template <class Form>
void run_stage(StageKind stage, int budget, Rig<Form>& rig, Ending& end) {
  const auto record = [&](const auto& result, int work) { end.claimed = result.certificate, end.work = work; };
  switch (stage) {
    case StageKind::kProxNewton: {
      ProxNewton<Form> newton;
      newton.bind(rig.form, rig.system, rig.judge);
      ProxSchedule schedule;
      if (budget > 0) schedule.newton_budget = budget;
      const ProxResult result = newton.run(rig.lambda, rig.before, schedule, rig.context);
      return record(result, result.newton_iterations);
    }
    case StageKind::kInteriorPoint: {
      InteriorPoint<Form> interior;
      interior.bind(rig.form, rig.system, rig.judge);
      InteriorPointSchedule schedule{.tolerance = rig.context.tolerance, .soft_start = 1};
      if (budget > 0) schedule.iterations = budget;
      const InteriorPointResult result = interior.run(rig.lambda, rig.before, schedule, rig.context);
      return record(result, result.iterations);
    }
    case StageKind::kCentralPath: {
      CentralPath<Form> path;
      path.bind(rig.form, rig.system, rig.judge);
      CentralPathSchedule schedule{.tolerance = rig.context.tolerance};
      if (budget > 0) schedule.iterations = budget;
      const CentralPathResult result = path.run(rig.lambda, rig.before, schedule, rig.context);
      return record(result, result.iterations);
    }
    case StageKind::kPathFollowing: {
      PathFollowing<Form> path;
      path.bind(rig.form, rig.system, rig.judge);
      PathSchedule schedule;
      if (budget > 0) schedule.pivots = budget;
      const PathResult result = path.run(rig.lambda, rig.before, schedule, rig.context);
      return record(result, result.pivots);
    }
    case StageKind::kPile: {
      PileSolver<Form> pile;
      pile.bind(rig.form, rig.problem, rig.system, rig.judge);
      PileOptions options;
      if (budget > 0) options.sweep_budget = budget;
      const PileResult result = pile.run(rig.lambda, rig.before, options, rig.context);
      return record(result, result.sweeps);
    }
  }
}

/// Runs a stage in the problem's own form.
[[nodiscard]] inline Ending run_stage(StageKind stage, const ContactProblem& problem, const Impulses& from,
                                      double tolerance = 1e-8, int budget = 0,
                                      const std::atomic<bool>* interrupted = nullptr) {
  return std::visit(
      [&](const auto& form) {
        Rig<std::decay_t<decltype(form)>> rig(problem, from, tolerance, interrupted);
        Ending end;
        run_stage(stage, budget, rig, end);
        end.before = rig.before;
        end.lambda = unpacked(rig.lambda);
        end.after = certify(problem, end.lambda, from);
        return end;
      },
      problem.form());
}

}  // namespace repose::testing
