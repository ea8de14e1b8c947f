// SPDX-License-Identifier: Apache-2.0
// Sparse LU of a matrix of small dense blocks with a symmetric pattern: A = L U without pivoting between blocks.
//
// For the Newton systems of contact problems, (I + Jᵀ D J) in body space (6×6 blocks) and (I + W D) in contact space
// (3×3 blocks). The identity dominates the diagonal, so no pivoting is needed. The pattern stays the same for hundreds
// of factorisations, so the symbolic part is done once. Cost: one N×N×N product per fill pair. Blocks that are zero in
// the current factorisation (pairs of bodies whose contacts are all open) are neither stored nor multiplied.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "repose/base/aligned.h"
#include "repose/base/pack.h"

namespace repose {

/// N×N block, column-major, each column padded to a register: both block·block and block·vector run over columns.
template <class Node, int N>
struct Block {
  Node column[N];
};

// ---- kernels on single blocks: Node is a Pack or Quad, or Lanes (lanes.h) on a device ------------------------------

/// One column of C − A B: c − A b
template <class Node, int N>
[[nodiscard]] REPOSE_HD inline Registers<Node> minus_column(Registers<Node> c, const Block<Node, N>& A, const Node& b) {
  for (int k = 0; k < N; ++k) c = minus_product(c, in_registers(A.column[k]), b[k]);
  return c;
}

/// C −= A B, all columns at once: each column of A is read once.
template <class Node, int N>
REPOSE_HD inline void subtract_product(Block<Node, N>& C, const Block<Node, N>& A, const Block<Node, N>& B) {
  Registers<Node> sum[N];
  for (int c = 0; c < N; ++c) sum[c] = in_registers(C.column[c]);
  for (int k = 0; k < N; ++k) {
    const auto a = in_registers(A.column[k]);
    for (int c = 0; c < N; ++c) sum[c] = minus_product(sum[c], a, B.column[c][k]);
  }
  for (int c = 0; c < N; ++c) store(sum[c], C.column[c]);
}

/// C += A
template <class Node, int N>
REPOSE_HD inline void add_block(Block<Node, N>& C, const Block<Node, N>& A) {
  for (int c = 0; c < N; ++c) C.column[c] += A.column[c];
}

/// −A B
template <class Node, int N>
[[nodiscard]] REPOSE_HD inline Block<Node, N> minus_product(const Block<Node, N>& A, const Block<Node, N>& B) {
  Block<Node, N> C{};
  subtract_product(C, A, B);
  return C;
}

/// y −= A x
template <class Node, int N>
REPOSE_HD inline void subtract_product(Node& y, const Block<Node, N>& A, const Node& x) {
  auto even = in_registers(A.column[0]) * x[0], odd = in_registers(A.column[1]) * x[1];
  for (int k = 2; k + 1 < N; k += 2) {
    even = plus_product(even, in_registers(A.column[k]), x[k]);
    odd = plus_product(odd, in_registers(A.column[k + 1]), x[k + 1]);
  }
  if constexpr (N % 2 == 1) even = plus_product(even, in_registers(A.column[N - 1]), x[N - 1]);
  store(in_registers(y) - (even + odd), y);
}

/// One step of Gauss–Jordan, on row and column k; false when the pivot vanishes or is not finite.
template <int k, class Node, int N>
REPOSE_HD inline bool pivot_on(Block<Node, N>& A) {
  const double inverse = 1.0 / lane<k>(A.column[k]);
  const Node step = with_lane<k>(A.column[k] * -inverse, inverse);
#if !defined(__CUDACC__)
#pragma GCC unroll 8
#endif
  for (int c = 0; c < N; ++c)
    if (c != k) A.column[c] = plus_product(with_lane<k>(A.column[c], 0.0), step, spread<k>(A.column[c]));
  A.column[k] = step;
  return inverse - inverse == 0;
}

/// In-place inverse by Gauss–Jordan without pivoting; false when a pivot vanishes or is not finite.
template <class Node, int N>
REPOSE_HD inline bool invert(Block<Node, N>& A) {
  Block<Registers<Node>, N> taken;
  for (int c = 0; c < N; ++c) taken.column[c] = in_registers(A.column[c]);
  bool sound = true;
  [&]<int... k>(std::integer_sequence<int, k...>) { ((sound = pivot_on<k>(taken) && sound), ...); }
  (std::make_integer_sequence<int, N>{});
  for (int c = 0; c < N; ++c) store(taken.column[c], A.column[c]);
  return sound;
}

/// The last part of a solve with one pivot: A⁻¹ x, from the inverse that invert() leaves.
template <class Node, int N>
[[nodiscard]] REPOSE_HD inline Node times(const Block<Node, N>& inverse, const Node& x) {
  Node minus{};
  subtract_product(minus, inverse, x);
  return -minus;
}

template <class Node, int N>
class BlockLu {
 public:
  using BlockType = Block<Node, N>;
  using Edge = std::pair<int, int>;

