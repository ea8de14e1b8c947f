// SPDX-License-Identifier: Apache-2.0
// Which of the admissible contact forces a recording shows. The recording has those that the solver found, which its
// certificate belongs to; those of least norm (repose/stage/equivalent_impulses.h) are computed from it when they are
// shown. [decision 023]
#pragma once

#include <string_view>
#include <vector>

#include "repose/record/recording.h"

namespace repose {

enum class Forces {
  kAuto,    ///< canonical where an island of at most kMostAtRest contacts rests, and has no joints; else the solver's
  kSolver,  ///< as recorded
  kCanonical,  ///< of least norm wherever a step is solved
};
/// "auto", "solver" or "canonical"; InputError names `who` otherwise.
[[nodiscard]] Forces forces_from_name(std::string_view name, std::string_view who);

/// Contacts of an island that kAuto takes: about 0.1 s on one core for the first step of a rest, next to nothing for
/// the others.
inline constexpr int kMostAtRest = 1000;

/// Returns the contacts of so many steps, by step, with these impulses.
[[nodiscard]] std::vector<std::vector<Contact>> shown_contacts(const Recording& recording, int first, int count,
                                                               Forces forces);

}  // namespace repose
