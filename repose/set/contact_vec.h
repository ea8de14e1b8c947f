// SPDX-License-Identifier: Apache-2.0
// The impulse or velocity of one contact in its own frame: two tangents, then the normal (the paper's order).
// R = double is one contact; R = Pack is eight contacts (see contact_array.h).
#pragma once

#include "repose/base/pack.h"

namespace repose {

template <class R>
struct ContactVecT {
  R t1{}, t2{}, n{};
};
using ContactVec = ContactVecT<double>;  ///< λ in N·s or v in m/s
using ContactPack = ContactVecT<Pack>;

template <class R>
REPOSE_HD inline ContactVecT<R> operator+(ContactVecT<R> a, ContactVecT<R> b) {
  return {a.t1 + b.t1, a.t2 + b.t2, a.n + b.n};
}
template <class R>
REPOSE_HD inline ContactVecT<R> operator-(ContactVecT<R> a, ContactVecT<R> b) {
  return {a.t1 - b.t1, a.t2 - b.t2, a.n - b.n};
}
template <class R>
REPOSE_HD inline ContactVecT<R> operator*(R s, ContactVecT<R> a) {
  return {s * a.t1, s * a.t2, s * a.n};
}
template <class R>
REPOSE_HD inline R dot(ContactVecT<R> a, ContactVecT<R> b) {
  return a.t1 * b.t1 + a.t2 * b.t2 + a.n * b.n;
}
template <class R>
REPOSE_HD inline R squared_norm(ContactVecT<R> a) {
  return dot(a, a);
}
template <class R>
REPOSE_HD inline R tangential_norm(ContactVecT<R> a) {
  return root(a.t1 * a.t1 + a.t2 * a.t2);
}

}  // namespace repose
