// SPDX-License-Identifier: Apache-2.0
// W applied to packed contacts, written once over the two forms: y = R λ (response), v = G y + v_f (velocity).
#pragma once

#include <algorithm>

#include "repose/cone/contact_array.h"
#include "repose/contact/problem.h"

namespace repose {

/// y ← R λ: scaled body velocities in body form, W λ in matrix form.
template <class Form>
void respond(const Form& form, const ContactArray& lambda, AlignedVector<typename Form::Node>& y) {
  std::fill(y.begin(), y.end(), typename Form::Node{});
  for (int i = 0; i < form.size(); ++i) form.scatter(i, lambda[i], y.data());
}

/// v ← G y
template <class Form>
void gather_all(const Form& form, const AlignedVector<typename Form::Node>& y, ContactArray& v) {
  for (int i = 0; i < form.size(); ++i) v.set(i, form.gather(i, y.data()));
}

/// x += y, contact by contact
inline void add(ContactArray& x, const ContactArray& y) {
  for (int p = 0; p < x.packs(); ++p) x.pack(p) = x.pack(p) + y.pack(p);
}

}  // namespace repose
