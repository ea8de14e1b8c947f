// SPDX-License-Identifier: Apache-2.0
// The pages on MJCF and URDF show the tables that the readers use, and the example of the page on native files can be
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

TEST(SceneDocs, TheNativeExampleReads) {
  std::ifstream in(REPOSE_SOURCE_DIR "/docs/scenes/native.md");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t from = text.find("```json\n") + 8, to = text.find("```", from);
  const Scene scene = parse_native_scene(text.substr(from, to - from), "native.md");
  EXPECT_EQ(scene.bodies.size(), 2U);
  EXPECT_EQ(scene.events.size(), 1U);
}

}  // namespace
}  // namespace repose
