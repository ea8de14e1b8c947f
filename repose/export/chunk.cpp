// SPDX-License-Identifier: Apache-2.0
#include "repose/export/chunk.h"

#include <zlib.h>

#include <algorithm>

#include "repose/base/error.h"

namespace repose::exporter {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 30;  // bytes of a block that we would unpack

void append_word(std::string& out, std::uint32_t word) {
  for (int k = 0; k < 4; ++k) out.push_back(static_cast<char>(word >> (8 * k)));
}

std::uint32_t word_at(std::string_view bytes, std::size_t k) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i)
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[4 * k + i])) << (8 * i);
  return word;
}

/// Each word xor-ed with its neighbour in the frame before, from the last frame to the first.
void difference(std::vector<std::uint32_t>& words, const std::vector<std::uint32_t>& sizes) {
  std::size_t end = words.size();
  for (std::size_t f = sizes.size(); f-- > 1;) {
    const std::size_t first = end - sizes[f], before = first - sizes[f - 1];
    for (std::size_t k = 0; k < std::min(sizes[f], sizes[f - 1]); ++k) words[first + k] ^= words[before + k];
    end = first;
  }
}

std::string inflated(std::string_view bytes) {
  z_stream stream{};
  require(inflateInit(&stream) == Z_OK, "chunk: zlib: expected memory for a stream, got none");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK && out.size() < kLargest) {
    const std::size_t done = out.size();
    out.resize(std::max<std::size_t>(4096, 2 * done));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = static_cast<uInt>(out.size() - done);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (status == Z_OK && stream.avail_in == 0 && stream.avail_out > 0) break;
  }
  inflateEnd(&stream);
  require(status == Z_STREAM_END, "chunk: expected a complete zlib stream, got a damaged block");
  return out;
}

}  // namespace

void ChunkWriter::put(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  put(static_cast<std::uint32_t>(bits));
  put(static_cast<std::uint32_t>(bits >> 32));
}

std::string ChunkWriter::finish(int level) {
  return level == kPlain ? finish_plain() : deflated(finish_plain(), level);
}

std::string ChunkWriter::finish_plain() {
  std::string plain;
  plain.reserve(4 * (1 + sizes_.size() + words_.size()));
  append_word(plain, static_cast<std::uint32_t>(sizes_.size()));
  for (const std::uint32_t size : sizes_) append_word(plain, size);
  difference(words_, sizes_);
  for (int plane = 0; plane < 4; ++plane)
    for (const std::uint32_t word : words_) plain.push_back(static_cast<char>(word >> (8 * plane)));
  sizes_.clear();
  words_.clear();
  return plain;
}

std::vector<std::vector<std::uint32_t>> read_chunk(std::string_view block) {
  const std::string plain = inflated(block);
  const auto check = [](bool fine) { require(fine, "chunk: expected as many words as it says, got a damaged block"); };
  check(plain.size() >= 4 && plain.size() % 4 == 0);
  const std::size_t all = plain.size() / 4, frames = word_at(plain, 0);
  check(frames < all);
  const std::size_t count = all - 1 - frames;
  const std::string_view planes = std::string_view(plain).substr(4 * (1 + frames));
  std::vector<std::vector<std::uint32_t>> list(frames);
  std::size_t used = 0;
  for (std::size_t f = 0; f < frames; ++f) {
    const std::size_t size = word_at(plain, 1 + f);
    check(size <= count - used);
    list[f].resize(size);
    for (std::size_t k = 0; k < size; ++k, ++used) {
      std::uint32_t word = f > 0 && k < list[f - 1].size() ? list[f - 1][k] : 0;
      for (std::size_t plane = 0; plane < 4; ++plane)
        word ^= static_cast<std::uint32_t>(static_cast<unsigned char>(planes[plane * count + used])) << (8 * plane);
      list[f][k] = word;
    }
  }
  check(used == count);
  return list;
}

std::string deflated(std::string_view bytes, int level) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), level);
  require(status == Z_OK, "chunk: zlib: expected to compress ", bytes.size(), " bytes, got error ", status);
  out.resize(size);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t three = 0;
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - k);
    for (std::size_t i = 0; i < 3; ++i)
      three = (three << 8) | (i < here ? static_cast<unsigned char>(bytes[k + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out.push_back(i <= here ? kDigits[(three >> (18 - 6 * i)) & 63] : '=');
  }
  return out;
}

}  // namespace repose::exporter
