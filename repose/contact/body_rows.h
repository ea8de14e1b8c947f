// SPDX-License-Identifier: Apache-2.0
// Kernels of one block in body form: the scaled Jacobian rows J L of two bodies (body_form.h). A node is a body's
// scaled velocity: a Pack on the host, Lanes<6> on a device.
#pragma once

#include "repose/base/view.h"
#include "repose/math/block_lu.h"
#include "repose/math/lanes.h"
#include "repose/set/alart_curnier.h"
#include "repose/set/contact_vec.h"

namespace repose {

struct BodyEnds {
  int a, b;  ///< node indices; the number of bodies for a static end
  bool operator==(const BodyEnds&) const = default;
};

template <class Node>
struct BodyRows {
  Node a[3], b[3];  ///< scaled Jacobian rows (t1, t2, n) of each body
};

/// All blocks of a problem in body form.
template <class Node>
struct BodyFormView {
  View<const BodyEnds> ends;
  View<const BodyRows<Node>> rows;
  int bodies = 0;
};

/// (Σ x, Σ y, Σ z), each along the tree that sums(Pack, Pack, Pack) has for six lanes and two zeros.
REPOSE_HD inline ContactVec row_sums(const Lanes<6>& x, const Lanes<6>& y, const Lanes<6>& z) {
  const auto sum = [](const Lanes<6>& s) { return ((s[0] + s[4]) + (s[1] + s[5])) + (s[2] + s[3]); };
  return {sum(x), sum(y), sum(z)};
}
inline ContactVec row_sums(const Registers<Pack>& x, const Registers<Pack>& y, const Registers<Pack>& z) {
  const Quad v = sums(x, y, z);
  return {v[0], v[1], v[2]};
}

/// x_0 a + x_1 b + x_2 c
template <class Node>
[[nodiscard]] REPOSE_HD inline Registers<Node> sum_of_products(const Node (&x)[3], double a, double b, double c) {
  return plus_product(plus_product(in_registers(x[0]) * a, in_registers(x[1]), b), in_registers(x[2]), c);
}

/// y += (J L)ᵀ λ
template <class Node>
REPOSE_HD inline void scatter(const BodyRows<Node>& J, ContactVec lambda, Node& y_a, Node& y_b) {
  store(in_registers(y_a) + sum_of_products(J.a, lambda.t1, lambda.t2, lambda.n), y_a);
  store(in_registers(y_b) + sum_of_products(J.b, lambda.t1, lambda.t2, lambda.n), y_b);
}

/// (J L) y
template <class Node>
[[nodiscard]] REPOSE_HD inline ContactVec gather(const BodyRows<Node>& J, const Node& y_a, const Node& y_b) {
  const auto a = in_registers(y_a), b = in_registers(y_b);
  const auto row = [&](int r) { return plus_product(in_registers(J.a[r]) * a, in_registers(J.b[r]), b); };
  return row_sums(row(0), row(1), row(2));
}

/// The 3×3 slope of one block, row by row.
struct Slope3 {
  double d[3][3];
};
REPOSE_HD inline Slope3 as_rows(const ContactSlope<double>& s) {
  return {{{s.t1t1, s.t1t2, s.t1n}, {s.t2t1, s.t2t2, s.t2n}, {s.nt1, s.nt2, s.nn}}};
}

/// Y_c = Σ_r D_rc J_r, so that Jᵀ D J' = Σ_c Y_c J'_cᵀ.
template <class Node>
REPOSE_HD inline void weighted_rows(const Slope3& D, const Node (&J)[3], Registers<Node> (&Y)[3]) {
  for (int c = 0; c < 3; ++c) Y[c] = sum_of_products(J, D.d[0][c], D.d[1][c], D.d[2][c]);
}

/// K += Y J'ᵀ. J' is read from memory number by number, which is cheaper than extracting the lanes of Y.
template <class Weighted, class Node>
REPOSE_HD inline void add_outer(Block<Node, 6>& K, const Weighted (&Y)[3], const Node (&J)[3]) {
  for (int c = 0; c < 6; ++c) {
    auto column = in_registers(K.column[c]);
    for (int r = 0; r < 3; ++r) column = plus_product(column, in_registers(Y[r]), J[r][c]);
    store(column, K.column[c]);
  }
}

}  // namespace repose
