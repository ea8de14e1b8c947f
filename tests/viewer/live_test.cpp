// SPDX-License-Identifier: Apache-2.0
// A live run does what pages ask of it, and says what it cannot do.
#include "apps/viewer_server/live_run.h"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "repose/base/error.h"
#include "repose/export/chunk.h"
#include "repose/export/page_data_internal.h"
#include "repose/scene/builder.h"
#include "tests/support/temporary_folder.h"

namespace repose::view {
namespace {

using exporter::deflated;
using exporter::Json;
using exporter::kBodyWords;
using exporter::read_chunk;

class Live : public ::testing::Test {
 protected:
  static std::unique_ptr<LiveRun> start(const std::string& name, const ParameterValues& values) {
    return std::make_unique<LiveRun>(LiveOptions{.name = name, .values = values, .playing = false}, [] {});
  }
  static void send(LiveRun& run, const Message& message) { ASSERT_TRUE(run.send(message)); }
  /// Steps taken one by one, all of them done when it returns.
  static void step(LiveRun& run, int count) {
    const long long wanted = run.steps() + count;
    for (int k = 0; k < count; ++k) send(run, StepOnce{});
    for (int k = 0; k < 5000 && run.steps() < wanted; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(run.steps(), wanted);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the last frame is on its way
  }
  static Json info(const LiveRun& run) { return Json::parse(*run.info()); }
  /// Words of a frame: 0 about, 1 bodies, 2 contacts, 3 report.
  static std::vector<std::vector<std::uint32_t>> frame(const LiveRun& run) {
    return read_chunk(deflated(*run.newest().block));
  }
  static float number(const std::vector<std::uint32_t>& words, std::size_t k) {
    return std::bit_cast<float>(words.at(k));
  }
  static std::size_t body(const LiveRun& run, const std::string& kind) {
    const Json bodies = info(run)["header"]["bodies"];
    for (std::size_t b = 0; b < bodies.size(); ++b)
      if (bodies[b]["kind"] == kind) return b;
    return bodies.size();
  }
};

TEST_F(Live, ACubeSlidesOrSticksAsItsFrictionSays) {
  const auto run = start("incline", {{"mu", "0.6"}});
  const std::size_t cube = body(*run, "dynamic");
  const float x = number(frame(*run)[1], cube * kBodyWords);
  step(*run, 60);
  EXPECT_NEAR(number(frame(*run)[1], cube * kBodyWords), x, 1e-5);
  send(*run, SetScene{"incline", {{"mu", "0.2"}}});
  step(*run, 60);
  EXPECT_GT(std::abs(number(frame(*run)[1], cube * kBodyWords) - x), 0.5f);
  EXPECT_EQ(info(*run)["values"]["mu"], "0.2");
}

TEST_F(Live, RelaxedFrictionIsSeenInTheCertificate) {
  const auto run = start("incline", {{"mu", "0.2"}});
  const auto r_c = [&] {
    const auto row = frame(*run)[3];
    return std::bit_cast<double>(row.at(2) | (std::uint64_t{row.at(3)} << 32));
  };
  step(*run, 10);
  EXPECT_LT(r_c(), 1e-8);
  send(*run, SetSolver{false});
  step(*run, 10);
  EXPECT_GT(r_c(), 1e-4);
  EXPECT_EQ(info(*run)["solver"], "relaxed");
}

TEST_F(Live, AThrownBallFliesAndAPulledCubeLeavesTheGround) {
  const auto run = start("incline", {{"mu", "0.6"}});
  const std::size_t cube = body(*run, "dynamic");
  const auto height = [&] { return number(frame(*run)[1], cube * kBodyWords + 2); };
  const float before = height();
  send(*run, Pull{static_cast<int>(cube), {}, {0, 0, 5}});
  step(*run, 40);
  EXPECT_GT(height(), before + 1);
  send(*run, Release{});
  send(*run, Throw{{0, 0, 8}, {1, 0, 0}});
  step(*run, 3);
  const Json bodies = info(*run)["header"]["bodies"];
  int present = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (bodies[b]["name"].get<std::string>().starts_with("thrown-"))
      present += frame(*run)[1].at(b * kBodyWords + 13) != 0;
  EXPECT_EQ(present, 1);
}

TEST_F(Live, AControlDrivesItsActuator) {
  SceneBuilder b("wheel");
  b.settings().gravity = {};
  const int wheel = b.add_body({});
  b.add_shape_box(wheel, {0.1, 0.1, 0.1}, {.mask = 0});
  b.add_motor(b.add_joint_at(JointKind::kHinge, kWorldBody, wheel, {0, 0, 0}, {0, 0, 1}), 3);
  LiveRun run({.name = "wheel.xml", .scene = b.build(), .playing = false}, [] {});
  const Json header = info(run)["header"];
  EXPECT_EQ(header["joints"][0]["type"], "hinge");
  send(run, SetControl{0, 2});
  send(run, SetControl{7, 1});  // there is none: nothing happens
  step(run, 10);
  const std::size_t first = header["bodies"].size() * kBodyWords;
  const double turn = 2 / (8 * 0.02 / 3);  // rad/s²; the frame is that before the last step
  EXPECT_NEAR(number(frame(run)[1], first), 0.5 * 9 * 10 * turn / 3600, 1e-6);
  EXPECT_EQ(number(frame(run)[1], first + 1), 2);
  EXPECT_EQ(number(frame(run)[1], first + 2), 2);
}

TEST_F(Live, ABadSceneIsSaidAndTheOldOneGoesOn) {
  const auto run = start("incline", {});
  for (const SetScene& bad : {SetScene{"nowhere", {}}, SetScene{"incline", {{"mu", "-1"}}}}) {
    send(*run, bad);
    step(*run, 1);
    EXPECT_EQ(info(*run)["scene"], "incline");
    EXPECT_NE(info(*run)["trouble"], "");
  }
  EXPECT_THROW(start("nowhere", {}), InputError);
}

/// A page cannot make the program open a file: scenes have names here, and the names of files are none of them.
TEST_F(Live, FilesAreNoScenes) {
  const repose::testing::TemporaryFolder folder;
  const std::string text = R"({"repose_scene": 1, "bodies": [{"kind": "static", "shapes": [{"type": "plane"}]}]})";
  folder.write("scene.json", text);
  const auto run = start("incline", {});
  for (const std::string& name : {folder / "scene.json", std::string("../scene.json"), std::string("/etc/passwd")}) {
    send(*run, SetScene{name, {}});
    step(*run, 1);
    EXPECT_EQ(info(*run)["scene"], "incline");
    EXPECT_NE(info(*run)["trouble"], "");
  }
}

TEST_F(Live, ItRunsByTheClockAndPauses) {
  const auto run = start("incline", {{"mu", "0.2"}});
  send(*run, RunOn{});
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  send(*run, Pause{});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const long long steps = run->steps();
  EXPECT_GT(steps, 10);
  EXPECT_LT(steps, 60);  // real time is 42 or so: it does not rush
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(run->steps(), steps);
}

TEST_F(Live, AFloodOfMessagesIsRefusedNotStored) {
  const auto run = start("arch", {{"stones", "101"}});
  int refused = 0;
  for (int k = 0; k < 100000 && refused == 0; ++k) refused += !run->send(StepOnce{});
  EXPECT_EQ(refused, 1);
}

}  // namespace
}  // namespace repose::view
