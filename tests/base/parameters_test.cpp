// SPDX-License-Identifier: Apache-2.0
// Options structs as text, and registries over them: values arrive, and what is wrong is said in one line.
#include "repose/base/parameters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "repose/base/registry.h"
#include "tests/support/complaint.h"

namespace repose {
namespace {

struct Bridge {
  double span = 12.5;
  int piers = 3;
  bool open = false;
  std::string style = "beam";
};
const Fields<Bridge>& fields(const Bridge&) {
  static const Fields<Bridge> table = {
      {"span", &Bridge::span, 1, 100000, "m", "between the banks"},
      {"piers", &Bridge::piers, 0, 2147483647, "", "in the water"},
      {"open", &Bridge::open, 0, 1, "", "to ships"},
      {"style", &Bridge::style, 0, 0, "", "how it carries", {"beam", "arch"}},
  };
  return table;
}

using testing::complaint;

TEST(Parameters, AreDescribedWithTheirDefaults) {
  std::vector<Parameter> list;
  describe(Bridge{}, list);
  ASSERT_EQ(list.size(), 4U);
  const char* expected[][4] = {{"span", "number", "12.5", "1 .. 100000 m"},
                               {"piers", "whole", "3", "0 .. 2147483647"},
                               {"open", "flag", "false", "true | false"},
                               {"style", "choice", "beam", "beam | arch"}};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(list[k].name, expected[k][0]);
    EXPECT_EQ(list[k].type, expected[k][1]);
    EXPECT_EQ(list[k].value, expected[k][2]);
    EXPECT_EQ(list[k].range(), expected[k][3]);
  }
}

TEST(Parameters, ArriveFromText) {
  const Bridge made = changed(Bridge{}, "bridge",
                              {{"span", "1e2"}, {"piers", "7"}, {"open", "yes"}, {"style", "arch"}, {"other", "x"}});
  EXPECT_EQ(made.span, 100);
  EXPECT_EQ(made.piers, 7);
  EXPECT_TRUE(made.open);
  EXPECT_EQ(made.style, "arch");
  EXPECT_EQ(checked("bridge", made),
            (ParameterValues{{"span", "100"}, {"piers", "7"}, {"open", "true"}, {"style", "arch"}}));
}

TEST(Parameters, TextBringsBackTheSameNumber) {
  for (const double x : {1.0 / 3, 1e-300, 0x1.fffffffffffffp1023, 100000.0, -0.0})
    EXPECT_EQ(std::stod(text_of(x)), x) << text_of(x);
}

TEST(Parameters, MistakesAreNamed) {
  const auto with = [](const char* name, const char* text) {
    return complaint([&] { (void)changed(Bridge{}, "bridge", {{name, text}}); });
  };
  EXPECT_EQ(with("span", "0.5"), "bridge: span: expected 1 .. 100000 m, got '0.5'");
  EXPECT_EQ(with("span", "5m"), "bridge: span: expected 1 .. 100000 m, got '5m'");
  EXPECT_EQ(with("piers", "1.5"), "bridge: piers: expected a whole number, 0 .. 2147483647, got '1.5'");
  EXPECT_EQ(with("open", "maybe"), "bridge: open: expected true or false, got 'maybe'");
  EXPECT_EQ(with("style", "rope"), "bridge: style: expected beam, arch, got 'rope'");
  const Bridge broken{.span = std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(complaint([&] { checked("bridge", broken); }), "bridge: span: expected 1 .. 100000 m, got 'nan'");
  EXPECT_EQ(complaint([] { check_range("bridge", "span / piers", 0.25, 1, 10, "m"); }),
            "bridge: span / piers: expected 1 .. 10 m, got 0.25");
}

TEST(Registry, MakesByNameAndRefusesTheRest) {
  Registry<std::string, int> all("crossing");
  Kind bridge{"bridge", "over water", {}};
  describe(Bridge{}, bridge.parameters);
  all.add(bridge, [](const ParameterValues& values, int seed) {
    return changed(Bridge{}, "bridge", values).style + std::to_string(seed);
  });
  all.add({"ford", "through water", {}}, [](const ParameterValues&, int) { return std::string("wet"); });

  EXPECT_EQ(all.kinds().size(), 2U);
  EXPECT_TRUE(all.known("ford"));
  EXPECT_FALSE(all.known("ferry"));
  EXPECT_EQ(all.make("bridge", {{"style", "arch"}}, 4), "arch4");
  EXPECT_EQ(complaint([&] { (void)all.make("ferry", {}, 1); }), "crossing: expected bridge, ford, got 'ferry'");
  EXPECT_EQ(complaint([&] {
              (void)all.make("ford", {{"span", "2"}}, 1);
            }),
            "ford: expected none, got parameter 'span'");
  EXPECT_EQ(complaint([&] {
              (void)all.make("bridge", {{"length", "2"}}, 1);
            }),
            "bridge: expected span, piers, open, style, got parameter 'length'");
}

}  // namespace
}  // namespace repose
