// SPDX-License-Identifier: Apache-2.0
// Gaps without rounding.
#include "repose/world/gap_filter.h"

#include <gtest/gtest.h>

#include <vector>

namespace repose {
namespace {

std::vector<ContactPoint> patch(const std::vector<double>& gaps) {
  std::vector<ContactPoint> points;
  for (std::size_t k = 0; k < gaps.size(); ++k)
    points.push_back({{k % 2 ? 1.0 : 0.0, k / 2 ? 1.0 : 0.0, 5}, gaps[k], static_cast<std::uint32_t>(k)});
  return points;
}

std::vector<double> filtered(const std::vector<double>& gaps, double noise = 1e-9) {
  std::vector<double> out(gaps.size());
  filter_gaps(patch(gaps), {0, 0, 1}, noise, out);
  return out;
}

TEST(GapFilter, RoundingReadsAsZero) {
  for (const double gap : filtered({3e-12, -5e-13, 2e-12, -1e-12})) EXPECT_EQ(gap, 0);
}

TEST(GapFilter, TiltedPatchBecomesAffine) {
  // 1e-6 m open on one side, with rounding of 1e-11 m on top.
  const std::vector<double> out = filtered({1e-11, 1e-6, -1e-11, 1e-6 + 1e-11});
  EXPECT_NEAR(out[0] + out[3] - out[1] - out[2], 0, 1e-21);  // affine
  EXPECT_NEAR(out[1], 1e-6, 2e-9);
}

TEST(GapFilter, LargeGapsPassAndNothingJumps) {
  const std::vector<double> out = filtered({0.01, 0.02, 0.03, 0.01});  // not affine: edges, not faces
  EXPECT_NEAR(out[2], 0.03, 1e-9);
  EXPECT_NEAR(out[3], 0.01, 1e-9);
  EXPECT_LE(filtered({1.1e-9, 0, 0, 0})[0], 2e-10);
  EXPECT_NEAR(filtered({-1e-3})[0], -1e-3, 1.1e-9);
}

}  // namespace
}  // namespace repose
