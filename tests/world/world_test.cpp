// SPDX-License-Identifier: Apache-2.0
// The world on small scenes: free motion, rest, impact, recovery, prescribed motion, events, forces, checkpoints.
#include "repose/world/world.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <sstream>
#include <thread>

#include "repose/base/error.h"
#include "repose/base/random.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/complaint.h"
#include "tests/support/world_scenes.h"

namespace repose {
namespace {

using namespace testing;

TEST(World, FreeFallIsSemiImplicitEuler) {
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 100}, {3, 0, 0});
  World world(scene);
  run(world, 60);
  EXPECT_NEAR(world.states()[0].velocity.z, -kGravity, 1e-13);
  EXPECT_NEAR(world.states()[0].centre.z, 100 - kGravity * kStep * kStep * 60 * 61 / 2, 1e-12);
  EXPECT_NEAR(world.states()[0].centre.x, 3, 1e-13);
  EXPECT_NEAR(world.time(), 1, 1e-15);
}

TEST(World, EnergyNeverRisesInFreeFallOrAtRest) {
  World world(stack(3));
  for (const StepReport& report : run(world, 30)) EXPECT_LE(report.energy_rise, 1e-6 * 3 * 1000 * kGravity);
}

TEST(World, StackStandsStill) {
  World world(stack(5));
  const auto reports = run(world, 120);
  for (int b = 1; b <= 5; ++b) {
    EXPECT_LE(norm(world.states()[static_cast<std::size_t>(b)].velocity), 1e-9) << b;
    EXPECT_NEAR(world.states()[static_cast<std::size_t>(b)].centre.z, b - 0.5, 1e-9) << b;
  }
  EXPECT_EQ(reports.back().contacts, 20);
  EXPECT_EQ(reports.back().islands, 1);
  EXPECT_NEAR(world.contact_force(0).z, -5 * 1000 * kGravity, 1e-6 * 5000 * kGravity);
  for (const Contact& c : world.contacts()) EXPECT_EQ(c.mode, ContactMode::kStick);
}

TEST(World, SeparateStacksAreSeparateIslands) {
  Scene scene = stack(2);
  add_cube(scene, 1, {5, 0, 0.5});
  add_cube(scene, 1, {-5, 0, 0.5});
  World world(scene);
  EXPECT_EQ(run(world, 3).back().islands, 3);
}

TEST(World, DroppedCubeLandsWithoutBounceOrOverlap) {
  Scene scene = empty_scene();
  add_ground(scene);
  const int cube = add_cube(scene, 1, {0, 0, 0.83});
  World world(scene);
  double lowest = 1;
  for (int k = 0; k < 60; ++k) {
    world.step();
    lowest = std::min(lowest, world.states()[static_cast<std::size_t>(cube)].centre.z);
  }
  EXPECT_GE(lowest, 0.5 - 1e-9);
  EXPECT_NEAR(world.states()[static_cast<std::size_t>(cube)].centre.z, 0.5, 2e-9);
  EXPECT_LE(norm(world.states()[static_cast<std::size_t>(cube)].velocity), 1e-9);
}

/// e = 1: the same height, bounce after bounce.
TEST(World, RestitutionIsNewtons) {
  for (const double e : {1.0, 0.5}) {
    Scene scene = empty_scene(0);
    scene.materials[0].restitution = e;
    add_ground(scene);
    add_shape_body(scene, Sphere{0.5}, {0, 0, 1.5});
    World world(scene);
    double before = 0, first = 0, top = 0;  // top: between the third bounce and the fourth
    int bounces = 0;
    for (int k = 0; k < 400 && bounces < 4; ++k) {
      world.step();
      const double v = world.states()[1].velocity.z;
      if (before < 0 && v > 0) {
        if (++bounces == 1) first = v / -before;
      }
      if (bounces == 3) top = std::max(top, world.states()[1].centre.z);
      before = v;
    }
    EXPECT_GE(bounces, 4);
    EXPECT_NEAR(first, e, 1e-9);
    if (e == 1.0) {
      EXPECT_NEAR(top, 1.5, 0.02) << "no height is lost or gained";
    }
  }
}

