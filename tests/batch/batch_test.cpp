// SPDX-License-Identifier: Apache-2.0
// Batches against closed forms, against worlds, and against themselves.
#include "repose/batch/batch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "repose/base/error.h"
#include "repose/contact/residual.h"
#include "repose/scene/builder.h"
#include "repose/world/world.h"
#include "scenes/cards.h"
#include "scenes/piles.h"
#include "scenes/single.h"
#include "tests/batch/batch_scenes.h"

namespace repose {
namespace {

std::shared_ptr<const BatchModel> model_of(Scene scene, const BatchOptions& options = {}) {
  return std::make_shared<const BatchModel>(std::move(scene), options);
}

/// Largest distance of a body of world 0 from where the scene has it.
double moved(const Batch& batch) {
  double most = 0;
  const BatchModel& m = batch.model();
  for (std::size_t k = 0; k < m.bodies().size(); ++k) {
    const SceneBody& body = m.scene().bodies[static_cast<std::size_t>(m.bodies()[k])];
    const Vec3 start = start_state(body, m.body(static_cast<int>(k))).centre;
    most = std::max(most, norm(batch.state(0, static_cast<int>(k)).centre - start));
  }
  return most;
}

void expect_all_solved(const Batch& batch, std::int64_t steps) {
  const BatchReport report = batch.report();
  EXPECT_EQ(report.steps, steps);
  EXPECT_EQ(report.solved, steps);
  EXPECT_EQ(report.stopped, 0);
  EXPECT_LE(report.worst, 1e-8);
}

TEST(Batch, SlidingCubeTravelsTheSteppedClosedForm) {
  scenes::LaunchedCubeOptions options;
  const Scene scene = scenes::launched_cube(options);
  Batch batch(model_of(scene), 1);
  double v = options.speed, distance = 0;
  for (int k = 0; k < 120; ++k) {
    v = std::max(0.0, v - options.mu * 9.81 * scene.dt);
    distance += v * scene.dt;
  }
  const Vec3 start = batch.state(0, 0).centre;
  batch.advance(120);
  const Vec3 way = batch.state(0, 0).centre - start;
  EXPECT_NEAR(way.x, distance, 1e-11);
  EXPECT_NEAR(way.y, 0, 1e-12);
  EXPECT_NEAR(way.z, 0, 1e-12);
  expect_all_solved(batch, 120);
}

TEST(Batch, StackRests) {
  Batch batch(model_of(scenes::stack()), 1);
  batch.advance(300);
  EXPECT_LT(moved(batch), 1e-9);
  expect_all_solved(batch, 300);
}

TEST(Batch, HouseOfCardsStands) {
  Batch batch(model_of(scenes::cards()), 1);
  batch.advance(200);
  EXPECT_LT(moved(batch), 1e-9);
  expect_all_solved(batch, 200);
}

/// Impulses that also stop a motion are not those of rest: the step after one that iterates is solved further, once.
TEST(Batch, HouseAtRestTakesNoNewtonSteps) {
  Batch batch(model_of(scenes::cards()), 1);
  batch.advance(60);
  batch.reset_report();
  batch.advance(200);
  EXPECT_LE(batch.report().newton, 4);
  EXPECT_EQ(batch.report().solved, 200);
}

TEST(Batch, GroundCarriesTheWeight) {
  const Scene scene = scenes::stack();
  Batch batch(model_of(scene), 1);
  batch.advance(50);
  double impulse = 0, weight = 0;
  for (const BatchContact& c : batch.contacts(0))
    if (c.collider_a == 0) impulse += c.lambda.n;
  for (std::size_t k = 0; k < batch.model().bodies().size(); ++k)
    weight += 9.81 * batch.model().body(static_cast<int>(k)).mass;
  EXPECT_NEAR(impulse / scene.dt, weight, 1e-10 * weight);
}

TEST(Batch, RollingBallLosesItsBackspinAsInClosedForm) {
  scenes::BackspinOptions options;
  Batch batch(model_of(scenes::backspin(options)), 1);
  batch.advance(600);
  const double rolls = (5 * options.speed + 2 * options.radius * options.spin) / 7;
  EXPECT_NEAR(batch.state(0, 0).velocity.x, rolls, 1e-9);
  expect_all_solved(batch, 600);
}

class EveryScene : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Shapes, EveryScene, testing::ValuesIn(test::batch_scene_names()));

/// A batch and a World from the same start find the same contacts, and their motions agree while rounding has not
/// grown.
TEST_P(EveryScene, FollowsTheWorld) {
  const Scene scene = test::batch_scene(GetParam());
  Batch batch(model_of(scene), 1);
  World world(scene);
  for (int k = 0; k < 20; ++k) {
    batch.advance(1);
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved);
    ASSERT_EQ(report.contacts_ahead, 0) << "the scene is too fast for a batch";
    ASSERT_EQ(batch.contacts(0).size(), world.contacts().size()) << "step " << k;
    for (std::size_t i = 0; i < world.contacts().size(); ++i) {
      EXPECT_EQ(batch.contacts(0)[i].collider_a, world.contacts()[i].collider_a);
      EXPECT_EQ(batch.contacts(0)[i].feature, world.contacts()[i].feature);
    }
  }
  for (std::size_t k = 0; k < batch.model().bodies().size(); ++k) {
    const BodyState ours = batch.state(0, static_cast<int>(k));
    const BodyState theirs = world.states()[static_cast<std::size_t>(batch.model().bodies()[k])];
    EXPECT_LT(norm(ours.centre - theirs.centre), 1e-7);
    EXPECT_LT(norm(ours.velocity - theirs.velocity), 1e-5);
  }
}

