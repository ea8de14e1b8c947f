// SPDX-License-Identifier: Apache-2.0
// W given as sparse 3×3 blocks, possibly slightly nonsymmetric (public data contain an implicit gyroscopic term).
//
// Blocks are stored by columns over a symmetric pattern: column i lists every contact j with W_ji ≠ 0.
// The response space is the contact velocity itself, y = W λ.
#pragma once

#include <span>
#include <vector>

#include "repose/base/aligned.h"
#include "repose/math/block_lu.h"
#include "repose/math/vec3.h"
#include "repose/set/contact_vec.h"

namespace repose {

/// One 3×3 block of W, in the order (t1, t2, n).
struct DelassusBlock {
  int row = 0, column = 0;  ///< contacts
  Mat3 value;               ///< 1/kg
};

class MatrixForm {
 public:
  using Node = Quad;  ///< one contact's velocity (t1, t2, n, 0)
  static constexpr int kDof = 3;
  using Lu = BlockLu<Node, kDof>;

  MatrixForm() = default;
  /// Blocks in any order; repeated ones are summed, absent ones are zero.
  MatrixForm(int contacts, std::span<const DelassusBlock> blocks);

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int nodes() const { return size_; }

  /// y += W_{·i} λ
  void scatter(int i, ContactVec lambda, Node* y) const {
    for (int s = start_[static_cast<std::size_t>(i)]; s < start_[static_cast<std::size_t>(i) + 1]; ++s) {
      const ContactBlock& B = blocks_[static_cast<std::size_t>(s)];
      y[rows_[static_cast<std::size_t>(s)]] +=
          plus_product(plus_product(B.column[0] * lambda.t1, B.column[1], lambda.t2), B.column[2], lambda.n);
    }
  }
  [[nodiscard]] ContactVec gather(int i, const Node* y) const { return {y[i][0], y[i][1], y[i][2]}; }

  [[nodiscard]] Mat3 diagonal_block(int i) const { return coupling(i, i); }
  [[nodiscard]] Mat3 coupling(int row, int column) const;

  /// Returns max |W − Wᵀ| / max |W|.
  [[nodiscard]] double asymmetry() const;
  /// Returns (W + Wᵀ)/2, the part that a splitting scheme may treat implicitly.
  [[nodiscard]] MatrixForm symmetric_part() const;

  // Column access for assembly: slots first(i) .. first(i + 1), rows ascending.
  [[nodiscard]] int first(int column) const { return start_[static_cast<std::size_t>(column)]; }
  [[nodiscard]] int row(int slot) const { return rows_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const ContactBlock& block(int slot) const { return blocks_[static_cast<std::size_t>(slot)]; }

 private:
  int size_ = 0;
  std::vector<int> start_{0}, rows_;
  AlignedVector<ContactBlock> blocks_;
};

}  // namespace repose
