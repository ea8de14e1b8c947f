// SPDX-License-Identifier: Apache-2.0
// The steps that a batch leaves to the host: the scheme `auto` of repose/scheme on the same contact problem, with the
// look-ahead and the removal of overlap of a World.
#pragma once

#include <vector>

#include "repose/batch/backend_internal.h"
#include "repose/batch/batch_model_internal.h"
#include "repose/scheme/solve.h"
#include "repose/world/correction_internal.h"
#include "repose/world/islands.h"

namespace repose::batch {

/// The contact problem of one island, and the contacts of the step that it has.
struct IslandOfStep {
  ContactProblem problem;
  std::vector<ContactVec> start;
  std::vector<int> contacts, bodies;  ///< indices into the step's lists
};

/// The contact problems of a step, one per island.
[[nodiscard]] std::vector<IslandOfStep> island_problems(const BatchModel::Impl& model, const StepProblem& step);

/// The same as one problem.
[[nodiscard]] ContactProblem whole_problem(const BatchModel::Impl& model, const StepProblem& step,
                                           std::vector<ContactVec>& start);

/// Finishes the steps of one world after the other.
class Finisher {
 public:
  explicit Finisher(const BatchModel::Impl& model);
  void solve(const StepProblem& step, StepHelp& help);
  /// Removes overlap at the end of a step: of the last one solved, or of one that left no overlap at its start.
  void correct(const StepEnd& end);
  /// For host::finish_step(). Valid as long as this object.
  [[nodiscard]] HelpCall call();

 private:
  void solve_island(IslandOfStep& island, StepHelp& help);
  void solve_all(const StepProblem& step, StepHelp& help);
  void take_start(const StepProblem& step);
  void take_contacts(const StepProblem& step);
  void add_change(const StepProblem& step, const StepContact& c, ContactVec impulse, std::vector<double>& change) const;
  bool look_ahead(const StepProblem& step);
  [[nodiscard]] StepContact predicted(const StepProblem& step, const Contact& c) const;

  const BatchModel::Impl& model_;
  std::vector<double> lambda_;
  std::vector<ContactVec> v_;  ///< relative velocities after the impulses, with the bias
  ContactSet found_;
  std::vector<StepBody> bodies_;
  std::vector<StepContact> list_;         ///< of the step, then the predicted ones
  std::vector<double> further_, change_;  ///< 6 per body: velocity by predicted contacts, by all
  std::vector<PredictedMotion> motion_;
  std::vector<char> fast_;
  WorldState state_;
  LookAhead ahead_;
  Collision collision_;
  Correction correction_;
};

}  // namespace repose::batch
