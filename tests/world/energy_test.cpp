// SPDX-License-Identifier: Apache-2.0
// The energy account of a step: closed forms of the energy and of the work from outside.
#include "repose/world/energy_internal.h"

#include <gtest/gtest.h>

#include "tests/support/step_phases.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

TEST(Energy, IsKineticAndPotential) {
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 2}, {3, 0, 0}, {0, 0, 6});  // 1000 kg, 1000/6 kg m²
  const FirstStep step(scene);
  EXPECT_NEAR(mechanical_energy(step.setup, step.state), 0.5 * 1000 * 9 + 0.5 * 1000.0 / 6 * 36 + 1000 * kGravity * 2,
              1e-9);
}

TEST(Energy, CountsDynamicBodiesThatArePresent) {
  Scene scene = stack(2);
  scene.bodies[2].gravity_scale = 0;
  const WorldSetup setup = make_setup(scene, {});
  WorldState state = initial_state(setup);
  EXPECT_NEAR(mechanical_energy(setup, state), 1000 * kGravity * 0.5, 1e-9);
  state.present[1] = false;
  EXPECT_EQ(mechanical_energy(setup, state), 0);
}

/// h (f · v + τ · ω) with the velocities at the end of the step.
TEST(Energy, WorkOfForcesAndTorques) {
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 5});
  scene.bodies[0].force = {7, 0, 0};
  scene.bodies[0].torque = {0, 0, 2};
  FirstStep step(scene);
  step.state.bodies[0].velocity = {3, 1, 0};
  step.state.bodies[0].angular_velocity = {0, 0, 5};
  EXPECT_NEAR(external_work(step.setup, step.data, step.state), kStep * (7 * 3 + 2 * 5), 1e-13);
}

/// A lift that rises with speed u does the work m g u h on a load that rises with it.
TEST(Energy, WorkOfPrescribedMotions) {
  const double speed = 0.3;
  Scene scene = empty_scene();
  add_moving_plate(scene, ConstantMotion{{0, 0, speed}, {}});
  add_cube(scene, 1, {0, 0, 0.5}, {0, 0, speed});
  FirstStep step(scene);
  step.collide();
  step.assemble();
  step.solve();
  EXPECT_NEAR(external_work(step.setup, step.data, step.state), 1000 * kGravity * speed * kStep, 1e-6);
}

/// In a whole step nothing is left over where nothing slides and nothing hits.
TEST(Energy, NothingIsMadeUp) {
  Scene scene = empty_scene();
  scene.gravity = {};
  add_cube(scene, 1, {0, 0, 5}, {1, 0, 0}, {0, 0, 2});
  World world(scene);
  for (int k = 0; k < 10; ++k) EXPECT_NEAR(world.step().energy_rise, 0, 1e-9);
}

}  // namespace
}  // namespace repose
