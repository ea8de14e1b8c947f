// SPDX-License-Identifier: Apache-2.0
// Problems whose exact solution is known because it was chosen first.
#pragma once

#include <cstdint>
#include <vector>

#include "problems/structure.h"
#include "repose/base/parameters.h"

namespace repose::problems {

struct ManufacturedOptions {
  int contacts = 12;            ///< ≥ 1
  double mu_min = 0;            ///< μ is uniform in [mu_min, mu_max]
  double mu_max = 1;            ///< ≥ mu_min
  double separating = 1.0 / 3;  ///< share of contacts with λ = 0, v_N > 0
  double sliding = 1.0 / 3;     ///< share with λ on the cone against v_T ≠ 0; the rest sticks inside the cone
  std::uint64_t seed = 1;
};
[[nodiscard]] const Fields<ManufacturedOptions>& fields(const ManufacturedOptions& options);

struct Manufactured {
  ContactProblem problem;
  std::vector<ContactVec> lambda;  ///< N·s
  std::vector<ContactVec> v;       ///< m/s
};

/// Chooses λ and v that obey the law contact by contact, a positive definite W from random bodies, and v_f = v − W λ.
[[nodiscard]] Manufactured manufactured_problem(const ManufacturedOptions& options = {});

}  // namespace repose::problems
