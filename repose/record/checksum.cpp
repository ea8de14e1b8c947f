// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "repose/record/checksum_internal.h"

namespace repose::record {

std::uint32_t checksum(std::uint32_t so_far, std::span<const std::byte> bytes) {
  if (bytes.empty()) return so_far;  // zlib takes a null pointer for a request of the first value
  return static_cast<std::uint32_t>(crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace repose::record
