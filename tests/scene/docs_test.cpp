// SPDX-License-Identifier: Apache-2.0
// The pages on MJCF and URDF show the tables that the readers use, and the examples of the page on native files can be
// read.
#include <gtest/gtest.h>

#include "repose/scene/mjcf_element_internal.h"
#include "repose/scene/native_json.h"
#include "repose/scene/urdf_model_internal.h"
#include "tests/support/generated_section.h"

namespace repose {
namespace {

std::string codes(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "`" : ", `") + word + "`";
  return all;
}

TEST(SceneDocs, MjcfTableIsTheReaders) {
  std::string table = "| element | used | ignored |\n|---|---|---|\n";
  for (const auto& [element, attributes] : mjcf_attributes())
    table += "| `" + element + "` | " + codes(attributes.used) + " | " + codes(attributes.ignored) + " |\n";
  const auto& ignored = mjcf_ignored_elements();
  table += "\nIgnored elements, whole: " + codes({ignored.begin(), ignored.end()}) + ".\n";
  testing::expect_section(REPOSE_SOURCE_DIR "/docs/scenes/mjcf.md", "attributes", table);
}

TEST(SceneDocs, UrdfTableIsTheReaders) {
  std::string table = "| element | used | ignored |\n|---|---|---|\n";
  for (const auto& [element, own] : urdf_elements())
    table += "| `" + element + "` | " + codes(own.used) + " | " + codes(own.ignored) + " |\n";
  const auto& ignored = urdf_ignored_elements();
  table += "\nIgnored elements, whole: " + codes({ignored.begin(), ignored.end()}) + ".\n";
  testing::expect_section(REPOSE_SOURCE_DIR "/docs/scenes/urdf.md", "attributes", table);
}

/// The JSON blocks of a page.
std::vector<std::string> json_blocks(const std::string& page) {
  std::ifstream in(page);
  const std::string text((std::istreambuf_iterator<char>(in)), {}), start = "```json\n";
  std::vector<std::string> blocks;
  for (std::size_t from = 0; (from = text.find(start, from)) != text.npos;) {
    from += start.size();
    const std::size_t to = text.find("```", from);
    blocks.push_back(text.substr(from, to - from));
    from = to;
  }
  return blocks;
}

TEST(SceneDocs, TheNativeExamplesRead) {
  const std::vector<std::string> blocks = json_blocks(REPOSE_SOURCE_DIR "/docs/scenes/native.md");
  ASSERT_EQ(blocks.size(), 3U);
  const Scene scene = parse_native_scene(blocks[0], "native.md");
  EXPECT_EQ(scene.bodies.size(), 2U);
  EXPECT_EQ(scene.events.size(), 1U);
  // Parts of a scene, the second of which names joints of the first.
  const auto members = [](const std::string& block) {
    return block.substr(block.find('{') + 1, block.rfind('}') - block.find('{') - 1);
  };
  const std::string arm = R"({"repose_scene": 1, "bodies": [
      {"name": "arm", "position": [0.5, 0, 0], "shapes": [{"type": "box", "half": [0.5, 0.1, 0.1]}]},
      {"name": "hand", "position": [1.5, 0, 0], "shapes": [{"type": "box", "half": [0.5, 0.1, 0.1]}]}],)";
  const Scene jointed = parse_native_scene(arm + members(blocks[1]) + ',' + members(blocks[2]) + '}', "native.md");
  EXPECT_EQ(jointed.joints.size(), 1U);
  EXPECT_EQ(jointed.actuators.size(), 1U);
  EXPECT_EQ(jointed.sensors.size(), 3U);
}

}  // namespace
}  // namespace repose
