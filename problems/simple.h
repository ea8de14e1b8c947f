// SPDX-License-Identifier: Apache-2.0
// Small problems with closed-form answers: a rod, a ball, a box, a lattice of balls. Ground z = 0 unless said.
#pragma once

#include "problems/structure.h"
#include "repose/base/parameters.h"

namespace repose::problems {

/// Painlevé's rod: a slender rod that leans towards +x, its lower tip sliding towards −x. Acceleration has no
/// consistent contact force for μ > (1 + 3 cos²θ)/(3 sin θ cos θ), at least 4/3; an impulse exists at any μ.
struct RodOptions {
  double angle = 63.434948822922;  ///< of the rod above the ground, degrees; tan = 2 is the worst case
  double mu = 1.6;                 ///< friction coefficient
  double length = 2;               ///< m
  double mass = 1;                 ///< kg
  double slide = 1;  ///< velocity of the tip along the ground, m/s; > 0: away from the side the rod leans to
  double fall = 0;   ///< velocity of the tip into the ground, m/s
  double spin = 0;   ///< angular velocity, rad/s; > 0 raises the rod
};
[[nodiscard]] const Fields<RodOptions>& fields(const RodOptions& options);
[[nodiscard]] Structure rod(const RodOptions& options = {});

/// Ball that lands with backspin. It slips, turns back and ends up rolling at (5 speed + 2 radius spin)/7.
struct BallOptions {
  double radius = 0.25;   ///< m
  double mu = 0.5;        ///< friction coefficient
  double speed = 4;       ///< along x, m/s
  double spin = -200;     ///< about y, rad/s; rolling forwards has spin = speed/radius
  double gap = 0;         ///< height above the ground, m
  double density = 1000;  ///< kg/m³
};
[[nodiscard]] const Fields<BallOptions>& fields(const BallOptions& options);
[[nodiscard]] Structure ball(const BallOptions& options = {});

/// Box on a plane that falls towards +x with the given slope; four contacts. It stays put for μ ≥ slope.
struct BoxOptions {
  double slope = 0;                          ///< tangent of the plane's angle
  double mu = 0.5;                           ///< friction coefficient
  double length = 1, width = 1, height = 1;  ///< m: downhill, across, away from the plane
  double speed = 0;                          ///< downhill, m/s
  double density = 1000;                     ///< kg/m³
};
[[nodiscard]] const Fields<BoxOptions>& fields(const BoxOptions& options);
[[nodiscard]] Structure box(const BoxOptions& options = {});

/// n³ touching balls in a cubic lattice on the ground and against the walls x = 0 and y = 0: 3n²(n−1) + 3n² contacts.
struct LatticeOptions {
  int n = 3;              ///< balls per edge, ≥ 1; 3 gives 81 contacts
  double mu = 0.5;        ///< friction coefficient
  double radius = 0.1;    ///< m
  double density = 2000;  ///< kg/m³
};
[[nodiscard]] const Fields<LatticeOptions>& fields(const LatticeOptions& options);
[[nodiscard]] Structure lattice(const LatticeOptions& options = {});

}  // namespace repose::problems
