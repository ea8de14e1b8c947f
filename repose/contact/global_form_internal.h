// SPDX-License-Identifier: Apache-2.0
// FCLIB's global form, before the velocities of the bodies are eliminated:
//
//   M v = H r + f,   u = Hᵀ v + w     ⇒     W = Hᵀ M⁻¹ H,   q = Hᵀ M⁻¹ f + w
#pragma once

#include <vector>

#include "repose/contact/file_support_internal.h"
#include "repose/contact/problem.h"
#include "repose/contact/sparse_internal.h"

namespace repose::files {

struct GlobalForm {
  Triplets M;                ///< dofs × dofs, mass
  Triplets H;                ///< dofs × 3 contacts, in the file's order of axes
  std::vector<double> f, w;  ///< dofs; 3 contacts, in the file's order of axes
  std::vector<double> mu;
};

/// Returns body form when M is block diagonal with bodies of six (or three) dofs and no contact has more than two of
/// them; otherwise matrix form. Throws through `fault` when M cannot be a mass matrix.
[[nodiscard]] ContactProblem eliminate_velocities(const GlobalForm& global, const FileFault& fault);

}  // namespace repose::files
