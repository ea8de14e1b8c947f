// SPDX-License-Identifier: Apache-2.0
// Drag of a medium against closed forms, with steps far longer than the medium needs to stop a body.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "repose/scene/builder.h"
#include "repose/world/world.h"

namespace repose {
namespace {

/// A cube with edges of 0.2 m and 8 kg that moves along x and turns about z.
Scene cube_in(const Medium& medium, Vec3 gravity) {
  SceneBuilder b("cube");
  const int cube = b.add_body({.velocity = {3, 0, 0}, .angular_velocity = {0, 0, 5}});
  b.add_shape_box(cube, {0.1, 0.1, 0.1});
  Scene scene = b.build();
  scene.medium = medium;
  scene.gravity = gravity;
  return scene;
}

TEST(Medium, ThickHoneyStopsACubeAndDoesNotTurnItBack) {
  World world(cube_in({.density = 1400, .viscosity = 1e4}, {}));
  double speed = 3, spin = 5;
  for (int k = 0; k < 20; ++k) {
    world.step();
    const double v = world.states()[0].velocity.x, w = world.states()[0].angular_velocity.z;
    EXPECT_GE(v, 0), EXPECT_LT(v, 0.01 * speed);
    EXPECT_GE(w, 0), EXPECT_LT(w, 0.05 * spin);
    speed = v, spin = w;
  }
  EXPECT_LT(speed, 1e-12);
}

/// m g = (3 π d η + ½ ρ b² v) v: with a long step as with a short one.
TEST(Medium, ACubeFallsAtItsFinalSpeedAtAnyStep) {
  for (const double dt : {1e-3, 1.0 / 60, 0.2}) {
    Scene scene = cube_in({.density = 1000, .viscosity = 5}, {0, 0, -9.81});
    scene.dt = dt;
    World world(std::move(scene));
    for (int k = 0; k < 4 / dt; ++k) world.step();
    const double slow = 3 * std::numbers::pi * 0.2 * 5, quick = 0.5 * 1000 * 0.04, weight = 8 * 9.81;
    const double wanted = (std::sqrt(slow * slow + 4 * quick * weight) - slow) / (2 * quick);
    EXPECT_NEAR(-world.states()[0].velocity.z, wanted, 1e-9 * wanted) << dt;
  }
}

/// Against v' = −(ρ b²/2m) v², v = v₀/(1 + ρ b² v₀ t/2m), of first order in the step.
TEST(Medium, WaterSlowsACubeAsTheClosedFormSays) {
  const auto error = [](double dt) {
    Scene scene = cube_in({.density = 1000, .viscosity = 0}, {});
    scene.dt = dt;
    World world(std::move(scene));
    const int steps = static_cast<int>(std::lround(1 / dt));
    for (int k = 0; k < steps; ++k) world.step();
    const double wanted = 3 / (1 + 1000 * 0.04 * 3 * 1.0 / (2 * 8));
    return std::abs(world.states()[0].velocity.x - wanted) / wanted;
  };
  const double coarse = error(0.01), fine = error(0.005);
  EXPECT_LT(fine, 0.01);
  EXPECT_NEAR(coarse / fine, 2, 0.1);
}

}  // namespace
}  // namespace repose
