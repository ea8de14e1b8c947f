// SPDX-License-Identifier: Apache-2.0
// What the residual of a step leaves beside the bodies' own motion is small where impulses have ordinary size.
// [decision 047]
#include <gtest/gtest.h>

#include "repose/world/world.h"
#include "scenes/registry.h"

namespace repose {
namespace {

/// Cubes that are poured, to the default tolerance: a tenth of the limit is never reached.
TEST(Remainder, IsSmallInAHeapOfCubes) {
  World world(scenes::make("pile", {{"count", "60"}}));
  for (int k = 0; k < 120; ++k) {
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved) << k;
    EXPECT_LE(report.remainder, 1e-3) << k;
  }
}

}  // namespace
}  // namespace repose
