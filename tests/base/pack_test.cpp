// SPDX-License-Identifier: Apache-2.0
#include "repose/base/pack.h"

#include <gtest/gtest.h>

namespace repose {
namespace {

const Pack kOneToEight = {1, 2, 3, 4, 5, 6, 7, 8};

TEST(Pack, SumsRunAlongOneTree) {
  const Pack x = {1e16, 1, -1e16, 3, 5, 7, 11, 13};
  // Halves are added first, then lanes 0 + 2 and 1 + 3 of what is left.
  const double halves[4] = {1e16 + 5, 1.0 + 7, -1e16 + 11, 3.0 + 13};
  EXPECT_EQ(sum(x), (halves[0] + halves[2]) + (halves[1] + halves[3]));
}

TEST(Pack, ThreeSumsAtOnceAreThreeSums) {
  const Pack x = kOneToEight, y = 2 * kOneToEight, z = kOneToEight * kOneToEight;
  const Quad together = sums(x, y, z);
  EXPECT_EQ(together[0], 36);
  EXPECT_EQ(together[1], 72);
  EXPECT_EQ(together[2], 204);
  EXPECT_EQ(together[3], 0);
}

TEST(Pack, LanesAreReachedByNumber) {
  EXPECT_EQ(largest(-kOneToEight), -1);
  const Pack third = spread<2>(kOneToEight), changed = with_lane<5>(kOneToEight, -1.0);
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(third[lane], 3);
    EXPECT_EQ(changed[lane], lane == 5 ? -1 : lane + 1);
  }
  EXPECT_EQ(low_half(kOneToEight)[3], 4);
  EXPECT_EQ(high_half(kOneToEight)[0], 5);
}

TEST(Pack, PlusAndMinusAProductRoundOnce) {
  const double e = 0x1p-30;  // (1 + e)² − (1 + 2e) = e²: only one rounding leaves it
  const Pack one = broadcast(1 + e), two = broadcast(1 + 2 * e);
  const auto c = in_registers(two), a = in_registers(one);
  Pack plus, minus, of_number;
  store(plus_product(-c, a, a), plus);
  store(minus_product(c, a, 1 + e), minus);
  store(plus_product(-c, a, 1 + e), of_number);
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(plus[lane], e * e);
    EXPECT_EQ(minus[lane], -e * e);
    EXPECT_EQ(of_number[lane], e * e);
  }
  EXPECT_EQ(plus_product(-low_half(two), low_half(one), low_half(one))[3], e * e);
  EXPECT_EQ(minus_product(low_half(two), low_half(one), 1 + e)[0], -e * e);
  EXPECT_EQ(plus_product(-(1 + 2 * e), 1 + e, 1 + e), e * e);
}

TEST(Pack, RegistersHaveTheLanesOfThePack) {
  const auto x = in_registers(kOneToEight);
  Pack back, sixth, changed;
  store(x, back), store(spread<5>(x), sixth), store(with_lane<2>(with_lane<6>(x, -1.0), -2.0), changed);
  for (int k = 0; k < kLanes; ++k) {
    EXPECT_EQ(back[k], k + 1);
    EXPECT_EQ(sixth[k], 6);
    EXPECT_EQ(changed[k], k == 6 ? -1 : k == 2 ? -2 : k + 1);
  }
  EXPECT_EQ(lane<1>(x), 2);
  EXPECT_EQ(lane<7>(x), 8);
  EXPECT_EQ(sum(x), 36);
  EXPECT_EQ(sums(x, x * 2, x * x)[2], 204);
  EXPECT_EQ(sum((x + x) - x), sum(-(-x)));
}

TEST(Pack, OneTextServesOneNumberAndEight) {
  const Pack x = kOneToEight - 4.5, y = broadcast(0.25);
  const Pack chosen = select(x > y, root(larger(x, y)), smaller(x, y));
  for (int lane = 0; lane < kLanes; ++lane)
    EXPECT_EQ(chosen[lane], select(x[lane] > y[lane], root(larger(x[lane], y[lane])), smaller(x[lane], y[lane])));
  EXPECT_EQ(filled<Pack>(0.5)[7], filled<double>(0.5));
}

}  // namespace
}  // namespace repose
