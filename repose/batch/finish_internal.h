// SPDX-License-Identifier: Apache-2.0
// The steps that a batch leaves to the host: the islands, the look-ahead and the removal of overlap of a World on the
// contacts that the batch has found.
#pragma once

#include <vector>

#include "repose/batch/backend_internal.h"
#include "repose/batch/batch_model_internal.h"
#include "repose/world/correction_internal.h"
#include "repose/world/island_set_internal.h"
#include "repose/world/look_ahead_internal.h"

namespace repose::batch {

/// Finishes the steps of one world after the other. Nothing but memory is kept from one to the next.
class Finisher {
 public:
  explicit Finisher(const BatchModel::Impl& model);
  void solve(const StepProblem& step, StepHelp& help);
  /// Removes overlap at the end of a step: of the last one solved, or of one that left no overlap at its start.
  void correct(const StepEnd& end);
  /// The step as one problem, whatever its islands, and the impulses that it starts from.
  [[nodiscard]] ContactProblem whole_problem(const StepProblem& step, std::vector<ContactVec>& start);
  /// For host::finish_step(). Valid as long as this object.
  [[nodiscard]] HelpCall call();

 private:
  void take(const StepProblem& step);
  void take_bodies(const StepProblem& step);
  void take_presence(const unsigned* presence, long long steps);
  void take_contacts(const StepProblem& step);
  void take_joints(const StepProblem& step);
  void take_coordinates(const double* coordinates);
  void hold_joints(const StepEnd& end);
  void take_state(const double* x, const double* q, const double* velocity);
  void drive(long long steps);
  void report(const StepProblem& step, StepHelp& help);

  const BatchModel::Impl& model_;
  WorldSetup setup_;  ///< with the friction of the world
  double friction_ = 1;
  WorldState state_;
  std::vector<StepBody> bodies_;
  ContactSet found_, last_;
  JointKinematics kinematics_;
  std::uint64_t stamps_ = 0;  ///< of kinematics and rows, given so far
  std::vector<Pose> ends_;    ///< of bodies that do not move freely
  IslandSet islands_;
  LookAhead ahead_;
  Collision collision_;
  Correction correction_;
  EndPoses known_ = EndPoses::kUnknown;
  std::vector<double> lambda_, change_, joint_lambda_;
};

}  // namespace repose::batch
