// SPDX-License-Identifier: Apache-2.0
// All islands of a step. An island is kept under its first body, so that its solver survives from step to step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "repose/world/island_internal.h"
#include "repose/world/islands.h"
#include "repose/world/workers_internal.h"

namespace repose {

class IslandSet {
 public:
  using Slots = std::vector<std::unique_ptr<Island>>;  ///< by first body; null: none so far

  IslandSet(int bodies, int threads) : slots_(static_cast<std::size_t>(bodies)), workers_(threads) {}

  /// Splits the moving bodies into islands. Costs a comparison when bodies and patches are those of the last call.
  void partition(std::span<const StepBody> bodies, std::span<const Patch> patches, std::span<const Patch> links = {});
  /// Fills the contact problems of all islands.
  void assemble(std::span<const StepBody> bodies, const ContactSet& found, double h);
  /// Solves all islands; large ones with a fast body only coarsely: the look-ahead may add contacts to them.
  void solve(ContactSet& found, const SolveContext& context, std::span<const char> fast);
  /// Assembles and solves the islands with patches from `first_patch` on, starting from the impulses found so far.
  /// partition() has joined them.
  void solve_again(std::span<const StepBody> bodies, ContactSet& found, const SolveContext& context,
                   std::span<const char> fast, int first_patch);
  /// Assembles and solves one island again, from the starts of its contacts.
  void solve_one(int k, std::span<const StepBody> bodies, ContactSet& found, const SolveContext& context);
  /// Takes a share of the impulses of one island's contacts.
  void scale_impulses(int k, double share, ContactSet& found) {
    active_[static_cast<std::size_t>(k)]->scale_impulses(share, found.contacts);
  }
  /// Solves to the full tolerance what was solved coarsely, from the impulses found so far. Returns whether anything
  /// was.
  bool refine(ContactSet& found, const SolveContext& context);

  [[nodiscard]] int count() const { return static_cast<int>(active_.size()); }
  [[nodiscard]] const Island& operator[](int k) const { return *active_[static_cast<std::size_t>(k)]; }
  /// Bodies of an island, ascending; the index of a body in this list is its node.
  [[nodiscard]] std::span<const int> bodies(int k) const { return partition_.bodies(k); }
  /// Does the body have contacts?
  [[nodiscard]] bool has_contacts(int body) const { return partition_.nodes()[static_cast<std::size_t>(body)] >= 0; }

  /// Forgets all solvers; there are no islands until the next partition().
  void clear() noexcept;

  // For checkpoints.
  [[nodiscard]] const Slots& slots() const { return slots_; }
  /// Takes these solvers; there are no islands until the next partition().
  void restore(Slots slots);

 private:
  [[nodiscard]] Accuracy first_accuracy(int k, std::span<const char> fast) const;
  void start_from_found(int k, ContactSet& found) const;

  Islands partition_;
  std::vector<char> moves_;             ///< what the partition was made from
  std::vector<Patch> patches_, links_;  ///< the same
  Slots slots_;
  std::vector<Island*> active_;  ///< by island
  Workers workers_;
};

}  // namespace repose
