// SPDX-License-Identifier: Apache-2.0
// The page on built-in scenes is the registry's own list.
#include <gtest/gtest.h>

#include "scenes/registry.h"
#include "tests/support/generated_section.h"

namespace repose::scenes {
namespace {

/// A bar would end the cell.
std::string cell(std::string text) {
  for (std::size_t at = text.find(" | "); at != text.npos; at = text.find(" | ")) text.replace(at, 3, ", ");
  return text;
}

TEST(SceneDocs, BuiltInPageIsTheRegistrys) {
  std::string page;
  for (const Kind& kind : list()) {
    page +=
        "\n## `" + kind.name + "`\n\n" + kind.summary + "\n\n| parameter | default | allowed | |\n|---|---|---|---|\n";
    for (const Parameter& p : kind.parameters)
      page += "| `" + p.name + "` | " + p.value + " | " + cell(p.range()) + " | " + p.help + " |\n";
  }
  testing::expect_section(REPOSE_SOURCE_DIR "/docs/scenes/built-in.md", "scenes", page + "\n");
}

}  // namespace
}  // namespace repose::scenes
