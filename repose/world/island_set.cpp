// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "repose/world/island_set_internal.h"

namespace repose {
namespace {

constexpr std::size_t kLargeIsland = 500;  // contacts

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Takes over `moves` of all bodies. Returns whether any changed.
bool update_moves(std::span<const StepBody> bodies, std::vector<char>& moves) {
  bool changed = moves.size() != bodies.size();
  moves.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b)
    changed |= std::exchange(moves[b], bodies[b].moves) != bodies[b].moves;
  return changed;
}

}  // namespace

void IslandSet::partition(std::span<const StepBody> bodies, std::span<const Patch> patches,
                          std::span<const Patch> links) {
  const bool same_moves = !update_moves(bodies, moves_);
  if (same_moves && std::equal(patches.begin(), patches.end(), patches_.begin(), patches_.end(), same_place) &&
      std::equal(links.begin(), links.end(), links_.begin(), links_.end(), same_place))
    return;
  patches_.assign(patches.begin(), patches.end());
  links_.assign(links.begin(), links.end());
  partition_.build(moves_, patches_, links_);
  active_.clear();
  for (int k = 0; k < partition_.count(); ++k) {
    auto& slot = slots_[at(partition_.bodies(k).front())];
    if (!slot) slot = std::make_unique<Island>();
    active_.push_back(slot.get());
  }
}

void IslandSet::assemble(std::span<const StepBody> bodies, const ContactSet& found, double h) {
  workers_.for_each(count(), [&](int k) { active_[at(k)]->assemble(partition_, k, bodies, found, h); });
}

void IslandSet::solve(ContactSet& found, const SolveContext& context, std::span<const char> fast) {
  workers_.for_each(count(), [&](int k) {
    active_[at(k)]->solve(found.contacts, found.joints.blocks, context, first_accuracy(k, fast));
  });
}

void IslandSet::solve_again(std::span<const StepBody> bodies, ContactSet& found, const SolveContext& context,
                            std::span<const char> fast, int first_patch) {
  workers_.for_each(count(), [&](int k) {
    if (partition_.patches(k).empty() || partition_.patches(k).back() < first_patch) return;
    start_from_found(k, found);
    active_[at(k)]->assemble(partition_, k, bodies, found, context.rule.h);
    active_[at(k)]->solve(found.contacts, found.joints.blocks, context, first_accuracy(k, fast));
  });
}

void IslandSet::solve_one(int k, std::span<const StepBody> bodies, ContactSet& found, const SolveContext& context) {
  active_[at(k)]->assemble(partition_, k, bodies, found, context.rule.h);
  active_[at(k)]->solve(found.contacts, found.joints.blocks, context, Accuracy::kFull);
}

bool IslandSet::refine(ContactSet& found, const SolveContext& context) {
  const auto is_coarse = [](const Island* island) { return island->accuracy() == Accuracy::kCoarse; };
  if (std::none_of(active_.begin(), active_.end(), is_coarse)) return false;
  workers_.for_each(count(), [&](int k) {
    if (active_[at(k)]->accuracy() == Accuracy::kFull) return;
    start_from_found(k, found);
    active_[at(k)]->solve(found.contacts, found.joints.blocks, context, Accuracy::kFull);
  });
  return true;
}

void IslandSet::clear() noexcept {
  for (auto& slot : slots_) slot.reset();
  moves_.clear();
  patches_.clear();
  links_.clear();
  active_.clear();
}

void IslandSet::restore(Slots slots) {
  clear();
  slots_ = std::move(slots);
}

Accuracy IslandSet::first_accuracy(int k, std::span<const char> fast) const {
  const auto is_fast = [fast](int body) { return fast[at(body)] != 0; };
  const bool coarse =
      active_[at(k)]->contacts().size() > kLargeIsland && std::any_of(bodies(k).begin(), bodies(k).end(), is_fast);
  return coarse ? Accuracy::kCoarse : Accuracy::kFull;
}

/// Makes the impulses found so far the start of the island's next solve.
void IslandSet::start_from_found(int k, ContactSet& found) const {
  for (const int p : partition_.patches(k)) {
    const Patch& patch = found.patches[at(p)];
    for (int i = patch.first; i < patch.first + patch.count; ++i)
      found.contacts[at(i)].start = found.contacts[at(i)].lambda;
  }
  for (const int p : partition_.links(k)) {
    const Patch& link = found.joints.links[at(p)];
    for (int i = link.first; i < link.first + link.count; ++i)
      found.joints.blocks[at(i)].start = found.joints.blocks[at(i)].lambda;
  }
}

}  // namespace repose
