// SPDX-License-Identifier: Apache-2.0
// Removal of overlap at the end of a step.
#include "repose/world/correction_internal.h"

#include <gtest/gtest.h>

#include <vector>

#include "repose/base/random.h"
#include "tests/support/step_phases.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

TEST(OverlapToKeep, ShrinksByItsShareAndCutsWhatIsNew) {
  const OverlapRule rule{1e-4, 0.01, 0.2};
  const double aim = 0.5e-4, limit = rule.limit;
  const auto shrunk = [&](double depth) { return aim + 0.8 * (depth - aim); };
  EXPECT_EQ(overlap_to_keep(0.9e-4, 0, rule), 0.9e-4) << "within the slop";
  EXPECT_EQ(overlap_to_keep(1.1e-4, 0, rule), aim) << "as far as it will be left alone for a while";
  EXPECT_DOUBLE_EQ(overlap_to_keep(0.005, 0, rule), shrunk(0.005));
  EXPECT_EQ(overlap_to_keep(0.05, 0, rule), limit) << "made by the step";
  EXPECT_DOUBLE_EQ(overlap_to_keep(0.05, 0.05, rule), shrunk(0.05)) << "there at its start";
  EXPECT_DOUBLE_EQ(overlap_to_keep(0.08, 0.05, rule), shrunk(0.05));
  double depth = 0.05;
  int steps = 0;
  for (; depth > rule.slop; ++steps) depth = overlap_to_keep(depth, depth, rule);
  EXPECT_LE(steps, 40) << "the slop is reached";
  EXPECT_EQ(depth, aim);
}

/// A row between two bodies without rotation.
NormalRow row_of(int a, double inverse_a, int b, double inverse_b, double room) {
  NormalRow row;
  row.a = a, row.b = b;
  row.normal = {0, 0, 1};
  row.shift_a = inverse_a * row.normal, row.shift_b = inverse_b * row.normal;
  row.inverse_w = 1 / (inverse_a + inverse_b);
  row.room = room;
  return row;
}

TEST(DisplaceApart, LightBodiesMoveFurther) {
  std::vector<NormalRow> rows{row_of(0, 1, 1, 0.25, -0.1)};
  std::vector<Displaced> bodies(2);
  displace_apart(rows, 0.1, 50, bodies);
  EXPECT_NEAR(bodies[0].shift.z, -0.08, 1e-12);
  EXPECT_NEAR(bodies[1].shift.z, 0.02, 1e-12);
}

/// A stack on a fixed body: every row is satisfied, and pushes only where it is closed.
TEST(DisplaceApart, EndsAtAComplementarySolution) {
  Random random(3);
  for (int run = 0; run < 20; ++run) {
    const int count = 6;
    std::vector<NormalRow> rows;
    double deepest = 0;
    for (int k = 0; k < count; ++k) {
      const double room = random.uniform(-1, 0.5);
      deepest = std::max(deepest, -room);
      rows.push_back(row_of(k - 1, k > 0 ? 1 : 0, k, 1, room));
    }
    std::vector<Displaced> bodies(count);
    displace_apart(rows, deepest, 10000, bodies);
    for (const NormalRow& row : rows) {
      const double below = row.a >= 0 ? bodies[static_cast<std::size_t>(row.a)].shift.z : 0;
      const double left = row.room + bodies[static_cast<std::size_t>(row.b)].shift.z - below;
      EXPECT_GE(left, -0.1 * deepest) << run;
      EXPECT_GE(row.lambda, 0);
      if (row.lambda > 0.1) {
        EXPECT_NEAR(left, 0, 0.1 * deepest) << run;
      }
    }
  }
}

/// The displacement moves no common mass centre, and leaves the velocities alone.
TEST(Correction, TwoFreeBodiesKeepTheirCentreAndVelocities) {
  Scene scene = empty_scene();
  scene.gravity = {};
  add_cube(scene, 1, {0, 0, 0}, {0.1, 0, 0});
  add_cube(scene, 0.5, {0.1, 0.05, 0.73}, {0.1, 0, 0});
  World world(scene);
  const double heavy = world.models()[0].mass, light = world.models()[1].mass;
  const auto centre = [&] { return heavy * world.states()[0].centre + light * world.states()[1].centre; };
  const Vec3 before = centre();
  const StepReport report = world.step();
  EXPECT_EQ(report.recoveries, 1);
  EXPECT_EQ(report.recoveries_unsolved, 0);
  EXPECT_LE(report.recovery_residual, 1e-8);
  EXPECT_NEAR(report.overlap_share, 0.02 / 0.5, 1e-9);
  EXPECT_NEAR(norm(centre() - before - (heavy + light) * kStep * Vec3{0.1, 0, 0}), 0, 1e-12 * heavy);
  EXPECT_NEAR(norm(world.states()[0].velocity - Vec3{0.1, 0, 0}), 0, 1e-12);
  const double depth = world.step().penetration;
  EXPECT_NEAR(depth, 0.02 - 0.2 * (0.02 - 0.5 * 0.5e-3), 1e-5) << "a share of it is gone";
}