TEST(World, SlowImpactsDoNotBounce) {
  Scene scene = empty_scene();
  scene.materials[0].restitution = 1;
  add_ground(scene);
  add_cube(scene, 1, {0, 0, 0.5});
  World world(scene);
  run(world, 30);
  EXPECT_NEAR(world.states()[1].centre.z, 0.5, 1e-9);
}

/// Deep overlap is removed by its share β per step, and leaves no velocity behind.
TEST(World, DeepOverlapRecoversWithoutAJump) {
  for (const int cubes : {1, 3}) {
    World world(stack(cubes, 0.05));
    double highest = 0, fastest = 0;
    for (int k = 0; k < 120; ++k) {
      const StepReport report = world.step();
      EXPECT_EQ(report.status, StepStatus::kSolved);
      EXPECT_EQ(report.recoveries_unsolved, 0);
      if (k == 0) {
        EXPECT_NEAR(world.states()[1].centre.z, 0.45 + 0.2 * (0.05 - 5e-4), 2e-4);
      }
      fastest = std::max(fastest, norm(world.states()[static_cast<std::size_t>(cubes)].velocity));
      highest = std::max(highest, world.states()[static_cast<std::size_t>(cubes)].centre.z);
    }
    EXPECT_LE(highest, cubes - 0.5 + 1e-9) << "nothing may be thrown up";
    EXPECT_LE(fastest, 1e-6);
    EXPECT_NEAR(world.states()[static_cast<std::size_t>(cubes)].centre.z, cubes - 0.5 - cubes * 5e-4, cubes * 1e-5)
        << "up to half of a thousandth of each cube";
  }
}

/// What sticks to a turntable stays on its circle, whatever the step.
TEST(World, TurntableCarriesItsLoadInACircle) {
  Scene scene = empty_scene(0.8);
  add_moving_plate(scene, ConstantMotion{{}, {0, 0, 2}}, 0.125);
  add_cube(scene, 0.2, {0.75, 0, 0.1}, {0, 1.5, 0}, {0, 0, 2});
  World world(scene);
  for (int k = 0; k < 600; ++k) {
    const StepReport report = world.step();
    ASSERT_EQ(report.status, StepStatus::kSolved);
    for (const Contact& c : world.contacts()) ASSERT_LE(std::hypot(c.v.t1, c.v.t2), 1e-8);
    EXPECT_LE(report.energy_rise, 1e-3);  // the disc's work is outside work
  }
  const Vec3 x = world.states()[1].centre;
  EXPECT_NEAR(std::hypot(x.x, x.y), 0.75, 1e-6);
  EXPECT_NEAR(world.pose(0).rotation.w, std::cos(10.0), 1e-12) << "the disc is where its motion says";
}

TEST(World, ForcesAndPushes) {
  Scene scene = empty_scene();
  scene.gravity = {};
  const int cube = add_cube(scene, 1, {0, 0, 0});  // 1000 kg
  scene.bodies[0].force = {500, 0, 0};
  scene.events.push_back({0.5, Push{cube, {0, 1000, 0}, {}, 0.1}});
  World world(scene);
  world.apply_force(cube, {0, 0, 6000});
  run(world, 60);
  EXPECT_NEAR(world.states()[0].velocity.x, 0.5, 1e-12);
  EXPECT_NEAR(world.states()[0].velocity.y, 0.1, 1e-12);
  EXPECT_NEAR(world.states()[0].velocity.z, 6 * kStep, 1e-12) << "one step only";
}

TEST(World, EventsAppearDisappearAndChangeVelocity) {
  Scene scene = stack(2);
  const int shot = add_cube(scene, 0.5, {-3, 0, 5}, {7, 0, 0});
  scene.bodies[static_cast<std::size_t>(shot)].present = false;
  scene.events = {{0.5, Appear{shot}}, {0.7, Disappear{1}}, {0.9, SetVelocity{shot, {0, 0, 1}, {}}}};
  World world(scene);
  run(world, 30);
  EXPECT_FALSE(world.present(shot));
  EXPECT_EQ(world.states()[3].centre.x, -3);
  run(world, 1);
  EXPECT_TRUE(world.present(shot));
  EXPECT_NEAR(world.states()[3].centre.x, -3 + 7 * kStep, 1e-12);
  run(world, 12);
  EXPECT_FALSE(world.present(1));
  run(world, 50);
  EXPECT_NEAR(world.states()[2].centre.z, 0.5, 1e-6) << "the upper cube has come down";
}

