// SPDX-License-Identifier: Apache-2.0
// FNV-1a over the bits of plain values: equal states have equal hashes, and one changed bit shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace repose {

class Fnv1a {
 public:
  template <class Value>
  void add(const Value& value) {
    static_assert(std::is_arithmetic_v<Value>, "padding has no defined bits");
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
    for (std::size_t k = 0; k < sizeof(Value); ++k) hash_ = (hash_ ^ bytes[k]) * 0x100000001b3ULL;
  }
  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) add(c);
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace repose
