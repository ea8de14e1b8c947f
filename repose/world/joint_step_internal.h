// SPDX-License-Identifier: Apache-2.0
// The joints of a step as blocks of its problems. With q and q̇ a coordinate and its velocity, and a row v = q̇ (times
// the joint's length for an angle):
//
//   position      v = b, with b such that g(x⁺) = 0 (joint_projection_internal.h)           any λ
//   limit         q⁺ = q + h q̇ stays in its range: v + gap/h ≥ 0                            λ ≥ 0
//                 where it is reached with restitution e: v + e v⁻ ≥ 0, as contacts have it
//   friction      v = 0 unless λ is at a bound                                             |λ| ≤ h · friction
//   compliance    λ = −(G v + g₀),  G = armature + h damping + h² stiffness,               any λ
//                 g₀ = h stiffness (q − reference) − armature q̇⁻,  so v + λ/G + g₀/G = 0
//                 a spring with slack has two rows of the kind with λ ≥ 0, one beyond each end of the slack
//   servo         the same with the gains of an actuator                                   within h · force range
//
// The force of an actuator without gains on position and velocity at the end of the step is a load (add_motor_loads).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "repose/world/joint.h"
#include "repose/world/setup_internal.h"
#include "repose/world/step_data_internal.h"

namespace repose {

/// Frames of a joint in a state; velocity of a row of it, rad/s or m/s.
[[nodiscard]] JointFrames frames_of(const WorldSetup& setup, std::size_t joint, const WorldState& state);
[[nodiscard]] double row_velocity(const JointModel& joint, const CoordinateRow& row, const JointFrames& frames,
                                  const WorldState& state);
/// Calls use(body, linear, angular) for the row of a coordinate against every body of the joint but the world.
template <class Use>
void for_bodies(const JointModel& joint, const CoordinateRow& row, const JointFrames& frames, const Use& use) {
  if (joint.body_a != kWorldBody) use(joint.body_a, row.linear_a, row.angular_a);
  if (joint.body_b != kWorldBody) use(joint.body_b, row.linear_b, row.angular_b);
  for (const BodyRow& other : frames.others) use(other.body, other.linear, other.angular);
}
/// Whether all bodies of a joint are present.
[[nodiscard]] bool is_present(const WorldState& state, const JointModel& joint);

/// Whether the kinematics are those of the state, to the bit.
[[nodiscard]] bool is_current(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints);

/// Computes the kinematics, unless they are current; angles go on from the coordinates of the state. Joints whose
/// bodies have the poses that they have in `known` are taken from there.
void find_kinematics(const WorldSetup& setup, const WorldState& state, std::uint64_t& stamps, JointKinematics& joints,
                     const JointKinematics* known = nullptr);

/// Largest position error of the joints whose bodies are present, m.
[[nodiscard]] double joint_error(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints);

/// Fills the input of every actuator: its control within the range, or its activation.
void find_inputs(const WorldSetup& setup, const WorldState& state, std::vector<double>& inputs);
/// The activations at the end of a step.
void advance_activations(const WorldSetup& setup, WorldState& state);

/// Adds the forces of motors to the loads of their bodies.
void add_motor_loads(const WorldSetup& setup, const WorldState& state, JointKinematics& joints, Loads& loads);

/// Fills the blocks of all joints whose bodies are present, with the impulses of `last` as their start. Where the
/// frames are those of `last`, only biases and impulses are new; the bits are the same.
void collect_joints(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints,
                    std::span<const StepBody> bodies, const JointSet& last, std::uint64_t& stamps, JointSet& found);

/// Poses at the end of the step of bodies that do not move freely; those of the start for all others.
void find_end_poses(const WorldSetup& setup, const WorldState& state, std::vector<Pose>& ends);

}  // namespace repose
