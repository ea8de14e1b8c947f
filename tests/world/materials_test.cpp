// SPDX-License-Identifier: Apache-2.0
// Friction and restitution of pairs of materials.
#include "repose/world/materials.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace repose
