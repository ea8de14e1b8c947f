// SPDX-License-Identifier: Apache-2.0
// Built-in scenes as files, and the built-in house of cards against the file it follows.
#include <gtest/gtest.h>

#include <cmath>

#include "repose/scene/load.h"
#include "repose/scene/native_json.h"
#include "scenes/registry.h"
#include "tests/support/data.h"

namespace repose::scenes {
namespace {

TEST(SceneFiles, EveryBuiltInSceneReadsBackBitForBit) {
  const std::pair<const char*, ParameterValues> variants[] = {
      {"arch", {{"variant", "exploded"}, {"projectiles", "true"}, {"shaking", "0.05"}, {"remove", "13"}}},
      {"arch", {{"variant", "semicircle"}, {"feet", "free"}}},
      {"cards", {{"gust", "0.05"}, {"load", "100"}, {"projectiles", "true"}, {"shake", "1e-4"}}},
      {"cards", {{"edge_normal", "face"}}},
      {"incline", {{"direction", "33"}, {"yaw", "45"}}},
      {"pile", {{"walls", "true"}}},
      {"bin", {{"grains", "rubble"}}},
  };
  std::vector<Scene> all;
  for (const Kind& kind : list()) all.push_back(make(kind.name));
  for (const auto& [name, values] : variants) all.push_back(make(name, values));
  for (const Scene& scene : all) {
    const std::string text = native_scene_text(scene);
    EXPECT_EQ(native_scene_text(parse_native_scene(text, "memory")), text) << scene.name;
  }
}

/// The file's axes are y up: (x, y, z) there is (x, -z, y) here.
TEST(SceneFiles, TheDataSetVariantOfCardsIsTheDataSets) {
  REPOSE_NEEDS_DATA("rigid-ipc/scenes");
  const Scene made = make("cards", {{"variant", "dataset"}});
  const Scene file = load_scene((testing::data_dir() / "rigid-ipc/scenes/card-house-4-levels.json").string()).scene;
  int matched = 0;
  for (const SceneBody& card : file.bodies) {
    if (card.kind != BodyKind::kDynamic) continue;
    const Vec3 centre{card.pose.position.x, -card.pose.position.z, card.pose.position.y};
    const Vec3 along = rotate(card.pose.rotation, {1, 0, 0}), turned{along.x, -along.z, along.y};
    for (const SceneBody& other : made.bodies)
      matched +=
          norm(other.pose.position - centre) < 1e-12 && norm(rotate(other.pose.rotation, {1, 0, 0}) - turned) < 1e-12;
    EXPECT_NEAR(std::get<Box>(card.shapes[0].geometry).half.y, 0.0175, 1e-15);  // as thick as the built-in's
  }
  EXPECT_EQ(matched, 26);
}

}  // namespace
}  // namespace repose::scenes
