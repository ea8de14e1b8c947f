// SPDX-License-Identifier: Apache-2.0
// Anderson acceleration of a fixed-point iteration λ ← T(λ): the next iterate is the affine combination of the last
// images T(λ) whose steps f = T(λ) − λ cancel best.
//
//   θ = argmin ‖f_k − Σ θ_j Δf_j‖,   λ_{k+1} = T(λ_k) − Σ θ_j ΔT_j,   j over the last `depth` iterations
//
// For a linear T this is GMRES with a short memory. Cones and contacts are unknown here; the caller projects.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "repose/set/contact_vec.h"

namespace repose {

class Anderson {
 public:
  static constexpr int kMaxDepth = 16;

  /// Claims memory for `contacts` impulses and the last `depth` iterations, 1 … kMaxDepth.
  void bind(std::size_t contacts, int depth);
  /// Clears the stored iterations, because T has changed or a mix was rejected.
  void reset();
  /// Adds the pair (λ, T(λ)) and writes the mixed iterate to `next`, which may alias either of them.
  void mix(std::span<const ContactVec> lambda, std::span<const ContactVec> image, std::span<ContactVec> next);

 private:
  using Small = std::array<double, kMaxDepth>;
  using Vectors = std::vector<ContactVec>;

  void remember();
  [[nodiscard]] Small weights() const;

  int depth_ = 0, stored_ = 0, newest_ = -1;
  bool has_last_ = false;
  Vectors image_, step_, last_image_, last_step_;
  std::array<Vectors, kMaxDepth> change_of_step_, change_of_image_;  // Δf and ΔT, a ring
  std::array<Small, kMaxDepth> gram_{};                              // Δf_iᵀ Δf_j
};

}  // namespace repose
