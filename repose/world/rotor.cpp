// SPDX-License-Identifier: Apache-2.0
#include "repose/world/rotor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "repose/shape/mass.h"
#include "repose/world/rotor_kernel.h"

namespace repose {
namespace {

/// Products of inertia below this share of the trace are rounding of an inertia that is meant to be diagonal.
constexpr double kDiagonal = 1e-14;

bool is_diagonal(const Mat3& A) {
  const double small = kDiagonal * trace(A);
  return std::abs(A.m[0][1]) <= small && std::abs(A.m[0][2]) <= small && std::abs(A.m[1][2]) <= small;
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
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return axis_of(I, a) < axis_of(I, b); });
  rotor.i = order[0];
  rotor.middle = order[1];
  rotor.j = order[2];
  rotor.round = I.x == I.y && I.y == I.z;
  return rotor;
}

}  // namespace repose
