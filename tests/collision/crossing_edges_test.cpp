// SPDX-License-Identifier: Apache-2.0
// A bar that lies with its edge across a block crosses two edges of the block's face. When it tilts, one of the
// crossings is closer; both stay contact points, so that the bar does not rock between them.
#include "tests/collision/support.h"

namespace repose::testing {
namespace {

constexpr double kMargin = 0.02;

/// A bar with its lower edge along x', turned by `yaw` about z and tilted by `tilt` about y', `gap` above the origin.
Pose bar_pose(double gap, double yaw, double tilt) {
  const Quat turn = exponential({0, 0, yaw}) * (exponential({0, tilt, 0}) * exponential({0.25 * M_PI, 0, 0}));
  return {rotate(turn, Vec3{0, 0.1, 0.1}) + Vec3{0, 0, gap}, turn};
}

TEST(CrossingEdges, KeepBothPointsWhileTheBarTilts) {
  const Pose block{{0, 0, -0.5}, {}};
  for (const double yaw : {0.1, 0.4, -0.7})
    for (const double gap : {0.0, -1e-4, 1e-3}) {
      TwoBodies bodies(Box{{0.5, 0.5, 0.5}}, Box{{2, 0.1, 0.1}}, kMargin);
      std::vector<std::uint32_t> features;
      for (const double tilt : {0.01, 0.001, -0.001, -0.01}) {
        const Contacts found = bodies.at(block, bar_pose(gap, yaw, tilt));
        ASSERT_EQ(found.points.size(), 2U) << yaw << " " << gap << " " << tilt;
        if (!features.empty()) {
          EXPECT_EQ(found.features(), features);
        }
        features = found.features();
        const double reach = 0.5 / std::cos(yaw), apart = std::abs(found.points[0].gap - found.points[1].gap);
        EXPECT_NEAR(apart, 2 * reach * std::abs(tilt), 1e-3 * reach * std::abs(tilt) + 1e-9);
        EXPECT_NEAR(0.5 * (found.points[0].gap + found.points[1].gap), gap, 2e-4);
      }
    }
}

}  // namespace
}  // namespace repose::testing
