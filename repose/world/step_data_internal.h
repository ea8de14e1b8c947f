// SPDX-License-Identifier: Apache-2.0
// The data that the phases of one step pass to each other. Each member is the output of the phase in its comment and an
// input of later ones. The memory is kept from step to step.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "repose/world/assemble.h"
#include "repose/world/body.h"
#include "repose/world/joint.h"
#include "repose/world/joint_block.h"
#include "repose/world/world.h"

namespace repose {

/// Forces and torques on every body during a step, N and N m: the scene's, the caller's and those of pushes.
struct Loads {
  std::vector<Vec3> force, torque;
};

/// Frames and coordinates of all joints at the start of a step, and at its end.
struct JointKinematics {
  std::vector<JointFrames> frames;
  std::vector<std::array<CoordinateRow, 3>> rows;  ///< of the coordinates; none of balls and of compounds
  std::vector<JointValues> position;               ///< unwrapped, rad or m
  std::vector<double> error;                       ///< of the position constraint, m
  std::vector<double> inputs;                      ///< of every actuator: its control, or its activation
  std::vector<double> motor;                       ///< force of every actuator that is a load, N or N m
  std::vector<Pose> poses;                         ///< by body: what all but the forces were computed from
  std::vector<std::uint64_t> stamps;               ///< by joint: of the last change of a pose that it depends on
  std::uint64_t stamp = 0;                         ///< of the last change of a pose; 0: nothing is computed

  /// The row of coordinate k of joint j; compounds have theirs in their frames.
  [[nodiscard]] const CoordinateRow& row(int j, int k) const {
    const JointFrames& own = frames[static_cast<std::size_t>(j)];
    const auto place = static_cast<std::size_t>(k);
    return own.compound.empty() ? rows[static_cast<std::size_t>(j)][place] : own.compound[place].row;
  }
};

/// The contacts and joints of a step. Those of the step's start come first, by ascending (collider_a, collider_b,
/// feature); predicted ones (look_ahead_internal.h) follow. The contacts of a patch are consecutive.
struct ContactSet {
  std::vector<Contact> contacts;
  std::vector<Patch> patches;
  std::vector<char> idle;             ///< by point of the manifolds: no contact (idle_points_internal.h); empty: none
  std::vector<std::uint64_t> stamps;  ///< of the manifolds
  std::uint64_t parts = 0;            ///< stamps given to patches that lack points of their manifolds
  JointSet joints;
};

struct StepData {
  JointKinematics kinematics;    ///< find_kinematics() at the start of the step
  JointKinematics ended;         ///< the same at its end, where it is not that of the start
  bool has_ended = false;        ///< `ended` is that of the last step
  std::uint64_t stamps = 0;      ///< given out so far
  std::vector<Pose> ends;        ///< find_end_poses(); empty without joints
  Loads loads;                   ///< sum_loads()
  std::vector<StepBody> bodies;  ///< free_motion()
  std::vector<BodyState> free;   ///< fill_free_states(): the same for recordings
  std::vector<Pose> poses;       ///< collide(): poses at the start of the step
  std::vector<Travel> travels;   ///< collide(): distance that a body may move during the step
  std::vector<char> idle;        ///< assemble(): marks of the step's points, before they are those of `found`
  ContactSet found;              ///< assemble(), then look-ahead; the solves write impulses and velocities
  Squeeze squeeze;               ///< relax_squeezes()
  std::vector<Pose> integrated;  ///< finish(): poses before overlap is removed
};

}  // namespace repose
