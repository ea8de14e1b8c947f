// SPDX-License-Identifier: Apache-2.0
// The report of a step on its contacts and solves: for each number the worst of all islands.
#pragma once

#include "repose/world/island_set_internal.h"
#include "repose/world/setup_internal.h"

namespace repose {

/// Status, certificate and counts of a solved step; times and energies are left at zero.
[[nodiscard]] StepReport summarise(const WorldSetup& setup, const ContactSet& found, const IslandSet& islands);

}  // namespace repose
