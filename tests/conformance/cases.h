// SPDX-License-Identifier: Apache-2.0
// Small problems, 1 to 40 contacts, that between them show every mode of the law; each with its exact velocities.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problems/structure.h"
#include "repose/contact/problem.h"

namespace repose::testing {

struct Case {
  ContactProblem problem;
  std::vector<ContactVec> v;  ///< m/s; λ is not unique where W is singular
  bool slides = false;        ///< some contact carries a load and slides: the relaxed law must show its artefact
  double v_accuracy = 1e-6;   ///< what a certificate of 1e-8 is worth here: ‖v − exact‖ / ‖v_f‖
};

[[nodiscard]] const std::vector<std::string>& case_names();
/// Throws InputError when the reference cannot be computed to 1e-12.
[[nodiscard]] Case make_case(const std::string& name);

/// A tower of boxes on three points each: the loads are determined, so that even sliding and turning it has one answer.
/// (Four points share a load in many ways, and with it the friction that stops a turn.)
[[nodiscard]] problems::Structure tripods(int boxes);
/// Random velocities up to `speed` m/s and spins about z up to `speed` rad/s for all bodies.
[[nodiscard]] problems::Structure scattered(problems::Structure structure, double speed, std::uint64_t seed);

/// A cube with μ = 5 thrown at the ground in a spin: the exact law has more than one answer.
[[nodiscard]] ContactProblem several_answers();

}  // namespace repose::testing