TEST(World, FastBodyDoesNotTunnel) {
  Scene scene = empty_scene();
  add_ground(scene);
  add_cube(scene, 0.2, {0, 0, 5}, {0, 0, -200});  // 3.3 m a step
  World world(scene);
  for (int k = 0; k < 10; ++k) world.step();
  EXPECT_NEAR(world.states()[1].centre.z, 0.1, 1e-6);
}

/// The same motion, in millimetres, grams and milliseconds.
TEST(World, ScaleFree) {
  Scene metres = stack(3);
  metres.bodies[3].velocity = {0.7, 0.2, 0};
  Scene millimetres = metres;
  const double length = 1000, mass = 1000, time = 1000;
  millimetres.dt *= time;
  millimetres.gravity = (length / (time * time)) * metres.gravity;
  millimetres.margin *= length;
  millimetres.slop *= length;
  for (SceneBody& body : millimetres.bodies) {
    body.pose.position = length * body.pose.position;
    body.velocity = (length / time) * body.velocity;
    for (SceneShape& shape : body.shapes) {
      if (auto* box = std::get_if<Box>(&shape.geometry)) box->half = length * box->half;
      shape.density *= mass / (length * length * length);
    }
  }
  World a(metres), b(millimetres);
  for (int k = 0; k < 120; ++k) {
    a.step();
    b.step();
  }
  for (std::size_t k = 1; k <= 3; ++k)
    EXPECT_LE(norm(a.states()[k].centre - (1 / length) * b.states()[k].centre), 1e-9) << k;
}

/// A stack at rest and a ball that bounces, with masses down to those of molecules: the same motion.
TEST(World, TinyMassesMoveLikeOthers) {
  const auto heights = [](double factor) {
    Scene scene = stack(3);
    scene.materials.push_back({"rubber", 0.5, 0.8});
    add_shape_body(scene, Sphere{0.1}, {5, 0, 1.1});
    scene.bodies.back().shapes[0].material = 1;
    for (SceneBody& body : scene.bodies)
      for (SceneShape& shape : body.shapes) shape.density *= factor;
    World world(scene);
    double top = 0;
    std::vector<double> list;
    for (int k = 0; k < 90; ++k) {
      EXPECT_EQ(world.step().status, StepStatus::kSolved) << factor;
      if (k > 30) top = std::max(top, world.states()[4].centre.z);  // after the first bounce
    }
    for (std::size_t b = 1; b <= 3; ++b) list.push_back(world.states()[b].centre.z);
    list.push_back(top);
    return list;
  };
  const std::vector<double> usual = heights(1);
  EXPECT_NEAR(usual[0], 0.5, 1e-9);
  for (const double factor : {1e-18, 1e-24, 1e-30}) {
    const std::vector<double> tiny = heights(factor);
    for (std::size_t k = 0; k < usual.size(); ++k) EXPECT_NEAR(tiny[k], usual[k], 1e-7) << factor << ", number " << k;
  }
}

TEST(World, WrittenStatesAreCheckedAndCleaned) {
  Scene scene = stack(2);
  scene.bodies.back().fixed_dof[0] = true;
  World world(scene);
  const BodyState* const where = world.states().data();
  const auto top = world.states().size() - 1;
  BodyState& written = world.writable_states()[top];
  ASSERT_EQ(&written, where + top);
  written.rotation = {2, 0, 0, 0};
  written.velocity = {1, 2, 3};
  world.accept_states();
  EXPECT_EQ(world.states()[top].rotation.w, 1);
  EXPECT_EQ(world.states()[top].velocity.x, 0);
  EXPECT_EQ(world.states()[top].velocity.y, 2);

  written.centre.y = std::nan("");
  EXPECT_THROW(world.accept_states(), InputError);
  written.centre.y = 0;
  written.rotation = {0, 0, 0, 0};
  EXPECT_THROW(world.accept_states(), InputError);
}

