// SPDX-License-Identifier: Apache-2.0
// A box: each row's impulse between its own two bounds, lower ≤ λ ≤ upper, and −v in its normal cone.
//
//   lower < λ < upper: v = 0       λ = lower: v ≥ 0       λ = upper: v ≤ 0
//
// Infinite bounds give the bilateral constraint (none on either side: v = 0), the half line (a limit, a frictionless
// contact) and the interval (dry friction of a joint, a motor with a force limit). lower = upper prescribes an impulse;
// [0, 0] is a row that a block does not use.
#pragma once

#include <limits>

#include "repose/set/alart_curnier.h"
#include "repose/set/contact_vec.h"

namespace repose {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

template <class R>
struct BoundsT {
  ContactVecT<R> lower, upper;  ///< N·s; −∞ and +∞: no bound
};
using Bounds = BoundsT<double>;

/// Applies f(row of a, row of b, …) to the three rows.
template <class R, class Function>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> by_row(const Function& f) {
  return {f(&ContactVecT<R>::t1), f(&ContactVecT<R>::t2), f(&ContactVecT<R>::n)};
}

/// Projects onto the box.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> project_onto_box(ContactVecT<R> x, const BoundsT<R>& box) {
  return by_row<R>([&](auto row) { return smaller(larger(x.*row, box.lower.*row), box.upper.*row); });
}

/// Projects v onto the dual cone of the box's recession cone: v = 0 for a row without bounds, v ≥ 0 (≤ 0) for one
/// without an upper (lower) bound, any v for an interval.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> project_onto_box_dual(ContactVecT<R> v, const BoundsT<R>& box) {
  const R zero{}, infinity = filled<R>(kUnbounded);
  return by_row<R>([&](auto row) {
    const R up = select(box.upper.*row < infinity, v.*row, larger(v.*row, zero));
    return select(box.lower.*row > -infinity, up, smaller(up, zero));
  });
}

/// Returns Σ v (λ − c), c being the bound that the sign of v selects: zero iff λ and v are complementary.
template <class R>
REPOSE_HD [[nodiscard]] inline R box_pairing(ContactVecT<R> v, ContactVecT<R> lambda, const BoundsT<R>& box) {
  const R zero{}, infinity = filled<R>(kUnbounded);
  const auto term = [&](auto row) {
    const auto has_lower = box.lower.*row > -infinity;
    const auto has_upper = box.upper.*row < infinity;
    const R low = select(has_lower, box.lower.*row, zero), high = select(has_upper, box.upper.*row, zero);
    const R when_positive = select(has_lower, low, high), when_negative = select(has_upper, high, low);
    return v.*row * (lambda.*row - select(v.*row > zero, when_positive, when_negative));
  };
  return term(&ContactVecT<R>::t1) + term(&ContactVecT<R>::t2) + term(&ContactVecT<R>::n);
}

/// Returns the fixed point P = Π(λ − g (w + C P)) of the box with a compliance C per row, and its slope dP = −D dw.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> box_newton_map(ContactVecT<R> lambda, ContactVecT<R> w, R g,
                                                             const BoundsT<R>& box, ContactVecT<R> compliance,
                                                             ContactSlope<R>& D) {
  const R zero{};
  ContactVecT<R> slope;
  const ContactVecT<R> P = by_row<R>([&](auto row) {
    const R soft = 1.0 / (1.0 + g * compliance.*row), trial = soft * (lambda.*row - g * w.*row);
    const auto inside = (trial > box.lower.*row) & (trial < box.upper.*row);
    slope.*row = select(inside, g * soft, zero);
    return smaller(larger(trial, box.lower.*row), box.upper.*row);
  });
  D = {.t1t1 = slope.t1, .t2t2 = slope.t2, .nn = slope.n};
  return P;
}

}  // namespace repose
