// SPDX-License-Identifier: Apache-2.0
// Rigid motion, written down a second time: inertia, free rotation, prescribed motions, joints. SI units.
#pragma once

#include <array>
#include <span>

#include "repose/scene/scene.h"
#include "repose/world/body.h"
#include "repose/world/joint.h"

namespace repose::verify {

/// Inverse inertia about the mass centre in world axes; zero about the axes that are held.
[[nodiscard]] Mat3 inverse_inertia(const BodyModel& model, Quat rotation);
/// Radius of gyration, m: a spin times this is a speed.
[[nodiscard]] double gyration(const BodyModel& model);

/// Kinetic energy of a spin about the mass centre, J.
[[nodiscard]] double spin_energy(const BodyModel& model, Quat rotation, Vec3 spin);

/// Rotation vector of a unit quaternion, of length at most π.
[[nodiscard]] Vec3 rotation_vector(Quat q);
[[nodiscard]] Quat turned_by(Vec3 turn, Quat q);

/// Angular velocity of a body after its rotation changed while its angular momentum stayed: L = I ω.
[[nodiscard]] Vec3 spin_after(const BodyModel& model, Quat before, Vec3 spin, Quat after);

/// Moves a body without impulses for h: x + h v, and the free rotation by the splitting that docs/world.md describes.
void move(const BodyModel& model, double h, BodyState& state);

/// Pose of the body's frame at a time; scripted motions cannot be told: the given pose.
[[nodiscard]] Pose prescribed_pose(const Motion& motion, const Pose& start, double time, const Pose& given);

/// Position error of a joint, m; rotations count with the joint's length. Couplings have none of their own.
[[nodiscard]] double joint_gap(const JointModel& joint, std::span<const BodyState> bodies);

/// Error of a coupling, m: its sum of polynomials of joint coordinates, and of distances along its path, beside the
/// stored one and the value it is kept at. 0 for other joints.
[[nodiscard]] double coupling_gap(const JointModel& coupling, double stored, std::span<const JointValues> coordinates,
                                  std::span<const BodyState> bodies);
/// How far the pose that the stored coordinates of a compound stand for is from that of its bodies, m; 0 for other
/// joints.
[[nodiscard]] double compound_gap(const JointModel& joint, const JointValues& stored,
                                  std::span<const BodyState> bodies);
/// How far the stored coordinate of a hinge (rad, whole turns do not count) or a slide (m) is from the poses; 0 for
/// other joints.
[[nodiscard]] double coordinate_error(const JointModel& joint, double stored, std::span<const BodyState> bodies);

}  // namespace repose::verify
