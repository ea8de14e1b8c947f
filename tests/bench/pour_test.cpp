// SPDX-License-Identifier: Apache-2.0
// `repose bench pour` keeps every step, says where a row was cut, and writes the problems of the slowest steps.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/suite/pour_run.h"
#include "bench/suite/suite.h"
#include "repose/base/error.h"
#include "repose/contact/problem_file.h"
#include "repose/scene/builder.h"
#include "scenes/registry.h"
#include "tests/support/complaint.h"

namespace repose::bench {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  explicit Folder(const std::string& name) : path_(fs::path(::testing::TempDir()) / ("repose-pour-" + name)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] int files() const {
    return static_cast<int>(std::distance(fs::directory_iterator(path_), fs::directory_iterator{}));
  }

 private:
  fs::path path_;
};

SuiteOptions options_for(const char* scene) {
  SuiteOptions options;
  options.quick = true, options.alone = true;
  options.scenes = {scene};
  return options;
}

std::size_t words(const Json& text) {
  std::istringstream in(text.get<std::string>());
  return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(in), {}));
}

TEST(Pour, KeepsEveryStepOfTheRowsThatAreAsked) {
  Listener nobody;
  const Json document = run(find_benchmark("pour"), options_for("cubes-300"), nobody);
  const Json& rows = document["tables"][0]["rows"];
  ASSERT_EQ(rows.size(), 2U);  // two tolerances
  for (const Json& row : rows) {
    EXPECT_EQ(row["scene"], "cubes-300");
    EXPECT_TRUE(row["complete"]);
    const Json& raw = row["raw"][0];
    for (const char* column : {"ms", "residual", "overlap", "energy_rise", "contacts"})
      EXPECT_EQ(words(raw[column]), row["steps"].get<std::size_t>()) << column;
    EXPECT_EQ(raw["status"].get<std::string>().size(), row["steps"].get<std::size_t>());
    EXPECT_LE(row["ms_median"], row["ms_p95"]);
    EXPECT_LE(row["ms_p99"], row["ms_max"]);
  }
}

TEST(Pour, RowsThatMeetTheLimitArePartial) {
  Listener nobody;
  SuiteOptions options = options_for("cards-10");
  options.seconds = 1e-3;
  const Json document = run(find_benchmark("pour"), options, nobody);
  const Json& row = document["tables"][0]["rows"][0];
  EXPECT_FALSE(row["complete"]);
  EXPECT_LT(row["steps"], row["steps_wanted"]);
  EXPECT_GT(row["raw"][0]["cut_ms"], 0.0);
  EXPECT_NE(document["tables"][0]["text"][0][3].get<std::string>().find("partial"), std::string::npos);
}

TEST(Pour, UnknownScenesAreNamed) {
  Listener nobody;
  const std::string said = testing::complaint([&] { (void)run(find_benchmark("pour"), options_for("sand"), nobody); });
  EXPECT_TRUE(testing::says(said, "--scene: expected one of mixed-128, cubes-300 … got 'sand'")) << said;
}

TEST(Pour, DumpsTheSlowestStepsWithTheirStart) {
  const Folder folder("dump");
  Listener nobody;
  SuiteOptions options = options_for("mixed-128");
  options.dump = folder.path();
  options.dump_count = 3;
  (void)run(find_benchmark("pour"), options, nobody);
  EXPECT_EQ(folder.files(), 3);
  for (const auto& file : fs::directory_iterator(folder.path())) {
    const StoredProblem stored = read_stored_problem(file.path());
    EXPECT_GT(stored.problem.size(), 0);
    EXPECT_TRUE(stored.guess.has_value());
  }
}

/// Rows are kept for the same commit only, so the stored file is given the commit of this build.
TEST(Pour, KeepsRowsOfTheSameCommit) {
  const Folder folder("earlier");
  Listener nobody;
  SuiteOptions options = options_for("balls-1000");
  options.quick = false;
  options.seconds = 0.02;
  options.earlier = folder.path() / "pour.json";
  Json first = run(find_benchmark("pour"), options, nobody);
  const std::string commit = first["provenance"]["commit"];
  std::ofstream(options.earlier) << first.dump();
  options.scenes = {"capsules-1000"};
  const Json both = run(find_benchmark("pour"), options, nobody);
  const bool clean = commit != "unknown" && !commit.ends_with("-dirty");
  ASSERT_EQ(both["tables"][0]["rows"].size(), clean ? 2U : 1U);
  EXPECT_EQ(both["tables"][0]["rows"].back()["scene"], "capsules-1000");
  first["provenance"]["commit"] = "0123456789012345678901234567890123456789";
  std::ofstream(options.earlier) << first.dump();
  EXPECT_EQ(run(find_benchmark("pour"), options, nobody)["tables"][0]["rows"].size(), 1U);
}

TEST(PourRun, EndsAtRest) {
  const PourPlan plan{.steps = 600, .to_rest = true};
  const PourRun run = pour_scene(scenes::make("stack", {{"count", "2"}}), plan, {}, [](int) {});
  EXPECT_TRUE(run.complete && run.rested);
  EXPECT_EQ(run.steps.size(), 30U);  // half a second
  EXPECT_EQ(run.bodies, 2);
}

TEST(PourRun, RiseOfEnergyIsRecorded) {
  SceneBuilder builder("lifted");  // starts inside the ground: removing the overlap lifts it
  builder.add_ground_plane();
  const int block = builder.add_body({.name = "block", .pose = {{0, 0, 0.4}, {}}});
  builder.add_shape_box(block, {0.5, 0.5, 0.5});
  const PourRun run = pour_scene(builder.build(), {.steps = 5}, {}, [](int) {});
  EXPECT_TRUE(run.steps[0].recovered);
  EXPECT_GT(run.steps[0].rise, 0);
}

}  // namespace
}  // namespace repose::bench
