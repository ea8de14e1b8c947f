// SPDX-License-Identifier: Apache-2.0
// Squeezes: a body between surfaces that do not yield, of which at least one closes in by a prescribed motion.
//
// The contact problem then has no solution, or one with absurd velocities. A ray λ shows it: λ in the product of the
// friction cones with W λ ≈ 0 and vᵀλ < 0, v the normal velocities with which the contacts close while the bodies stand
// still. The impulses x of a solution of the convex problem satisfy (vᵀλ)² ≤ (λᵀWλ)(xᵀWx), so that their energy ½ xᵀWx
// is at least ½ (vᵀλ)²/(λᵀWλ): without bound as λᵀWλ goes to zero. Where that bound is kRay times the energy of the
// approach, ½ Σ v_i²/ρ_i, the prescribed motions yield: each closes the gap of its contacts and overlaps beyond it. To
// rest is then a solution, and the prescribed motion does no work by what it yielded.
#pragma once

#include <span>

#include "repose/world/island_set_internal.h"
#include "repose/world/setup_internal.h"

namespace repose {

struct SqueezeInput {
  const WorldSetup& setup;
  std::span<const StepBody> bodies;
  std::span<const Contact> last;  ///< of the step before
  const SolveContext& context;
};

/// Finds the squeezed islands among those that were not solved or have absurd energies or impulses, lets the prescribed
/// motions yield there, and solves them again.
[[nodiscard]] Squeeze relax_squeezes(const SqueezeInput& in, IslandSet& islands, ContactSet& found);

/// Returns what is wrong with the energy that an island got from its impulses, null where nothing is.
[[nodiscard]] const char* find_burst(const WorldSetup& setup, const StepData& step, const IslandSet& islands);

}  // namespace repose