/// The displacement is M⁻¹ Jᵀ λ, no contact that pushes is left closed too far or opened, and light bodies move
/// further.
TEST(Correction, DisplacementsAreSolvedLikeVelocities) {
  Scene scene = stack(4, 0.03);
  World world(scene);
  for (int k = 0; k < 10; ++k) {
    const StepReport report = world.step();
    if (report.recoveries == 0) continue;
    EXPECT_LE(report.recovery_residual, 1e-8) << k;
    ASSERT_FALSE(world.overlap_pushes().empty()) << k;
    std::vector<Vec3> shift(world.states().size());
    for (const OverlapPush& p : world.overlap_pushes()) {
      EXPECT_GT(p.lambda, 0);
      EXPECT_LT(p.gap, 0);
      shift[static_cast<std::size_t>(p.body_a)] =
          shift[static_cast<std::size_t>(p.body_a)] -
          (world.models()[static_cast<std::size_t>(p.body_a)].inverse_mass * p.lambda) * p.normal;
      shift[static_cast<std::size_t>(p.body_b)] =
          shift[static_cast<std::size_t>(p.body_b)] +
          (world.models()[static_cast<std::size_t>(p.body_b)].inverse_mass * p.lambda) * p.normal;
    }
    for (const BodyTerm& term : world.body_terms()) {
      ASSERT_EQ(term.kind, BodyTerm::Kind::kDisplacement);
      EXPECT_LE(norm(term.linear - shift[static_cast<std::size_t>(term.body)]), 1e-14) << k;
    }
  }
}

/// Plates that leave a cube no room: there is no displacement, and the residual says so.
TEST(Correction, WithoutRoomTheResidualSaysSo) {
  Scene scene = empty_scene();
  add_moving_plate(scene, ConstantMotion{{0, 0, 0.2}, {}});
  add_moving_plate(scene, ConstantMotion{{0, 0, -0.2}, {}});
  scene.bodies[1].pose.position.z += 1.2;
  add_cube(scene, 1, {0, 0, 0.5});
  World world(scene);
  double worst = 0;
  for (int k = 0; k < 120; ++k) {
    const StepReport report = world.step();
    worst = std::max(worst, report.recovery_residual);
    ASSERT_TRUE(std::isfinite(norm(world.states()[2].centre)));
    ASSERT_LE(norm(world.states()[2].centre - Vec3{0, 0, 0.5}), 1) << k;
  }
  EXPECT_GT(worst, 1e-8);
}

TEST(Correction, WithoutRecoveryNothingIsDisplaced) {
  Scene scene = stack(1, 0.05);
  scene.recovery = 0;
  World world(scene);
  run(world, 30);
  EXPECT_NEAR(world.states()[1].centre.z, 0.45, 1e-9);
}

/// A prescribed plate that rises pushes the bodies on it along; they do not sink into it.
TEST(Correction, PrescribedBodiesDisplaceOthers) {
  Scene scene = empty_scene();
  add_moving_plate(scene, ConstantMotion{{0, 0, 0.5}, {0, 0, 2}});
  add_cube(scene, 1, {0.5, 0, 0.5 - 0.04});
  World world(scene);
  double depth = 0;
  for (int k = 0; k < 90; ++k) depth = world.step().penetration;
  EXPECT_LE(depth, 2e-4) << "a thousandth of the plate";
}

TEST(Correction, IslandsDoNotInfluenceEachOther) {
  const auto final_height = [](bool second) {
    Scene scene = stack(2, 0.03);
    if (second) {
      add_cube(scene, 1, {5, 0, 0.2});
      add_shape_body(scene, Sphere{0.5}, {5, 0, 1});
    }
    World world(scene);
    run(world, 20);
    return world.states()[2].centre.z;
  };
  EXPECT_EQ(final_height(false), final_height(true));
}

}  // namespace
}  // namespace repose
