// SPDX-License-Identifier: Apache-2.0
// Kernels on single blocks and vectors. The plain lanes that devices use have to give what packs give.
#include <gtest/gtest.h>

#include <cmath>

#include "repose/base/random.h"
#include "repose/math/block_lu.h"
#include "repose/math/fused.h"
#include "repose/math/lanes.h"
#include "repose/math/scalar.h"
#include "repose/math/tangents.h"

namespace repose {
namespace {

constexpr int kSize = 6;
using Packed = Block<Pack, kSize>;
using Plain = Block<Lanes<kSize>, kSize>;

/// A diagonally dominant block, the same in both forms.
void fill(Random& random, Packed& packed, Plain& plain) {
  packed = {}, plain = {};
  for (int c = 0; c < kSize; ++c)
    for (int r = 0; r < kSize; ++r)
      packed.column[c][r] = plain.column[c][r] = (r == c ? 4.0 : 0.0) + random.uniform(-1, 1);
}

void expect_equal(const Packed& packed, const Plain& plain) {
  for (int c = 0; c < kSize; ++c)
    for (int r = 0; r < kSize; ++r) EXPECT_NEAR(packed.column[c][r], plain.column[c][r], 1e-14);
}

struct TwoBlocks : ::testing::Test {
  Random random{5};
  Packed A, B;
  Plain a, b;
  TwoBlocks() { fill(random, A, a), fill(random, B, b); }
};

TEST_F(TwoBlocks, InverseTimesBlockIsTheIdentity) {
  const Packed original = A;
  ASSERT_TRUE(invert(A));
  ASSERT_TRUE(invert(a));
  expect_equal(A, a);
  const Packed minus = minus_product(A, original);
  for (int c = 0; c < kSize; ++c)
    for (int r = 0; r < kSize; ++r) EXPECT_NEAR(minus.column[c][r], r == c ? -1 : 0, 1e-14);
}

TEST_F(TwoBlocks, SingularPivotIsReported) {
  Packed zero{};
  EXPECT_FALSE(invert(zero));
  Plain plain{};
  EXPECT_FALSE(invert(plain));
}

TEST_F(TwoBlocks, ProductsAgreeWithTheirDefinition) {
  Packed C = B;
  Plain c = b;
  subtract_product(C, A, B);
  subtract_product(c, a, b);
  expect_equal(C, c);
  for (int r = 0; r < kSize; ++r) {
    double expected = B.column[2][r];
    for (int k = 0; k < kSize; ++k) expected -= A.column[k][r] * B.column[2][k];
    EXPECT_NEAR(C.column[2][r], expected, 1e-13);
  }
  add_block(C, A);
  add_block(c, a);
  expect_equal(C, c);
  expect_equal(minus_product(A, B), minus_product(a, b));
}

TEST_F(TwoBlocks, SolveOnOneBlock) {
  Pack x{}, y{};
  Lanes<kSize> u, v;
  for (int k = 0; k < kSize; ++k) x[k] = u[k] = random.uniform(-1, 1), y[k] = v[k] = random.uniform(-1, 1);
  const Packed original = A;
  ASSERT_TRUE(invert(A) && invert(a));
  const Pack solved = times(A, x);
  const Lanes<kSize> plain = times(a, u);
  Pack back{};
  subtract_product(back, original, solved);
  subtract_product(y, B, x);
  subtract_product(v, b, u);
  for (int k = 0; k < kSize; ++k) {
    EXPECT_NEAR(solved[k], plain[k], 1e-14);
    EXPECT_NEAR(-back[k], x[k], 1e-14);
    EXPECT_NEAR(y[k], v[k], 1e-14);
  }
}

TEST(Scalars, OrderIsThatOfTheStandardLibrary) {
  EXPECT_FALSE(std::signbit(max_of(0.0, -0.0)));
  EXPECT_TRUE(std::signbit(max_of(-0.0, 0.0)));
  EXPECT_TRUE(std::signbit(min_of(-0.0, 0.0)));
  EXPECT_EQ(clamped(3.0, 0.0, 1.0), 1.0);
  EXPECT_EQ(clamped(-3.0, 0.0, 1.0), 0.0);
  EXPECT_EQ(max_of(1.0, 3.0, 2.0), 3.0);
}

TEST(Fused, RoundingsAreTheOnesWrittenDown) {
  const double e = std::ldexp(1.0, -30);
  // (1 + e)² − (1 + 2e) = e²: only the fused product still has it.
  EXPECT_EQ(fused::dot({1 + e, 1, 0}, {1 + e, -(1 + 2 * e), 0}), e * e);
  EXPECT_EQ(fused::cross({1 + e, 1 + 2 * e, 0}, {1, 1 + e, 0}).z, e * e);
  EXPECT_EQ(fused::plus_scaled({-(1 + 2 * e), 0, 0}, 1 + e, {1 + e, 0, 0}).x, e * e);
  const Mat3 m{{{1 + e, -(1 + 2 * e), 0}, {0, 0, 0}, {0, 0, 0}}};
  EXPECT_EQ(fused::times(m, {1 + e, 1, 0}).x, e * e);
  EXPECT_EQ(fused::transposed_times(transpose(m), {1 + e, 1, 0}).x, e * e);
}

TEST(Tangents, MakeARightHandedFrame) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3 n = normalized({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
    const auto [t1, t2] = tangent_pair(n);
    EXPECT_NEAR(norm(cross(t1, t2) - n), 0, 1e-15);
    EXPECT_NEAR(dot(t1, n), 0, 1e-15);
  }
}

}  // namespace
}  // namespace repose
