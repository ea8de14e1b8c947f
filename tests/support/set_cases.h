// SPDX-License-Identifier: Apache-2.0
// Blocks with every kind of set, made of particles so that the answer is known in closed form.
#pragma once

#include <string>
#include <vector>

#include "repose/contact/problem.h"

namespace repose::testing {

struct SetCase {
  ContactProblem problem;
  std::vector<ContactVec> v;       ///< m/s, exact
  std::vector<ContactVec> lambda;  ///< N·s; empty where W is singular and λ is not unique
  double accuracy = 1e-6;          ///< what a certificate of 1e-8 is worth here, for v and for λ, relative
};

[[nodiscard]] const std::vector<std::string>& set_case_names();
[[nodiscard]] SetCase make_set_case(const std::string& name);

}  // namespace repose::testing
