// SPDX-License-Identifier: Apache-2.0
// The exact solution of one block: v = W λ + b with λ in its set, W with compliance.
#pragma once

#include "repose/set/local_box.h"
#include "repose/set/local_coulomb.h"

namespace repose {

[[nodiscard]] inline ContactVec solve_locally(const BlockSet& set, const Mat3& W, ContactVec b) {
  if (!set.is_cone()) return LocalBox{W, set.bounds()}.solve(b);
  double rate = 0;
  return LocalCoulomb(W, set.mu()).solve(b, rate);
}

}  // namespace repose
