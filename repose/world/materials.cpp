// SPDX-License-Identifier: Apache-2.0
#include "repose/world/materials.h"

#include <algorithm>
#include <cmath>

namespace repose {

double combine(Combine rule, double a, double b) {
  switch (rule) {
    // √a·√b is not exactly a for a = b.
    case Combine::kGeometricMean: return a == b ? a : std::sqrt(a * b);
    case Combine::kMinimum: return std::min(a, b);
    case Combine::kMaximum: return std::max(a, b);
    case Combine::kAverage: return a == b ? a : 0.5 * (a + b);
    case Combine::kMultiply: return a * b;
  }
  return 0;
}

PairLaws::PairLaws(const Scene& scene) : count_(scene.materials.size()), laws_(count_ * count_) {
  for (std::size_t a = 0; a < count_; ++a)
    for (std::size_t b = 0; b < count_; ++b) {
      const Material &p = scene.materials[a], &q = scene.materials[b];
      laws_[a * count_ + b] = {combine(scene.combine, p.friction, q.friction), std::max(p.restitution, q.restitution)};
    }
  for (const PairOverride& o : scene.overrides) {
    const auto a = static_cast<std::size_t>(o.material_a), b = static_cast<std::size_t>(o.material_b);
    laws_[a * count_ + b] = laws_[b * count_ + a] = {o.friction, o.restitution};
  }
  bounce_ = std::any_of(laws_.begin(), laws_.end(), [](const PairLaw& law) { return law.restitution > 0; });
}

PairLaws PairLaws::scaled(double friction) const {
  PairLaws laws = *this;
  for (PairLaw& law : laws.laws_) law.mu *= friction;
  return laws;
}

}  // namespace repose
