// SPDX-License-Identifier: Apache-2.0
// Houses of cards and arches, simulated: what must stand stands without creep, what must fall falls.
#include <cmath>

#include "scenes/arch.h"
#include "scenes/cards.h"
#include "tests/law/scene_run.h"

namespace repose::testing {
namespace {

void expect_ground_carries_the_weight(const SceneRun& run, const Summary& summary) {
  const double carried = weight(run.world);
  EXPECT_NEAR(summary.ground.z, -carried, 1e-6 * carried);
}

// ---- §5a closed houses

class ClosedHouse : public ::testing::TestWithParam<int> {};

TEST_P(ClosedHouse, StandsForTenSeconds) {
  const int levels = GetParam();
  SceneRun run(scenes::cards({.levels = levels}));
  run.seconds(10);
  const Summary s = run.summary();
  run.expect_certified();
  EXPECT_LE(largest_displacement(s), levels <= 5 ? 1e-4 : levels <= 10 ? 1e-3 : 5e-3);
  EXPECT_LE(last_second_speed(s), 1e-9);
  EXPECT_LE(s.outer.median, 10);
  EXPECT_LE(s.penetration, run.world.scene().slop);
  EXPECT_LE(s.energy_rise, 1e-9 * std::abs(s.energy_start));
  expect_ground_carries_the_weight(run, s);
}

INSTANTIATE_TEST_SUITE_P(Levels, ClosedHouse, ::testing::Values(4, 5, 10, 20),
                         [](const auto& levels) { return std::to_string(levels.param); });

TEST(WorldCards, FallsBelowTheStaticLimit) {
  SceneRun run(scenes::cards({.levels = 4, .mu = 0.38}));
  run.seconds(5);
  EXPECT_GT(largest_displacement(run.summary()), 1);
  run.expect_certified();
}

/// One tent for 5 s: stands at the larger μ, falls at the smaller.
void expect_tent_limit_between(double falls_at, double stands_at, const char* edge_normal) {
  SceneRun stands(scenes::cards({.levels = 1, .mu = stands_at, .edge_normal = edge_normal})),
      falls(scenes::cards({.levels = 1, .mu = falls_at, .edge_normal = edge_normal}));
  stands.seconds(5);
  falls.seconds(5);
  EXPECT_LE(largest_displacement(stands.summary()), 1e-4);
  EXPECT_GT(largest_displacement(falls.summary()), 0.5);
  stands.expect_certified();
  falls.expect_certified();
}

TEST(WorldCards, OneTentStandsOnTheHorizontalNormalOnly) { expect_tent_limit_between(0.2, 0.25, "bisecting"); }

/// Normals of faces at the apex need μ ≥ tan 25° = .4663 there, whatever the number of levels; horizontal ones .404
/// here.
TEST(WorldCards, OnFaceNormalsTheLimitIsTheTiltsTangent) {
  SceneRun stands(scenes::cards({.levels = 4, .mu = 0.48, .edge_normal = "face"})),
      falls(scenes::cards({.levels = 4, .mu = 0.45, .edge_normal = "face"})),
      halving(scenes::cards({.levels = 4, .mu = 0.45}));
  stands.seconds(8);
  falls.seconds(5);
  halving.seconds(5);
  EXPECT_LE(largest_displacement(stands.summary()), 1e-4);
  EXPECT_GT(largest_displacement(falls.summary()), 1);
  EXPECT_LE(largest_displacement(halving.summary()), 1e-4);
  for (const SceneRun* run : {&stands, &falls, &halving}) run->expect_certified();
}

TEST(WorldCards, OneTentOnFaceNormalsHasTheSameLimit) { expect_tent_limit_between(0.464, 0.468, "face"); }

TEST(WorldCards, OtherTiltsStand) {
  for (const double tilt : {15.0, 20.0, 28.0}) {
    SceneRun run(scenes::cards({.levels = 4, .tilt = tilt}));
    run.seconds(5);
    EXPECT_LE(largest_displacement(run.summary()), 1e-4) << tilt;
    run.expect_certified();
  }
}

TEST(WorldCards, ShakenStartsStand) {
  for (const int seed : {1, 2, 3, 4, 5}) {
    SceneRun run(scenes::cards({.levels = 4, .shake = 1e-4, .seed = seed}));
    run.seconds(5);
    EXPECT_LE(largest_displacement(run.summary()), 0.05) << seed;
    run.expect_certified();
  }
}

// ---- §5b the data set's house

TEST(WorldCards, DataSetHouseSettlesAndStands) {
  SceneRun run(scenes::cards({.levels = 4, .variant = "dataset"}));
  run.seconds(2);
  const double drop = largest_displacement(run.summary());
  const std::vector<BodyState> settled(run.world.states().begin(), run.world.states().end());
  run.seconds(4.7);
  double moved = 0;
  for (std::size_t b = 0; b < settled.size(); ++b)
    moved = std::max(moved, norm(run.world.states()[b].centre - settled[b].centre));
  const Summary s = run.summary();
  EXPECT_GE(drop, 0.25);
  EXPECT_LE(drop, 0.40);
  EXPECT_LE(moved, 1e-3);
  for (const BodyOutcome& card : s.final) EXPECT_LE(card.tilt_deg, 5) << card.name;
  run.expect_certified();
}

TEST(WorldCards, DataSetHouseOnFaceNormals) {
  SceneRun run(scenes::cards({.levels = 4, .variant = "dataset", .edge_normal = "face"}));
  run.seconds(2);
  const double drop = largest_displacement(run.summary());
  EXPECT_GE(drop, 0.25);
  EXPECT_LE(drop, 0.40);
  run.seconds(4);
  EXPECT_NEAR(largest_displacement(run.summary()), drop, 1e-3);
  run.expect_certified();
}

/// The limit is that of the closed house, tan 25° = .466: the settled cards lean as they did. (A planar model fell at
/// .62. That is the sweeps' doing, not the normals': with 30 to 50 sweeps from zero, which leave r_c at 1e-2, this
/// house falls at .5 with either normal; see docs/collision.md.)
TEST(WorldCards, DataSetHouseOnFaceNormalsFallsBelowTheTiltsTangent) {
  SceneRun stands(scenes::cards({.levels = 4, .variant = "dataset", .mu = 0.48, .edge_normal = "face"})),
      falls(scenes::cards({.levels = 4, .variant = "dataset", .mu = 0.45, .edge_normal = "face"})),
      halving(scenes::cards({.levels = 4, .variant = "dataset", .mu = 0.4}));
  for (SceneRun* run : {&stands, &falls, &halving}) run->seconds(6);
  EXPECT_LE(largest_displacement(stands.summary()), 0.4);
  EXPECT_GT(largest_displacement(falls.summary()), 3);
  EXPECT_LE(largest_displacement(halving.summary()), 0.4);
  for (const SceneRun* run : {&stands, &falls, &halving}) run->expect_certified();
}

/// With the bisecting normal where edges meet ours stands at .36 and falls at .33. What happens at .5 is printed.
TEST(WorldCards, DataSetHouseCollapsesOnSlipperyCards) {
  SceneRun run(scenes::cards({.levels = 4, .variant = "dataset", .mu = 0.3}));
  run.seconds(6);
  EXPECT_GT(largest_displacement(run.summary()), 3);
  run.expect_certified();
  SceneRun rougher(scenes::cards({.levels = 4, .variant = "dataset", .mu = 0.5}));
  rougher.seconds(6);
}

TEST(WorldCards, ProjectilesBreakTheHouseInPart) {
  SceneRun run(scenes::cards({.levels = 4, .variant = "dataset", .projectiles = true}));
  run.seconds(6.7);
  const std::vector<BodyState> before(run.world.states().begin(), run.world.states().end());
  double deepest = 0;
  for (int k = 0; k < 378; ++k) deepest = std::max(deepest, run.step().penetration);
  int moved = 0;
  double kinetic = 0;
  for (std::size_t b = 0; b < before.size(); ++b) {
    const BodyState& now = run.world.states()[b];
    const bool card = run.world.scene().bodies[b].present && run.world.models()[b].kind == BodyKind::kDynamic;
    if (card && norm(now.centre - before[b].centre) > 2.5 / 4) ++moved;
    if (run.world.models()[b].kind == BodyKind::kDynamic)
      kinetic += 0.5 * run.world.models()[b].mass * dot(now.velocity, now.velocity);
  }
  EXPECT_GE(moved, 2);
  EXPECT_LE(moved, 14);
  EXPECT_LE(kinetic, 1);
  EXPECT_EQ(run.unsolved, 0);
  EXPECT_LE(run.outside_cone, 1e-12);
  EXPECT_LE(deepest, 0.035 / 2);
}

// ---- §6 arches

class ClosedArch : public ::testing::TestWithParam<int> {};

TEST_P(ClosedArch, StandsForTenSeconds) {
  const int stones = GetParam();
  SceneRun run(scenes::arch({.stones = stones}));
  run.seconds(10);
  const Summary s = run.summary();
  run.expect_certified();
  EXPECT_LE(largest_displacement(s), stones == 25 ? 1e-4 : 1e-3);
  EXPECT_LE(last_second_speed(s), 1e-9);
  EXPECT_LE(s.penetration, run.world.scene().slop);
  EXPECT_LE(s.energy_rise, 1e-9 * std::abs(s.energy_start));
  expect_ground_carries_the_weight(run, s);
}

INSTANTIATE_TEST_SUITE_P(Stones, ClosedArch, ::testing::Values(25, 101, 501),
                         [](const auto& stones) { return std::to_string(stones.param); });

TEST(WorldArch, StandsAndFallsAtTheLimitOfFriction) {
  SceneRun stands(scenes::arch({.mu = 0.106})), falls(scenes::arch({.mu = 0.100})), slides(scenes::arch({.mu = 0.08}));
  stands.seconds(10);
  falls.seconds(10);
  slides.seconds(3);
  EXPECT_LE(largest_displacement(stands.summary()), 1e-3);
  EXPECT_GT(largest_displacement(falls.summary()), 1);
  EXPECT_GT(largest_displacement(slides.summary()), 0.5);
  for (const SceneRun* run : {&stands, &falls, &slides}) run->expect_certified();
}

TEST(WorldArch, ExplodedArchSettles) {
  SceneRun run(scenes::arch({.variant = "exploded"}));
  const int crown = run.body("stone-13");
  EXPECT_NEAR(run.state(crown).centre.z, 62.358, 0.01);
  run.seconds(3);
  const double settled = run.state(crown).centre.z;
  run.seconds(17);
  EXPECT_NEAR(settled, 60.61, 0.05);
  EXPECT_NEAR(run.state(crown).centre.z, settled, 0.01);
  EXPECT_LE(std::abs(run.state(crown).centre.x), 0.08);
  run.expect_certified();
}

TEST(WorldArch, SemicircleByTheory) {
  SceneRun stands(scenes::arch({.variant = "semicircle", .mu = 0.25})),
      slips(scenes::arch({.variant = "semicircle", .mu = 0.24})),
      hinges(scenes::arch({.variant = "semicircle", .mu = 0.8, .thickness = 0.07}));
  stands.seconds(10);
  slips.seconds(4);
  hinges.seconds(2);
  EXPECT_LE(largest_displacement(stands.summary()), 1e-3);
  EXPECT_GT(largest_displacement(slips.summary()), 1);
  EXPECT_GT(largest_displacement(hinges.summary()), 0.5) << "too thin: hinges, not slip";
  for (const SceneRun* run : {&stands, &slips, &hinges}) run->expect_certified();
}

TEST(WorldArch, ProjectilesDoNotMoveTheCrown) {
  for (const char* variant : {"closed", "semicircle"}) {
    SceneRun run(scenes::arch({.variant = variant, .projectiles = true}));
    run.seconds(15);
    const Summary s = run.summary();
    double stones = 0;
    for (const BodyOutcome& body : s.final)
      if (body.name.starts_with("stone")) stones = std::max(stones, body.max_displacement);
    EXPECT_LE(stones, 1e-3) << variant;
    run.expect_certified();
  }
}

TEST(WorldArch, FallsWithoutAStone) {
  SceneRun run(scenes::arch({.remove = 13}));
  run.seconds(4);
  EXPECT_GT(largest_displacement(run.summary()), 1);
  run.expect_certified();
}

}  // namespace
}  // namespace repose::testing
