// SPDX-License-Identifier: Apache-2.0
#include "repose/world/islands.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Counting sort: `start` from counts, then each item to its place in order.
void starts_from_counts(std::vector<int>& start) {
  int sum = 0;
  for (int& s : start) sum += std::exchange(s, sum);
}

}  // namespace

int Islands::root(int body) {
  while (parent_[at(body)] != body) body = parent_[at(body)] = parent_[at(parent_[at(body)])];
  return body;
}

/// The smaller index becomes the root, so that a root is its island's first body.
void Islands::join(int a, int b) {
  a = root(a);
  b = root(b);
  parent_[at(std::max(a, b))] = std::min(a, b);
}

void Islands::build(std::span<const char> moves, std::span<const Patch> patches) {
  parent_.resize(moves.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  touched_.assign(moves.size(), 0);
  for (const Patch& p : patches) {
    const bool a = moves[at(p.body_a)], b = moves[at(p.body_b)];
    if (a) touched_[at(p.body_a)] = 1;
    if (b) touched_[at(p.body_b)] = 1;
    if (a && b) join(p.body_a, p.body_b);
  }
  number_islands(patches);
}

void Islands::number_islands(std::span<const Patch> patches) {
  const int bodies = static_cast<int>(parent_.size());
  island_.assign(at(bodies), -1);
  node_.assign(at(bodies), -1);
  int islands = 0;
  for (int b = 0; b < bodies; ++b)
    if (touched_[at(b)]) island_[at(b)] = root(b) == b ? islands++ : island_[at(root(b))];
  const auto island_of = [&](const Patch& p) { return std::max(island_[at(p.body_a)], island_[at(p.body_b)]); };

  body_start_.assign(at(islands) + 1, 0);
  patch_start_.assign(at(islands) + 1, 0);
  for (int b = 0; b < bodies; ++b)
    if (touched_[at(b)]) node_[at(b)] = body_start_[at(island_[at(b)])]++;
  for (const Patch& p : patches)
    if (const int k = island_of(p); k >= 0) ++patch_start_[at(k)];
  starts_from_counts(body_start_);
  starts_from_counts(patch_start_);

  bodies_.resize(at(body_start_.back()));
  patches_.resize(at(patch_start_.back()));
  for (int b = 0; b < bodies; ++b)
    if (touched_[at(b)]) bodies_[at(body_start_[at(island_[at(b)])] + node_[at(b)])] = b;
  for (int p = 0; p < static_cast<int>(patches.size()); ++p)
    if (const int k = island_of(patches[at(p)]); k >= 0) patches_[at(patch_start_[at(k)]++)] = p;
  for (int k = islands; k > 0; --k) patch_start_[at(k)] = patch_start_[at(k) - 1];  // the starts moved to the ends
  if (islands >= 0) patch_start_[0] = 0;
}

}  // namespace repose
