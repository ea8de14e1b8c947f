// SPDX-License-Identifier: Apache-2.0
// The registry: every kind works with its defaults, and bad names and values are refused in one clear line.
#include <gtest/gtest.h>

#include <set>

#include "problems/registry.h"
#include "tests/support/complaint.h"

namespace repose::problems {
namespace {

std::string complaint(const std::string& name, const std::map<std::string, double>& parameters) {
  return testing::complaint([&] { (void)make(name, parameters); });
}

TEST(Registry, EveryKindStepsWithItsDefaults) {
  for (const Kind& kind : list()) {
    const auto source = make(kind.name);
    for (int step = 0; step < 3; ++step) {
      ASSERT_EQ(source->step(), step) << kind.name;
      ASSERT_EQ(source->warm_start().size(), static_cast<std::size_t>(source->problem().size())) << kind.name;
      source->advance(source->warm_start());
    }
  }
}

TEST(Registry, NamesAreUniqueAndDefaultsAllowed) {
  std::set<std::string> kinds;
  for (const Kind& kind : list()) {
    EXPECT_TRUE(kinds.insert(kind.name).second) << kind.name;
    std::set<std::string> names;
    for (const Parameter& p : kind.parameters) {
      EXPECT_TRUE(names.insert(p.name).second) << kind.name << " " << p.name;
      EXPECT_NO_THROW(check_value(kind.name, p, p.value)) << kind.name << " " << p.name;
      EXPECT_FALSE(p.help.empty()) << kind.name << " " << p.name;
    }
  }
}

TEST(Registry, ParametersArrive) {
  EXPECT_EQ(make("arch", {{"stones", 101}})->problem().size(), 400);
  EXPECT_EQ(make("wall", {{"rows", 10}, {"columns", 12}, {"mu", 0.3}})->problem().sets().mu()[7], 0.3);
  const auto coarse = make("box", {{"h", 0.1}, {"gravity", 5}});
  EXPECT_DOUBLE_EQ(coarse->problem().v_free()[0].n, -0.5);
  EXPECT_TRUE(make("pile")->fixed_operator());
  EXPECT_FALSE(make("spheres")->fixed_operator());
}

TEST(Registry, SeedArrives) {
  for (const char* name : {"arch", "spheres", "random_rod", "manufactured"}) {
    const double a = make(name, {}, 1)->problem().v_free()[0].n, b = make(name, {}, 1)->problem().v_free()[0].n;
    EXPECT_EQ(a, b) << name;
    EXPECT_NE(a, make(name, {}, 2)->problem().v_free()[0].n) << name;
  }
}

TEST(Registry, SaysWhatIsAllowed) {
  EXPECT_EQ(
      complaint("ark", {}),
      "problem: expected arch, catenary, cards, wall, pile, lattice, spheres, rod, ball, box, random_rod, "
      "random_sliding_box, random_spheres_27, random_pile_2x2x3, random_pile_3x3x4, random_wall_4x4, random_arch_15, "
      "random_cards_3, manufactured, got 'ark'");
  EXPECT_EQ(complaint("random_rod", {{"angle", 3}}), "random_rod: expected mu, h, gravity, got parameter 'angle'");
  EXPECT_EQ(complaint("arch", {{"stones", 1}}), "arch: stones: expected a whole number, 3 .. 100000, got '1'");
  EXPECT_EQ(complaint("arch", {{"stones", 4.5}}), "arch: stones: expected a whole number, 3 .. 100000, got '4.5'");
  EXPECT_EQ(complaint("spheres", {{"h", 0}}), "spheres: h: expected 1e-06 .. 1 s, got '0'");
}

}  // namespace
}  // namespace repose::problems
