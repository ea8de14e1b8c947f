// SPDX-License-Identifier: Apache-2.0
// Memory that cannot be had, at every single allocation of a piece of work: what comes out is std::bad_alloc or an
// InputError, nothing is lost, and what was there before is as it was.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "problems/simple.h"
#include "repose/base/error.h"
#include "repose/contact/problem_file.h"
#include "repose/record/recorder.h"
#include "repose/scene/load.h"
#include "repose/scene/native_json.h"
#include "repose/scheme/solve.h"
#include "repose/verify/verify.h"
#include "repose/world/world.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/small_scenes.h"
#include "tests/support/temporary_folder.h"

namespace repose::testing {

void PrintTo(const Failing& which, std::ostream* out) {
  *out << (which == Failing::kOne ? "one fails" : "all after it fail");
}

namespace {

struct Outcomes {
  long failures = 0, lost = 0;
};

/// Does `work` with allocation first, first + stride, ... failing until none does, and calls `after` each time.
template <class Work, class After>
Outcomes with_every_failure(const Work& work, const After& after, Failing which = Failing::kOne, long stride = 1) {
  work(), after(-1);  // what is allocated once and kept: tables of names, caches of libraries
  Outcomes outcomes;
  for (long n = 0;; n += stride) {
    const long live = allocations_live;
    bool came = false;
    {
      const FailingAllocation failure(n, which);
      try {
        work();
      } catch (const std::bad_alloc&) {
      } catch (const InputError&) {
      }
      came = FailingAllocation::came();
    }
    after(n);
    if (!came) return outcomes;
    ++outcomes.failures;
    outcomes.lost += allocations_live - live;
  }
}
template <class Work>
Outcomes with_every_failure(const Work& work, Failing which = Failing::kOne, long stride = 1) {
  return with_every_failure(
      work, [](long) {}, which, stride);
}

void expect_clean(const Outcomes& outcomes, long at_least) {
  EXPECT_EQ(outcomes.lost, 0);
  EXPECT_GE(outcomes.failures, at_least);
  std::cout << outcomes.failures << " failures\n";
}

class Allocations : public ::testing::TestWithParam<Failing> {};

TEST_P(Allocations, OfAWorldAndItsSteps) {
  for (const Scene& scene : {piled_scene(), jointed_scene()})
    expect_clean(with_every_failure(
                     [&] {
                       World world(scene);
                       for (int k = 0; k < 3; ++k) static_cast<void>(world.step());
                     },
                     GetParam()),
                 100);
}

/// Takes a step of a world with allocation n failing. A step that fails is not taken: the state has its bits, and the
/// next step is taken. Returns false when there were fewer allocations.
bool step_with_failure(World& world, long n, Failing which) {
  const std::string before = world.state_hash();
  const int steps = world.steps();
  bool came = false, taken = true;
  {
    const FailingAllocation failure(n, which);
    try {
      static_cast<void>(world.step());
    } catch (const std::bad_alloc&) {
      taken = false;
    }
    came = FailingAllocation::came();
  }
  EXPECT_EQ(taken, !came) << n;
  EXPECT_EQ(world.steps(), steps + taken) << n;
  if (!taken) {
    EXPECT_EQ(world.state_hash(), before) << n;
  }
  EXPECT_EQ(world.step().status, StepStatus::kSolved) << n;
  return came;
}

TEST_P(Allocations, OfAStepLeaveTheStateAlone) {
  for (const Scene& scene : {piled_scene(), jointed_scene()})
    for (const int steps : {0, 1, 5}) {
      long n = 0;
      for (bool came = true; came && !HasFailure(); ++n) {
        World world(scene);
        for (int k = 0; k < steps; ++k) static_cast<void>(world.step());
        came = step_with_failure(world, n, GetParam());
      }
      EXPECT_GT(n, steps == 0 ? 50 : 0);
      std::cout << n - 1 << " failures in step " << steps + 1 << '\n';
    }
}

/// Scenes in JSON are left to tests/cli/faults_test.cpp: the library's values allocate in their destructor, which ends
/// the program when that fails.
TEST_P(Allocations, OfScenesThatAreRead) {
  const TemporaryFolder folder;
  folder.write("robot.xml", R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1"><joint name="j"/>
    <geom size=".1"/><body pos="0 0 1"><joint type="slide" range="0 1"/><geom type="box" size=".1 .1 .1"/></body></body>
    </worldbody><actuator><motor joint="j"/></actuator></mujoco>)");
  expect_clean(with_every_failure([&] { static_cast<void>(load_scene(folder / "robot.xml")); }, GetParam()), 100);
}

TEST_P(Allocations, OfSolvesAndProblemFiles) {
  const TemporaryFolder folder;
  const ContactProblem problem = problems::make_problem(problems::box());
  expect_clean(with_every_failure([&] { static_cast<void>(solve(problem)); }, GetParam()), 10);
  expect_clean(with_every_failure(
                   [&] {
                     write_fclib(folder / "box.hdf5", problem);
                     static_cast<void>(read_stored_problem(folder / "box.hdf5"));
                   },
                   GetParam(), 3),
               10);
}

/// The recording ends with a step that was taken, all of it checks, and no later call adds to it.
TEST_P(Allocations, OfARecording) {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5", scene_json = native_scene_text(jointed_scene());
  bool begun = false;
  long added = 0;
  const auto record = [&] {
    begun = false, added = 0;
    World world(jointed_scene());
    Recorder recorder(file, world, {.scene_json = scene_json, .flush_steps = 2});
    begun = true;
    for (int k = 0; k < 4; ++k) {
      const StepReport report = world.step();
      try {
        recorder.add(world, report);
        ++added;
      } catch (const std::bad_alloc&) {  // goes on all the same, as a careless caller might
      } catch (const InputError&) {
      }
    }
    recorder.close();
  };
  const auto expect_readable = [&](long n) {
    if (!begun) return;
    const Recording recording(file);
    ASSERT_LE(recording.steps(), 4) << n;
    for (int k = 0; k < recording.steps(); ++k) ASSERT_STREQ(check_step(recording, k).fault(), "") << n << ", " << k;
  };
  expect_clean(with_every_failure(record, expect_readable, GetParam(), 7), 10);
}

TEST_P(Allocations, OfARecordingThatIsReadAndChecked) {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5";
  {
    World world(jointed_scene());
    Recorder recorder(file, world);  // without the scene, which is JSON
    for (int k = 0; k < 2; ++k) recorder.add(world, world.step());
  }
  expect_clean(with_every_failure(
                   [&] {
                     const Recording recording(file);
                     static_cast<void>(check_step(recording, 1));
                   },
                   GetParam()),
               100);
}

INSTANTIATE_TEST_SUITE_P(Faults, Allocations, ::testing::Values(Failing::kOne, Failing::kAllAfter),
                         [](const auto& tested) {
                           return tested.param == Failing::kOne ? "ThatFailOnce" : "ThatFailFromThenOn";
                         });

}  // namespace
}  // namespace repose::testing
