// SPDX-License-Identifier: Apache-2.0
// W applied to packs of contacts, written once for the two forms: y = R λ (response), v = G y + v_f (velocity).
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "repose/contact/problem.h"
#include "repose/set/contact_array.h"

namespace repose {

/// y ← R λ: scaled body velocities in body form, W λ in matrix form.
template <class Form>
void respond(const Form& form, const ContactArray& lambda, AlignedVector<typename Form::Node>& y) {
  std::fill(y.begin(), y.end(), typename Form::Node{});
  if constexpr (std::is_same_v<Form, BodyForm>)
    if (form.further().empty()) {
      for (int i = 0; i < form.size(); ++i) form.scatter_two(i, lambda[i], y.data());
      return;
    }
  for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[i], y.data());
}

/// v ← G y
template <class Form>
void gather_all(const Form& form, const AlignedVector<typename Form::Node>& y, ContactArray& v) {
  if constexpr (std::is_same_v<Form, BodyForm>)
    if (form.further().empty()) {
      for (int i = 0; i < form.size(); ++i) v.set(i, form.gather_two(i, y.data()));
      return;
    }
  for (int i = 0; i < form.size(); ++i) v.set(i, form.gather(i, y.data()));
}

/// aᵀ b and ‖a‖ over nodes, summed in one fixed order.
template <class Node>
[[nodiscard]] double dot_of(const AlignedVector<Node>& a, const AlignedVector<Node>& b) {
  Registers<Node> total{};
  for (std::size_t k = 0; k < a.size(); ++k) total = plus_product(total, in_registers(a[k]), in_registers(b[k]));
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
