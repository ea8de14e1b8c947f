// SPDX-License-Identifier: Apache-2.0
// Steps that must be solved and leave the joints where they are.
#pragma once

#include <gtest/gtest.h>

#include "repose/world/world.h"

namespace repose {

inline void run(World& world, int steps) {
  for (int k = 0; k < steps; ++k) {
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved) << k;
    ASSERT_LE(report.joint_error, 1e-10) << k;
  }
}

}  // namespace repose
