// SPDX-License-Identifier: Apache-2.0
// The linear system of every Newton-like method: (I + R D G) x = b, where v = G y + v_f, y = R λ and D is the 3×3 slope
// of each contact (dλ = −D dv, nonsymmetric for the exact law, symmetric for the convex one; zero for an open contact).
// Body form: I + Jᵀ D J, 6×6 blocks, one per body. Matrix form: I + W D, 3×3 blocks, one per contact. Size and
// sparsity are those of the body or contact graph, not of a dense matrix of 3·contacts rows.
#pragma once

#include <utility>
#include <vector>

#include "repose/contact/problem.h"
#include "repose/set/alart_curnier.h"
#include "repose/set/contact_array.h"

namespace repose {

/// Largest memory of a factor, bytes. Sphere packs of ten thousand contacts exceed it.
inline constexpr long long kLargestFactor = 128LL << 20;
inline constexpr long long kNoFactorLimit = 1LL << 60;

/// D of every contact, in packs of eight.
using SlopeArray = AlignedVector<ContactSlope<Pack>>;

template <class Form>
class NewtonSystem;

template <>
class NewtonSystem<BodyForm> {
 public:
  using Node = BodyForm::Node;
  /// Analyses the sparsity; skipped when the graph of bodies is that of the last bind(). False when the factor would
  /// take more than `largest_factor` bytes; no Newton method can be used then.
  bool bind(const BodyForm& form, long long largest_factor = kLargestFactor);
  /// Announces new numbers in the form, on the graph of the last bind(). `gathered`: a form with the same ends, whose
  /// rows are those of G; those of R stay. Null: the same.
  void refresh(const BodyForm* gathered = nullptr) {
    gathered_ = gathered;
    has_last_ = false;
  }
  /// Announces a new solve. From now on large systems are ordered for the pairs of bodies that are closed, with new
  /// memory where these change; the order depends on the slopes since this call alone.
  void start();
  /// Assembles I + Jᵀ D J and factors it, unless its factor is that of the last call. False when a pivot vanishes.
  [[nodiscard]] bool factor(const SlopeArray& D);
  void solve(AlignedVector<Node>& x) { lu().solve(x); }
  [[nodiscard]] int determinant_sign() const { return lu().determinant_sign(); }
  /// Both are those of the system with all pairs closed.
  [[nodiscard]] long long factor_products() const { return lu_.factor_products(); }
  [[nodiscard]] long long fill_blocks() const { return lu_.fill_blocks(); }
  /// Returns the contacts per patch: 1 for balls, 4 for bricks.
  [[nodiscard]] double contacts_per_patch() const {
    return patches_.empty() ? 0.0 : static_cast<double>(form_->size()) / static_cast<double>(patches_.size());
  }

 private:
  struct Patch {  // consecutive contacts between the same two bodies
    int first, last, a, b, edge;
    bool flipped;
  };
  struct PatchBlocks {  // Jᵀ D J of one patch
    BodyBlock aa, ab, ba, bb;
  };
  struct FurtherPair {      // two ends of a block that has more than two: e is a further one, f comes before it or is e
    int block, e, f, edge;  // edge −1: f is e
  };
  template <bool kOfA>
  void sum_rows(const Patch& patch, const SlopeArray& D, BodyBlock& own, BodyBlock& other) const;
  bool find_changes(const SlopeArray& D);
  [[nodiscard]] bool changed(const Patch& patch) const;
  [[nodiscard]] static bool all_open(const Patch& patch, const SlopeArray& D);
  void add(const Patch& patch, const PatchBlocks& blocks);
  void update_blocks(const SlopeArray& D);
  void find_further_pairs();
  void add_further(const SlopeArray& D);
  [[nodiscard]] int edge_of(int a, int b) const;
  bool choose_order();
  bool mark_closed();
  void order_closed();
  [[nodiscard]] BodyForm::Lu& lu() { return uses_closed_ ? closed_lu_ : lu_; }
  [[nodiscard]] const BodyForm::Lu& lu() const { return uses_closed_ ? closed_lu_ : lu_; }

  const BodyForm *form_ = nullptr, *gathered_ = nullptr;
  std::vector<Patch> patches_;
  AlignedVector<PatchBlocks> blocks_;  // of the slopes last_
  std::vector<FurtherPair> further_;   // of blocks with more than two ends
  std::vector<char> open_;             // by patch: all of its contacts are open, its blocks are zero and not stored
  SlopeArray last_;
  AlignedVector<PackMask> changed_;  // contacts whose slope differs from that in last_
  bool has_last_ = false, factored_ = false;
  BodyForm::Lu lu_;  // of all pairs

  // The order for the pairs of bodies that are closed now.
  using Edge = std::pair<int, int>;
  bool follows_closed_ = false;  // the system is large, and start() was called
  bool first_ = false;           // nothing was ordered since start()
  bool uses_closed_ = false;     // the last factor is closed_lu_
  bool closed_usable_ = false;
  int factors_ = 0;                 // since start()
  std::vector<Edge> edges_;         // of all pairs
  std::vector<int> seen_;           // by edge: number of the last factorisation that had it, 0: none since start()
  std::vector<char> closed_;        // by edge: now
  std::vector<int> place_;          // by edge: its number in closed_lu_, −1: not in it
  std::vector<Edge> closed_edges_;  // of closed_lu_
  BodyForm::Lu closed_lu_;
};

template <>
class NewtonSystem<MatrixForm> {
 public:
  using Node = MatrixForm::Node;
  bool bind(const MatrixForm& form, long long largest_factor = kLargestFactor);
  void refresh() {}
  void start() {}
  [[nodiscard]] bool factor(const SlopeArray& D);
  void solve(AlignedVector<Node>& x) { lu_.solve(x); }
  [[nodiscard]] int determinant_sign() const { return lu_.determinant_sign(); }
  [[nodiscard]] long long factor_products() const { return lu_.factor_products(); }
  [[nodiscard]] long long fill_blocks() const { return lu_.fill_blocks(); }

 private:
  const MatrixForm* form_ = nullptr;
  std::vector<std::pair<int, int>> edges_;
  std::vector<int> slot_edge_;  // slot of W → edge of the factor's graph; −1 on the diagonal
  std::vector<int> next_;       // scratch of bind(): the next slot of each column
  MatrixForm::Lu lu_;
};

}  // namespace repose
