// SPDX-License-Identifier: Apache-2.0
// Numbers of many frames as one compressed block: what the pages read instead of JSON.
//
// A block is a zlib stream of little-endian 32-bit words: the number of frames F, the words in each of the F frames,
// and then all words, each xor-ed with the word at the same place of the frame before, as four planes of bytes (first
// the lowest byte of every word). Numbers that do not change become zeros, which compress well. Between programs on one
// machine the block is not compressed (kPlain).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace repose::exporter {

constexpr int kPlain = -1;  ///< a level: no compression and no zlib stream around it

class ChunkWriter {
 public:
  void begin_frame() { sizes_.push_back(0); }
  void put(std::uint32_t word) {
    words_.push_back(word);
    ++sizes_.back();
  }
  void put(float value) { put(std::bit_cast<std::uint32_t>(value)); }
  /// Low word first.
  void put(double value);
  /// The block; the writer is empty afterwards. `level`: of zlib, or kPlain.
  [[nodiscard]] std::string finish(int level = 6);
  [[nodiscard]] std::string finish_plain();

 private:
  std::vector<std::uint32_t> sizes_, words_;
};

/// The words of each frame of a block. Throws InputError when it is damaged.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> read_chunk(std::string_view block);

[[nodiscard]] std::string deflated(std::string_view bytes, int level = 6);  ///< zlib stream
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace repose::exporter
