// SPDX-License-Identifier: Apache-2.0
// The first point of interior-point methods: every contact a bilateral constraint of finite stiffness.
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/contact/operators.h"
#include "repose/contact/residual.h"

namespace repose {

/// v ← the velocity when every contact is a bilateral constraint with D = stiffness/ρ, so that λ = −D v. `packed` and
/// `y` are scratch. False when a pivot vanishes.
template <class Form>
[[nodiscard]] bool hold_bilaterally(const Form& form, NewtonSystem<Form>& system, const Judge& judge, double stiffness,
                                    SlopeArray& D, ContactArray& packed, AlignedVector<typename Form::Node>& y,
                                    ContactArray& v) {
  for (int p = 0; p < v.packs(); ++p) {
    const Pack g = stiffness * judge.inverse_rho().pack(p);
    D[static_cast<std::size_t>(p)] = {.t1t1 = g, .t2t2 = g, .nn = g};
    packed.pack(p) = (-g) * judge.v_free().pack(p);
  }
  if (!system.factor(D)) return false;
  respond(form, packed, y);
  system.solve(y);
  gather_all(form, y, v);
  add(v, judge.v_free());
  return true;
}

}  // namespace repose
