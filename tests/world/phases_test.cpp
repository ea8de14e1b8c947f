// SPDX-License-Identifier: Apache-2.0
// The phases of a step, each alone: events, loads, free motion, travels, islands, integration, rollback.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "repose/world/integrate_internal.h"
#include "repose/world/rollback_internal.h"
#include "repose/world/summary_internal.h"
#include "tests/support/step_phases.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

/// 0.6 m/s along x and 3 rad/s about z.
const ConstantMotion kSlideAndTurn{{0.6, 0, 0}, {0, 0, 3}};

TEST(SetupPhase, PrescribedMotionsStartWhereTheySay) {
  Scene scene = empty_scene();
  add_moving_plate(scene, kSlideAndTurn);
  add_cube(scene, 1, {0, 0, 3});
  const WorldSetup setup = make_setup(scene, {});
  EXPECT_TRUE(setup.has_prescribed_motion(0));
  EXPECT_FALSE(setup.has_prescribed_motion(1));
  EXPECT_NEAR(setup.prescribed_pose(0, 0.5).position.x, 0.3, 1e-15);
  EXPECT_EQ(initial_state(setup).bodies[0].centre.z, -0.1);
}

TEST(Events, ChangePresenceAndVelocity) {
  Scene scene = empty_scene();
  for (int k = 0; k < 3; ++k) add_cube(scene, 1, {2.0 * k, 0, 5}, {1, 0, 0});
  scene.bodies[0].present = false;
  scene.bodies[2].fixed_dof[1] = true;
  scene.events = {{0, Appear{0}}, {0, Disappear{1}}, {0, SetVelocity{2, {3, 4, 5}, {0, 1, 0}}}, {1, Disappear{0}}};
  const WorldSetup setup = make_setup(scene, {});
  WorldState state = initial_state(setup);
  Collision collision = make_collision(setup, state);
  state.bodies[1].centre.x = 99;
  apply_due_events(setup, state, collision);
  EXPECT_TRUE(state.present[0]);
  EXPECT_FALSE(state.present[1]);
  EXPECT_EQ(state.bodies[1].centre.x, 2) << "waits at its pose of the scene";
  EXPECT_EQ(state.bodies[2].velocity.x, 3);
  EXPECT_EQ(state.bodies[2].velocity.y, 0) << "held along y";
  EXPECT_EQ(state.events.done, 3U);
}

TEST(Loads, AddUpSceneCallerAndPushes) {
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 5});
  scene.bodies[0].force = {1, 0, 0};
  scene.bodies[0].torque = {0, 0, 2};
  scene.events = {{0, Push{0, {10, 0, 0}, {0, 0, 20}, kStep / 4}}};
  FirstStep step(scene);
  EXPECT_DOUBLE_EQ(step.data.loads.force[0].x, 1 + 10.0 / 4) << "mean over the step";
  EXPECT_DOUBLE_EQ(step.data.loads.torque[0].z, 2 + 20.0 / 4);
  step.state.applied_force[0] = {100, 0, 0};
  sum_loads(step.setup, step.state, step.data.loads);
  EXPECT_DOUBLE_EQ(step.data.loads.force[0].x, 101) << "the push is over";
}

TEST(FreeMotion, IsGravityAndForcesOverOneStep) {
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 5}, {1, 2, 3}, {0, 0, 4});  // 1000 kg, 1000/6 kg m²
  scene.bodies[0].gravity_scale = 0.5;
  scene.bodies[0].force = {6000, 0, 0};
  scene.bodies[0].torque = {0, 0, 500};
  const FirstStep step(scene);
  const StepBody& body = step.data.bodies[0];
  EXPECT_TRUE(body.moves);
  EXPECT_NEAR(body.velocity.x, 1 + 6 * kStep, 1e-14);
  EXPECT_NEAR(body.velocity.z, 3 - 0.5 * kGravity * kStep, 1e-14);
  EXPECT_NEAR(body.spin.z, 4 + 3 * kStep, 1e-13);
  EXPECT_EQ(body.before.z, 3);
  EXPECT_EQ(body.spin_before.z, 4);
}

