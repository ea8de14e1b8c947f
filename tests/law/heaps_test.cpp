// SPDX-License-Identifier: Apache-2.0
// Poured, struck and turned heaps from seeds: bodies do not sink into each other, come to rest and gain no energy.
#include <algorithm>
#include <cmath>

#include "scenes/registry.h"
#include "tests/law/scene_run.h"

namespace repose::testing {
namespace {

struct Heap {
  const char *name, *scene;
  ParameterValues values;
  double seconds;
};

std::vector<Heap> heaps() {
  std::vector<Heap> all;
  for (const char* seed : {"1", "2", "3"}) {
    all.push_back({"mixed", "bin", {{"count", "24"}, {"seed", seed}}, 1.5});
    all.push_back({"cubes", "pile", {{"count", "20"}, {"walls", "true"}, {"seed", seed}}, 1.5});
    all.push_back({"cylinders", "bin", {{"count", "16"}, {"grains", "cylinders"}, {"seed", seed}}, 1.5});
    all.push_back({"rubble", "bin", {{"count", "12"}, {"grains", "rubble"}, {"seed", seed}}, 1.5});
  }
  all.push_back({"hopper", "hopper", {{"count", "24"}, {"opening", "0.5"}, {"open_time", "0.5"}}, 1.5});
  all.push_back({"drum", "drum", {{"count", "20"}}, 1.5});
  all.push_back({"house", "cards", {{"levels", "3"}, {"projectiles", "true"}, {"projectile_time", "0"}}, 1.5});
  all.push_back(
      {"wall", "wall", {{"rows", "4"}, {"columns", "4"}, {"projectiles", "true"}, {"projectile_time", "0"}}, 1.5});
  return all;
}

/// Largest overlap as a share of the thinner body, and gains of energy that nothing explains, over a run.
TEST(Heaps, DoNotSinkIntoEachOther) {
  for (const Heap& heap : heaps()) {
    World world(scenes::make(heap.scene, heap.values));
    const double start = std::abs(world.energy()) + 1;
    double share = 0, gained = 0;
    int unsolved = 0;
    const int steps = static_cast<int>(std::lround(heap.seconds / world.scene().dt));
    for (int k = 0; k < steps; ++k) {
      const StepReport report = world.step();
      share = std::max(share, report.overlap_share);
      gained += std::max(0.0, report.energy_rise);
      unsolved += report.status == StepStatus::kUnsolved;
    }
    EXPECT_LE(share, 0.02) << heap.name;
    EXPECT_GT(share, 0.002) << heap.name << ": nothing fell or struck";
    EXPECT_LE(gained, 1e-4 * start) << heap.name;
    EXPECT_EQ(unsolved, 0) << heap.name;
  }
}

/// At rest nothing is displaced and nothing moves.
TEST(Heaps, OfCubesComeToRest) {
  for (const char* seed : {"1", "2", "3"}) {
    World world(scenes::make("pile", {{"count", "20"}, {"walls", "true"}, {"seed", seed}}));
    for (int k = 0; k < 420; ++k) world.step();
    int displaced = 0;
    for (int k = 0; k < 60; ++k) displaced += world.step().recoveries;
    double speed = 0;
    for (const BodyState& s : world.states()) speed = std::max(speed, norm(s.velocity));
    EXPECT_EQ(displaced, 0) << seed;
    EXPECT_LE(speed, 1e-6) << seed;
  }
}

}  // namespace
}  // namespace repose::testing
