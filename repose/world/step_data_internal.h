// SPDX-License-Identifier: Apache-2.0
// The data that the phases of one step pass to each other. Each member is the output of the phase in its comment and an
// input of later ones. The memory is kept from step to step.
#pragma once

#include <span>
#include <vector>

#include "repose/world/assemble.h"
#include "repose/world/body.h"
#include "repose/world/world.h"

namespace repose {

/// Forces and torques on every body during a step, N and N m: the scene's, the caller's and those of pushes.
struct Loads {
  std::vector<Vec3> force, torque;
};

/// The contacts of a step. Those of the step's start come first, by ascending (collider_a, collider_b, feature);
/// predicted ones (look_ahead_internal.h) follow. The contacts of a patch are consecutive.
struct ContactSet {
  std::vector<Contact> contacts;
  std::vector<Patch> patches;
};

struct StepData {
  Loads loads;                   ///< sum_loads()
  std::vector<StepBody> bodies;  ///< free_motion()
  std::vector<BodyState> free;   ///< fill_free_states(): the same for recordings
  std::vector<Pose> poses;       ///< collide(): poses at the start of the step
  std::vector<Travel> travels;   ///< collide(): distance that a body may move during the step
  ContactSet found;              ///< assemble(), then look-ahead; the solves write impulses and velocities
  Squeeze squeeze;               ///< relax_squeezes()
};

}  // namespace repose
