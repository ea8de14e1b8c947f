// SPDX-License-Identifier: Apache-2.0
// Random 3×3 Delassus blocks and contact vectors for the property tests of the cone kernels.
#pragma once

#include <algorithm>
#include <cmath>

#include "repose/base/random.h"
#include "repose/math/vec3.h"
#include "repose/set/contact_vec.h"
#include "tests/support/impulses.h"

namespace repose::testing {

/// A random rotation matrix (rows orthonormal).
inline Mat3 random_rotation(Random& random) {
  const auto draw = [&] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1) + 1e-3}; };
  const Vec3 x = normalized(draw());
  const Vec3 z = normalized(cross(x, draw()));
  const Vec3 y = cross(z, x);
  return {{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}}};
}

/// Symmetric, with eigenvalues 1, something between and 10^(−digits), in random directions.
inline Mat3 random_spd(Random& random, double digits) {
  const Mat3 Q = random_rotation(random);
  const Mat3 D = Mat3::diagonal(1.0, std::pow(10.0, -digits * random.uniform()), std::pow(10.0, -digits));
  const Mat3 W = transpose(Q) * D * Q;
  return 0.5 * (W + transpose(W));
}

inline ContactVec random_vec(Random& random, double size = 1.0) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

inline ContactVec times(const Mat3& W, ContactVec x) {
  const Vec3 y = W * Vec3{x.t1, x.t2, x.n};
  return {y.x, y.y, y.z};
}

inline double largest_entry(const Mat3& W) {
  double top = 0;
  for (const auto& row : W.m)
    for (double entry : row) top = std::max(top, std::fabs(entry));
  return top;
}

/// Friction coefficients from none to far beyond any material.
inline constexpr double kFrictions[] = {0, 1e-6, 1e-3, 0.1, 0.3, 0.8, 1, 1.6, 5, 1000};

}  // namespace repose::testing
