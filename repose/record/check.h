// SPDX-License-Identifier: Apache-2.0
// Recomputes the certificate of every recorded step from the recording alone: W, v_f and μ from poses, masses, points,
// normals and gaps, the impulses as they were stored. The solver and its own word play no part.
#pragma once

#include "repose/record/recording.h"

namespace repose {

struct StepCheck {
  int step = 0;  ///< counted from 0
  int contacts = 0;
  Certificate recomputed, stored;
  /// Largest difference between the stored velocities after the step and free velocity + M⁻¹ Jᵀ λ, as a share of the
  /// largest of the velocities involved (angular ones as momenta).
  double velocity_error = 0;
  [[nodiscard]] bool solved(double tolerance) const { return recomputed.solved(tolerance); }
  /// Do the stored certificate and the stored velocities follow from the rest of the recording?
  [[nodiscard]] bool agrees() const;
};

/// Throws InputError, starting with the name, when the recording is of poses that another program has found: there is
/// nothing to check.
void require_certificates(const Recording& recording, const std::string& name);
[[nodiscard]] StepCheck check_step(const Recording& recording, int step);

}  // namespace repose
