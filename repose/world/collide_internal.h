// SPDX-License-Identifier: Apache-2.0
// Contacts at the start of a step: within the margins, or closed by what the two bodies travel during the step.
#pragma once

#include "repose/world/setup_internal.h"
#include "repose/world/step_data_internal.h"

namespace repose {

/// A turn moves no surface point further than two radii, rad.
inline constexpr double kLargestTurn = 2.0;

/// Displacement of every body in this step without contacts, with and without its forces.
void find_travels(const WorldSetup& setup, std::span<const StepBody> bodies, std::vector<Travel>& travels);

/// Displacement of a body that moves with these velocities throughout the step.
[[nodiscard]] Travel motion_within(const WorldSetup& setup, int body, Vec3 velocity, Vec3 spin);

/// Updates the manifolds of `collision` for the poses of `state`.
void collide(const WorldSetup& setup, const WorldState& state, std::span<const StepBody> bodies, Collision& collision,
             std::vector<Pose>& poses, std::vector<Travel>& travels);

/// Fills `found` with the contacts of the points that it does not mark as idle, started from the impulses of `last`.
void collect_awake(const WorldSetup& setup, const Collision& collision, std::span<const StepBody> bodies,
                   const ContactSet& last, ContactSet& found);

/// The same with new marks; `idle` is scratch. Where manifolds and marks are those of `last`, only biases and impulses
/// are new; the bits are the same.
void update_contacts(const WorldSetup& setup, const Collision& collision, std::span<const StepBody> bodies,
                     const ContactSet& last, ContactSet& found, std::vector<char>& idle);

}  // namespace repose
