// SPDX-License-Identifier: Apache-2.0
#include "repose/math/block_lu.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace repose {
namespace {

/// Returns the place of each node in an approximate-minimum-degree elimination order.
std::vector<int> minimum_degree_order(int nodes, std::span<const std::pair<int, int>> edges) {
  using Pattern = Eigen::SparseMatrix<double>;
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(2 * edges.size() + static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) entries.emplace_back(i, i, 1.0);
  for (auto [i, j] : edges) {
    entries.emplace_back(i, j, 1.0);
    entries.emplace_back(j, i, 1.0);
  }
  Pattern pattern(nodes, nodes);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern, order);
  // order.indices()[k] is the node eliminated at position k.
  std::vector<int> position(static_cast<std::size_t>(nodes));
  for (int k = 0; k < nodes; ++k) position[static_cast<std::size_t>(order.indices()[k])] = k;
  return position;
}

/// Returns the sign of det A, by elimination with row exchanges.
template <class Node, int N>
int sign_of_determinant(const Block<Node, N>& A) {
  double a[N][N];
  for (int c = 0; c < N; ++c)
    for (int r = 0; r < N; ++r) a[r][c] = A.column[c][r];
  int sign = 1;
  for (int k = 0; k < N; ++k) {
    int top = k;
    for (int r = k + 1; r < N; ++r)
      if (std::abs(a[r][k]) > std::abs(a[top][k])) top = r;
    if (a[top][k] == 0) return 0;
    if (top != k) {
      std::swap(a[top], a[k]);
      sign = -sign;
    }
    if (a[k][k] < 0) sign = -sign;
    for (int r = k + 1; r < N; ++r) {
      const double l = a[r][k] / a[k][k];
      for (int c = k + 1; c < N; ++c) a[r][c] -= l * a[k][c];
    }
  }
  return sign;
}

}  // namespace

template <class Node, int N>
bool BlockLu<Node, N>::analyse(int nodes, std::span<const Edge> edges, long long largest_fill) {
  if (nodes == nodes_ && std::equal(edges.begin(), edges.end(), edges_.begin(), edges_.end())) return usable_;
  nodes_ = nodes;
  edges_.assign(edges.begin(), edges.end());
  position_ = minimum_degree_order(nodes, edges);

  // Fill of pivot k = its later neighbours, and the fill of every pivot whose first later neighbour is k.
  std::vector<std::vector<int>> fill(static_cast<std::size_t>(nodes)), children(static_cast<std::size_t>(nodes));
  for (auto [i, j] : edges_) {
    const int first = std::min(position_[i], position_[j]), second = std::max(position_[i], position_[j]);
    fill[first].push_back(second);
  }
  std::vector<int> mark(static_cast<std::size_t>(nodes), -1);
  std::size_t total = 0;
  for (int k = 0; k < nodes; ++k) {
    std::vector<int> merged;
    mark[k] = k;
    const auto add = [&](const std::vector<int>& from) {
      for (int j : from)
        if (mark[j] != k) mark[j] = k, merged.push_back(j);
    };
    add(fill[k]);
    for (int child : children[k]) add(fill[child]);
    std::sort(merged.begin(), merged.end());
    if (!merged.empty()) children[merged.front()].push_back(k);
    fill[k] = std::move(merged);
    total += fill[k].size();
  }

  start_.assign(static_cast<std::size_t>(nodes) + 1, 0);
  rows_.clear();
  rows_.reserve(total);
  products_ = 0;
  for (int k = 0; k < nodes; ++k) {
    rows_.insert(rows_.end(), fill[k].begin(), fill[k].end());
    start_[k + 1] = static_cast<int>(rows_.size());
    const auto size = static_cast<long long>(fill[k].size());
    products_ += size * size + size + 1;
  }
  edge_slot_.resize(edges_.size());
  edge_flipped_.resize(edges_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const int first = position_[edges_[e].first], second = position_[edges_[e].second];
    const int k = std::min(first, second);
    const auto begin = rows_.begin() + start_[k], end = rows_.begin() + start_[k + 1];
    edge_slot_[e] = static_cast<int>(std::lower_bound(begin, end, std::max(first, second)) - rows_.begin());
    edge_flipped_[e] = first > second;
  }
  usable_ = fill_blocks() <= largest_fill;
  if (!usable_) return false;
  diagonal_.resize(static_cast<std::size_t>(nodes));
  upper_.resize(rows_.size());
  lower_.resize(rows_.size());
  permuted_.resize(static_cast<std::size_t>(nodes));
  filled_.resize(rows_.size());
  used_.resize(rows_.size());
  used_start_.assign(static_cast<std::size_t>(nodes) + 1, 0);
  return true;
}

