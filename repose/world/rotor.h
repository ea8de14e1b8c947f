// SPDX-License-Identifier: Apache-2.0
// The free rotation of a rigid body: angular momentum conserved exactly, energy without drift, no iteration.
//
// With the angular momentum l in principal axes and a_k = 1/I_k, the energy splits into three parts whose motions are
// plain rotations,
//   ½ Σ a_k l_k² = ½ a_m |l|² + ½ (a_i − a_m) l_i² + ½ (a_j − a_m) l_j²,   m: the middle moment.
// The first turns the body about its fixed momentum and commutes with the others; those two are composed as
// half i, whole j, half i. Each part is an exact rotation, so the momentum L in world axes does not change at all; the
// composition is symmetric and symplectic, so the energy error oscillates, of the order (ω h)², and does not grow. When
// two moments are equal (spheres, cubes, cylinders, square plates) one part vanishes and the motion is exact for any
// step, and nearly so when they are nearly equal. Otherwise a spin that turns a part far within a step is composed of
// several shorter cycles.
#pragma once

#include "repose/math/pose.h"

namespace repose {

struct Rotor {
  Quat axes;                     ///< principal axes → body axes; identity where the inertia is diagonal already
  Vec3 moments;                  ///< kg m²
  Vec3 inverse, root;            ///< 1/I_k and I_k^-1/2
  int middle = 1, i = 0, j = 2;  ///< places of the moments
  bool round = false;            ///< all moments equal
};

/// From an inertia about the mass centre in body axes; symmetric positive definite.
[[nodiscard]] Rotor make_rotor(const Mat3& inertia);

/// From principal axes and moments, as a recording has them.
[[nodiscard]] Rotor make_rotor(Quat axes, Vec3 moments);

/// L with L Lᵀ = inverse inertia in world axes, for a body turned by `rotation`.
[[nodiscard]] REPOSE_KERNEL Mat3 inverse_inertia_root(const Rotor& rotor, Quat rotation);
[[nodiscard]] REPOSE_KERNEL Vec3 angular_momentum(const Rotor& rotor, Quat rotation, Vec3 angular_velocity);
[[nodiscard]] REPOSE_KERNEL Vec3 angular_velocity(const Rotor& rotor, Quat rotation, Vec3 angular_momentum);
[[nodiscard]] REPOSE_KERNEL double spin_energy(const Rotor& rotor, Quat rotation, Vec3 angular_velocity);  ///< J

/// Angle that the parts may turn the body in one step of the whole, and in one of several cycles, rad. The energy is
/// wrong by up to 1 % at the first, by 0.05 % at the second.
inline constexpr double kCoarseRotorAngle = 0.5, kFineRotorAngle = 0.125;
/// Where one of the two parts hardly turns the body, it need not be mixed with the other in cycles: a thin rod has
/// almost two equal moments. The square of the angle of the slower part, times the ratio of the faster part's rate to
/// that of the middle moment, below which a step has one cycle whatever the faster part turns; the energy is wrong by
/// 0.02 % at most. [docs/decisions/034]
inline constexpr double kSlowRotorAngle = 1e-8;
/// Cycles after which a body counts as exploded: 80 turns within a step.
inline constexpr double kMostRotorCycles = 4096;
/// Returns the number of cycles, before rounding up, that the free rotation takes for h seconds with this angular
/// momentum, kg m²/s.
[[nodiscard]] REPOSE_KERNEL double rotor_cycles(const Rotor& rotor, double h, double momentum);

/// Rotates a body without torque for h seconds.
REPOSE_KERNEL void rotate_freely(const Rotor& rotor, double h, Quat& rotation, Vec3& angular_velocity);

}  // namespace repose
