// SPDX-License-Identifier: Apache-2.0
// Equality to the bit, for results that are re-used only when repeating the computation would repeat them: 0 and −0
// differ, a NaN equals itself.
#pragma once

#include <cstring>
#include <type_traits>

namespace repose {

/// For types without padding.
template <class Value>
[[nodiscard]] inline bool same_bits(const Value& a, const Value& b) {
  static_assert(std::is_trivially_copyable_v<Value>);
  return std::memcmp(&a, &b, sizeof(Value)) == 0;
}

}  // namespace repose
