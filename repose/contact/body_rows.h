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
inline ContactVec row_sums(const Pack& x, const Pack& y, const Pack& z) {
  const Quad v = sums(x, y, z);
  return {v[0], v[1], v[2]};
}

/// y += (J L)ᵀ λ
template <class Node>
REPOSE_HD inline void scatter(const BodyRows<Node>& J, ContactVec lambda, Node& y_a, Node& y_b) {
  y_a += J.a[0] * lambda.t1 + J.a[1] * lambda.t2 + J.a[2] * lambda.n;
  y_b += J.b[0] * lambda.t1 + J.b[1] * lambda.t2 + J.b[2] * lambda.n;
}

/// (J L) y
template <class Node>
[[nodiscard]] REPOSE_HD inline ContactVec gather(const BodyRows<Node>& J, const Node& y_a, const Node& y_b) {
  return row_sums(J.a[0] * y_a + J.b[0] * y_b, J.a[1] * y_a + J.b[1] * y_b, J.a[2] * y_a + J.b[2] * y_b);
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
REPOSE_HD inline void weighted_rows(const Slope3& D, const Node (&J)[3], Node (&Y)[3]) {
  for (int c = 0; c < 3; ++c) Y[c] = J[0] * D.d[0][c] + J[1] * D.d[1][c] + J[2] * D.d[2][c];
}

/// K += Y J'ᵀ. J' is read from memory number by number, which is cheaper than extracting the lanes of Y.
template <class Node>
REPOSE_HD inline void add_outer(Block<Node, 6>& K, const Node (&Y)[3], const Node (&J)[3]) {
  for (int c = 0; c < 6; ++c)
    for (int r = 0; r < 3; ++r) K.column[c] += Y[r] * J[r][c];
}

}  // namespace repose
