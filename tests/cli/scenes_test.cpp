// SPDX-License-Identifier: Apache-2.0
// repose scenes: every built-in scene with its parameters, for people and for programs.
#include "scenes/registry.h"

#include "tests/cli/program.h"

namespace repose::testing {
namespace {

TEST(Scenes, ListsEverySceneWithItsParameters) {
  const json list = json::parse(run_well({"scenes", "--json"}).out);
  ASSERT_EQ(list.size(), scenes::list().size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Kind& kind = scenes::list()[k];
    EXPECT_EQ(list[k]["name"], kind.name);
    EXPECT_EQ(list[k]["summary"], kind.summary);
    ASSERT_EQ(list[k]["parameters"].size(), kind.parameters.size());
    for (std::size_t i = 0; i < kind.parameters.size(); ++i) {
      const json& p = list[k]["parameters"][i];
      EXPECT_EQ(p["name"], kind.parameters[i].name);
      EXPECT_TRUE(p["unit"].is_string() && !p["help"].get<std::string>().empty());
      const std::string type = p["type"];
      EXPECT_EQ(p["default"].is_boolean(), type == "flag");
      EXPECT_EQ(p.contains("choices"), type == "choice");
      if (p.contains("min")) {
        EXPECT_LE(p["min"], p["default"]);
        EXPECT_GE(p["max"], p["default"]);
      }
    }
  }
}

TEST(Scenes, TextNamesEveryParameter) {
  const std::string text = run_well({"scenes"}).out;
  for (const Kind& kind : scenes::list()) {
    EXPECT_NE(text.find(kind.name + "  " + kind.summary), text.npos) << kind.name;
    for (const Parameter& p : kind.parameters) EXPECT_NE(text.find("  " + p.name + " "), text.npos) << p.name;
  }
}

TEST(Scenes, OneSceneCanBeListedAlone) {
  const json list = json::parse(run_well({"scenes", "arch", "--json"}).out);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["name"], "arch");
}

TEST(Scenes, AnUnknownSceneIsWrongUsage) {
  const Outcome outcome = run({"scenes", "castle"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(lines(outcome.err), 1U);
  EXPECT_NE(outcome.err.find("scenes: expected incline, backspin"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace repose::testing
