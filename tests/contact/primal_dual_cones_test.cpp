// SPDX-License-Identifier: Apache-2.0
// The iterate of the interior-point methods: complementarity, Mehrotra's corrector and steps that stay inside.
#include "repose/contact/primal_dual_cones.h"

#include <gtest/gtest.h>

#include "tests/support/random_block.h"
#include "tests/support/slopes.h"

namespace repose {
namespace {

using testing::lane;
using testing::length;
using testing::random_vec;

constexpr int kBlocks = 13;

ContactVec inside(Random& random) {
  const ContactVec t = random_vec(random);
  return {t.t1, t.t2, tangential_norm(t) + random.uniform(0.01, 1)};
}

/// Lanes past the last block hold numbers of no meaning, infinity included.
struct Iterate {
  PrimalDualCones cones;
  explicit Iterate(std::uint64_t seed) {
    Random random(seed);
    cones.claim(kBlocks);
    for (int i = 0; i < kBlocks; ++i) {
      cones.x.set(i, inside(random)), cones.z.set(i, inside(random));
      cones.dx.set(i, random_vec(random)), cones.dz.set(i, random_vec(random));
    }
    for (int i = kBlocks; i < kLanes * cones.x.packs(); ++i)
      cones.dx.set(i, {HUGE_VAL, 0, -HUGE_VAL}), cones.x.set(i, {0, 0, 1}), cones.z.set(i, {0, 0, 1});
  }
  static PackMask live(int p) { return broadcast(p * kLanes) + Pack{0, 1, 2, 3, 4, 5, 6, 7} < broadcast(kBlocks); }
};

TEST(PrimalDualCones, ComplementarityIsTheSumOverLiveBlocks) {
  const Iterate it(1);
  double total = 0;
  for (int i = 0; i < kBlocks; ++i) total += dot(it.cones.x[i], it.cones.z[i]);
  EXPECT_NEAR(it.cones.total_complementarity(Iterate::live), total, 1e-14 * total);
}

TEST(PrimalDualCones, TheStepEndsAtTheFirstSurface) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Iterate it(seed);
    const double inverse = it.cones.inverse_step(Iterate::live);
    ASSERT_GT(inverse, 0);
    const auto depth = [&](double step) {
      double least = HUGE_VAL;
      for (int i = 0; i < kBlocks; ++i)
        for (const ContactVec y : {it.cones.x[i] + step * it.cones.dx[i], it.cones.z[i] + step * it.cones.dz[i]})
          least = std::min(least, y.n - tangential_norm(y));
      return least;
    };
    EXPECT_NEAR(depth(1 / inverse), 0, 1e-12) << seed;
    EXPECT_GT(depth(0.99 / inverse), 0) << seed;
  }
}

TEST(PrimalDualCones, StepLengthKeepsItsDistanceAndNeverPassesOne) {
  constexpr double share = PrimalDualCones::kToBoundary;
  EXPECT_EQ(PrimalDualCones::step_length(0), 1);
  EXPECT_EQ(PrimalDualCones::step_length(-3), 1);
  EXPECT_EQ(PrimalDualCones::step_length(0.5), 1);
  EXPECT_DOUBLE_EQ(PrimalDualCones::step_length(4), share / 4);
  for (double inverse = 0; inverse < 3; inverse += 0.01) {
    const double step = PrimalDualCones::step_length(inverse);
    EXPECT_LE(step, 1) << inverse;
    EXPECT_LE(step * inverse, share * (1 + 1e-15)) << inverse;
  }
}

TEST(PrimalDualCones, MoveLeavesOtherLanesAlone) {
  Iterate it(3);
  const ContactArray x = it.cones.x, z = it.cones.z;
  it.cones.move(0.25, Iterate::live);
  for (int i = 0; i < kBlocks; ++i) {
    EXPECT_LE(length(it.cones.x[i] - (x[i] + 0.25 * it.cones.dx[i])), 1e-15);
    EXPECT_LE(length(it.cones.z[i] - (z[i] + 0.25 * it.cones.dz[i])), 1e-15);
  }
  for (int i = kBlocks; i < kLanes * x.packs(); ++i) EXPECT_EQ(length(it.cones.x[i] - x[i]), 0) << i;
}

/// (H z) ∘ s + (H z) ∘ (H z) + (H⁻¹ dx) ∘ (H dz) = centre · 1.
TEST(PrimalDualCones, CorrectorSolvesItsEquation) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Iterate it(seed);
    const double centre = 0.1 * static_cast<double>(seed);
    for (int p = 0; p < it.cones.x.packs(); ++p) {
      it.cones.scale(p, Pack{});
      const NesterovTodd<Pack>& H = it.cones.scaling[static_cast<std::size_t>(p)];
      const ContactPack s = it.cones.corrector(p, centre), point = H.root * it.cones.z.pack(p);
      const ContactPack second = jordan(H.inverse_root * it.cones.dx.pack(p), H.root * it.cones.dz.pack(p));
      const ContactPack left = jordan(point, s) + jordan(point, point) + second;
      for (int k = 0; k < kLanes && p * kLanes + k < kBlocks; ++k) {
        const double size = 1 + length(lane(point, k)) * (length(lane(point, k)) + length(lane(s, k)));
        EXPECT_LE(length(lane(left, k) - ContactVec{0, 0, centre}), 1e-13 * size) << seed;
      }
    }
  }
}

/// On the central path the corrector without a direction asks for nothing: x ∘ z = m 1 and centre = m.
TEST(PrimalDualCones, OnTheCentralPathNothingIsCorrected) {
  Iterate it(4);
  it.cones.clear_direction();
  for (int i = 0; i < kBlocks; ++i) {
    const ContactVec x = it.cones.x[i];
    const double det = lorentz_det(x), m = 0.3;
    it.cones.z.set(i, (m / det) * ContactVec{-x.t1, -x.t2, x.n});  // m x⁻¹
  }
  for (int p = 0; p < it.cones.x.packs(); ++p) {
    it.cones.scale(p, Pack{});
    const ContactPack s = it.cones.corrector(p, 0.3);
    for (int k = 0; k < kLanes && p * kLanes + k < kBlocks; ++k) EXPECT_LE(length(lane(s, k)), 1e-13) << k;
  }
}

}  // namespace
}  // namespace repose