  /// Orders the nodes (AMD), finds the fill and claims memory. Edges are distinct pairs first != second.
  /// Does nothing when the graph is that of the last call. Returns false, without claiming memory for values, when the
  /// factor would hold more than `largest_fill` blocks in each triangle; the object must not be used then.
  bool analyse(int nodes, std::span<const Edge> edges, long long largest_fill = 1LL << 40);

  void set_identity();  ///< A ← I
  BlockType& diagonal(int node) { return diagonal_[position_[node]]; }
  /// Adds F to block (first, second) of edge e and B to block (second, first). Unused edges cost nothing.
  void add(int e, const BlockType& F, const BlockType& B) {
    const int slot = edge_slot_[e];
    const BlockType &U = edge_flipped_[e] ? B : F, &L = edge_flipped_[e] ? F : B;
    if (!kLeavesOutZeros || filled_[slot]) {
      add_block(upper_[slot], U);
      add_block(lower_[slot], L);
    } else {
      filled_[slot] = true;
      upper_[slot] = U;
      lower_[slot] = L;
    }
  }
  /// References to the two blocks, zero at first.
  BlockType& forward(int e) { return (edge_flipped_[e] ? lower_ : upper_)[filled(edge_slot_[e])]; }
  BlockType& backward(int e) { return (edge_flipped_[e] ? upper_ : lower_)[filled(edge_slot_[e])]; }

  /// A ← L U. False when a pivot block is singular; the factor must not be used then.
  [[nodiscard]] bool factor();
  /// x ← A⁻¹ x, in the caller's node order.
  void solve(std::span<Node> x);

  /// Returns the sign of det A after factor(); 0 when a pivot block is singular to rounding.
  [[nodiscard]] int determinant_sign() const;

  /// Returns the block products of one factorisation (a machine-independent measure of its cost).
  [[nodiscard]] long long factor_products() const { return products_; }
  [[nodiscard]] long long fill_blocks() const { return static_cast<long long>(rows_.size()); }

 private:
  /// Products of small blocks are cheaper than testing whether they are needed.
  static constexpr bool kLeavesOutZeros = N > 3;

  int filled(int slot) {
    if (kLeavesOutZeros && !filled_[slot]) {
      filled_[slot] = true;
      upper_[slot] = lower_[slot] = {};
    }
    return slot;
  }
  /// The slots of pivot k that hold numbers are slot(a) for a = first(k) … first(k + 1) − 1.
  [[nodiscard]] int first(int k) const { return kLeavesOutZeros ? used_start_[k] : start_[k]; }
  [[nodiscard]] int slot(int a) const { return kLeavesOutZeros ? used_[a] : a; }
  void find_used(int k);
  void subtract_at(int target, int s, int t);
  void eliminate(int k);

  int nodes_ = 0;
  bool usable_ = true;
  std::vector<Edge> edges_;
  std::vector<int> position_;       // caller's node → place in the elimination order
  std::vector<int> start_;          // start_[k] .. start_[k+1]: fill of pivot k in rows_
  std::vector<int> rows_;           // later nodes coupled to pivot k, ascending
  std::vector<int> edge_slot_;      // edge → slot in upper_/lower_
  std::vector<char> edge_flipped_;  // true: the edge's first node is eliminated after its second
  /// By slot: whether upper_ and lower_ hold values; otherwise the blocks are zero. Not char, which may alias any
  /// object.
  std::vector<short> filled_;
  std::vector<int> used_start_;        // used_start_[k] .. used_start_[k+1]: the filled slots of pivot k in used_
  std::vector<int> used_;              // written by factor()
  AlignedVector<BlockType> diagonal_;  // after factor(): inverses of the pivots
  AlignedVector<BlockType> upper_;     // slot s of pivot k, row j = rows_[s]: block (k, j)
  AlignedVector<BlockType> lower_;     //                                      block (j, k)
  std::vector<Node, CacheLineAllocator<Node>> permuted_;
  long long products_ = 0;
};

using BodyBlock = Block<Pack, 6>;
using ContactBlock = Block<Quad, 3>;
extern template class BlockLu<Pack, 6>;
extern template class BlockLu<Quad, 3>;

}  // namespace repose