/// A face that lands while it slides: the law has solutions with different motions. The batch and the World may find
/// either, and both are solutions of the same problem.
TEST(Batch, WhereTheLawIsAmbiguousBothAreSolutions) {
  const Scene scene = test::batch_scene("sliding compound");
  Batch batch(model_of(scene), 1);
  World world(scene);
  for (int k = 0; k < 3; ++k) {
    std::vector<ContactVec> start, ours, theirs;
    const ContactProblem problem = batch.next_problem(0, start);
    batch.advance(1);
    world.step();
    for (const BatchContact& c : batch.contacts(0)) ours.push_back(c.lambda);
    for (const Contact& c : world.contacts()) theirs.push_back(c.lambda);
    ASSERT_EQ(ours.size(), theirs.size());
    EXPECT_LE(certify(problem, ours, start).worst(), 1e-8) << "step " << k;
    EXPECT_LE(certify(problem, theirs, start).worst(), 1e-8) << "step " << k;
  }
}

/// The judge of the library scores the batch's impulses as the batch did.
TEST_P(EveryScene, JudgeAgreesWithTheCertificate) {
  Batch batch(model_of(test::batch_scene(GetParam())), 1);
  batch.set_parameters(0, {batch.model().scene().gravity, 1, 0.01, 3});
  for (int k = 0; k < 10; ++k) {
    std::vector<ContactVec> start, lambda;
    const ContactProblem problem = batch.next_problem(0, start);
    batch.advance(1);
    for (const BatchContact& c : batch.contacts(0)) lambda.push_back(c.lambda);
    ASSERT_EQ(static_cast<std::size_t>(problem.size()), lambda.size());
    if (lambda.empty()) continue;
    const Certificate judged = certify(problem, lambda, start);
    EXPECT_LE(judged.worst(), 1.05 * std::max(batch.r_c(0), batch.nat(0)) + 1e-12) << "step " << k;
    EXPECT_LE(judged.worst(), 1e-8);
  }
}

/// Twins, any number of worlds, n × 1 = 1 × n, any number of threads: the same bits.
TEST_P(EveryScene, EqualWorldsHaveEqualBits) {
  const Scene scene = test::batch_scene(GetParam());
  Batch many(model_of(scene, {.threads = 3}), 6), one(model_of(scene), 1);
  const auto kicked = [&](std::uint64_t seed) { return BatchParameters{scene.gravity, 1, 0.02, seed}; };
  for (int w = 0; w < 6; ++w) many.set_parameters(w, kicked(static_cast<std::uint64_t>(w / 2)));
  one.set_parameters(0, kicked(2));
  many.advance(30);
  for (int k = 0; k < 30; ++k) one.advance(1);
  for (int w = 0; w < 6; w += 2) EXPECT_EQ(many.state_hash(w), many.state_hash(w + 1));
  EXPECT_EQ(many.state_hash(4), one.state_hash(0));
  EXPECT_NE(many.state_hash(0), many.state_hash(4));
}

