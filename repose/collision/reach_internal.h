// SPDX-License-Identifier: Apache-2.0
// Bounds on the distance that two bodies close within a step.
#pragma once

#include <algorithm>

#include "repose/collision/collision.h"

namespace repose::collision {

/// Each body may be stopped by contacts or move freely, m.
[[nodiscard]] inline double closed_between(const Travel& x, const Travel& y) {
  const double closed =
      std::max({norm(x.free - y.free), norm(x.before - y.before), norm(x.free - y.before), norm(x.before - y.free)});
  return closed + x.turn + y.turn;
}

/// The same of bodies that go on as they move now, near a point: within `radius` and `margin` of it, which is at
/// `from_a` and `from_b` from their mass centres. `radius` 0: about a ball, whose rotation moves no surface.
[[nodiscard]] inline double closed_near(Vec3 from_a, const Travel& x, Vec3 from_b, const Travel& y, double radius,
                                        double margin) {
  const Vec3 shift = y.before - x.before + cross(y.angle, from_b) - cross(x.angle, from_a);
  const double spread = radius > 0 ? (radius + margin) * norm(y.angle - x.angle) : 0.0;
  const double forces = norm(x.free - x.before) + norm(y.free - y.before);
  const double turn = std::max(norm(x.angle), norm(y.angle));
  return norm(shift) + spread + forces + 0.5 * turn * turn * (norm(from_a) + norm(from_b) + 2 * radius);
}

}  // namespace repose::collision
