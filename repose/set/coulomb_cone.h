// SPDX-License-Identifier: Apache-2.0
// The Coulomb cone K_μ = {λ : ‖λ_T‖ ≤ μ λ_N}, its dual K*_μ = {v : μ‖v_T‖ ≤ v_N}, and the augmented velocity ṽ.
#pragma once

#include "repose/set/contact_vec.h"

namespace repose {

/// Projects onto K_μ in the Euclidean norm.  [paper eq:correction-proj]
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> project_onto_cone(ContactVecT<R> lambda, R mu) {
  const R zero{};
  const R slip = tangential_norm(lambda);
  const R foot = (lambda.n + mu * slip) / (1.0 + mu * mu);           // on the boundary of the cone: sliding
  const R turn = mu * foot / select(slip > zero, slip, slip + 1.0);  // slip = 0 belongs to one of the other two cases
  const auto inside = slip <= mu * lambda.n;
  // The polar cone takes precedence over "inside": with μ = 0, λ_T = 0, λ_N < 0 the latter reads 0 ≤ −0.0 and holds.
  const auto polar = mu * slip <= -lambda.n;
  return {select(polar, zero, select(inside, lambda.t1, turn * lambda.t1)),
          select(polar, zero, select(inside, lambda.t2, turn * lambda.t2)),
          select(polar, zero, select(inside, lambda.n, foot))};
}

/// Projects onto the dual cone K*_μ, by Moreau: v = Π_{K*}(v) − Π_K(−v).
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> project_onto_dual_cone(ContactVecT<R> v, R mu) {
  return v + project_onto_cone(ContactVecT<R>{-v.t1, -v.t2, -v.n}, mu);
}

/// ṽ = v + μ‖v_T‖ e_N.  [paper eq:augmented]
template <class R>
REPOSE_HD [[nodiscard]] inline ContactVecT<R> augmented(ContactVecT<R> v, R mu) {
  return {v.t1, v.t2, v.n + mu * tangential_norm(v)};
}

}  // namespace repose
