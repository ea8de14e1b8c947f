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
                           "launched-cube", "stack", "wall", "pile", "dominoes"})
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
      {"castle", {}, "scene: found 'castle', allowed incline, backspin"},
      {"arch", {{"towers", "2"}}, "arch: found parameter 'towers', allowed stones, variant"},
      {"arch", {{"stones", "many"}}, "arch: stones: found 'many', allowed a whole number, 3 .. 10000"},
      {"arch", {{"stones", "2"}}, "arch: stones: found '2', allowed a whole number, 3 .. 10000"},
      {"arch", {{"stones", "25.5"}}, "arch: stones: found '25.5', allowed a whole number"},
      {"arch", {{"stones", "1e18"}}, "arch: stones: found '1e18', allowed a whole number"},
      {"arch", {{"stones", ""}}, "arch: stones: found '', allowed"},
      {"arch", {{"mu", "nan"}}, "arch: mu: found 'nan', allowed 0 .. 100"},
      {"arch", {{"mu", "0.5x"}}, "arch: mu: found '0.5x', allowed"},
      {"arch", {{"mu", "-0.1"}}, "arch: mu: found '-0.1', allowed 0 .. 100"},
      {"arch", {{"variant", "gothic"}}, "arch: variant: found 'gothic', allowed closed, exploded, semicircle"},
      {"arch", {{"projectiles", "some"}}, "arch: projectiles: found 'some', allowed true or false"},
      {"arch", {{"thickness", "0.2"}}, "arch: thickness: found 0.2, allowed with variant=semicircle only"},
      {"arch", {{"remove", "26"}}, "arch: remove: found 26, allowed 0 to stones, 25"},
      {"cards", {{"tilt", "29.9"}}, "cards: tilt: found 29.9 degrees, allowed less than"},
      {"cards", {{"variant", "dataset"}, {"tilt", "20"}}, "cards: tilt: found 20, allowed 25"},
      {"cards", {{"variant", "dataset"}, {"thickness", "0.04"}}, "cards: thickness: found 0.04 m, allowed less"},
      {"cards", {{"edge_normal", "up"}}, "cards: edge_normal: found 'up', allowed bisecting, face"},
      {"turntable", {{"radius", "3"}}, "turntable: radius: found 3 m, allowed less than disc_radius"},
      {"painleve-rod", {{"thickness", "1"}}, "painleve-rod: thickness: found 1 m, allowed at most 0.2 m"},
      {"dominoes", {{"spacing", "0.05"}}, "dominoes: spacing: found 0.05 m, allowed more than thickness"},
      {"stack", {{"count", "10000"}, {"stacks", "10000"}}, "stack: count * stacks: found 1e+08 bodies"},
  };
  for (const Mistake& m : mistakes) {
    const std::string said = testing::complaint([&] { (void)make(m.scene, m.values); });
    EXPECT_TRUE(said.starts_with(m.line)) << said << "\nshould begin " << m.line;
  }
}

}  // namespace
}  // namespace repose::scenes
