// SPDX-License-Identifier: Apache-2.0
// Height fields in MJCF and native files. The order of rows is MuJoCo's: mjModel.hfield_data of these files.
#include <gtest/gtest.h>

#include <cstring>

#include "repose/scene/builder.h"
#include "repose/scene/load.h"
#include "repose/scene/native_json.h"
#include "repose/shape/polyhedron.h"
#include "tests/scene/broken_file.h"
#include "tests/scene/scene_equal.h"
#include "tests/support/temporary_folder.h"

namespace repose {
namespace {

std::string mjcf(const std::string& asset, const std::string& world = "<geom type='hfield' hfield='h'/>") {
  return "<mujoco><asset>\n<hfield name='h' " + asset + "/></asset><worldbody>\n" + world + "</worldbody></mujoco>";
}

const HeightField& field_of(const Scene& s) {
  return *std::get<Hull>(s.bodies[0].shapes[0].geometry).polyhedron->cell->field;
}

class MjcfHeightField : public ::testing::Test {
 protected:
  [[nodiscard]] Scene read(const std::string& text) const {
    folder.write("scene.xml", text);
    return load_scene(folder / "scene.xml").scene;
  }
  void expect_heights(const HeightField& f, const std::vector<double>& wanted) const {
    ASSERT_EQ(f.heights.size(), wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(f.heights[k], wanted[k], 1e-7) << k;
  }
  testing::TemporaryFolder folder;
};

TEST_F(MjcfHeightField, ElevationsHaveTheirFirstRowBehind) {
  const Scene s = read(mjcf("nrow='3' ncol='4' size='1.5 1 2 0.5' elevation='0 0 0 0  0 0 0 0  1 2 3 5'"));
  EXPECT_EQ(s.bodies[0].kind, BodyKind::kStatic);
  EXPECT_EQ(s.bodies[0].shapes.size(), 2U * 2 * 3);
  const HeightField& f = field_of(s);
  expect_heights(f, {0.4, 0.8, 1.2, 2, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(f.base, 0.5);
  EXPECT_LT(norm(f.point(0, 3) - Vec3{1.5, -1, 2}), 1e-15);
}

TEST_F(MjcfHeightField, WithoutElevationItIsFlat) {
  expect_heights(field_of(read(mjcf("nrow='2' ncol='2' size='1 1 1 1'"))), {0, 0, 0, 0});
}

TEST_F(MjcfHeightField, ImagesHaveTheirFirstRowBehindToo) {
  // 3 x 2 grey values 10 20 30, 0 0 50.
  static constexpr unsigned char kImage[] = {
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
      0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0xb8, 0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x10, 0x49,
      0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xe0, 0x12, 0x91, 0x63, 0x60, 0x60, 0x30, 0x02, 0x00, 0x01, 0x8e, 0x00, 0x6f,
      0x92, 0x22, 0x7f, 0x7b, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  folder.write("h.png", {reinterpret_cast<const char*>(kImage), sizeof(kImage)});
  expect_heights(field_of(read(mjcf("file='h.png' size='1 1 1 1'"))), {0, 0, 1, 0.2, 0.4, 0.6});
}

TEST_F(MjcfHeightField, BinaryFilesStartInFront) {
  const int size[] = {2, 3};
  const float values[] = {1, 2, 3, 4, 5, 6};
  std::string text(sizeof(size) + sizeof(values), '\0');
  std::memcpy(text.data(), size, sizeof(size));
  std::memcpy(text.data() + sizeof(size), values, sizeof(values));
  folder.write("h.bin", text);
  expect_heights(field_of(read(mjcf("file='h.bin' size='1 1 1 1'"))), {0, 0.2, 0.4, 0.6, 0.8, 1});
}

TEST(NativeHeightField, IsWrittenAsOneShape) {
  SceneBuilder b;
  const int ground = b.add_body({.name = "ground", .kind = BodyKind::kStatic});
  const HeightField field{
      .rows = 3, .columns = 2, .half_x = 1, .half_y = 2, .base = 0.5, .heights = {0, 1, 2, 0.1, 0.2, 0}};
  b.add_shape_height_field(ground, field, {.name = "hills", .pose = {{0, 0, 1}, {}}});
  b.add_shape_height_field(ground, field);
  const Scene scene = b.build();
  ASSERT_EQ(scene.bodies[0].shapes.size(), 8U);
  const std::string text = native_scene_text(scene);
  EXPECT_EQ(text.find("hull"), text.npos);
  const Scene again = parse_native_scene(text, "text");
  testing::expect_equal(scene, again);
  EXPECT_EQ(native_scene_text(again), text);
  EXPECT_EQ(field_of(again).heights, field.heights);
}

TEST(BrokenHeightFields, GetOneClearLine) {
  const testing::TemporaryFolder folder;
  folder.write("short.bin", std::string("\2\0\0\0\2\0\0\0\0\0", 10));
  folder.write("huge.bin", std::string("\377\377\377\177\2\0\0\0", 8));
  folder.write("text.png", "no image");
  const std::string good = "nrow='2' ncol='2' size='1 1 1 1'";
  const std::string native =
      R"({"repose_scene": 1, "bodies": [{"name": "b", "kind": "static", "shapes": [{"type": "heightfield",
"half": [1, 1], "base": 1, "heights": )";
  for (const testing::Broken& broken : std::vector<testing::Broken>{
           {"rows.xml", mjcf("nrow='1' ncol='2' size='1 1 1 1'"), ":2: <hfield> nrow", "'1'"},
           {"size.xml", mjcf("nrow='2' ncol='2' size='1 1 0 1'"), ":2: <hfield> size", "'1 1 0 1'"},
           {"values.xml", mjcf(good + " elevation='1 2 3'"), ":2: <hfield> elevation", "'1 2 3'"},
           {"both.xml", mjcf("file='short.bin' size='1 1 1 1' elevation='1 2 3 4'"), ":2: <hfield> elevation",
            "1 2 3 4"},
           {"gone.xml", mjcf("file='gone.png' size='1 1 1 1'"), ":2: <hfield> file", "gone.png"},
           {"short.xml", mjcf("file='short.bin' size='1 1 1 1'"), ":2: <hfield> file", "10 bytes"},
           {"huge.xml", mjcf("file='huge.bin' size='1 1 1 1'"), ":2: <hfield> file", "2147483647 x 2 values"},
           {"text.xml", mjcf("file='text.png' size='1 1 1 1'"), ":2: <hfield> file", "PNG"},
           {"name.xml", mjcf(good, "<geom type='hfield' hfield='g'/>"), ":3: <geom> hfield", "'g'"},
           {"type.xml", mjcf(good, "<geom type='box' size='1 1 1' hfield='h'/>"), ":3: <geom> hfield", "'h'"},
           {"moving.xml", mjcf(good, "<body><freejoint/><geom type='hfield' hfield='h'/></body>"), ":3: <geom> type",
            "in a moving body"},
           {"ragged.json", native + "[[0, 0], [0]]}]}]}", "heights/1", "1"},
           {"one_row.json", native + "[[0, 0]]}]}]}", "heights", "a list of 1"},
           {"deep.json", native + "[[0, 0], [0, -1]]}]}]}", "heights: base", "-1 m"},
       })
    testing::expect_refused(folder, broken);
}

}  // namespace
}  // namespace repose
