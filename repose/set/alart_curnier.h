// SPDX-License-Identifier: Apache-2.0
// The Alart–Curnier map of the exact law: λ solves the contact iff λ = AC(λ, v) for any step g > 0.
//
//   n = λ_N − g v_N,  y = λ_T − g v_T
//   AC = 0                     if n ≤ 0           (open)
//      = (y, n)                if ‖y‖ ≤ μ n       (stick)
//      = (μ n y/‖y‖, n)        otherwise          (slide)
//
// The coupling μ‖v_T‖ does not lag here: the radius μ n moves with the normal impulse, which makes the derivative
// nonsymmetric.  [Alart & Curnier 1991]
#pragma once

#include "repose/set/contact_vec.h"
#include "repose/set/coulomb_cone.h"

namespace repose {

/// D with dAC = −D dv, in the order (t1, t2, n); the column ∂/∂v_N is the friction that follows the normal impulse.
template <class R>
struct ContactSlope {
  R t1t1{}, t1t2{}, t2t2{};  ///< tangential block (symmetric)
  R t1n{}, t2n{};            ///< rows t, column n
  R nn{};
  R nt1{}, nt2{};  ///< row n, columns t: zero for AC, filled by the interior-point method
  R t2t1{};        ///< equals t1t2 for AC
};

/// diag(D) x
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> times_diagonal(const ContactSlope<R>& D, ContactVecT<R> x) {
  return {D.t1t1 * x.t1, D.t2t2 * x.t2, D.nn * x.n};
}

/// λ − D dv, for slopes whose row n has no tangential part
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> minus_slope(ContactVecT<R> l, const ContactSlope<R>& D,
                                                          ContactVecT<R> dv) {
  return {l.t1 - (D.t1t1 * dv.t1 + D.t1t2 * dv.t2 + D.t1n * dv.n),
          l.t2 - (D.t2t1 * dv.t1 + D.t2t2 * dv.t2 + D.t2n * dv.n), l.n - D.nn * dv.n};
}

/// Returns the symmetric slope with the given upper triangle.
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

/// Returns the value and its derivative.
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

/// AC with compliance: v = w + C AC, C = diag(c_T, c_T, c_N), and `soft` = 1/(1 + g C) row by row. The impulse has the
/// direction of λ_T − g w_T; D with dAC = −D dw.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> soft_alart_curnier(ContactVecT<R> lambda, ContactVecT<R> w, R g, R mu,
                                                                 ContactVecT<R> soft, ContactSlope<R>& D) {
  const R zero{};
  const R trial = soft.n * (lambda.n - g * w.n), gn = g * soft.n, gt = g * soft.t1;
  const auto closed = trial > zero;
  const R n = select(closed, trial, zero), radius = mu * n;
  const R y1 = soft.t1 * (lambda.t1 - g * w.t1), y2 = soft.t1 * (lambda.t2 - g * w.t2);
  const R t = root(y1 * y1 + y2 * y2);
  const auto slides = t > radius;
  const R inverse = 1.0 / select(slides, t, t + 1.0);
  const R d1 = y1 * inverse, d2 = y2 * inverse;
  const R ratio = select(slides, radius * inverse, filled<R>(1.0)), stiff = gt * ratio;
  const R bend = select(slides, stiff, zero), follow = select(slides, mu * gn, zero);
  D.t1t1 = select(closed, stiff - bend * d1 * d1, zero);
  D.t2t2 = select(closed, stiff - bend * d2 * d2, zero);
  D.t1t2 = D.t2t1 = select(closed, -bend * d1 * d2, zero);
  D.t1n = select(closed, follow * d1, zero);
  D.t2n = select(closed, follow * d2, zero);
  D.nn = select(closed, gn, zero);
  D.nt1 = D.nt2 = zero;
  return {ratio * y1, ratio * y2, n};
}

/// Returns slope a where the mask holds, b elsewhere.
template <class R, class Mask>
REPOSE_HD [[nodiscard]] inline ContactSlope<R> choose_slope(Mask mask, const ContactSlope<R>& a,
                                                            const ContactSlope<R>& b) {
  ContactSlope<R> D;
  D.t1t1 = select(mask, a.t1t1, b.t1t1), D.t1t2 = select(mask, a.t1t2, b.t1t2), D.t2t2 = select(mask, a.t2t2, b.t2t2);
  D.t1n = select(mask, a.t1n, b.t1n), D.t2n = select(mask, a.t2n, b.t2n), D.nn = select(mask, a.nn, b.nn);
  D.nt1 = select(mask, a.nt1, b.nt1), D.nt2 = select(mask, a.nt2, b.nt2), D.t2t1 = select(mask, a.t2t1, b.t2t1);
  return D;
}

/// Returns Π_K(λ) and its derivative (symmetric; upper triangle of D).
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> project_onto_cone(ContactVecT<R> lambda, R mu, ContactSlope<R>& D) {
  const R zero{}, one = filled<R>(1.0);
  const R slip = tangential_norm(lambda);
  const auto inside = slip <= mu * lambda.n, polar = mu * slip <= -lambda.n;
  const R inverse = 1.0 / select(slip > zero, slip, slip + 1.0), share = 1.0 / (1.0 + mu * mu);
  const R foot = (lambda.n + mu * slip) * share, turn = mu * foot * inverse;
  const R d1 = lambda.t1 * inverse, d2 = lambda.t2 * inverse, bend = mu * mu * share - turn;
  const auto pick = [&](R in, R surface) { return select(polar, zero, select(inside, in, surface)); };
  D.t1t1 = pick(one, turn + bend * d1 * d1);
  D.t1t2 = pick(zero, bend * d1 * d2);
  D.t2t2 = pick(one, turn + bend * d2 * d2);
  D.t1n = pick(zero, mu * share * d1);
  D.t2n = pick(zero, mu * share * d2);
  D.nn = pick(one, share);
  return {pick(lambda.t1, turn * lambda.t1), pick(lambda.t2, turn * lambda.t2), pick(lambda.n, foot)};
}

/// The exact law as one projection, λ = Π_K(λ − g (v + μ‖v_T‖ e_N)) [De Saxcé], with its slope D (dP = −D dv).
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> de_saxce(ContactVecT<R> lambda, ContactVecT<R> v, R g, R mu) {
  return project_onto_cone(lambda - g * augmented(v, mu), mu);
}
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> de_saxce(ContactVecT<R> lambda, ContactVecT<R> v, R g, R mu,
                                                       ContactSlope<R>& D) {
  ContactSlope<R> S;
  const ContactVecT<R> P = project_onto_cone(lambda - g * augmented(v, mu), mu, S);
  const R slip = tangential_norm(v), inverse = 1.0 / select(slip > R{}, slip, slip + 1.0);
  const R c1 = mu * v.t1 * inverse, c2 = mu * v.t2 * inverse;  // ∂(μ‖v_T‖)/∂v_T, zero at rest
  D.t1t1 = g * (S.t1t1 + S.t1n * c1), D.t1t2 = g * (S.t1t2 + S.t1n * c2), D.t1n = g * S.t1n;
  D.t2t1 = g * (S.t1t2 + S.t2n * c1), D.t2t2 = g * (S.t2t2 + S.t2n * c2), D.t2n = g * S.t2n;
  D.nt1 = g * (S.t1n + S.nn * c1), D.nt2 = g * (S.t2n + S.nn * c2), D.nn = g * S.nn;
  return P;
}

}  // namespace repose
