// SPDX-License-Identifier: Apache-2.0
// Prescribed motions and events in batches, against worlds.
#include <gtest/gtest.h>

#include "repose/base/error.h"
#include "repose/batch/batch.h"
#include "repose/world/world.h"
#include "tests/batch/batch_scenes.h"

namespace repose {
namespace {

std::shared_ptr<const BatchModel> model_of(const Scene& scene, const BatchOptions& options = {}) {
  return std::make_shared<const BatchModel>(scene, options);
}

/// Both are solved this far where they are compared: what is left of the residual moves bodies.
constexpr double kSharp = 1e-11;
World sharp_world(const Scene& scene) {
  WorldOptions options;
  options.solver.tolerance = kSharp;
  return World(scene, options);
}

/// Largest distance between a body of a batch's world and that of a World, m.
double apart(const Batch& batch, int w, const World& world) {
  double most = 0;
  for (std::size_t k = 0; k < batch.model().bodies().size(); ++k) {
    const BodyState theirs = world.states()[static_cast<std::size_t>(batch.model().bodies()[k])];
    most = std::max(most, norm(batch.state(w, static_cast<int>(k)).centre - theirs.centre));
  }
  return most;
}

class Scheduled : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Scenes, Scheduled, testing::Values("conveyor", "turntable", "lift", "events"));

TEST_P(Scheduled, FollowsTheWorld) {
  const Scene scene = test::batch_scene(GetParam());
  Batch batch(model_of(scene, {.tolerance = kSharp}), 1);
  World world = sharp_world(scene);
  for (int k = 0; k < 60; ++k) {
    batch.advance(1);
    ASSERT_EQ(world.step().status, StepStatus::kSolved);
    ASSERT_LT(apart(batch, 0, world), 1e-7) << "step " << k;
    for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b)
      ASSERT_EQ(batch.present(0, b), world.present(b)) << "step " << k;
  }
  EXPECT_EQ(batch.report().solved, 60);
}

TEST_P(Scheduled, EqualWorldsHaveEqualBits) {
  const Scene scene = test::batch_scene(GetParam());
  Batch many(model_of(scene, {.threads = 3}), 4), one(model_of(scene), 1);
  for (int w = 0; w < 4; ++w) many.set_parameters(w, {scene.gravity, 1, 0.01, static_cast<std::uint64_t>(w / 2)});
  one.set_parameters(0, {scene.gravity, 1, 0.01, 1});
  many.advance(40);
  for (int k = 0; k < 40; ++k) one.advance(1);
  EXPECT_EQ(many.state_hash(0), many.state_hash(1));
  EXPECT_EQ(many.state_hash(2), one.state_hash(0));
  EXPECT_NE(many.state_hash(0), many.state_hash(2));
}

/// A world that is reset later has its events and motions later, and ends in the same state.
TEST_P(Scheduled, TimeOfAWorldBeginsWithItsReset) {
  const Scene scene = test::batch_scene(GetParam());
  Batch batch(model_of(scene), 2), fresh(model_of(scene), 2);
  batch.advance(7);
  batch.reset({0, 1});
  batch.advance(35);
  fresh.advance(35);
  EXPECT_EQ(batch.state_hash(1), fresh.state_hash(0));
  EXPECT_NE(batch.state_hash(0), fresh.state_hash(0));
}

/// An event by mask is the same event in a World at that time; the other worlds are as they were.
TEST(Events, HappenToTheWorldsOfAMask) {
  Scene scene = test::batch_scene("events");
  const std::vector<Event> events = scene.events;
  scene.events.clear();
  Batch batch(model_of(scene, {.tolerance = kSharp, .events = true}), 2);
  World untouched = sharp_world(scene);
  scene.events = events;
  World eventful = sharp_world(scene);
  std::size_t next = 0;
  for (int k = 0; k < 40; ++k) {
    for (; next < events.size() && events[next].time <= k * scene.dt + 1e-9 * scene.dt; ++next)
      batch.apply(events[next].action, {0, 1});
    batch.advance(1);
    untouched.step();
    eventful.step();
    ASSERT_LT(apart(batch, 0, untouched), 1e-9) << "step " << k;
    ASSERT_LT(apart(batch, 1, eventful), 1e-7) << "step " << k;
  }
  EXPECT_EQ(next, events.size());
}

TEST(Events, SayWhatTheyExpect) {
  const Scene scene = test::batch_scene("conveyor");
  Batch batch(model_of(scene), 2), plain(model_of(test::batch_scene("stack")), 2);
  const auto refuses = [](Batch& of, const EventAction& action, const std::vector<char>& mask, const char* word) {
    try {
      of.apply(action, mask);
      FAIL() << "expected an error about " << word;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refuses(batch, Appear{1}, {1}, "mask");
  refuses(batch, Appear{9}, {1, 1}, "body");
  refuses(batch, Disappear{test::kBelt}, {1, 1}, "prescribed motion");
  refuses(batch, SetVelocity{test::kBelt, {}, {}}, {1, 1}, "moves freely");
  refuses(plain, Appear{1}, {1, 1}, "events = true");
  for (int k = 0; k < 8; ++k) batch.apply(Push{1, {1, 0, 0}, {}, 1}, {1, 1});
  refuses(batch, Push{1, {1, 0, 0}, {}, 1}, {1, 1}, "pushes");
}

}  // namespace
}  // namespace repose