TEST(World, AcceptingItsOwnStatesChangesNothing) {
  World plain(stack(3)), accepting(testing::stack(3));
  std::stringstream checkpoint;
  plain.save(checkpoint);
  const BodyState* const where = accepting.states().data();
  accepting.load(checkpoint);
  for (int k = 0; k < 50; ++k) {
    accepting.accept_states();
    plain.step();
    accepting.step();
    ASSERT_EQ(plain.state_hash(), accepting.state_hash()) << k;
  }
  EXPECT_EQ(where, accepting.states().data());
}

TEST(World, StepsAtRestDoNotAllocate) {
  World world(stack(4));
  for (int k = 0; k < 20; ++k) world.step();
  const AllocationScope scope;
  for (int k = 0; k < 10; ++k) world.step();
  EXPECT_EQ(scope.count(), 0);
}

TEST(World, WarmStartAtRestNeedsNoIterations) {
  World warm(stack(4)), cold(stack(4), {.warm_start = false});
  run(warm, 20);
  run(cold, 20);
  EXPECT_EQ(warm.step().outer_iterations, 0);
  EXPECT_GT(cold.step().outer_iterations, 0);
}

/// A step's problem, solved alone from the step's start, gives the step's impulses.
TEST(World, ProblemsSolvedAloneGiveTheSameImpulses) {
  World world(busy_scene());
  for (int k = 0; k < 30; ++k) world.step();
  ASSERT_GT(world.problems(), 0);
  for (int island = 0; island < world.problems(); ++island) {
    std::vector<ContactVec> start;
    for (const int i : world.problem_contacts(island))
      start.push_back(world.contacts()[static_cast<std::size_t>(i)].start);
    const Solution alone = solve(world.problem(island), world.problem_options(island), start);
    for (std::size_t k = 0; k < start.size(); ++k) {
      const Contact& c = world.contacts()[static_cast<std::size_t>(world.problem_contacts(island)[k])];
      EXPECT_EQ(alone.lambda[k].n, c.lambda.n);
      EXPECT_EQ(alone.lambda[k].t1, c.lambda.t1);
      EXPECT_NEAR(alone.v[k].n - c.bias, c.v.n, 1e-12);
    }
  }
}

TEST(World, UnsolvedStepsAreSaid) {
  FrictionOptions poor = options_from_names("nsgs", "auto");
  poor.max_iterations = 1;
  World world(stack(5), {.solver = poor, .warm_start = false});
  const StepReport report = world.step();
  EXPECT_EQ(report.status, StepStatus::kUnsolved);
  EXPECT_EQ(report.unsolved_islands, 1);
  EXPECT_GT(report.certificate.worst(), 1e-8);
}

TEST(World, AcceptedStepsAreSaid) {
  FrictionOptions poor = options_from_names("nsgs", "auto");
  poor.max_iterations = 1;
  poor.accept = 2;
  World world(stack(5), {.solver = poor, .warm_start = false});
  const StepReport report = world.step();
  EXPECT_EQ(report.status, StepStatus::kAccepted);
  EXPECT_EQ(report.accepted_islands, 1);
  EXPECT_EQ(report.unsolved_islands, 0);
  EXPECT_EQ(world.steps(), 1);
  EXPECT_STREQ(to_string(report.status), "accepted");
}

TEST(World, TheWorstIslandIsTheStatusOfTheStep) {
  const auto at = [](double nat) {
    Certificate c;
    c.nat = nat;
    return c;
  };
  EXPECT_EQ(status_of(at(1e-9), 1e-8, 1e-4), StepStatus::kSolved);
  EXPECT_EQ(status_of(at(1e-5), 1e-8, 1e-4), StepStatus::kAccepted);
  EXPECT_EQ(status_of(at(1e-3), 1e-8, 1e-4), StepStatus::kUnsolved);
  EXPECT_EQ(status_of(at(1e-5), 1e-8, 0), StepStatus::kUnsolved);
  EXPECT_EQ(status_of(at(1e-3), 1e-2, 1e-4), StepStatus::kSolved);
  EXPECT_EQ(status_of(at(std::nan("")), 1e-8, 1e-4), StepStatus::kUnsolved);
}