/// Without Newton steps of its own the batch leaves every step to `auto`, and gets the same motion.
TEST_P(EveryScene, HostFinishesWhatTheBatchLeaves) {
  const Scene scene = test::batch_scene(GetParam());
  Batch helped(model_of(scene, {.newton_budget = 0}), 4),
      threads(model_of(scene, {.newton_budget = 0, .threads = 4}), 4), alone(model_of(scene), 4);
  for (int w = 0; w < 4; ++w) {
    const BatchParameters kicked{scene.gravity, 1, 0.01, static_cast<std::uint64_t>(w)};
    helped.set_parameters(w, kicked);
    threads.set_parameters(w, kicked);
    alone.set_parameters(w, kicked);
  }
  // One step from the same state: later ones start from states that differ by the residual.
  for (Batch* batch : {&helped, &threads, &alone}) batch->advance(1);
  for (int w = 0; w < 4; ++w)
    for (std::size_t k = 0; k < helped.model().bodies().size(); ++k)
      EXPECT_LT(norm(helped.state(w, static_cast<int>(k)).velocity - alone.state(w, static_cast<int>(k)).velocity),
                1e-7);
  for (Batch* batch : {&helped, &threads}) batch->advance(4);
  EXPECT_GT(helped.report().finished, 0);
  expect_all_solved(helped, 20);
  for (int w = 0; w < 4; ++w) EXPECT_EQ(helped.state_hash(w), threads.state_hash(w));
}

/// Kicks that change many modes: the interior point finds them. Proximal Newton alone takes 60 steps here.
TEST(Batch, FastKicksTakeFewNewtonSteps) {
  const Scene scene = scenes::cards();
  Batch batch(model_of(scene), 1);
  batch.set_parameters(0, {scene.gravity, 1, 0.05, 2});
  batch.advance(10);
  batch.reset_report();
  for (int k = 0; k < 20; ++k) {
    std::vector<ContactVec> start, lambda;
    const ContactProblem problem = batch.next_problem(0, start);
    batch.advance(1);
    for (const BatchContact& c : batch.contacts(0)) lambda.push_back(c.lambda);
    EXPECT_LE(certify(problem, lambda, start).worst(), 1e-8) << "step " << k;
  }
  EXPECT_EQ(batch.report().finished, 0);
  EXPECT_LT(batch.report().newton, 30 * 20);
  EXPECT_GT(batch.report().newton, 0);
}

TEST(Batch, ParametersBelongToTheirWorld) {
  scenes::LaunchedCubeOptions options;
  const Scene scene = scenes::launched_cube(options);
  Batch batch(model_of(scene), 3);
  batch.set_parameters(1, {scene.gravity, 0.5, 0, 1});
  batch.set_parameters(2, {{0, 0, -2 * 9.81}, 1, 0, 2});
  batch.advance(20);
  const double t = 20 * scene.dt;
  EXPECT_NEAR(batch.state(0, 0).velocity.x, options.speed - options.mu * 9.81 * t, 1e-9);
  EXPECT_NEAR(batch.state(1, 0).velocity.x, options.speed - 0.5 * options.mu * 9.81 * t, 1e-9);
  EXPECT_NEAR(batch.state(2, 0).velocity.x, options.speed - 2 * options.mu * 9.81 * t, 1e-9);
}

TEST(Batch, OverlapIsRemovedAsInAWorld) {
  constexpr double kOverlap = 0.004;
  scenes::StackOptions two;
  two.count = 2;
  Scene scene = scenes::stack(two);
  for (SceneBody& body : scene.bodies)
    if (body.kind == BodyKind::kDynamic) body.pose.position.z -= kOverlap;
  Batch batch(model_of(scene), 1);
  World world(scene);
  for (int k = 0; k < 40; ++k) world.step();
  batch.advance(40);
  EXPECT_GT(batch.report().finished, 0);
  for (std::size_t k = 0; k < batch.model().bodies().size(); ++k) {
    const BodyState theirs = world.states()[static_cast<std::size_t>(batch.model().bodies()[k])];
    EXPECT_NEAR(batch.state(0, static_cast<int>(k)).centre.z, theirs.centre.z, 1e-9);
    EXPECT_LT(norm(batch.state(0, static_cast<int>(k)).velocity), 1e-9) << "a displacement leaves the velocity alone";
  }
  for (int k = 0; k < 40; ++k) batch.advance(1);
  const std::int64_t before = batch.report().finished;
  batch.advance(20);
  EXPECT_EQ(batch.report().finished, before) << "overlap within the slop is left alone";
}

