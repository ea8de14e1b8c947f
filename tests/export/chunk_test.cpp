// SPDX-License-Identifier: Apache-2.0
// Blocks of frames come back bit for bit, and damaged ones are refused.
#include "repose/export/chunk.h"

#include <gtest/gtest.h>

#include <random>

#include "repose/base/error.h"

namespace repose::exporter {
namespace {

using Frames = std::vector<std::vector<std::uint32_t>>;

std::string written(const Frames& frames) {
  ChunkWriter out;
  for (const auto& frame : frames) {
    out.begin_frame();
    for (const std::uint32_t word : frame) out.put(word);
  }
  return out.finish();
}

Frames random_frames(std::mt19937& random, int count) {
  Frames frames(static_cast<std::size_t>(count));
  for (auto& frame : frames) {
    frame.resize(random() % 40);
    for (auto& word : frame) word = static_cast<std::uint32_t>(random());
  }
  return frames;
}

TEST(Chunk, FramesOfDifferentLengthsComeBackBitForBit) {
  std::mt19937 random(7);
  for (int k = 0; k < 50; ++k) {
    const Frames frames = random_frames(random, k);
    EXPECT_EQ(read_chunk(written(frames)), frames);
  }
}

TEST(Chunk, WhatDoesNotMoveCostsNothing) {
  std::mt19937 random(3);
  std::vector<std::uint32_t> still(5000);
  for (auto& word : still) word = static_cast<std::uint32_t>(random());
  const std::string once = written({still}), often = written(Frames(100, still));
  EXPECT_LT(often.size(), once.size() + 12000);  // 2 MB more before compression
}

TEST(Chunk, NumbersKeepTheirBits) {
  ChunkWriter out;
  out.begin_frame();
  out.put(-0.1f);
  out.put(0.1);
  const auto words = read_chunk(out.finish()).at(0);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(std::bit_cast<float>(words[0]), -0.1f);
  EXPECT_EQ(std::bit_cast<double>(words[1] | (std::uint64_t{words[2]} << 32)), 0.1);
}

TEST(Chunk, DamageIsRefusedOrHarmless) {
  std::mt19937 random(11);
  const std::string good = written(random_frames(random, 20));
  for (int k = 0; k < 2000; ++k) {
    std::string bad = good;
    for (unsigned i = 0; i <= random() % 4; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    if (k % 3 == 0) bad.resize(random() % bad.size());
    try {
      (void)read_chunk(bad);
    } catch (const InputError&) {
    }
  }
  EXPECT_THROW((void)read_chunk(""), InputError);
  EXPECT_THROW((void)read_chunk(good.substr(0, good.size() / 2)), InputError);
  EXPECT_THROW((void)read_chunk(deflated(std::string("\xff\xff\xff\xff\x01\0\0\0", 8))), InputError);
}

TEST(Base64, KnownTexts) {  // RFC 4648
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace repose::exporter
