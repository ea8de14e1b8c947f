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

void Islands::connect(std::span<const char> moves, std::span<const Patch> patches) {
  for (const Patch& p : patches) {
    const bool a = p.body_a >= 0 && moves[at(p.body_a)], b = moves[at(p.body_b)];
    if (a) touched_[at(p.body_a)] = 1;
    if (b) touched_[at(p.body_b)] = 1;
    if (a && b) join(p.body_a, p.body_b);
  }
}

void Islands::build(std::span<const char> moves, std::span<const Patch> patches, std::span<const Patch> links) {
  parent_.resize(moves.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  touched_.assign(moves.size(), 0);
  connect(moves, patches);
  connect(moves, links);
  number_bodies();
  sort_into_islands(patches, patches_, patch_start_);
  sort_into_islands(links, links_, link_start_);
}

void Islands::number_bodies() {
  const int bodies = static_cast<int>(parent_.size());
  island_.assign(at(bodies), -1);
  node_.assign(at(bodies), -1);
  int islands = 0;
  for (int b = 0; b < bodies; ++b)
    if (touched_[at(b)]) island_[at(b)] = root(b) == b ? islands++ : island_[at(root(b))];
  body_start_.assign(at(islands) + 1, 0);
  for (int b = 0; b < bodies; ++b)
    if (touched_[at(b)]) node_[at(b)] = body_start_[at(island_[at(b)])]++;
  starts_from_counts(body_start_);
  bodies_.resize(at(body_start_.back()));
  for (int b = 0; b < bodies; ++b)
    if (touched_[at(b)]) bodies_[at(body_start_[at(island_[at(b)])] + node_[at(b)])] = b;
}

void Islands::sort_into_islands(std::span<const Patch> patches, std::vector<int>& sorted,
                                std::vector<int>& start) const {
  const int islands = count();
  const auto island_of = [&](const Patch& p) {
    return std::max(p.body_a >= 0 ? island_[at(p.body_a)] : -1, island_[at(p.body_b)]);
  };
  start.assign(at(islands) + 1, 0);
  for (const Patch& p : patches)
    if (const int k = island_of(p); k >= 0) ++start[at(k)];
  starts_from_counts(start);
  sorted.resize(at(start.back()));
  for (int p = 0; p < static_cast<int>(patches.size()); ++p)
    if (const int k = island_of(patches[at(p)]); k >= 0) sorted[at(start[at(k)]++)] = p;
  for (int k = islands; k > 0; --k) start[at(k)] = start[at(k) - 1];  // the starts moved to the ends
  if (islands >= 0) start[0] = 0;
}

}  // namespace repose
