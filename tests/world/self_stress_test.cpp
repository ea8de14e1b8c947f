// SPDX-License-Identifier: Apache-2.0
// Irregular grains with μ = 1 jam: their impulses may hold a self-stress of any size, and a residual is a share of all
// impulses. What it leaves has to be small beside the grains themselves.  [decision 047]
#include <gtest/gtest.h>

#include "repose/scene/load.h"
#include "repose/world/world.h"

namespace repose {
namespace {

/// 72 grains poured onto 37 glued ones, four at a time.
World jammed_grains(double tolerance) {
  WorldOptions options;
  options.solver.tolerance = tolerance;
  return World(load_scene(REPOSE_SOURCE_DIR "/tests/world/jammed_grains.json").scene, options);
}

/// Before the remainder was looked at, step 100 ended this run: impulses with a residual of 1e-5 threw a grain.
TEST(SelfStress, NoStepThatCountsAsSolvedThrowsAGrain) {
  World world = jammed_grains(1e-5);
  for (int k = 0; k < 110; ++k) {
    const StepReport report = world.step();
    ASSERT_NE(report.status, StepStatus::kBroken) << k << ": " << report.why;
    if (report.status != StepStatus::kSolved) continue;
    EXPECT_LE(report.remainder, 0.01) << k;
    EXPECT_LE(report.energy_rise, 1e-4) << k
                                        << ", J; the energy of a grain that falls by a tenth of its size is 9e-3 J";
    EXPECT_EQ(report.imprecise_islands, 0) << k;
  }
}

}  // namespace
}  // namespace repose
