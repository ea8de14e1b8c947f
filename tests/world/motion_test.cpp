// SPDX-License-Identifier: Apache-2.0
#include "repose/world/motion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace repose {
namespace {

const Pose kStart{{1, 2, 3}, exponential({0, 0, 0.5})};

TEST(Motion, LogarithmInvertsTheExponential) {
  for (const double size : {0.0, 1e-9, 1e-5, 0.3, 2.0, 3.1}) {
    const Vec3 angle = size * normalized(Vec3{1, -2, 0.5}), back = logarithm(exponential(angle));
    EXPECT_NEAR(norm(back - angle), 0, 1e-15 + 1e-14 * size) << size;
  }
}

TEST(Motion, ConstantVelocity) {
  const Pose pose = pose_at(ConstantMotion{{1, 0, -2}, {0, 0, 2}}, kStart, 1.5);
  EXPECT_DOUBLE_EQ(pose.position.x, 2.5);
  EXPECT_DOUBLE_EQ(pose.position.z, 0);
  EXPECT_NEAR(logarithm(pose.rotation).z, 0.5 + 3 - 2 * std::acos(-1.0), 1e-14);
}

/// ω(t) = W s²(3 − 2s): the pose's difference quotient, and half of the full angle during the ramp.
TEST(Motion, RampIsTheIntegralOfItsVelocity) {
  const RampMotion ramp{{}, {0, 0, 5}, 2};
  const auto angle = [&](double t) { return logarithm(pose_at(ramp, Pose{}, t).rotation).z; };
  for (const double t : {0.3, 1.0, 1.7}) {
    const double s = t / 2, e = 1e-5;
    EXPECT_NEAR((angle(t + e) - angle(t - e)) / (2 * e), 5 * s * s * (3 - 2 * s), 1e-6) << t;
  }
  const RampMotion slow{{3, 0, 0}, {}, 2};
  EXPECT_DOUBLE_EQ(pose_at(slow, Pose{}, 2).position.x, 3);  // half of 3 m/s × 2 s
  EXPECT_DOUBLE_EQ(pose_at(slow, Pose{}, 2.5).position.x, 4.5);
  EXPECT_DOUBLE_EQ(pose_at(slow, Pose{}, -1).position.x, 0);
}

TEST(Motion, TableIsHeldOutsideAndLinearInside) {
  const TableMotion table{{1, 3}, {{{0, 0, 0}, {}}, {{4, 0, 0}, exponential({0, 0, 1})}}};
  EXPECT_EQ(pose_at(table, kStart, 0).position.x, 0);
  EXPECT_DOUBLE_EQ(pose_at(table, kStart, 1.5).position.x, 1);
  EXPECT_NEAR(logarithm(pose_at(table, kStart, 1.5).rotation).z, 0.25, 1e-15);
  EXPECT_EQ(pose_at(table, kStart, 9).position.x, 4);
}

TEST(Motion, DisplacementMovesPointsLikeThePoses) {
  const Pose from{{1, -2, 0.5}, normalized({0.9, 0.2, -0.1, 0.3})},
      to{{1.1, -2, 0.6}, normalized({0.9, 0.25, -0.1, 0.2})};
  const Displacement d = displacement(from, to);
  const Vec3 x{4, 5, 6}, expected = to * (inverse(from) * x);
  EXPECT_LE(norm(x + moved_by(d, x) - expected), 1e-14);
}

}  // namespace
}  // namespace repose