template <class Node, int N>
void BlockLu<Node, N>::set_identity() {
  BlockType identity{};
  for (int k = 0; k < N; ++k) identity.column[k][k] = 1.0;
  std::fill(diagonal_.begin(), diagonal_.end(), identity);
  if constexpr (kLeavesOutZeros) {
    std::fill(filled_.begin(), filled_.end(), false);
  } else {
    std::fill(upper_.begin(), upper_.end(), BlockType{});
    std::fill(lower_.begin(), lower_.end(), BlockType{});
  }
}

/// Lists the slots of pivot k that hold values: those of its edges, and those that earlier pivots have filled.
template <class Node, int N>
void BlockLu<Node, N>::find_used(int k) {
  int end = used_start_[k];
  for (int s = start_[k]; s < start_[k + 1]; ++s)
    if (filled_[s]) used_[end++] = s;
  used_start_[k + 1] = end;
}

/// Both blocks at `target` −= L U of the slots s < t of one pivot.
template <class Node, int N>
void BlockLu<Node, N>::subtract_at(int target, int s, int t) {
  if (!kLeavesOutZeros || filled_[target]) {
    subtract_product(upper_[target], lower_[s], upper_[t]);
    subtract_product(lower_[target], lower_[t], upper_[s]);
  } else {
    filled_[target] = true;
    upper_[target] = minus_product(lower_[s], upper_[t]);
    lower_[target] = minus_product(lower_[t], upper_[s]);
  }
}

/// Subtracts pivot k's outer product from the blocks between the nodes of its fill.
template <class Node, int N>
void BlockLu<Node, N>::eliminate(int k) {
  if constexpr (kLeavesOutZeros) find_used(k);
  const int begin = first(k), end = first(k + 1);
  for (int a = begin; a < end; ++a) {  // L_ik ← A_ik A_kk⁻¹
    BlockType& L = lower_[slot(a)];
    const BlockType scaled = minus_product(L, diagonal_[k]);
    for (int c = 0; c < N; ++c) L.column[c] = -scaled.column[c];
  }
  for (int a = begin; a < end; ++a) {
    const int s = slot(a), i = rows_[s];
    subtract_product(diagonal_[i], lower_[s], upper_[s]);
    int target = start_[i];  // the fill of k after i is a subset of the fill of i, and both are ascending
    for (int b = a + 1; b < end; ++b, ++target) {
      const int t = slot(b);
      while (rows_[target] != rows_[t]) ++target;
      subtract_at(target, s, t);
    }
  }
}

template <class Node, int N>
bool BlockLu<Node, N>::factor() {
  for (int k = 0; k < nodes_; ++k) {
    if (!invert(diagonal_[k])) return false;
    eliminate(k);
  }
  return true;
}

template <class Node, int N>
void BlockLu<Node, N>::solve(std::span<Node> x) {
  assert(static_cast<int>(x.size()) >= nodes_);
  for (int node = 0; node < nodes_; ++node) permuted_[position_[node]] = x[node];
  for (int k = 0; k < nodes_; ++k) {
    const Node xk = permuted_[k];
    for (int a = first(k); a < first(k + 1); ++a) subtract_product(permuted_[rows_[slot(a)]], lower_[slot(a)], xk);
  }
  for (int k = nodes_ - 1; k >= 0; --k) {
    Node sum = permuted_[k];
    for (int a = first(k); a < first(k + 1); ++a) subtract_product(sum, upper_[slot(a)], permuted_[rows_[slot(a)]]);
    permuted_[k] = times(diagonal_[k], sum);
  }
  for (int node = 0; node < nodes_; ++node) x[node] = permuted_[position_[node]];
}

template <class Node, int N>
int BlockLu<Node, N>::determinant_sign() const {
  int sign = 1;
  for (int k = 0; k < nodes_; ++k) sign *= sign_of_determinant(diagonal_[k]);
  return sign;
}

template class BlockLu<Pack, 6>;
template class BlockLu<Quad, 3>;

}  // namespace repose