TEST(FreeMotion, PrescribedBodiesHaveADisplacement) {
  Scene scene = empty_scene();
  add_moving_plate(scene, kSlideAndTurn);
  const FirstStep step(scene);
  const StepBody& plate = step.data.bodies[0];
  EXPECT_FALSE(plate.moves);
  EXPECT_TRUE(plate.driven);
  EXPECT_NEAR(plate.velocity.x, 0.6, 1e-13);
  EXPECT_NEAR(plate.spin.z, 3, 1e-12);
  EXPECT_EQ(step.state.bodies[0].centre.x, 0) << "the state is that of the start";
}

/// Nothing of the last step is left in a body that has disappeared.
TEST(FreeMotion, AbsentBodiesAreEmpty) {
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 5}, {1, 2, 3});
  FirstStep step(scene);
  step.state.present[0] = false;
  free_motion(step.setup, step.state, step.data.loads, step.data.bodies);
  EXPECT_FALSE(step.data.bodies[0].moves);
  EXPECT_EQ(norm(step.data.bodies[0].velocity), 0);
  EXPECT_EQ(step.data.bodies[0].root.root_inverse_mass, 0);
}

TEST(Travels, WithAndWithoutForces) {
  Scene scene = empty_scene();
  add_ground(scene);
  add_cube(scene, 1, {0, 0, 5}, {6, 0, 0}, {0, 0, 3});
  add_shape_body(scene, Sphere{1}, {5, 0, 5}, {}, {0, 0, 3});
  const FirstStep step(scene);
  std::vector<Travel> travels;
  find_travels(step.setup, step.data.bodies, travels);
  EXPECT_EQ(norm(travels[0].free), 0);
  EXPECT_NEAR(travels[1].free.x, 0.1, 1e-14);
  EXPECT_NEAR(travels[1].free.z, -kGravity * kStep * kStep, 1e-14);
  EXPECT_EQ(travels[1].before.z, 0);
  EXPECT_NEAR(travels[1].turn, std::sqrt(0.75) * 3 * kStep, 1e-13);
  EXPECT_EQ(travels[2].turn, 0);
}

TEST(IslandSet, KeepsSolversUnderTheirFirstBody) {
  Scene scene = stack(2);
  add_cube(scene, 1, {5, 0, 0.5});
  FirstStep step(scene);
  step.collide();
  step.assemble();
  ASSERT_EQ(step.islands.count(), 2);
  EXPECT_EQ(step.islands.bodies(0).size(), 2U);
  EXPECT_EQ(step.islands[0].contacts().size(), 8U);
  EXPECT_TRUE(step.islands.slots()[1] && step.islands.slots()[3]);
  EXPECT_FALSE(step.islands.slots()[0] || step.islands.slots()[2]);
  const Island* second = &step.islands[1];
  step.state.present[1] = false;  // what is left of the first island belongs to body 2
  free_motion(step.setup, step.state, step.data.loads, step.data.bodies);
  step.assemble();
  ASSERT_EQ(step.islands.count(), 2);
  EXPECT_EQ(&step.islands[1], second);
  EXPECT_EQ(step.islands.bodies(0).front(), 2);
  EXPECT_FALSE(step.islands.has_contacts(1));
}

TEST(IslandSet, LargeIslandsWithFastBodiesAreSolvedCoarselyFirst) {
  Scene scene = empty_scene();
  add_ground(scene);
  for (int k = 0; k < 13; ++k)
    for (int j = 0; j < 10; ++j) add_cube(scene, 1, {1.0 * k, 1.0 * j, 0.5});  // 4 contacts below each, more between
  scene.bodies[1].velocity = {0, 0, 6};
  FirstStep step(scene);
  step.collide();
  step.assemble();
  ASSERT_EQ(step.islands.count(), 1);
  ASSERT_GT(step.islands[0].contacts().size(), 500U);
  step.solve();
  EXPECT_EQ(step.islands[0].accuracy(), Accuracy::kCoarse);
  step.islands.refine(step.data.found, step.context());
  EXPECT_EQ(step.islands[0].accuracy(), Accuracy::kFull);
  EXPECT_LE(step.islands[0].report().certificate.worst(), step.setup.options.solver.tolerance);
}

