// SPDX-License-Identifier: Apache-2.0
// Families of random cold problems: a small structure in which every body moves at 0.5 to 1 m/s, so that most contacts
// slide, open or collide. One seed, one problem.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "problems/structure.h"

namespace repose::problems {

struct Family {
  std::string name, summary;
  int bodies = 0, contacts = 0;
};

/// rod, sliding_box, spheres_27, pile_2x2x3, pile_3x3x4, wall_4x4, arch_15, cards_3.
[[nodiscard]] const std::vector<Family>& families();

/// A member of the family, before its contact problem is made.
[[nodiscard]] Structure family_structure(std::string_view name, double mu, std::uint64_t seed);
[[nodiscard]] ContactProblem family(std::string_view name, double mu, std::uint64_t seed);

}  // namespace repose::problems
