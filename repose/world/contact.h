// SPDX-License-Identifier: Apache-2.0
// One contact point of a step: geometry, data of its contact problem, and the solution.
#pragma once

#include <cstdint>

#include "repose/contact/body_form.h"
#include "repose/math/vec3.h"
#include "repose/set/block_mode.h"

namespace repose {

/// Velocities are those of b relative to a, impulses act on b (and reversed on a). The frame is (t1, t2, normal) with
/// tangents(normal).
struct Contact {
  int body_a = 0, body_b = 0;          ///< indices into Scene::bodies
  int collider_a = 0, collider_b = 0;  ///< shapes, counted over the whole scene
  std::uint32_t feature = 0;
  ContactMode mode = ContactMode::kOpen;
  Vec3 position, normal;     ///< at the start of the step; half way between the surfaces, from a to b
  double gap = 0;            ///< m, at the start of the step
  double detected_at = 0;    ///< share of the step: 0 at its start; up to 1 for predicted contacts (look-ahead)
  double mu = 0, bias = 0;   ///< friction; term added to the normal free velocity, m/s
  double closing = 0;        ///< the part of the bias that follows from the gap alone, m/s
  double yielded = 0;        ///< the part of the bias that lets a prescribed motion overlap (squeeze_internal.h), m/s
  ContactVec start, lambda;  ///< impulse that the solve started from and found, N·s
  ContactVec v;              ///< relative velocity after the step's impulses, m/s (bias not included)

  [[nodiscard]] SetRef<double> set() const { return {mu}; }  ///< that the impulse lies in
  [[nodiscard]] bool is_predicted() const { return detected_at > 0; }
  [[nodiscard]] Vec3 impulse() const {  ///< on body b, world axes, N·s
    const auto [t1, t2] = tangents(normal);
    return lambda.t1 * t1 + lambda.t2 * t2 + lambda.n * normal;
  }
};

}  // namespace repose
