// SPDX-License-Identifier: Apache-2.0
// The slope of a contact in the interior-point method on the exact law.
#pragma once

#include "repose/set/alart_curnier.h"
#include "repose/set/lorentz.h"

namespace repose {

/// Returns D = S H ∂z/∂v for H = W², S = diag(1/μ, 1, 1) and z = (c · v, v_T), where c = ∂z_N/∂v has c_N = 1/μ.
template <class R>
REPOSE_HD [[nodiscard]] inline ContactSlope<R> coupled_slope(const LorentzMap<R>& H, const ContactVecT<R>& c) {
  const R h01 = H.b * H.d1, h02 = H.b * H.d2, h12 = (H.a - H.c) * H.d1 * H.d2;
  const R h11 = H.c + (H.a - H.c) * H.d1 * H.d1, h22 = H.c + (H.a - H.c) * H.d2 * H.d2;
  return {.t1t1 = h01 * c.t1 + h11,
          .t1t2 = h01 * c.t2 + h12,
          .t2t2 = h02 * c.t2 + h22,
          .t1n = h01 * c.n,
          .t2n = h02 * c.n,
          .nn = H.a * c.n * c.n,
          .nt1 = (H.a * c.t1 + h01) * c.n,
          .nt2 = (H.a * c.t2 + h02) * c.n,
          .t2t1 = h02 * c.t1 + h12};
}

}  // namespace repose
