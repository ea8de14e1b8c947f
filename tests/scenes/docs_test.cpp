// SPDX-License-Identifier: Apache-2.0
// The page on built-in scenes is the registry's own list.
#include <gtest/gtest.h>

#include "scenes/registry.h"
#include "tests/support/generated_section.h"

namespace repose::scenes {
namespace {

/// Without the bars of Parameter::range(): they would end the cell.
std::string allowed(const Parameter& p) {
  if (p.type == "flag") return "true, false";
  return p.type == "choice" ? joined(p.choices) : p.range();
}

TEST(SceneDocs, BuiltInPageIsTheRegistrys) {
  std::string page;
  for (const Kind& kind : list()) {
    page +=
        "\n## `" + kind.name + "`\n\n" + kind.summary + "\n\n| parameter | default | allowed | |\n|---|---|---|---|\n";
    for (const Parameter& p : kind.parameters)
      page += "| `" + p.name + "` | " + p.value + " | " + allowed(p) + " | " + p.help + " |\n";
  }
  testing::expect_section(REPOSE_SOURCE_DIR "/docs/scenes/built-in.md", "scenes", page + "\n");
}

}  // namespace
}  // namespace repose::scenes
