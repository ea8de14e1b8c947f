// SPDX-License-Identifier: Apache-2.0
// The partition of the moving bodies into islands.
#include "repose/world/islands.h"

#include <gtest/gtest.h>

#include <vector>

namespace repose {
namespace {

TEST(Islands, GroundSeparates) {
  // 0 is the ground; 1–2 touch, 4 stands alone, 3 touches nothing, 5–6 touch through 5 only.
  const std::vector<char> moves{0, 1, 1, 1, 1, 1, 1};
  const std::vector<Patch> patches{{0, 1, 0, 4}, {0, 4, 4, 4}, {1, 2, 8, 4}, {5, 6, 12, 1}, {0, 6, 13, 1}};
  Islands islands;
  islands.build(moves, patches);
  ASSERT_EQ(islands.count(), 3);
  const auto list = [](std::span<const int> s) { return std::vector<int>(s.begin(), s.end()); };
  EXPECT_EQ(list(islands.bodies(0)), (std::vector<int>{1, 2}));
  EXPECT_EQ(list(islands.patches(0)), (std::vector<int>{0, 2}));
  EXPECT_EQ(list(islands.bodies(1)), (std::vector<int>{4}));
  EXPECT_EQ(list(islands.patches(1)), (std::vector<int>{1}));
  EXPECT_EQ(list(islands.bodies(2)), (std::vector<int>{5, 6}));
  EXPECT_EQ(list(islands.patches(2)), (std::vector<int>{3, 4}));
  EXPECT_EQ(list(islands.nodes()), (std::vector<int>{-1, 0, 1, -1, 0, 0, 1}));
  islands.build(moves, {});
  EXPECT_EQ(islands.count(), 0);
}

TEST(Islands, ChainIsOneWhateverTheOrder) {
  const std::vector<char> moves(9, 1);
  std::vector<Patch> patches;
  for (const int k : {7, 0, 3, 5, 1, 6, 2, 4}) patches.push_back({k, k + 1, 0, 1});
  Islands islands;
  islands.build(moves, patches);
  ASSERT_EQ(islands.count(), 1);
  EXPECT_EQ(islands.bodies(0).size(), 9U);
  EXPECT_EQ(islands.patches(0).size(), 8U);
}

}  // namespace
}  // namespace repose
