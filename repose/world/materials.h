// SPDX-License-Identifier: Apache-2.0
// μ and restitution of every pair of materials, computed once.
#pragma once

#include <vector>

#include "repose/scene/scene.h"

namespace repose {

struct PairLaw {
  double mu = 0, restitution = 0;
};

class PairLaws {
 public:
  PairLaws() = default;
  explicit PairLaws(const Scene& scene);
  /// Whether any pair bounces.
  [[nodiscard]] bool bounce() const { return bounce_; }
  [[nodiscard]] const PairLaw& operator()(int material_a, int material_b) const {
    return laws_[static_cast<std::size_t>(material_a) * count_ + static_cast<std::size_t>(material_b)];
  }
  /// The same with every μ times `friction`.
  [[nodiscard]] PairLaws scaled(double friction) const;

 private:
  std::size_t count_ = 0;
  std::vector<PairLaw> laws_;
  bool bounce_ = false;
};

[[nodiscard]] double combine(Combine rule, double a, double b);

}  // namespace repose
