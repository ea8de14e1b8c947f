// SPDX-License-Identifier: Apache-2.0
// Recordings as pages and files: what comes out is what was recorded.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "repose/base/error.h"
#include "repose/export/bundle.h"
#include "repose/export/export.h"
#include "repose/export/page_data_internal.h"
#include "repose/export/recorded_scene.h"
#include "repose/export/triangles.h"
#include "repose/record/recorder.h"
#include "repose/scene/builder.h"
#include "repose/scene/native_json.h"
#include "repose/shape/polyhedron.h"
#include "scenes/registry.h"

namespace repose::exporter {
namespace {

namespace fs = std::filesystem;

class Pages : public testing::Test {
 protected:
  static constexpr int kSteps = kFramesPerChunk + 18;  // more than one chunk

  static fs::path folder() { return fs::path(testing::TempDir()) / ("repose-pages-" + std::to_string(getpid())); }
  static fs::path recorded(const std::string& name, bool keep_scene) {
    const fs::path file = folder() / (name + (keep_scene ? ".h5" : "-bare.h5"));
    World world(scenes::make(name, {}));
    Recorder recorder(file, world, {.scene_json = keep_scene ? native_scene_text(world.scene()) : ""});
    for (int k = 0; k < kSteps; ++k) recorder.add(world, world.step());
    return file;
  }
  static std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  void SetUp() override { fs::create_directories(folder()); }
  void TearDown() override { fs::remove_all(folder()); }
};

TEST_F(Pages, StatesAndContactsAreThoseOfTheRecording) {
  const Recording recording(recorded("arch", true));
  const RecordedPages pages(recording, Forces::kSolver);
  ASSERT_EQ(pages.chunks(), 2);
  ASSERT_EQ(pages.contact_chunks(), 7);
  static_assert(kFramesPerChunk % kContactFrames == 0);
  const auto states = read_chunk(pages.states(1)),
             contacts = read_chunk(pages.contacts(kFramesPerChunk / kContactFrames));
  ASSERT_EQ(states.size(), static_cast<std::size_t>(kSteps + 1 - kFramesPerChunk));
  ASSERT_EQ(contacts.size(), static_cast<std::size_t>(kContactFrames));
  const auto alone = read_chunk(pages.pose(kFramesPerChunk + 3));
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0], states[3]);  // one frame on its own is the same frame
  EXPECT_THROW((void)pages.pose(kSteps + 1), InputError);
  ASSERT_EQ(read_chunk(pages.contacts(6)).size(), static_cast<std::size_t>(kSteps - 6 * kContactFrames));
  const RecordedState expected = recording.state(kFramesPerChunk + 2);
  const RecordedStep step = recording.step(kFramesPerChunk + 2);
  for (std::size_t b = 0; b < expected.bodies.size(); ++b) {
    EXPECT_EQ(std::bit_cast<float>(states[2][b * kBodyWords + 2]), static_cast<float>(expected.positions[b].z));
    EXPECT_EQ(std::bit_cast<float>(states[2][b * kBodyWords + 3]), static_cast<float>(expected.bodies[b].rotation.w));
    EXPECT_EQ(states[2][b * kBodyWords + 13] != 0, expected.present[b] != 0);
  }
  ASSERT_EQ(contacts[2].size(), step.contacts.size() * kContactWords);
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    EXPECT_EQ(contacts[2][i * kContactWords + 1], static_cast<std::uint32_t>(step.contacts[i].body_b));
    EXPECT_EQ(std::bit_cast<float>(contacts[2][i * kContactWords + 13]),
              static_cast<float>((1 / recording.dt()) * step.contacts[i].impulse().z));
  }
}

/// An arm with a motor, whose law has a term with the velocity that does not brake, and a slide with a servo.
Scene driven_arm() {
  SceneBuilder b("arm");
  const int arm = b.add_body({.name = "arm", .pose = {{0.5, 0, 0}, {}}});
  b.add_shape_box(arm, {0.5, 0.05, 0.05});
  const int hand = b.add_body({.name = "hand", .pose = {{1, 0, 0.3}, {}}});
  b.add_shape_sphere(hand, 0.05);
  const int hinge = b.add_joint_at(JointKind::kHinge, kWorldBody, arm, {0, 0, 0}, {0, 1, 0});
  const int slide = b.add_joint_at(JointKind::kSlide, arm, hand, {1, 0, 0}, {0, 0, 1});
  b.joint(hinge).coordinates[0].upper = 3;
  b.add_actuator({.joint = hinge, .gear = 2, .gain = {3, 0, 0.5}, .bias = {0.1, 0, 0}, .control_upper = 1.5});
  b.add_position_servo(slide, 50, 5, 20);
  return b.build();
}

