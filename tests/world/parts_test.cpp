// SPDX-License-Identifier: Apache-2.0
// Materials, islands, schedules and the gap filter, each alone.
#include <gtest/gtest.h>

#include <cmath>

#include "repose/world/gap_filter.h"
#include "repose/world/islands.h"
#include "repose/world/materials.h"
#include "repose/world/schedule.h"

namespace repose {
namespace {

TEST(Materials, CombineRules) {
  EXPECT_EQ(combine(Combine::kGeometricMean, 0.5, 0.5), 0.5);  // to the last bit: μ* sits on the cone
  EXPECT_DOUBLE_EQ(combine(Combine::kGeometricMean, 0.2, 0.8), 0.4);
  EXPECT_EQ(combine(Combine::kMinimum, 0.2, 0.8), 0.2);
  EXPECT_EQ(combine(Combine::kMaximum, 0.2, 0.8), 0.8);
  EXPECT_DOUBLE_EQ(combine(Combine::kAverage, 0.2, 0.8), 0.5);
  EXPECT_DOUBLE_EQ(combine(Combine::kMultiply, 0.2, 0.8), 0.16);
  EXPECT_EQ(combine(Combine::kGeometricMean, 0, 3), 0);
}

TEST(Materials, OverrideWinsInBothOrders) {
  Scene scene;
  scene.materials = {{"ice", 0.1, 0.2}, {"rubber", 0.9, 0.6}};
  scene.overrides = {{0, 1, 0.33, 0.5}};
  const PairLaws laws(scene);
  EXPECT_EQ(laws(0, 1).mu, 0.33);
  EXPECT_EQ(laws(1, 0).restitution, 0.5);
  EXPECT_EQ(laws(1, 1).mu, 0.9);
  EXPECT_EQ(laws(0, 0).restitution, 0.2);
}

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

TEST(Schedule, EventsFireAtTheFirstStepAtOrAfter) {
  Schedule schedule({{6.7, Appear{1}}, {0.02, SetVelocity{2}}, {6.7, Disappear{3}}});
  const double h = 1.0 / 60;
  std::vector<int> fired;
  for (int k = 0; k < 500; ++k) schedule.take_due(k * h, h, [&](const Event&) { fired.push_back(k); });
  EXPECT_EQ(fired, (std::vector<int>{2, 402, 402}));  // 402/60 = 6.7, whatever the rounding
}

TEST(Schedule, PushGivesForceTimesDuration) {
  for (const double duration : {0.2, 0.05, 0.001, 1.0 / 60}) {
    Schedule schedule({{0.1, Push{0, {3, 0, 0}, {0, 0, 1}, duration}}});
    const double h = 1.0 / 60;
    double impulse = 0;
    for (int k = 0; k < 60; ++k) {
      schedule.take_due(k * h, h, [](const Event&) {});
      schedule.push(h, [&](int, Vec3 force, Vec3 torque) {
        EXPECT_DOUBLE_EQ(force.x, 3 * torque.z);
        impulse += h * force.x;
      });
    }
    EXPECT_NEAR(impulse, 3 * duration, 1e-12) << duration;
    EXPECT_TRUE(schedule.pushes().empty());
  }
}

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
