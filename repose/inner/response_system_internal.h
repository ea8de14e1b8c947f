// SPDX-License-Identifier: Apache-2.0
// (W + D⁻¹)⁻¹ without forming W: with v = G y, y = R λ (W = G R) and a symmetric D per contact,
//
//   (W + D⁻¹)⁻¹ r = D (r − G y),   (I + R D G) y = R D r
//
// I + R D G is I + Jᵀ D J in body form (6×6 blocks, one per body) and I + W D in matrix form (3×3, one per contact). D
// may be singular: a contact with D = 0 takes no part.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "repose/cone/alart_curnier.h"
#include "repose/contact/problem.h"

namespace repose {

/// D for every contact, eight by eight; its upper triangle is read.
using StiffnessArray = AlignedVector<ContactSlope<Pack>>;

template <class Form>
class ResponseSystem;

template <>
class ResponseSystem<BodyForm> {
 public:
  /// Symbolic analysis; skipped when the graph of bodies is the one of the last bind.
  void bind(const BodyForm& form);
  /// Assembles and factors I + Jᵀ D J. False when a pivot vanishes.
  [[nodiscard]] bool factor(const StiffnessArray& D);
  void solve(AlignedVector<BodyForm::Node>& x) { lu_.solve(x); }

 private:
  void add_contact(int i, const StiffnessArray& D);

  const BodyForm* form_ = nullptr;
  std::vector<int> contact_edge_;  // contact → edge between its bodies; −1 when one of them is static
  BodyForm::Lu lu_;
};

template <>
class ResponseSystem<MatrixForm> {
 public:
  void bind(const MatrixForm& form);
  [[nodiscard]] bool factor(const StiffnessArray& D);
  void solve(AlignedVector<MatrixForm::Node>& x) { lu_.solve(x); }

 private:
  const MatrixForm* form_ = nullptr;
  std::vector<int> slot_edge_;  // slot of W → edge of the factor's graph; −1 on the diagonal
  MatrixForm::Lu lu_;
};

}  // namespace repose