TEST(Integrate, MovesByTheVelocitiesFound) {
  Scene scene = stack(1);
  add_cube(scene, 1, {5, 0, 3}, {1, 0, 0});
  add_moving_plate(scene, kSlideAndTurn);
  FirstStep step(scene);
  step.collide();
  step.assemble();
  step.solve();
  integrate(step.setup, step.data.bodies, step.islands, step.state);
  EXPECT_NEAR(step.state.bodies[1].velocity.z, 0, 1e-9) << "held by the ground";
  EXPECT_NEAR(step.state.bodies[2].velocity.z, -kGravity * kStep, 1e-14) << "falls";
  EXPECT_NEAR(step.state.bodies[2].centre.x, 5 + kStep, 1e-14);
  EXPECT_NEAR(step.state.bodies[3].centre.x, 0.6 * kStep, 1e-15) << "where its motion says";
  EXPECT_EQ(find_fault(step.setup, step.data.bodies, step.state), nullptr);
}

TEST(Integrate, FindsFaults) {
  FirstStep step(stack(1));
  step.state.bodies[1].velocity.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_STREQ(find_fault(step.setup, step.data.bodies, step.state), "a body's state is not finite");
  step.state.bodies[1].velocity = {1e12, 0, 0};
  EXPECT_STREQ(find_fault(step.setup, step.data.bodies, step.state), "a body has exploded out of the scene");
}

TEST(Summary, CountsAndWorst) {
  Scene scene = stack(1, 0.05);
  add_cube(scene, 1, {5, 0, 0.5});
  FirstStep step(scene);
  step.collide();
  step.assemble();
  step.solve();
  step.data.found.contacts.back().detected_at = 1;
  const StepReport report = summarise(step.setup, step.data.found, step.islands);
  EXPECT_EQ(report.status, StepStatus::kSolved);
  EXPECT_EQ(report.contacts, 8);
  EXPECT_EQ(report.contacts_ahead, 1);
  EXPECT_EQ(report.islands, 2);
  EXPECT_NEAR(report.penetration, 0.05, 1e-12);
  EXPECT_EQ(report.certificate.worst(),
            std::max(step.islands[0].report().certificate.worst(), step.islands[1].report().certificate.worst()));
}

TEST(Summary, OverlapIsAShareOfTheThinnerBody) {
  Scene scene = stack(1);
  add_shape_body(scene, Box{{0.3, 0.3, 0.05}}, {0, 0, 1 + 0.04});  // 0.1 thick and 0.01 deep in the cube
  const StepReport report = World(scene).step();
  EXPECT_NEAR(report.penetration, 0.01, 1e-12);
  EXPECT_NEAR(report.overlap_share, 0.1, 1e-12);
}

TEST(Rollback, RestoresStatePresenceAndEvents) {
  Scene scene = stack(1);
  scene.events = {{0, Disappear{1}}, {0, Push{1, {1, 0, 0}, {}, 1}}};
  const WorldSetup setup = make_setup(scene, {});
  WorldState state = initial_state(setup);
  Collision collision = make_collision(setup, state);
  const BodyState* const memory = state.bodies.data();
  Rollback rollback;
  rollback.save(state);
  apply_due_events(setup, state, collision);
  state.bodies[1].centre.z = 7;
  rollback.restore(state, collision);
  EXPECT_EQ(state.bodies.data(), memory) << "spans of the states stay valid";
  EXPECT_EQ(state.bodies[1].centre.z, 0.5);
  EXPECT_TRUE(state.present[1]);
  EXPECT_EQ(state.events.done, 0U);
  EXPECT_TRUE(state.events.pushes.empty());
  const std::vector<Pose> poses{{}, {{0, 0, 0.5}, {}}};
  collision.update(poses, setup.margins);
  EXPECT_EQ(collision.manifolds().size(), 1U) << "the cube collides again";
}

}  // namespace
}  // namespace repose
