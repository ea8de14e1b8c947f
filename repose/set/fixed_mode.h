// SPDX-License-Identifier: Apache-2.0
// The law with fixed modes: open, stick or slide along d for a cone, at a bound or v = 0 for the row of a box.
// Unlike in Newton maps with a large step, the mode is determined at the natural scale 1/ρ.
#pragma once

#include "repose/set/block_set.h"

namespace repose {

/// Returns λ⁺(v) in the mode of (λ, v) at scale g = 1/ρ, and its slope.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> fixed_mode(ContactVecT<R> l, ContactVecT<R> v, R g, R alpha, R mu,
                                                         ContactSlope<R>& D) {
  const R zero{}, one = filled<R>(1.0);
  const R n = l.n - g * v.n, y1 = l.t1 - g * v.t1, y2 = l.t2 - g * v.t2;
  const R t = root(y1 * y1 + y2 * y2), radius = mu * n, stiff = alpha * g;
  const auto closed = n > zero;
  const auto slides = t > radius;
  const R inverse = 1.0 / select(slides, t, t + 1.0);
  const R d1 = y1 * inverse, d2 = y2 * inverse;
  const R q = select(slides, radius * inverse, zero);
  // Tangential stiffness across the sliding direction: that of the law, g q/(1 − q), but never above α g.
  const R across = smaller(stiff, g * q / (one - select(q < one, q, zero)));
  const R kappa = select(q < one, across, stiff);
  const R held_n = l.n - stiff * v.n;
  const R slip = d1 * v.t1 + d2 * v.t2;
  D.nn = select(closed, stiff, zero);
  D.t1t1 = select(closed, select(slides, kappa * (one - d1 * d1), stiff), zero);
  D.t2t2 = select(closed, select(slides, kappa * (one - d2 * d2), stiff), zero);
  D.t1t2 = select(closed, select(slides, -kappa * d1 * d2, zero), zero);
  D.t2t1 = D.t1t2;
  D.t1n = select(closed, select(slides, mu * stiff * d1, zero), zero);
  D.t2n = select(closed, select(slides, mu * stiff * d2, zero), zero);
  D.nt1 = zero, D.nt2 = zero;
  return {select(closed, select(slides, mu * held_n * d1 - kappa * (v.t1 - slip * d1), l.t1 - stiff * v.t1), zero),
          select(closed, select(slides, mu * held_n * d2 - kappa * (v.t2 - slip * d2), l.t2 - stiff * v.t2), zero),
          select(closed, held_n, zero)};
}

/// Moves the tangential part into K_μ and keeps the normal impulse that Newton's method found.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> clip_friction(ContactVecT<R> l, R mu) {
  const R zero{}, n = larger(l.n, zero), t = tangential_norm(l), radius = mu * n;
  const R shrink = select(t > radius, radius / select(t > radius, t, t + 1.0), filled<R>(1.0));
  return {shrink * l.t1, shrink * l.t2, n};
}

/// fixed_mode() for each row of a box; v is the whole velocity w + C λ.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> box_fixed_mode(ContactVecT<R> l, ContactVecT<R> v, R g, R alpha,
                                                             const SetExtra<R>& extra, ContactSlope<R>& D) {
  const R zero{}, stiff = alpha * g;
  ContactVecT<R> slope;
  const ContactVecT<R> held = by_row<R>([&](auto row) {
    const R lower = extra.bounds.lower.*row, upper = extra.bounds.upper.*row, trial = l.*row - g * v.*row;
    const R soft = 1.0 / (1.0 + stiff * extra.compliance.*row);
    const auto inside = (trial > lower) & (trial < upper);
    slope.*row = select(inside, stiff * soft, zero);
    return select(inside, l.*row - stiff * soft * v.*row, select(trial > lower, upper, lower));
  });
  D = {.t1t1 = slope.t1, .t2t2 = slope.t2, .nn = slope.n};
  return held;
}

/// Returns λ⁺ in the mode of (λ, v) at the scale g with the step α g, and its slope against the velocity w without C λ.
/// A cone with compliance uses the stiff step of one without, divided by 1 + α g C: the mode is fixed either way.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> fixed_mode(const SetRef<R>& set, ContactVecT<R> l, ContactVecT<R> v, R g,
                                                         R alpha, ContactSlope<R>& D) {
  if (!set.extra) return fixed_mode(l, v, g, alpha, set.mu, D);
  ContactSlope<R> box, cone;
  const ContactVecT<R> of_box = box_fixed_mode(l, v, g, alpha, *set.extra, box);
  const R c = larger(set.extra->compliance.t1, set.extra->compliance.n);
  const ContactVecT<R> of_cone = fixed_mode(l, v, g, alpha / (1.0 + alpha * g * c), set.mu, cone);
  D = choose_slope(set.extra->box, box, cone);
  return choose(*set.extra, of_box, of_cone);
}

/// Moves the impulse into the set: for a cone by its tangential part only, for a box row by row.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> clip(const SetRef<R>& set, ContactVecT<R> l) {
  if (!set.extra) return clip_friction(l, set.mu);
  return choose(*set.extra, project_onto_box(l, set.extra->bounds), clip_friction(l, set.mu));
}

}  // namespace repose
