// SPDX-License-Identifier: Apache-2.0
// One island: its contact problem and its solver, both kept from step to step, and the motion found for its bodies.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "repose/scheme/solve.h"
#include "repose/world/assemble.h"
#include "repose/world/joint_newton_internal.h"
#include "repose/world/joint_projection_internal.h"
#include "repose/world/node_velocities.h"
#include "repose/world/step_data_internal.h"
#include "repose/world/world.h"

namespace repose {

/// How far a solve goes. A coarse one, to 1e-4, only shows where the bodies are going.
enum class Accuracy { kFull, kCoarse };

/// What all islands of a step are solved with.
struct SolveContext {
  const BiasRule& rule;
  const FrictionOptions& options;
  const std::atomic<bool>* interrupt = nullptr;
  JointContext joints = {};
  double fall = 0;  ///< what gravity adds to a velocity in the step, m/s
};

class Island {
 public:
  static constexpr int kMostIterated = 3;

  /// Fills the contact problem of island `k` of the partition.
  void assemble(const Islands& partition, int k, std::span<const StepBody> bodies, const ContactSet& found, double h);

  /// Finds λ for the contacts and joints from their start, writes λ, velocity and mode of every contact back, λ,
  /// velocity and bias of every joint block, and the velocity change of every body of the island.
  void solve(std::span<Contact> contacts, std::span<JointBlock> joints, const SolveContext& context, Accuracy accuracy);

  /// Takes a share of the impulses of all contacts, or none, where no impulses obey the law; the certificate says so.
  void scale_impulses(double share, std::span<Contact> contacts);

  /// What the next solve depends on besides its problem and its start, for checkpoints.
  struct Memory {
    int iterated = 0;  ///< solves in a row that needed iterations, at most kMostIterated
    double solver = 0;
  };
  [[nodiscard]] Memory memory() const { return {iterated_, solver_ ? solver_->memory() : 0.0}; }
  void restore(const Memory& memory, const FrictionOptions& options);

  [[nodiscard]] const ContactProblem& problem() const { return part_.problem(); }
  /// Place of problem contact i in the step's contacts.
  [[nodiscard]] std::span<const int> contacts() const { return part_.contacts(); }
  /// Place of problem block contacts().size() + k in the step's joint blocks.
  [[nodiscard]] std::span<const int> joints() const { return part_.joints(); }
  /// Whether the poses at the end of the step need a correction: the velocities do not lead to where the joints hold.
  [[nodiscard]] bool has_loose_joints() const { return !part_.joints().empty() && misses_positions_; }
  [[nodiscard]] const OuterReport& report() const { return report_; }
  /// What the certificate and the remainder are worth together.
  [[nodiscard]] StepStatus status(const FrictionOptions& options) const;
  /// What the residual leaves as velocities and as work, beside those of the contacts themselves; at most, the larger.
  [[nodiscard]] double remainder() const { return remainder_; }
  [[nodiscard]] Accuracy accuracy() const { return accuracy_; }  ///< of the last solve
  [[nodiscard]] double polish() const { return polish_; }  ///< share of the tolerance that the last solve aimed at
  [[nodiscard]] double accept() const { return accept_; }  ///< of the solve that gave the impulses
  [[nodiscard]] double budget() const { return budget_; }  ///< of the same solve
  [[nodiscard]] const NodeVelocities& change() const { return change_; }
  [[nodiscard]] const FreeRotation& free_rotation() const { return projection_.free_rotation(); }  ///< with joints

 private:
  void take_start(std::span<const Contact> contacts, const SolveContext& context);
  void find_impulses(std::span<Contact> contacts, const SolveContext& context);
  bool solve_at_once(const SolveContext& context);
  bool give_up();
  void bind_joints(const SolveContext& context);
  void start_joints();
  bool hold_joints(double goal);
  [[nodiscard]] bool holds_by_little();
  bool find_joint_impulses();
  void set_joint_bias();
  void release_joints();
  [[nodiscard]] bool has_excess(double growth) const;
  void note_starts(std::span<Contact> contacts);
  void solve_at_velocity_level(std::span<Contact> contacts);
  void solve_with_joints(std::span<Contact> contacts);
  void write_joints();
  [[nodiscard]] bool may_retry() const;
  void retry_from_zero(std::span<Contact> contacts);
  [[nodiscard]] double find_remainder(std::span<const Contact> contacts, const SolveContext& context) const;
  [[nodiscard]] double free_energy(const SolveContext& context) const;
  void make_precise(std::span<Contact> contacts, const SolveContext& context);
  bool solve_from_zero(const SolveContext& context);
  bool solve_more_exactly();
  void bind_rho();
  void respond(std::span<const ContactVec> lambda, NodeVelocities& change);
  void write_back(std::span<Contact> contacts);

  IslandProblem part_;
  std::span<const int> bodies_, nodes_;  ///< of the partition
  std::span<JointBlock> joints_;         ///< of the step
  JointProjection projection_;
  JointNewton newton_;
  bool velocity_level_ = false;    ///< the step is too long for the position constraint
  bool misses_positions_ = false;  ///< the constraint is not met with the velocities found
  std::unique_ptr<OuterSolver> solver_;
  ProblemChange unsaid_ = ProblemChange::kGraph;         ///< what changed in part_ since the solver was told
  ProblemChange unsaid_newton_ = ProblemChange::kGraph;  ///< the same of newton_
  int iterated_ = 0;  ///< solves in a row that needed iterations, at most kMostIterated
  Accuracy accuracy_ = Accuracy::kFull;
  double polish_ = 0, accept_ = 0, budget_ = 0;
  std::vector<double> inverse_rho_;  ///< of part_; empty: not computed yet
  double rho_max_ = 0, remainder_ = 0;
  std::vector<ContactVec> joint_v_free_, joint_lambda_, held_lambda_, added_, v_free_;
  std::vector<ContactVec> lambda_, first_lambda_, best_lambda_;
  AlignedVector<Pack> response_;
  NodeVelocities change_;
  OuterReport report_;
};

}  // namespace repose
