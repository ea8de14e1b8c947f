// SPDX-License-Identifier: Apache-2.0
// Baumgarte's stabilisation: overlap beyond the slop becomes a velocity of the contacts, β d/h, instead of a
// displacement. Closed forms of one cube that is sunk into the ground.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

constexpr double kShare = 0.2, kSlop = 1e-3;
constexpr double kFilter = 1e-7;  // m/s: the gap filter shrinks gaps by 1.4e-9 m, the bias turns that into a velocity

Scene sunk_cube(double depth) {
  Scene scene = stack(1, depth);
  scene.baumgarte = kShare, scene.slop = kSlop;
  return scene;
}

TEST(Baumgarte, TheBiasIsTheShareOfTheOverlapBeyondTheSlop) {
  World world(sunk_cube(0.01));
  const StepReport report = world.step();
  EXPECT_EQ(report.status, StepStatus::kSolved);
  EXPECT_EQ(report.recoveries, 0) << "nothing is displaced";
  ASSERT_EQ(world.contacts().size(), 4u);
  const double expected = -kShare * (0.01 - kSlop) / kStep;
  for (const Contact& c : world.contacts()) {
    EXPECT_NEAR(c.bias, expected, kFilter);
    EXPECT_NEAR(c.v.n, -expected, kFilter) << "the velocity that the contact asked for";
  }
}

/// While g h exceeds what the velocity loses in a step, the cube stays on the ground and the overlap shrinks by β.
TEST(Baumgarte, ShallowOverlapShrinksByItsShare) {
  World world(sunk_cube(0.01));
  double beyond = 0.01 - kSlop;
  for (int k = 0; k < 60; ++k, beyond *= 1 - kShare) {
    EXPECT_EQ(world.step().status, StepStatus::kSolved);
    EXPECT_NEAR(world.states()[1].velocity.z, kShare * beyond / kStep, kFilter) << k;
    EXPECT_NEAR(world.states()[1].centre.z, 0.5 - kSlop - (1 - kShare) * beyond, 1e-8) << k;
  }
}

/// The price: the velocity is real. The energy account says how much of it came from nowhere.
TEST(Baumgarte, DeepOverlapThrowsTheCube) {
  const double depth = 0.4, v = kShare * (depth - kSlop) / kStep, mass = 1000;
  World world(sunk_cube(depth));
  const StepReport first = world.step();
  EXPECT_NEAR(first.energy_rise, mass * (0.5 * v * v + kGravity * v * kStep), 1e-6 * mass * v * v);
  double highest = 0;
  for (int k = 0; k < 120; ++k) {
    EXPECT_EQ(world.step().status, StepStatus::kSolved);
    highest = std::max(highest, world.states()[1].centre.z);
  }
  const double steps = std::floor(v / (kGravity * kStep));  // of the flight until the velocity turns
  const double rise = kStep * ((steps + 1) * v - 0.5 * kGravity * kStep * steps * (steps + 1));
  EXPECT_NEAR(highest, 0.5 - depth + rise, 1e-6) << "without Baumgarte it rises to 0.5";
}

TEST(Baumgarte, WithinTheSlopNothingMoves) {
  World world(sunk_cube(0.9 * kSlop));
  run(world, 30);
  EXPECT_NEAR(world.states()[1].centre.z, 0.5 - 0.9 * kSlop, 1e-9);
}

}  // namespace
}  // namespace repose
