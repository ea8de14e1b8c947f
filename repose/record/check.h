// SPDX-License-Identifier: Apache-2.0
// Recomputes the certificate of every recorded step from the recording alone: W, v_f and μ from poses, masses, points,
// normals and gaps, the impulses as stored. Neither the solver nor its own certificate enters the computation.
#pragma once

#include "repose/record/recording.h"

namespace repose {

struct StepCheck {
  int step = 0;  ///< counts from 0
  int contacts = 0;
  Certificate recomputed, stored;
  /// Largest difference between the stored velocities after the step and free velocity + M⁻¹ Jᵀ λ, as a share of the
  /// largest of the velocities involved (angular ones as momenta).
  double velocity_error = 0;
  [[nodiscard]] bool solved(double tolerance) const { return recomputed.solved(tolerance); }
  /// Whether the stored certificate and the stored velocities follow from the rest of the recording.
  [[nodiscard]] bool agrees() const;
};

/// Throws InputError, which starts with the name, when the recording has only the poses of another program and nothing
/// to check.
void require_certificates(const Recording& recording, const std::string& name);
[[nodiscard]] StepCheck check_step(const Recording& recording, int step);

}  // namespace repose
