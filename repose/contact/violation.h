// SPDX-License-Identifier: Apache-2.0
// The violation of one block's law: the squares that the judge sums (residual.h).
#pragma once

#include "repose/set/block_set.h"

namespace repose {

template <class R>
struct Violation {
  R force{}, velocity{};  ///< squared distances of λ from S and of ṽ from the dual of its recession cone
  R gap{};                ///< ṽᵀλ, or its counterpart for a box
  R natural{};            ///< ‖λ − Π(λ − ρ⁻¹ṽ)‖²
  R lambda{}, v_aug{};    ///< ‖λ‖², ‖ṽ‖²
};

template <class R>
[[nodiscard]] REPOSE_HD inline Violation<R> violation(const SetRef<R>& set, ContactVecT<R> lambda, ContactVecT<R> v,
                                                      R inverse_rho) {
  const ContactVecT<R> u = augmented(set, v);
  return {squared_norm(lambda - project(set, lambda)),
          squared_norm(u - project_dual(set, u)),
          pairing(set, u, lambda),
          squared_norm(lambda - project(set, lambda - inverse_rho * u)),
          squared_norm(lambda),
          squared_norm(u)};
}

/// The same for a Coulomb cone without compliance: no branch between a product and its sum, so that the compiler fuses
/// them in the same way wherever this is inlined.
template <class R>
[[nodiscard]] REPOSE_HD inline Violation<R> cone_violation(R mu, ContactVecT<R> lambda, ContactVecT<R> v,
                                                           R inverse_rho) {
  const ContactVecT<R> u = augmented(v, mu);
  return {squared_norm(lambda - project_onto_cone(lambda, mu)),
          squared_norm(u - project_onto_dual_cone(u, mu)),
          dot(u, lambda),
          squared_norm(lambda - project_onto_cone(lambda - inverse_rho * u, mu)),
          squared_norm(lambda),
          squared_norm(u)};
}

template <class R>
REPOSE_HD inline void add(Violation<R>& total, const Violation<R>& one) {
  total.force += one.force;
  total.velocity += one.velocity;
  total.gap += one.gap;
  total.natural += one.natural;
  total.lambda += one.lambda;
  total.v_aug += one.v_aug;
}

}  // namespace repose
