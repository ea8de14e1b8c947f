// SPDX-License-Identifier: Apache-2.0
// Where double precision ends above the tolerance, the step says so. [decision 031]
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "repose/world/world.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

/// A cube of 1000 kg/m³ and one `ratio` times as heavy on top of it.
Scene heavy_on_light(double ratio) {
  Scene scene = empty_scene();
  add_ground(scene);
  for (const double density : {1000.0, 1000 * ratio}) {
    const int body = add_shape_body(scene, Box{{0.1, 0.1, 0.1}}, {0, 0, density == 1000 ? 0.1 : 0.3});
    scene.bodies[static_cast<std::size_t>(body)].shapes[0].density = density;
  }
  return scene;
}

struct Counts {
  int solved = 0, rounding = 0, other = 0;
};

Counts run(const Scene& scene, const WorldOptions& options, int steps) {
  World world(scene, options);
  Counts counts;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = world.step();
    const bool named = std::string(report.why).starts_with("rounding: ");
    EXPECT_FALSE(named && report.status == StepStatus::kSolved);
    (report.status == StepStatus::kSolved ? counts.solved : named ? counts.rounding : counts.other) += 1;
    EXPECT_LE(report.certificate.nat, 1e-8) << k;
  }
  for (const std::size_t b : {1U, 2U}) EXPECT_NEAR(world.states()[b].centre.z, b == 1 ? 0.1 : 0.3, 1e-6);
  return counts;
}

TEST(Rounding, IsNamedWhereItIsTheLimit) {
  const Counts light = run(heavy_on_light(1e7), {}, 120);
  EXPECT_EQ(light.solved, 120);
  for (const double ratio : {1e9, 1e10, 1e12}) {
    SCOPED_TRACE(ratio);
    const Counts heavy = run(heavy_on_light(ratio), {}, 120);
    EXPECT_GT(heavy.rounding, 0);
    EXPECT_EQ(heavy.other, 0);
  }
}

/// What another scheme leaves is no rounding.
TEST(Rounding, IsNotBlamedForOthers) {
  Scene scene = heavy_on_light(10);
  scene.bodies.back().velocity = {1, 0, 0};
  WorldOptions options;
  options.solver.outer = NsgsOptions{};
  options.solver.max_iterations = 3;
  World world(scene, options);
  const StepReport report = world.step();
  ASSERT_NE(report.status, StepStatus::kSolved);
  EXPECT_EQ(std::string(report.why), "");
}

}  // namespace
}  // namespace repose
