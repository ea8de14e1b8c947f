// SPDX-License-Identifier: Apache-2.0
// CRC-32 over the bytes of a recording's rows, as zlib computes it: every single changed bit is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace repose::record {

/// Continues a checksum; that of no bytes is 0.
[[nodiscard]] std::uint32_t checksum(std::uint32_t so_far, std::span<const std::byte> bytes);

template <class Value>
[[nodiscard]] std::uint32_t checksum(std::uint32_t so_far, const std::vector<Value>& values) {
  return checksum(so_far, std::as_bytes(std::span(values)));
}
[[nodiscard]] inline std::uint32_t checksum(std::uint32_t so_far, const std::string& text) {
  return checksum(so_far, std::as_bytes(std::span(text)));
}

/// Returns the number that a recording stores for a checksum. 0 is left to rows that were never written.
[[nodiscard]] constexpr std::uint32_t stored_checksum(std::uint32_t sum) { return sum == 0 ? 0xffffffff : sum; }

/// Continues one checksum per row of `width` values.
template <class Value>
void add_rows(std::vector<std::uint32_t>& sums, const std::vector<Value>& values, std::size_t width) {
  const auto bytes = std::as_bytes(std::span(values));
  const std::size_t row = width * sizeof(Value);
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = checksum(sums[k], bytes.subspan(k * row, row));
}

/// The same for groups of counts[k] rows each.
template <class Value>
void add_groups(std::vector<std::uint32_t>& sums, const std::vector<Value>& values, const std::vector<int>& counts,
                std::size_t width) {
  auto bytes = std::as_bytes(std::span(values));
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const std::size_t group = static_cast<std::size_t>(counts[k]) * width * sizeof(Value);
    sums[k] = checksum(sums[k], bytes.first(group));
    bytes = bytes.subspan(group);
  }
}

}  // namespace repose::record
