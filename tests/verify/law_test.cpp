// SPDX-License-Identifier: Apache-2.0
// The checker's own law and surfaces, against closed forms and against the judge.
#include "repose/verify/law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "repose/shape/polyhedron.h"
#include "repose/verify/motion.h"
#include "repose/verify/surface.h"

namespace repose::verify {
namespace {

/// A ball of 2 kg that touches the ground below it, with a free velocity.
struct Ball {
  std::vector<LawBody> bodies;
  std::vector<LawBlock> blocks;
  explicit Ball(Vec3 velocity) {
    bodies.push_back({true, {0.5, 0.5, 0.5}, Mat3::diagonal(5, 5, 5), velocity, {}});
    LawBlock& block = blocks.emplace_back();
    block.b = 0;
    const Vec3 arm{0, 0, -0.1};
    const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t r = 0; r < 3; ++r) block.linear_b[r] = axes[r], block.angular_b[r] = cross(arm, axes[r]);
    block.mu = 0.5;
  }
};

TEST(Law, AnImpulseThatStopsABallObeysIt) {
  Ball ball({0, 0, -3});
  ball.blocks[0].lambda = {0, 0, 6};
  EXPECT_LE(score(ball.bodies, ball.blocks).worst_island.worst(), 1e-16);
}

TEST(Law, SlidingIsAtTheConesSurfaceAndAgainstTheMotion) {
  Ball ball({4, 0, -3});
  ball.blocks[0].lambda = {-3, 0, 6};
  EXPECT_LE(score(ball.bodies, ball.blocks).worst_island.worst(), 1e-16);
  ball.blocks[0].lambda = {3, 0, 6};
  EXPECT_GT(score(ball.bodies, ball.blocks).worst_island.worst(), 0.1);
}

TEST(Law, EachPartIsTheConditionItStandsFor) {
  Ball outside({0, 0, -3});
  outside.blocks[0].lambda = {4, 0, 6};
  // (4, 0, 6) is 1 beyond the cone along x, which has the slope 0.5.
  const Certificate c = score(outside.bodies, outside.blocks).worst_island;
  EXPECT_NEAR(c.residual.force, 1 / std::sqrt(1.25) / std::sqrt(52), 1e-15);
  Ball through({0, 0, -3});
  EXPECT_NEAR(score(through.bodies, through.blocks).worst_island.residual.velocity, 1, 1e-15);  // it goes on
  Ball pulled({0, 0, 1});
  pulled.blocks[0].lambda = {0, 0, 2};
  EXPECT_GT(score(pulled.bodies, pulled.blocks).worst_island.residual.gap, 0.5);  // pushed while it leaves
}

TEST(Law, RowsOfABoxAreHeldAtABoundOrAtRest) {
  Ball ball({0, 0, -3});
  LawBlock& block = ball.blocks[0];
  block.box = true;
  block.lower = {0, 0, -4}, block.upper = {0, 0, 4};
  block.lambda = {0, 0, 4};  // the velocity left is -1: the bound holds it back no further
  EXPECT_LE(score(ball.bodies, ball.blocks).worst_island.worst(), 1e-16);
  block.lambda = {0, 0, 3};
  EXPECT_GT(score(ball.bodies, ball.blocks).worst_island.nat, 0.1);
  block.lower[2] = -HUGE_VAL, block.upper[2] = HUGE_VAL;
  block.lambda = {0, 0, 6};
  EXPECT_LE(score(ball.bodies, ball.blocks).worst_island.worst(), 1e-16);
  block.compliance = {0, 0, 0.5};  // v = -3 + λ/2 + λ/2 = 0
  block.lambda = {0, 0, 3};
  EXPECT_LE(score(ball.bodies, ball.blocks).worst_island.worst(), 1e-16);
}

TEST(Law, IslandsAreScoredApartAndTogether) {
  Ball ball({0, 0, -3});
  ball.blocks[0].lambda = {0, 0, 6};
  ball.bodies.push_back(ball.bodies[0]);
  ball.blocks.push_back(ball.blocks[0]);
  ball.blocks[1].b = 1;
  ball.blocks[1].lambda = {0, 0, 5};
  const Scores scores = score(ball.bodies, ball.blocks);
  EXPECT_EQ(scores.islands, 2);
  EXPECT_GT(scores.worst_island.nat, scores.whole.nat);
}

TEST(Surface, HeightIsZeroOnTheSurface) {
  const Geometry shapes[] = {Sphere{0.5}, Box{{0.3, 0.4, 0.5}}, Capsule{0.2, 0.4}, Cylinder{0.3, 0.4},
                             Hull{box_polyhedron({0.3, 0.4, 0.5})}};
  for (const Geometry& shape : shapes)
    for (const Vec3 d : {Vec3{1, 0.2, 0.3}, Vec3{-0.1, 1, 0.4}, Vec3{0.3, -0.2, -1}}) {
      const Vec3 p = farthest(shape, d);
      EXPECT_NEAR(height_over(shape, p), 0, 1e-15) << shape.index();
      EXPECT_LT(height_over(shape, 0.9 * p), 0) << shape.index();
      EXPECT_GT(height_over(shape, 1.1 * p), 0) << shape.index();
      EXPECT_LE(norm(p), reach(shape) + 1e-15) << shape.index();
    }
}

TEST(Surface, OverlapIsToldFromTouch) {
  const Quat turned = exponential({0, 0, std::numbers::pi / 4});
  const Geometry cube = Box{{0.5, 0.5, 0.5}}, plate = Box{{1, 0.5, 0.01}}, ball = Sphere{0.5}, ground = HalfSpace{};
  const Pose here{};
  EXPECT_TRUE(overlap_deeper(cube, here, cube, {{0.99, 0, 0}, {}}, 1e-3));
  EXPECT_FALSE(overlap_deeper(cube, here, cube, {{1.001, 0, 0}, {}}, 1e-3));
  EXPECT_TRUE(overlap_deeper(cube, here, cube, {{0.5 + std::sqrt(0.5) - 0.02, 0, 0}, turned}, 1e-3));
  EXPECT_FALSE(overlap_deeper(cube, here, cube, {{0.5 + std::sqrt(0.5) + 0.001, 0, 0}, turned}, 1e-3));
  EXPECT_FALSE(overlap_deeper(plate, here, plate, {{0.9, 0.3, 0.0201}, {}}, 1e-6));
  EXPECT_TRUE(overlap_deeper(plate, here, plate, {{0.9, 0.3, 0.0198}, {}}, 1e-6));
  EXPECT_TRUE(overlap_deeper(ball, here, ball, {{0.5, 0.5, 0.5}, {}}, 1e-6));
  EXPECT_FALSE(overlap_deeper(ball, here, ball, {{0.6, 0.6, 0.6}, {}}, 1e-6));
  EXPECT_TRUE(overlap_deeper(ground, here, cube, {{0, 0, 0.49}, {}}, 1e-3));
  EXPECT_FALSE(overlap_deeper(cube, {{0, 0, 0.5}, {}}, ground, here, 1e-3));
}

TEST(Motion, JointsHoldWhereTheirFramesSaySo) {
  JointModel joint;
  joint.kind = JointKind::kHinge, joint.body_a = kWorldBody, joint.body_b = 0, joint.length = 0.5;
  joint.local_b.position = {-1, 0, 0};
  std::vector<BodyState> bodies(1);
  const double angle = 0.7;
  bodies[0].rotation = exponential({0, 0, angle});
  bodies[0].centre = {std::cos(angle), std::sin(angle), 0};
  EXPECT_LE(joint_gap(joint, bodies), 1e-15);
  bodies[0].centre.z += 1e-6;
  EXPECT_NEAR(joint_gap(joint, bodies), 1e-6, 1e-15);
  joint.kind = JointKind::kScrew, joint.pitch = 0.1;
  joint.local_b.position = {};
  bodies[0].centre = {0, 0, 0.1 * (angle + 2 * std::numbers::pi)};
  EXPECT_LE(joint_gap(joint, bodies), 1e-15);
}

TEST(Motion, AFreeBodyKeepsItsMomentum) {
  BodyModel model;
  model.kind = BodyKind::kDynamic, model.mass = 1;
  model.rotor = make_rotor(Quat{}, {1, 2, 3});
  BodyState state{{}, {}, {1, 0, 0}, {0.3, 2, 0.1}};
  const Vec3 start = state.angular_velocity;
  const Quat before = state.rotation;
  move(model, 0.01, state);
  EXPECT_NEAR(state.centre.x, 0.01, 1e-17);
  const Vec3 spin = spin_after(model, before, start, state.rotation);
  const auto momentum = [&](Quat q, Vec3 w) {
    const Vec3 local = rotate_back(q, w);
    return rotate(q, Vec3{local.x, 2 * local.y, 3 * local.z});
  };
  EXPECT_LE(norm(momentum(state.rotation, spin) - momentum(before, start)), 1e-15);
}

}  // namespace
}  // namespace repose::verify
