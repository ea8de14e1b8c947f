// SPDX-License-Identifier: Apache-2.0
// Seeded, local random numbers with the same stream on every platform (std:: distributions differ between libraries).
#pragma once

#include <cstdint>

namespace repose {

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, passes BigCrush, one multiplication-xor chain per draw.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }  ///< in [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

 private:
  std::uint64_t state_;
};

}  // namespace repose
