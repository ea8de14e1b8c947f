// SPDX-License-Identifier: Apache-2.0
// Contact forces that can be quoted: of all impulses that cause the motion of the last step, those of least norm, and
// the range of a force over all of them (repose/stage/equivalent_impulses.h). What the solver found is one of them.
#pragma once

#include <vector>

#include "repose/stage/equivalent_impulses.h"
#include "repose/world/world.h"

namespace repose {

/// Returns the impulses of least norm, N·s, in the order and the axes of contacts(). Those of an island that is not
/// solved, or whose equivalent impulses are not certified, are the solver's.
[[nodiscard]] std::vector<ContactVec> canonical_impulses(const World& world);

/// Returns the range of the normal force at one contact, N.
[[nodiscard]] ForceRange contact_force_range(const World& world, int contact);
/// Returns the range of the sum of the normal forces between two bodies, N.
[[nodiscard]] ForceRange pair_force_range(const World& world, int body_a, int body_b);

}  // namespace repose
