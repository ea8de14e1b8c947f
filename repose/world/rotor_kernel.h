// SPDX-License-Identifier: Apache-2.0
// Definitions of the functions in rotor.h that run once per body and step: for one source of the host library, and for
// device sources.
#pragma once

#include <cmath>

#include "repose/world/rotor.h"

namespace repose {
namespace {

REPOSE_HD double& axis_of(Vec3& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }
REPOSE_HD double axis_of(const Vec3& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

REPOSE_HD Vec3 scaled(Vec3 by, Vec3 v) { return {by.x * v.x, by.y * v.y, by.z * v.z}; }

/// Turns the body about its own axis k by `angle`, and the momentum seen from the body the other way.
REPOSE_HD void turn(Quat& attitude, Vec3& l, int k, double angle) {
  if (angle == 0) return;
  Vec3 axis;
  axis_of(axis, k) = angle;
  const Quat by = exponential(axis);
  attitude = attitude * by;
  l = rotate_back(by, l);
}

}  // namespace

REPOSE_KERNEL Mat3 inverse_inertia_root(const Rotor& rotor, Quat rotation) {
  Mat3 L = to_matrix(rotation * rotor.axes);
  for (auto& row : L.m) {
    row[0] *= rotor.root.x;
    row[1] *= rotor.root.y;
    row[2] *= rotor.root.z;
  }
  return L;
}

REPOSE_KERNEL Vec3 angular_momentum(const Rotor& rotor, Quat rotation, Vec3 angular_velocity) {
  const Quat attitude = rotation * rotor.axes;
  return rotate(attitude, scaled(rotor.moments, rotate_back(attitude, angular_velocity)));
}

REPOSE_KERNEL Vec3 angular_velocity(const Rotor& rotor, Quat rotation, Vec3 angular_momentum) {
  const Quat attitude = rotation * rotor.axes;
  return rotate(attitude, scaled(rotor.inverse, rotate_back(attitude, angular_momentum)));
}

REPOSE_KERNEL double spin_energy(const Rotor& rotor, Quat rotation, Vec3 angular_velocity) {
  const Vec3 w = rotate_back(rotation * rotor.axes, angular_velocity);
  return 0.5 * dot(w, scaled(rotor.moments, w));
}

REPOSE_KERNEL double rotor_cycles(const Rotor& rotor, double h, double momentum) {
  const double a_m = axis_of(rotor.inverse, rotor.middle);
  const double apart_i = axis_of(rotor.inverse, rotor.i) - a_m, apart_j = a_m - axis_of(rotor.inverse, rotor.j);
  const double fast = max_of(apart_i, apart_j), angle = h * momentum * fast;
  const double slow = h * momentum * min_of(apart_i, apart_j);
  const bool is_exact = rotor.round || apart_i == 0 || apart_j == 0 || slow * slow * fast <= kSlowRotorAngle * a_m;
  return is_exact || !(angle > kCoarseRotorAngle) ? 1.0 : angle / kFineRotorAngle;
}

REPOSE_KERNEL void rotate_freely(const Rotor& rotor, double h, Quat& rotation, Vec3& angular_velocity) {
  if (rotor.round) {
    rotation = normalized(exponential(h * angular_velocity) * rotation);
    return;
  }
  Quat attitude = rotation * rotor.axes;
  Vec3 l = scaled(rotor.moments, rotate_back(attitude, angular_velocity));
  const double a_m = axis_of(rotor.inverse, rotor.middle);
  const Quat about_momentum = exponential(h * a_m * rotate(attitude, l));
  const int cycles = static_cast<int>(min_of(std::ceil(rotor_cycles(rotor, h, norm(l))), kMostRotorCycles));
  const double part = h / cycles;
  const double c_i = part * (axis_of(rotor.inverse, rotor.i) - a_m),
               c_j = part * (axis_of(rotor.inverse, rotor.j) - a_m);
  for (int k = 0; k < cycles; ++k) {
    turn(attitude, l, rotor.i, 0.5 * c_i * axis_of(l, rotor.i));
    turn(attitude, l, rotor.j, c_j * axis_of(l, rotor.j));
    turn(attitude, l, rotor.i, 0.5 * c_i * axis_of(l, rotor.i));
  }
  attitude = normalized(about_momentum * attitude);
  rotation = normalized(attitude * conjugate(rotor.axes));
  angular_velocity = rotate(attitude, scaled(rotor.inverse, l));
}

}  // namespace repose
