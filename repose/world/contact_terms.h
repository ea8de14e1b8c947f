// SPDX-License-Identifier: Apache-2.0
// The terms of one contact in a contact problem: arms, relative velocity, bias (assemble.h has the equations). Plain
// functions for host and device code. Metres, seconds.
#pragma once

#include "repose/math/scalar.h"
#include "repose/math/vec3.h"

namespace repose {

struct Arms {
  Vec3 a, b;  ///< from the mass centres to the contact point, m
};

/// `position` lies half way between the surfaces. Where only one body moves, either arm ends on the surface of its own
/// body.
REPOSE_HD [[nodiscard]] inline Arms contact_arms(Vec3 position, Vec3 normal, double gap, Vec3 centre_a, Vec3 centre_b,
                                                 bool both_move) {
  if (both_move) return {position - centre_a, position - centre_b};
  const Vec3 half = (0.5 * gap) * normal;
  return {position - half - centre_a, position + half - centre_b};
}

/// Velocity of the point of a body at `arm` from its mass centre, m/s.
REPOSE_HD [[nodiscard]] inline Vec3 point_velocity(Vec3 velocity, Vec3 spin, Vec3 arm) {
  return velocity + cross(spin, arm);
}

/// Bias with which an open gap closes at most, and does not become an overlap, within the step, m/s.
REPOSE_HD [[nodiscard]] inline double closing_bias(double gap, double h) { return max_of(gap, 0.0) / h; }

/// Bias of an impact, e v_n⁻: where the contact closes within this step faster than `bounce_speed`. `before` and `free`
/// are normal velocities without and with gravity and forces, m/s.
REPOSE_HD [[nodiscard]] inline double impact_bias(double closing, double restitution, double before, double free,
                                                  double bounce_speed) {
  return before < -bounce_speed && free + closing < 0 ? restitution * before : closing;
}

/// A row of the Jacobian of a body that is held along some axes of space: impulses do not move it there.
REPOSE_HD [[nodiscard]] inline Vec3 without_held(Vec3 row, bool x, bool y, bool z) {
  return {x ? 0 : row.x, y ? 0 : row.y, z ? 0 : row.z};
}

}  // namespace repose