TEST_F(Pages, JointsComeAfterTheBodies) {
  World world(driven_arm());
  std::vector<std::vector<double>> expected;
  const fs::path file = folder() / "arm.h5";
  {
    Recorder recorder(file, world, {.scene_json = native_scene_text(world.scene())});
    for (int k = 0; k < 40; ++k) {
      world.set_control(0, 0.1 * k), world.set_control(1, 0.3);
      std::vector<double> words = {world.joint_position(0), world.joint_position(1)};
      recorder.add(world, world.step());
      for (int a = 0; a < 2; ++a)
        words.push_back(world.controls()[static_cast<std::size_t>(a)]), words.push_back(world.actuator_force(a));
      expected.push_back(words);
    }
  }
  const Recording recording(file);
  const RecordedPages pages(recording);
  ASSERT_EQ(pages.header()["joints"].size(), 2U);
  EXPECT_EQ(pages.header()["joints"][0]["coordinates"][0]["upper"], 3);
  EXPECT_EQ(pages.header()["joints"][1]["body_a"], 0);
  ASSERT_EQ(pages.header()["actuators"].size(), 2U);
  EXPECT_EQ(pages.header()["actuators"][0]["upper"], 1.5);
  const auto states = read_chunk(pages.states(1));
  ASSERT_EQ(states.size(), 9U);
  for (std::size_t t = 0; t < 8; ++t) {
    ASSERT_EQ(states[t].size(), 2 * kBodyWords + 6);
    for (std::size_t w = 0; w < 6; ++w) {
      const double wanted = expected[kFramesPerChunk + t][w];
      EXPECT_NEAR(std::bit_cast<float>(states[t][2 * kBodyWords + w]), wanted, 1e-6 * (1 + std::abs(wanted))) << w;
    }
  }
  EXPECT_EQ(std::bit_cast<float>(states[8][2 * kBodyWords + 5]), 0);  // the last state starts no step
  EXPECT_FALSE(RecordedPages(Recording(recorded("incline", true))).header().contains("joints"));
}

TEST_F(Pages, SeriesHasEveryCertificateInFull) {
  const Recording recording(recorded("incline", true));
  const auto rows = read_chunk(RecordedPages(recording).series());
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(kSteps));
  const auto number = [&](std::size_t row, std::size_t column) {
    return std::bit_cast<double>(rows[row][2 * column] | (std::uint64_t{rows[row][2 * column + 1]} << 32));
  };
  const std::vector<StepReport> reports = recording.reports(0, kSteps);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ASSERT_EQ(rows[k].size(), 2 * kSeriesColumns);
    EXPECT_EQ(number(k, 1), reports[k].certificate.r_c());
    EXPECT_EQ(number(k, 2), reports[k].certificate.nat);
    EXPECT_EQ(number(k, 10), reports[k].energy);
  }
}

TEST_F(Pages, WithoutAStoredSceneBodiesAreBoxesOfTheSameInertia) {
  const Recording bare(recorded("incline", false)), full(recorded("incline", true));
  const Scene made = recorded_scene(bare), real = recorded_scene(full);
  ASSERT_EQ(made.bodies.size(), real.bodies.size());
  for (std::size_t b = 0; b < made.bodies.size(); ++b) {
    if (real.bodies[b].kind != BodyKind::kDynamic) continue;
    const Vec3 half = std::get<Box>(made.bodies[b].shapes.at(0).geometry).half;  // the cube of edge 1 comes back
    EXPECT_NEAR(half.x, 0.5, 1e-9);
    EXPECT_NEAR(half.y, 0.5, 1e-9);
    EXPECT_NEAR(half.z, 0.5, 1e-9);
  }
}

TEST_F(Pages, CsvHasEveryStateToTheLastBit) {
  const Recording recording(recorded("incline", true));
  export_csv(recording, folder() / "run.csv");
  std::ifstream in(folder() / "run.csv");
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line.substr(0, 36), "state,time,body,name,present,x,y,z,q");
  int rows = 0;
  std::string last;
  while (std::getline(in, line)) ++rows, last = line;
  EXPECT_EQ(rows, (kSteps + 1) * static_cast<int>(recording.names().size()));
  std::istringstream fields(last);
  std::vector<std::string> words;
  for (std::string word; std::getline(fields, word, ',');) words.push_back(word);
  ASSERT_EQ(words.size(), 18u);
  EXPECT_EQ(std::stod(words[5]), recording.state(kSteps).positions.back().x);
  EXPECT_EQ(std::stod(words[12]), recording.state(kSteps).bodies.back().velocity.x);
}

