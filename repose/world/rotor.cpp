// SPDX-License-Identifier: Apache-2.0
#include "repose/world/rotor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "repose/shape/mass.h"

namespace repose {
namespace {

/// Products of inertia below this share of the trace are rounding of an inertia that is meant to be diagonal.
constexpr double kDiagonal = 1e-14;

double& at(Vec3& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }
double at(const Vec3& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

bool is_diagonal(const Mat3& A) {
  const double small = kDiagonal * trace(A);
  return std::abs(A.m[0][1]) <= small && std::abs(A.m[0][2]) <= small && std::abs(A.m[1][2]) <= small;
}

Vec3 scaled(Vec3 by, Vec3 v) { return {by.x * v.x, by.y * v.y, by.z * v.z}; }

/// Turns the body about its own axis k by `angle`, and the momentum detected_at from the body the other way.
void turn(Quat& attitude, Vec3& l, int k, double angle) {
  if (angle == 0) return;
  Vec3 axis;
  at(axis, k) = angle;
  const Quat by = exponential(axis);
  attitude = attitude * by;
  l = rotate_back(by, l);
}

}  // namespace

Rotor make_rotor(const Mat3& inertia) {
  if (is_diagonal(inertia)) return make_rotor(Quat{}, {inertia.m[0][0], inertia.m[1][1], inertia.m[2][2]});
  const PrincipalInertia principal = principal_inertia(inertia);
  return make_rotor(principal.axes, principal.moments);
}

Rotor make_rotor(Quat axes, Vec3 moments) {
  Rotor rotor;
  rotor.axes = axes;
  rotor.moments = moments;
  const Vec3 I = moments;
  rotor.inverse = {1 / I.x, 1 / I.y, 1 / I.z};
  rotor.root = {1 / std::sqrt(I.x), 1 / std::sqrt(I.y), 1 / std::sqrt(I.z)};
  std::array<int, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return at(I, a) < at(I, b); });
  rotor.i = order[0];
  rotor.middle = order[1];
  rotor.j = order[2];
  rotor.round = I.x == I.y && I.y == I.z;
  return rotor;
}

Mat3 inverse_inertia_root(const Rotor& rotor, Quat rotation) {
  Mat3 L = to_matrix(rotation * rotor.axes);
  for (auto& row : L.m) {
    row[0] *= rotor.root.x;
    row[1] *= rotor.root.y;
    row[2] *= rotor.root.z;
  }
  return L;
}

Vec3 angular_momentum(const Rotor& rotor, Quat rotation, Vec3 angular_velocity) {
  const Quat attitude = rotation * rotor.axes;
  return rotate(attitude, scaled(rotor.moments, rotate_back(attitude, angular_velocity)));
}

Vec3 angular_velocity(const Rotor& rotor, Quat rotation, Vec3 angular_momentum) {
  const Quat attitude = rotation * rotor.axes;
  return rotate(attitude, scaled(rotor.inverse, rotate_back(attitude, angular_momentum)));
}

double spin_energy(const Rotor& rotor, Quat rotation, Vec3 angular_velocity) {
  const Vec3 w = rotate_back(rotation * rotor.axes, angular_velocity);
  return 0.5 * dot(w, scaled(rotor.moments, w));
}

void rotate_freely(const Rotor& rotor, double h, Quat& rotation, Vec3& angular_velocity) {
  if (rotor.round) {
    rotation = normalized(exponential(h * angular_velocity) * rotation);
    return;
  }
  Quat attitude = rotation * rotor.axes;
  Vec3 l = scaled(rotor.moments, rotate_back(attitude, angular_velocity));
  const double a_m = at(rotor.inverse, rotor.middle);
  const Quat about_momentum = exponential(h * a_m * rotate(attitude, l));
  const double c_i = h * (at(rotor.inverse, rotor.i) - a_m), c_j = h * (at(rotor.inverse, rotor.j) - a_m);
  turn(attitude, l, rotor.i, 0.5 * c_i * at(l, rotor.i));
  turn(attitude, l, rotor.j, c_j * at(l, rotor.j));
  turn(attitude, l, rotor.i, 0.5 * c_i * at(l, rotor.i));
  attitude = normalized(about_momentum * attitude);
  rotation = normalized(attitude * conjugate(rotor.axes));
  angular_velocity = rotate(attitude, scaled(rotor.inverse, l));
}

}  // namespace repose
