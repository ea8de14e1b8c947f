// SPDX-License-Identifier: Apache-2.0
// The closed house touches everywhere to rounding and overlaps nowhere; variants are what the benchmark page says.
#include "scenes/cards.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/scenes/support.h"

namespace repose::scenes {
namespace {

using testing::corners, testing::find, testing::highest, testing::lowest;

std::string tag(const char* what, int level, int tent) {
  return std::string(what) + "-" + std::to_string(level) + "-" + std::to_string(tent);
}

constexpr double kRounding = 2e-14;  // m, on houses of 50 m

TEST(CardsScene, AHouseOfNLevelsHasAsManyCardsAsItShould) {
  for (int n : {1, 2, 3, 4, 5, 10, 20})
    for (const char* variant : {"closed", "dataset"})
      EXPECT_EQ(testing::count(cards({.levels = n, .variant = variant}), BodyKind::kDynamic), n * (3 * n + 1) / 2);
}

/// x of the card's corners at its lowest or highest height.
double x_where(const SceneBody& card, double height) {
  for (Vec3 c : corners(card))
    if (std::abs(c.z - height) < kRounding) return c.x;
  ADD_FAILURE() << card.name << " has no corner at height " << height;
  return 0;
}

TEST(CardsScene, TentsStandOnTheirInnerEdgesAndLeanEdgeToEdge) {
  for (double tilt : {15.0, 20.0, 25.0, 28.0, 29.0}) {
    const int n = 20;
    const double t = 0.035, th = tilt * std::numbers::pi / 180, s = 2.5 + t / 4;
    const double rise = 2.5 * std::cos(th) + t * std::sin(th);
    const Scene scene = cards({.levels = n, .tilt = tilt});
    for (int level = 0; level < n; ++level)
      for (int j = 0; j < n - level; ++j) {
        const double x = (j - (n - level - 1) / 2.0) * s, base = level * (rise + t), apex = base + 2.5 * std::cos(th);
        const SceneBody &left = find(scene, tag("left", level, j)), &right = find(scene, tag("right", level, j));
        for (const SceneBody* card : {&left, &right}) {
          EXPECT_NEAR(lowest(*card), base, kRounding);
          EXPECT_NEAR(highest(*card), base + rise, kRounding);
        }
        EXPECT_NEAR(x_where(left, base), x - 2.5 * std::sin(th), kRounding);
        EXPECT_NEAR(x_where(right, base), x + 2.5 * std::sin(th), kRounding);
        EXPECT_NEAR(x_where(left, apex), x, kRounding);  // the two inner top edges meet
        EXPECT_NEAR(x_where(right, apex), x, kRounding);
        EXPECT_LE(highest(left, {1, 0, 0}), x + kRounding);
        EXPECT_NEAR(x_where(left, base + rise), x - t * std::cos(th), kRounding);
      }
  }
}

TEST(CardsScene, FlatCardsLieOnTheOuterTopEdgesWithAGapToTheirNeighbours) {
  const Scene scene = cards({.levels = 4});
  const double t = 0.035;
  for (int level = 1; level < 4; ++level)
    for (int j = 0; j < 4 - level; ++j) {
      const SceneBody& flat = find(scene, tag("flat", level, j));
      for (int below : {j, j + 1}) {
        const SceneBody& support = find(scene, tag(below == j ? "right" : "left", level - 1, below));
        EXPECT_NEAR(lowest(flat), highest(support), kRounding);
        const double edge = x_where(support, highest(support));  // the outer edge of that tent lies under the card
        EXPECT_GT(edge, lowest(flat, {1, 0, 0}) + 0.5 * t);
        EXPECT_LT(edge, highest(flat, {1, 0, 0}) - 0.5 * t);
      }
      EXPECT_NEAR(lowest(find(scene, tag("left", level, j))), highest(flat), kRounding);
      if (j > 0) {
        const SceneBody& before = find(scene, tag("flat", level, j - 1));
        EXPECT_NEAR(lowest(flat, {1, 0, 0}) - highest(before, {1, 0, 0}), t / 4, kRounding);
      }
    }
}

TEST(CardsScene, SettingsOfTheBenchmarkPage) {
  const Scene closed = cards(), dataset = cards({.variant = "dataset"});
  EXPECT_EQ(closed.margin, 0.008);
  EXPECT_EQ(dataset.margin, 0.02);
  EXPECT_NEAR(closed.slop, 0.25e-3, 1e-18);
  EXPECT_EQ(closed.materials[0].friction, 0.8);
  const SceneBody& left = find(dataset, "left-0-0");
  EXPECT_NEAR(lowest(left), 0.0754 - 0.5 * 0.035 * std::sin(25 * std::numbers::pi / 180), 1e-4);  // feet in the air
  const SceneBody &a = find(dataset, "flat-1-0"), &b = find(dataset, "flat-1-1");
  EXPECT_NEAR(highest(a, {1, 0, 0}) - lowest(b, {1, 0, 0}), 0.3, 1e-3);  // shingled ends
}

TEST(CardsScene, ProjectilesWaitOutsideTheHouse) {
  for (const char* variant : {"closed", "dataset"}) {
    const Scene scene = cards({.variant = variant, .projectiles = true});
    ASSERT_EQ(scene.events.size(), 4U);
    double left = 0;
    for (const SceneBody& body : scene.bodies)
      if (body.present && body.kind == BodyKind::kDynamic) left = std::min(left, lowest(body, {1, 0, 0}));
    for (const Event& event : scene.events) {
      EXPECT_EQ(event.time, 6.7);
      const SceneBody& shot = scene.bodies[static_cast<std::size_t>(std::get<Appear>(event.action).body)];
      EXPECT_FALSE(shot.present);
      EXPECT_EQ(shot.velocity.x, 15);
      EXPECT_NEAR(left - highest(shot, {1, 0, 0}), 1, 1e-12);
    }
  }
}

TEST(CardsScene, GustPushesEveryCardByAShareOfItsWeight) {
  const Scene scene = cards({.levels = 2, .gust = 0.05});
  ASSERT_EQ(scene.events.size(), 7U);
  const Push push = std::get<Push>(scene.events[0].action);
  EXPECT_NEAR(push.force.y, 0.05 * 109.375 * 9.81, 1e-9);
  EXPECT_EQ(push.duration, 0.2);
}

TEST(CardsScene, LoadStandsOnTheTopTent) {
  const Scene scene = cards({.levels = 2, .load = 100});
  const SceneBody& load = find(scene, "load");
  EXPECT_NEAR(lowest(load), highest(find(scene, "left-1-0")), kRounding);
  EXPECT_NEAR(load.shapes[0].density * 1, 100 * 109.375, 1e-9);
}

TEST(CardsScene, ShakenStartsDifferBySeedOnly) {
  const Scene still = cards(), a = cards({.shake = 1e-4, .seed = 3}), b = cards({.shake = 1e-4, .seed = 3}),
              c = cards({.shake = 1e-4, .seed = 4});
  double most = 0, differs = 0;
  for (std::size_t i = 0; i < still.bodies.size(); ++i) {
    const Vec3 moved = a.bodies[i].pose.position - still.bodies[i].pose.position;
    most = std::max({most, std::abs(moved.x), std::abs(moved.y), std::abs(moved.z)});
    EXPECT_EQ(norm(a.bodies[i].pose.position - b.bodies[i].pose.position), 0);
    differs = std::max(differs, norm(a.bodies[i].pose.position - c.bodies[i].pose.position));
  }
  EXPECT_LE(most, 1e-4);
  EXPECT_GT(most, 0.5e-4);
  EXPECT_GT(differs, 0.5e-4);
}

}  // namespace
}  // namespace repose::scenes
