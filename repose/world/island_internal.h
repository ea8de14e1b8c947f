// SPDX-License-Identifier: Apache-2.0
// One island at work: its problem and its solver, both kept from step to step, and what came out for its bodies.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "repose/scheme/solve.h"
#include "repose/world/assemble.h"

namespace repose {

class Island {
 public:
  IslandProblem part;

  /// Finds λ for the contacts from their start, writes it and the velocities back, and the change of velocity of every
  /// body of the island. `same_graph`: as IslandProblem::assemble() said. `draft`: roughly, to see where things go.
  void solve(std::span<Contact> contacts, const BiasRule& rule, const FrictionOptions& options, bool same_graph,
             bool draft, const std::atomic<bool>* interrupt);

  /// What the next solve depends on besides its problem and its start, for checkpoints.
  struct Memory {
    bool iterated = false;
    double solver = 0;
  };
  [[nodiscard]] Memory memory() const { return {iterated_, solver_ ? solver_->memory() : 0.0}; }
  void restore(const Memory& memory, const FrictionOptions& options) {
    iterated_ = memory.iterated;
    solver_ = make_solver(options);
    solver_->set_memory(memory.solver);
    bound_ = false;
  }

  [[nodiscard]] const OuterReport& report() const { return report_; }
  [[nodiscard]] bool draft() const { return draft_; }      ///< was the last solve one?
  [[nodiscard]] double polish() const { return polish_; }  ///< share of the tolerance that this solve aimed at
  [[nodiscard]] std::span<const Vec3> linear() const { return linear_; }    ///< change of velocity per node, m/s
  [[nodiscard]] std::span<const Vec3> angular() const { return angular_; }  ///< rad/s
  /// Did overlap beyond the slop ask for a displacement of its own? Then these are velocities to add for this step's
  /// displacement only.
  [[nodiscard]] bool recovers() const { return recovers_; }
  [[nodiscard]] bool recovery_solved() const { return recovery_solved_; }
  [[nodiscard]] std::span<const Vec3> recovery_linear() const { return recovery_linear_; }
  [[nodiscard]] std::span<const Vec3> recovery_angular() const { return recovery_angular_; }

 private:
  void find_impulses(std::span<const Contact> contacts, const FrictionOptions& options, bool same_graph, bool draft,
                     const std::atomic<bool>* interrupt);
  void try_from_zero(std::span<Contact> contacts);
  void respond(std::span<const ContactVec> lambda, std::vector<Vec3>& linear, std::vector<Vec3>& angular);
  void write_back(std::span<Contact> contacts) const;
  void recover(std::span<const Contact> contacts, const BiasRule& rule);

  std::unique_ptr<OuterSolver> solver_;
  bool bound_ = false, iterated_ = false, draft_ = false;
  double polish_ = 0;
  std::vector<ContactVec> lambda_, first_lambda_, recovery_lambda_, v_free_, recovery_v_free_;
  AlignedVector<Pack> response_;
  std::vector<Vec3> linear_, angular_, recovery_linear_, recovery_angular_;
  OuterReport report_;
  bool recovers_ = false, recovery_solved_ = true;
};

}  // namespace repose
