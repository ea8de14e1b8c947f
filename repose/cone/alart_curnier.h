// SPDX-License-Identifier: Apache-2.0
// The Alart–Curnier map of the exact law: λ solves the contact iff λ = AC(λ, v) for any step g > 0.
//
//   n = λ_N − g v_N,  y = λ_T − g v_T
//   AC = 0                     if n ≤ 0           (open)
//      = (y, n)                if ‖y‖ ≤ μ n       (stick)
//      = (μ n y/‖y‖, n)        otherwise          (slide)
//
// The coupling μ‖v_T‖ needs no lagging here: the radius μ n moves with the normal impulse, which is what makes the
// derivative nonsymmetric.  [Alart & Curnier 1991]
#pragma once

#include "repose/cone/contact_vec.h"

namespace repose {

/// D with dAC = −D dv, in the order (t1, t2, n); the column ∂/∂v_N carries the friction that follows the pressure.
template <class R>
struct ContactSlope {
  R t1t1{}, t1t2{}, t2t2{};  ///< tangential block (symmetric)
  R t1n{}, t2n{};            ///< rows t, column n
  R nn{};
  R nt1{}, nt2{};  ///< row n, columns t: zero for AC, filled by the interior-point method
  R t2t1{};        ///< equals t1t2 for AC
};

/// The symmetric slope whose upper triangle is given.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactSlope<R> mirrored(ContactSlope<R> D) {
  D.nt1 = D.t1n, D.nt2 = D.t2n, D.t2t1 = D.t1t2;
  return D;
}

template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> alart_curnier(ContactVecT<R> lambda, ContactVecT<R> v, R g, R mu) {
  const R zero{};
  const R n = larger(lambda.n - g * v.n, zero);
  const R y1 = lambda.t1 - g * v.t1, y2 = lambda.t2 - g * v.t2;
  const R t = root(y1 * y1 + y2 * y2);
  const R radius = mu * n;
  const R shrink = select(t > radius, radius / select(t > radius, t, t + 1.0), filled<R>(1.0));
  return {shrink * y1, shrink * y2, n};
}

/// Value and derivative together.
template <class R>
REPOSE_HD inline ContactVecT<R> alart_curnier(ContactVecT<R> lambda, ContactVecT<R> v, R g, R mu, ContactSlope<R>& D) {
  const R zero{};
  const R trial = lambda.n - g * v.n;
  const auto closed = trial > zero;
  const R n = select(closed, trial, zero);
  const R y1 = lambda.t1 - g * v.t1, y2 = lambda.t2 - g * v.t2;
  const R t = root(y1 * y1 + y2 * y2);
  const R radius = mu * n;
  const auto slides = t > radius;
  const R inverse = 1.0 / select(slides, t, t + 1.0);
  const R d1 = y1 * inverse, d2 = y2 * inverse;
  const R ratio = select(slides, radius * inverse, filled<R>(1.0));
  const R bend = select(slides, g * ratio, zero);  // g (I − d dᵀ) μn/t while sliding
  const R stiff = select(slides, g * ratio, g);
  D.t1t1 = select(closed, stiff - bend * d1 * d1, zero);
  D.t2t2 = select(closed, stiff - bend * d2 * d2, zero);
  D.t1t2 = select(closed, -bend * d1 * d2, zero);
  D.t2t1 = D.t1t2;
  const R follow = select(slides, mu * g, zero);
  D.t1n = select(closed, follow * d1, zero);
  D.t2n = select(closed, follow * d2, zero);
  D.nn = select(closed, g, zero);
  D.nt1 = zero;
  D.nt2 = zero;
  return {ratio * y1, ratio * y2, n};
}

}  // namespace repose