TEST_F(Pages, HtmlIsOneFileThatAsksForNothing) {
  const Recording recording(recorded("arch", true));
  export_html({&recording}, folder() / "run.html");
  const std::string text = content(folder() / "run.html");
  EXPECT_NE(text.find("id=\"repose-header-0\""), text.npos);
  EXPECT_NE(text.find("id=\"repose-blocks-0\""), text.npos);
  EXPECT_NE(page_policy().find("default-src 'none'"), std::string_view::npos);
  EXPECT_EQ(page_policy().find("unsafe"), std::string_view::npos);
  EXPECT_LT(page().size(), 2'000'000u);
  for (const char* outside : {"src=\"http", "href=\"http", "@import", "url(http"})
    EXPECT_EQ(page().find(outside), std::string_view::npos) << outside;
}

TEST_F(Pages, NamesCannotLeaveTheirPlaceInThePage) {
  Scene scene = scenes::make("incline", {});
  scene.bodies.back().name = "</script><script>alert(1)</script>";
  World world(scene);
  {
    Recorder recorder(folder() / "odd.h5", world, {.scene_json = native_scene_text(world.scene())});
    recorder.add(world, world.step());
  }
  const Recording recording(folder() / "odd.h5");
  export_html({&recording}, folder() / "odd.html");
  EXPECT_EQ(content(folder() / "odd.html").find("<script>alert"), std::string::npos);
  export_usda(recording, folder() / "odd.usda");
  EXPECT_NE(content(folder() / "odd.usda").find("def Xform \"__script__script_alert_1___script_\""), std::string::npos);
}

TEST_F(Pages, EveryFormatIsWrittenWhole) {
  const Recording recording(recorded("turntable", true));
  for (const std::string& ending : export_endings()) {
    const fs::path file = folder() / ("run" + ending);
    export_recording(recording, {}, file);
    EXPECT_GT(fs::file_size(file), 1000u) << ending;
  }
  EXPECT_EQ(content(folder() / "run.glb").substr(0, 4), "glTF");
  EXPECT_EQ(content(folder() / "run.npz").substr(0, 4), std::string("PK\x03\x04"));
  EXPECT_EQ(content(folder() / "run.usda").substr(0, 9), "#usda 1.0");
  EXPECT_EQ(content(folder() / "run.vtkhdf").substr(1, 3), "HDF");
  EXPECT_THROW(export_recording(recording, {}, folder() / "run.obj"), InputError);
  EXPECT_FALSE(fs::exists(folder() / "run.obj"));
}

/// Closed, outward surfaces: the volume by the divergence theorem is that of the solid, up to the facets of round ones.
TEST(HeightFieldPage, IsOneMesh) {
  SceneBuilder b;
  const int ground = b.add_body({.name = "ground", .kind = BodyKind::kStatic});
  b.add_shape_height_field(ground, {.rows = 3,
                                    .columns = 4,
                                    .half_x = 1,
                                    .half_y = 1,
                                    .base = 1,
                                    .heights = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}});
  const Json header = scene_header(b.build(), std::vector<BodyModel>(1));
  EXPECT_EQ(header["bodies"][0]["shapes"].size(), 1U);
  ASSERT_EQ(header["meshes"].size(), 1U);
  EXPECT_EQ(header["meshes"][0]["faces"].size(), 2U * 2 * 3 + 2 * (2 + 3));  // triangles, walls
  EXPECT_EQ(header["meshes"][0]["vertices"][5], Json({2.0 * 1 / 3 - 1, 0.0, 5.0}));
}

TEST(Triangles, SurfacesAreClosedAndFaceOutward) {
  const auto volume = [](const Geometry& geometry) {
    const Polygons shape = polygons_of(geometry, 1);
    double six = 0;
    for (const std::vector<int>& face : shape.faces)
      for (std::size_t k = 1; k + 1 < face.size(); ++k) {
        const auto p = [&](std::size_t i) { return shape.points[static_cast<std::size_t>(face[i])]; };
        six += dot(p(0), cross(p(k), p(k + 1)));
      }
    return six / 6;
  };
  constexpr double kPi = 3.14159265358979;
  EXPECT_NEAR(volume(Box{{1, 2, 3}}), 48, 1e-12);
  EXPECT_NEAR(volume(Sphere{2}), 4.0 / 3 * kPi * 8, 0.03 * 33.5);
  EXPECT_NEAR(volume(Cylinder{1, 2}), 4 * kPi, 0.01 * 12.6);
  EXPECT_NEAR(volume(Capsule{1, 2}), 4 * kPi + 4.0 / 3 * kPi, 0.03 * 16.8);
}

}  // namespace
}  // namespace repose::exporter
