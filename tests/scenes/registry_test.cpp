// SPDX-License-Identifier: Apache-2.0
// Every built-in scene can be made, tells its parameters, and refuses what it does not know.
#include "scenes/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "repose/base/error.h"
#include "tests/support/complaint.h"

namespace repose::scenes {
namespace {

TEST(SceneRegistry, EverySceneIsMadeAndValid) {
  for (const Kind& kind : list()) {
    const Scene scene = make(kind.name);
    EXPECT_NO_THROW(validate(scene)) << kind.name;
    EXPECT_EQ(scene.name, kind.name);
    EXPECT_EQ(scene.dt, 1.0 / 60);
    EXPECT_EQ(scene.gravity.z, -9.81);
    EXPECT_FALSE(kind.summary.empty());
    ASSERT_EQ(scene.parameters.size(), kind.parameters.size()) << kind.name;
    for (const Parameter& p : kind.parameters) {
      EXPECT_EQ(scene.parameters.at(p.name), p.value) << kind.name;
      EXPECT_FALSE(p.help.empty()) << kind.name << ' ' << p.name;
    }
  }
}

TEST(SceneRegistry, TheScenesOfTheInterfaceAreThere) {
  for (const char* name : {"incline", "backspin", "turntable", "tipping-box", "painleve-rod", "cards", "arch",
                           "launched-cube", "stack", "wall", "pile", "bin", "hopper", "drum", "dominoes"})
    EXPECT_TRUE(known(name)) << name;
  EXPECT_FALSE(known("castle"));
}

TEST(SceneRegistry, EveryParameterCanBeSetToItsOwnDefaultAndHasOneName) {
  for (const Kind& kind : list()) {
    ParameterValues values;
    for (const Parameter& p : kind.parameters) EXPECT_TRUE(values.emplace(p.name, p.value).second) << p.name;
    EXPECT_EQ(make(kind.name, values).parameters, values);
  }
}

TEST(SceneRegistry, ValuesReachTheScene) {
  EXPECT_EQ(make("incline", {{"mu", "0.25"}}).materials[0].friction, 0.25);
  EXPECT_EQ(make("stack", {{"count", "3"}}).bodies.size(), 4U);
  EXPECT_EQ(make("arch", {{"projectiles", "yes"}}).events.size(), 5U);
  EXPECT_EQ(make("arch", {{"mu", "5e-1"}}).parameters.at("mu"), "0.5");
}

struct Mistake {
  const char* scene;
  ParameterValues values;
  const char* line;  // how the line begins
};

TEST(SceneRegistry, MistakesAreNamed) {
  const Mistake mistakes[] = {
      {"castle", {}, "scene: expected incline, backspin … got 'castle'"},
      {"arch", {{"towers", "2"}}, "arch: expected stones, variant … got parameter 'towers'"},
      {"arch", {{"stones", "many"}}, "arch: stones: expected a whole number, 3 .. 10000 … got 'many'"},
      {"arch", {{"stones", "2"}}, "arch: stones: expected a whole number, 3 .. 10000 … got '2'"},
      {"arch", {{"stones", "25.5"}}, "arch: stones: expected a whole number … got '25.5'"},
      {"arch", {{"stones", "1e18"}}, "arch: stones: expected a whole number … got '1e18'"},
      {"arch", {{"stones", ""}}, "arch: stones: expected … got ''"},
      {"arch", {{"mu", "nan"}}, "arch: mu: expected 0 .. 100 … got 'nan'"},
      {"arch", {{"mu", "0.5x"}}, "arch: mu: expected … got '0.5x'"},
      {"arch", {{"mu", "-0.1"}}, "arch: mu: expected 0 .. 100 … got '-0.1'"},
      {"arch", {{"variant", "gothic"}}, "arch: variant: expected closed, exploded, semicircle … got 'gothic'"},
      {"arch", {{"projectiles", "some"}}, "arch: projectiles: expected true or false … got 'some'"},
      {"arch", {{"thickness", "0.2"}}, "arch: thickness: expected with variant=semicircle only … got 0.2"},
      {"arch", {{"remove", "26"}}, "arch: remove: expected 0 to stones, 25 … got 26"},
      {"cards", {{"tilt", "29.9"}}, "cards: tilt: expected less than … got 29.9 degrees"},
      {"cards", {{"variant", "dataset"}, {"tilt", "20"}}, "cards: tilt: expected 25 … got 20"},
      {"cards", {{"variant", "dataset"}, {"thickness", "0.04"}}, "cards: thickness: expected less … got 0.04 m"},
      {"cards", {{"edge_normal", "up"}}, "cards: edge_normal: expected bisecting, face … got 'up'"},
      {"turntable", {{"radius", "3"}}, "turntable: radius: expected less than disc_radius … got 3 m"},
      {"painleve-rod", {{"thickness", "1"}}, "painleve-rod: thickness: expected at most 0.2 m … got 1 m"},
      {"dominoes", {{"spacing", "0.05"}}, "dominoes: spacing: expected more than thickness … got 0.05 m"},
      {"bin",
       {{"grains", "sand"}},
       "bin: grains: expected mixed, boxes, balls, capsules, cylinders, rubble … got 'sand'"},
      {"hopper", {{"opening", "9"}}, "hopper: opening: expected less than the column's width, 1.25 m … got 9 m"},
      {"drum", {{"count", "1000"}}, "drum: count: expected at most 96 grains … got 1000"},
      {"stack", {{"count", "10000"}, {"stacks", "10000"}}, "stack: count * stacks: expected … got 1e+08 bodies"},
  };
  for (const Mistake& m : mistakes) {
    const std::string said = testing::complaint([&] { (void)make(m.scene, m.values); });
    EXPECT_TRUE(testing::says(said, m.line)) << said << "\nshould say " << m.line;
  }
}

}  // namespace
}  // namespace repose::scenes
