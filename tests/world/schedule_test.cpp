// SPDX-License-Identifier: Apache-2.0
// Timed events and pushes.
#include "repose/world/schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace repose {
namespace {

TEST(Schedule, EventsFireAtTheFirstStepAtOrAfter) {
  const Schedule schedule({{6.7, Appear{1}}, {0.02, SetVelocity{2}}, {6.7, Disappear{3}}});
  const double h = 1.0 / 60;
  ScheduleProgress progress;
  std::vector<int> fired;
  for (int k = 0; k < 500; ++k) schedule.apply_due(progress, k * h, h, [&](const Event&) { fired.push_back(k); });
  EXPECT_EQ(fired, (std::vector<int>{2, 402, 402}));  // 402/60 = 6.7, whatever the rounding
}

TEST(Schedule, PushGivesForceTimesDuration) {
  for (const double duration : {0.2, 0.05, 0.001, 1.0 / 60}) {
    const Schedule schedule({{0.1, Push{0, {3, 0, 0}, {0, 0, 1}, duration}}});
    const double h = 1.0 / 60;
    ScheduleProgress progress;
    double impulse = 0;
    for (int k = 0; k < 60; ++k) {
      schedule.apply_due(progress, k * h, h, [](const Event&) {});
      apply_pushes(progress, h, [&](int, Vec3 force, Vec3 torque) {
        EXPECT_DOUBLE_EQ(force.x, 3 * torque.z);
        impulse += h * force.x;
      });
    }
    EXPECT_NEAR(impulse, 3 * duration, 1e-12) << duration;
    EXPECT_TRUE(progress.pushes.empty());
  }
}

}  // namespace
}  // namespace repose
