// SPDX-License-Identifier: Apache-2.0
// W applied to packed contacts, written once over the two forms: y = R λ (response), v = G y + v_f (velocity).
#pragma once

#include <algorithm>
#include <cmath>

#include "repose/cone/contact_array.h"
#include "repose/contact/problem.h"

namespace repose {

/// y ← R λ: scaled body velocities in body form, W λ in matrix form.
template <class Form>
void respond(const Form& form, const ContactArray& lambda, AlignedVector<typename Form::Node>& y) {
  std::fill(y.begin(), y.end(), typename Form::Node{});
  for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[i], y.data());
}

/// The same for bodies: contacts of a patch follow each other, so their sum stays in registers.
inline void respond(const BodyForm& form, const ContactArray& lambda, AlignedVector<Pack>& y) {
  std::fill(y.begin(), y.end(), Pack{});
  for (int i = 0; i < form.size();) {
    const auto [a, b] = form.ends(i);
    Pack sum_a = y[static_cast<std::size_t>(a)], sum_b = y[static_cast<std::size_t>(b)];
    do {
      const BodyForm::Rows& J = form.rows(i);
      const ContactVec l = lambda[i];
      sum_a += J.a[0] * l.t1 + J.a[1] * l.t2 + J.a[2] * l.n;
      sum_b += J.b[0] * l.t1 + J.b[1] * l.t2 + J.b[2] * l.n;
    } while (++i < form.size() && form.ends(i).a == a && form.ends(i).b == b);
    y[static_cast<std::size_t>(a)] = sum_a;
    y[static_cast<std::size_t>(b)] = sum_b;
  }
}

/// v ← G y
template <class Form>
void gather_all(const Form& form, const AlignedVector<typename Form::Node>& y, ContactArray& v) {
  for (int i = 0; i < form.size(); ++i) v.set(i, form.gather(i, y.data()));
}

/// aᵀ b and ‖a‖ over nodes, summed in one fixed order.
template <class Node>
[[nodiscard]] double dot_of(const AlignedVector<Node>& a, const AlignedVector<Node>& b) {
  Node total{};
  for (std::size_t k = 0; k < a.size(); ++k) total += a[k] * b[k];
  return sum(total);
}
template <class Node>
[[nodiscard]] double norm_of(const AlignedVector<Node>& a) {
  return std::sqrt(dot_of(a, a));
}

/// x += y, contact by contact
inline void add(ContactArray& x, const ContactArray& y) {
  for (int p = 0; p < x.packs(); ++p) x.pack(p) = x.pack(p) + y.pack(p);
}

}  // namespace repose
