// SPDX-License-Identifier: Apache-2.0
// Contact forces of standing structures that do not depend on how they were found.
#include "repose/world/forces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "repose/base/error.h"
#include "repose/scene/builder.h"
#include "repose/scheme/options.h"

namespace repose {
namespace {

World stepped(const Scene& scene, const char* outer = "auto", int steps = 30) {
  WorldOptions options;
  options.solver.outer = outer_options(outer);
  if (std::string_view(outer) != "auto") options.solver.polish = 0, options.solver.budget = 0;
  World world(scene, options);
  for (int k = 0; k < steps; ++k) EXPECT_EQ(world.step().status, StepStatus::kSolved);
  return world;
}

/// Vertical force of every contact by its place, N.
std::vector<std::pair<Vec3, double>> vertical_forces(const World& world) {
  const std::vector<ContactVec> lambda = canonical_impulses(world);
  std::vector<std::pair<Vec3, double>> forces;
  for (std::size_t k = 0; k < lambda.size(); ++k) {
    Contact c = world.contacts()[k];
    c.lambda = lambda[k];
    forces.emplace_back(c.position, c.impulse().z / world.scene().dt);
  }
  return forces;
}

/// A beam on three equal blocks: three reactions, of which the law determines the sum and one moment.
Scene beam_on_three_blocks(const std::array<int, 3>& order) {
  SceneBuilder b("beam");
  const int stone = b.add_material({.name = "stone", .friction = 0.5});
  b.add_ground_plane(stone);
  for (const int place : order) {
    const int block = b.add_body({.name = "block " + std::to_string(place), .pose = {{0.4 * place, 0, 0.05}, {}}});
    b.add_shape_box(block, {0.05, 0.05, 0.05}, {.material = stone});
  }
  const int beam = b.add_body({.name = "beam", .pose = {{0.4, 0, 0.125}, {}}});
  b.add_shape_box(beam, {0.45, 0.05, 0.025}, {.material = stone});
  return b.build();
}

TEST(CanonicalForces, ASymmetricStructureHasSymmetricForces) {
  const auto forces = vertical_forces(stepped(beam_on_three_blocks({0, 1, 2})));
  for (const auto& [p, f] : forces) {
    const Vec3 mirrored{0.8 - p.x, p.y, p.z};
    const auto twin = std::find_if(forces.begin(), forces.end(),
                                   [&](const auto& other) { return norm(other.first - mirrored) < 1e-6; });
    ASSERT_NE(twin, forces.end());
    EXPECT_NEAR(std::abs(f), std::abs(twin->second), 1e-6);
  }
}

TEST(CanonicalForces, OrderAndSchemeDoNotMatter) {
  const auto first = vertical_forces(stepped(beam_on_three_blocks({0, 1, 2})));
  double largest = 0;
  for (const auto& [p, f] : first) largest = std::max(largest, std::abs(f));
  for (const auto& other : {vertical_forces(stepped(beam_on_three_blocks({2, 0, 1}))),
                            vertical_forces(stepped(beam_on_three_blocks({0, 1, 2}), "newton"))}) {
    ASSERT_EQ(first.size(), other.size());
    for (const auto& [p, f] : first) {
      const auto same =
          std::find_if(other.begin(), other.end(), [&, at = p](const auto& o) { return norm(o.first - at) < 1e-9; });
      ASSERT_NE(same, other.end());
      EXPECT_NEAR(std::abs(f), std::abs(same->second), 1e-6 * largest);
    }
  }
}

/// The middle block bears between nothing and all of the beam's weight. An outer one bears most at its inner edge, 0.35
/// m from the beam's centre, with the rest on the outer edge of the other, 0.45 m from it.
TEST(CanonicalForces, RangesOfABeamOnThreeBlocksAreKnown) {
  const World world = stepped(beam_on_three_blocks({0, 1, 2}));
  const double weight = 0.9 * 0.1 * 0.05 * 1000 * 9.81;
  const ForceRange middle = pair_force_range(world, 2, 4), outer = pair_force_range(world, 1, 4);
  EXPECT_NEAR(middle.least, 0, 1e-4 * weight);
  EXPECT_NEAR(middle.greatest, weight, 1e-4 * weight);
  EXPECT_NEAR(outer.least, 0, 1e-4 * weight);
  EXPECT_NEAR(outer.greatest, 0.45 / 0.8 * weight, 1e-4 * weight);
}

TEST(CanonicalForces, TheGroundBearsTheWholeWeight) {
  const World world = stepped(beam_on_three_blocks({0, 1, 2}));
  double up = 0, weight = 0;
  const std::vector<ContactVec> lambda = canonical_impulses(world);
  for (std::size_t k = 0; k < lambda.size(); ++k) {
    Contact c = world.contacts()[k];
    c.lambda = lambda[k];
    const auto kind = [&](int body) { return world.models()[static_cast<std::size_t>(body)].kind; };
    if (kind(c.body_a) != BodyKind::kDynamic) up += c.impulse().z;
    if (kind(c.body_b) != BodyKind::kDynamic) up -= c.impulse().z;
  }
  for (const BodyModel& model : world.models())
    if (model.kind == BodyKind::kDynamic) weight += model.mass * 9.81;
  EXPECT_NEAR(up / world.scene().dt, weight, 1e-6 * weight);
}

TEST(CanonicalForces, AContactThatIsNotThereIsRefused) {
  const World world = stepped(beam_on_three_blocks({0, 1, 2}));
  EXPECT_THROW((void)contact_force_range(world, -1), InputError);
  EXPECT_THROW((void)contact_force_range(world, static_cast<int>(world.contacts().size())), InputError);
}

}  // namespace
}  // namespace repose