/// With a longer period the host takes fewer steps; overlap ends within what is left alone all the same.
TEST(Batch, RemovalOfOverlapMayWait) {
  scenes::StackOptions two;
  two.count = 2;
  Scene scene = scenes::stack(two);
  double start = 0;
  for (SceneBody& body : scene.bodies)
    if (body.kind == BodyKind::kDynamic) {
      if (start == 0) start = body.pose.position.z;
      body.pose.position.z -= 0.004 * start;
    }
  Batch often(model_of(scene), 1), seldom(model_of(scene, {.removal_period = 8}), 2),
      divided(model_of(scene, {.removal_period = 8, .threads = 2}), 1);
  const double size = often.model().body(0).thickness;
  for (Batch* batch : {&often, &seldom}) {
    batch->advance(400);
    EXPECT_LT(start - batch->state(0, 0).centre.z, 1.01e-3 * size);
    expect_all_solved(*batch, 400 * batch->worlds());
  }
  for (int k = 0; k < 40; ++k) divided.advance(10);
  EXPECT_GT(seldom.report().overlaps, 0);
  EXPECT_LE(seldom.report().overlaps, 2 * often.report().overlaps);
  EXPECT_EQ(divided.state_hash(0), seldom.state_hash(1));
  EXPECT_THROW(model_of(scene, {.removal_period = 0}), InputError);
}

/// A box that turns and strikes another one: overlap is there at the start, then made by a step that began without.
TEST(Batch, OverlapThatAStepMakesIsRemovedAsInAWorld) {
  Scene scene = test::batch_scene("boxes in the air");
  scene.bodies.resize(3);
  scene.bodies[1].pose = {{0, 0, 0.2}, {}};
  scene.bodies[1].velocity = {};
  scene.bodies[2].pose = {{0.15, 0, 0.7}, normalized(Quat{1, 0.3, 0.4, 0.2})};
  scene.bodies[2].velocity = {0, 0, -0.5};
  scene.bodies[2].angular_velocity = {8, 2.4, 8};
  Batch batch(model_of(scene), 1);
  World world(scene);
  int made = 0;
  for (int k = 0; k < 13; ++k) {
    batch.advance(1);
    const StepReport report = world.step();
    made += report.recoveries > 0 && report.penetration == 0;
    ASSERT_EQ(report.contacts_ahead, 0);
  }
  EXPECT_GT(made, 0);
  EXPECT_LT(norm(batch.state(0, 1).centre - world.states()[2].centre), 1e-9);
  EXPECT_LT(norm(batch.state(0, 1).velocity - world.states()[2].velocity), 1e-9);
}

/// A ball strikes a resting box, which a thin plate follows at some distance: within the step the box would fly through
/// the plate.
/// A box in the plane of x and z, a box that only slides and one that may turn about two axes: as in a World, and the
/// same when the host takes every step.
TEST(Batch, HeldAxesDoNotMove) {
  Scene scene = test::batch_scene("boxes in the air");
  const std::size_t first = scene.bodies.size() - 3;
  scene.bodies[first].fixed_dof = {false, true, false, true, false, true};
  scene.bodies[first + 1].fixed_dof = {false, false, false, true, true, true};
  scene.bodies[first + 2].fixed_dof = {true, false, false, false, false, true};
  for (std::size_t k = first; k < first + 3; ++k) scene.bodies[k].angular_velocity = {0.4, 0.5, 0.3};
  Batch batch(model_of(scene), 1), helped(model_of(scene, {.newton_budget = 0}), 1);
  World world(scene);
  const BodyState a = batch.state(0, 0), b = batch.state(0, 1);
  for (int k = 0; k < 18; ++k) {
    std::vector<ContactVec> start, lambda;
    const ContactProblem problem = batch.next_problem(0, start);
    batch.advance(1);
    for (const BatchContact& c : batch.contacts(0)) lambda.push_back(c.lambda);
    EXPECT_LE(certify(problem, lambda, start).worst(), 1e-8);
    helped.advance(1);
    ASSERT_EQ(world.step().contacts_ahead, 0);
    for (int n = 0; n < 3; ++n) {
      const BodyState theirs = world.states()[first + static_cast<std::size_t>(n)];
      for (const Batch* one : {&batch, &helped}) {
        EXPECT_LT(norm(one->state(0, n).centre - theirs.centre), 1e-7) << "step " << k << ", body " << n;
        EXPECT_LT(norm(one->state(0, n).velocity - theirs.velocity), 1e-5) << "step " << k << ", body " << n;
        EXPECT_LT(norm(one->state(0, n).angular_velocity - theirs.angular_velocity), 1e-5) << "body " << n;
      }
    }
  }
  EXPECT_EQ(batch.state(0, 0).centre.y, a.centre.y);
  EXPECT_EQ(batch.state(0, 1).rotation.x, b.rotation.x);
  EXPECT_EQ(batch.state(0, 2).velocity.x, 0);
  EXPECT_LT(batch.state(0, 0).centre.z, a.centre.z) << "it has fallen";
  EXPECT_GT(batch.report().newton, 0);
  EXPECT_GT(helped.report().finished, 0);
}