/// The limit counts work and not time: any number of threads ends a solve at the same iterate.
TEST(World, ATinyBudgetGivesTheSameBitsForAnyNumberOfThreads) {
  std::string hashes[2];
  int accepted = 0;
  for (const int threads : {1, 4}) {
    WorldOptions options{.threads = threads};
    options.solver.budget = 1e-6;
    World world(busy_scene(), options);
    accepted = 0;
    for (int k = 0; k < 60; ++k) {
      const StepReport report = world.step();
      EXPECT_LE(report.certificate.worst(), kStepAccept) << "step " << k;
      accepted += report.status == StepStatus::kAccepted;
      for (int island = 0; island < world.problems(); ++island) {  // and alone
        std::vector<ContactVec> start;
        for (const int i : world.problem_contacts(island))
          start.push_back(world.contacts()[static_cast<std::size_t>(i)].start);
        const Solution alone = solve(world.problem(island), world.problem_options(island), start);
        EXPECT_EQ(alone.report.certificate.worst(), world.problem_report(island).certificate.worst()) << "step " << k;
      }
    }
    hashes[threads == 4] = world.state_hash();
  }
  EXPECT_GT(accepted, 0);
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(World, ExplosionStopsAtTheLastGoodState) {
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 1});
  World world(scene);
  run(world, 3);
  const std::string before = world.state_hash();
  world.apply_force(0, {0, 0, 1e300});
  const StepReport report = world.step();
  EXPECT_EQ(report.status, StepStatus::kBroken);
  EXPECT_STRNE(report.why, "");
  EXPECT_EQ(world.state_hash(), before);
  EXPECT_EQ(world.steps(), 3);
  EXPECT_THROW(world.apply_force(0, {std::nan(""), 0, 0}), InputError);
}

TEST(World, AbsurdForcesBreakDownCleanly) {
  World world(stack(1));
  world.step();
  const Vec3 before = world.states()[1].centre;
  world.apply_force(1, {1e160, 0, 0});
  const StepReport report = world.step();
  EXPECT_EQ(report.status, StepStatus::kBroken);
  EXPECT_EQ(world.states()[1].centre.x, before.x) << "the state is the last good one";
}

/// A step that would take a minute: all pairs of the cubes touch.
TEST(World, LongStepsAreInterrupted) {
  Scene scene = stack(1);
  for (int k = 0; k < 700; ++k) add_cube(scene, 1, {0, 0, 0.5});
  std::atomic<bool> stop = false;
  World world(scene, {.interrupt = &stop});
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop = true;
  });
  EXPECT_EQ(world.step().status, StepStatus::kInterrupted);
  later.join();
  EXPECT_EQ(world.steps(), 0);
}

TEST(World, InterruptedStepIsNotTaken) {
  std::atomic<bool> stop{true};
  World world(stack(5), {.warm_start = false, .interrupt = &stop});
  const std::string before = world.state_hash();
  EXPECT_EQ(world.step().status, StepStatus::kInterrupted);
  EXPECT_EQ(world.state_hash(), before);
  stop = false;
  EXPECT_EQ(world.step().status, StepStatus::kSolved);
}

TEST(World, BodyWithItsCentreElsewhere) {
  // A body whose frame lies in its corner moves like one whose frame lies in its centre.
  Scene scene = empty_scene();
  add_cube(scene, 1, {0, 0, 3}, {1, 0, 0}, {0.4, 2, 0});
  SceneBody corner = scene.bodies[0];
  corner.name = "corner";
  corner.shapes[0].pose.position = {0.5, 0.5, 0.5};
  corner.pose.position = {4.5, -0.5, 2.5};
  scene.bodies.push_back(corner);
  World world(scene);
  run(world, 60);
  EXPECT_LE(norm(world.states()[1].centre - world.states()[0].centre - Vec3{5, 0, 0}), 1e-12);
  const Pose a = world.pose(0), b = world.pose(1);
  EXPECT_LE(norm((b * Vec3{0.5, 0.5, 0.5}) - (a * Vec3{}) - Vec3{5, 0, 0}), 1e-12);
}

}  // namespace
}  // namespace repose