TEST(Batch, StruckBodiesDoNotCrossThinOnes) {
  SceneBuilder b("through a plate");
  const int stone = b.add_material({.name = "stone", .friction = 0.3});
  const int box = b.add_body({.name = "box", .pose = {{0, 0, 1}, {}}});
  b.add_shape_box(box, {0.1, 0.1, 0.1}, {.material = stone, .density = 200});
  const int plate = b.add_body({.name = "plate", .pose = {{0.25, 0, 1}, {}}});
  b.add_shape_box(plate, {0.005, 0.3, 0.3}, {.material = stone});
  const int ball = b.add_body({.name = "ball", .pose = {{-0.32, 0, 1}, {}}, .velocity = {40, 0, 0}});
  b.add_shape_sphere(ball, 0.2, {.material = stone, .density = 8000});
  const Scene scene = b.build();
  Batch batch(model_of(scene), 2), divided(model_of(scene, {.threads = 2}), 2);
  World world(scene);
  int ahead = 0;
  for (int k = 0; k < 3; ++k) {
    batch.advance(1);
    ahead += world.step().contacts_ahead;
    for (int n = 0; n < 3; ++n) {
      const BodyState ours = batch.state(0, n), theirs = world.states()[static_cast<std::size_t>(n)];
      EXPECT_LT(norm(ours.centre - theirs.centre), 1e-6) << "step " << k << ", body " << n;
      EXPECT_LT(norm(ours.velocity - theirs.velocity), 1e-4) << "step " << k << ", body " << n;
    }
    EXPECT_LT(batch.state(0, 0).centre.x, batch.state(0, 1).centre.x);
  }
  EXPECT_GT(ahead, 0);
  EXPECT_GT(batch.report().ahead, 0);
  divided.advance(3);
  EXPECT_EQ(batch.state_hash(0), divided.state_hash(1));
}

TEST(Batch, MoreContactsThanTheSizeClassAreLeftToTheHost) {
  Scene scene = test::batch_scene("boxes in the air");
  Batch batch(model_of(scene), 1);
  const int room = batch.model().contact_capacity();
  batch.advance(150);
  EXPECT_EQ(batch.report().stopped, 0) << room;
  EXPECT_EQ(batch.report().steps, 150);
}

TEST(Batch, ReportsABodyThatExplodes) {
  Batch batch(model_of(scenes::launched_cube()), 2);
  BodyState state = batch.state(0, 0);
  state.velocity = {1e300, 0, 0};
  batch.set_state(0, 0, state);
  batch.advance(5);
  EXPECT_EQ(batch.status(0), BatchStatus::kBroken);
  EXPECT_EQ(batch.status(1), BatchStatus::kRunning);
  EXPECT_EQ(batch.steps(0), 0);
  EXPECT_EQ(batch.steps(1), 5);
}

void expect_refused(const Scene& scene, const std::string& what) {
  try {
    BatchModel model(scene);
    FAIL() << "expected a refusal: " << what;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

TEST(Batch, RefusesWhatItDoesNotKnow) {
  Scene script = test::batch_scene("conveyor");
  script.bodies[test::kBelt].motion = ScriptMotion{[](double) { return Pose{}; }};
  expect_refused(script, "script");
  Scene gone = test::batch_scene("conveyor");
  gone.events.push_back({1, Disappear{test::kBelt}});
  expect_refused(gone, "prescribed motion");
  scenes::StackOptions many;
  many.count = 65;
  expect_refused(scenes::stack(many), "bodies that move");
}

}  // namespace
}  // namespace repose
