// SPDX-License-Identifier: Apache-2.0
// The table of scheme options: complete, with defaults that are the library's own, and refusals that name the option.
#include "repose/scheme/scheme_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/complaint.h"

namespace repose {
namespace {

using testing::complaint;

std::string refusal(const ParameterValues& values) {
  return complaint([&] { (void)options_from_values(values); });
}

const SchemeOption& option(const std::string& name) {
  for (const SchemeOption& o : scheme_options())
    if (o.name == name) return o;
  throw std::out_of_range(name);
}

TEST(SchemeOptions, EveryRowIsComplete) {
  std::set<std::string> names;
  for (const SchemeOption& o : scheme_options()) {
    EXPECT_TRUE(names.insert(o.name).second) << o.name;
    EXPECT_FALSE(o.help.empty()) << o.name;
    EXPECT_NE(o.value.empty(), o.otherwise.empty()) << o.name;
    if (!o.value.empty()) {
      EXPECT_EQ(value_fault(o, o.value), "") << o.name;
    }
    for (const std::string& scheme : o.schemes) EXPECT_NO_THROW((void)outer_options(scheme)) << o.name;
  }
}

TEST(SchemeOptions, TheNamesAreThoseOfTheLibrary) {
  const std::vector<std::string>& outer = option("outer").choices;
  EXPECT_EQ(outer.size(), outer_names().size());
  for (const std::string_view name : outer_names()) EXPECT_NE(std::find(outer.begin(), outer.end(), name), outer.end());
  for (const std::string& name : option("inner").choices)
    EXPECT_TRUE(name == "auto" || repose::name(inner_options(name)) == name);
  for (const std::string& name : outer)
    EXPECT_EQ(has_inner(outer_options(name)), std::find(option("inner").schemes.begin(), option("inner").schemes.end(),
                                                        name) != option("inner").schemes.end())
        << name;
}

TEST(SchemeOptions, DefaultsAreThoseOfTheStructs) {
  EXPECT_EQ(parse_number(option("tol").value), FrictionOptions{}.tolerance);
  EXPECT_EQ(parse_number(option("safety").value), FbfOptions{}.safety);
  EXPECT_EQ(parse_number(option("acceleration").value), FbfOptions{}.acceleration);
  EXPECT_EQ(FbfOptions{}.stop_rule, StopRule::kCertificate);
  EXPECT_EQ(FbfOptions{}.step_rule, FbfStepRule::kBound);
  EXPECT_EQ(parse_number(option("power_products").value), FbfOptions{}.power_products);
  EXPECT_EQ(parse_number(option("test_every").value), FbfOptions{}.test_every);
  EXPECT_EQ(option("outer").value, name(FrictionOptions{}.outer));
}

TEST(SchemeOptions, ValuesArrive) {
  const FrictionOptions plain = options_from_values({});
  EXPECT_EQ(name(plain.outer), "auto");
  EXPECT_EQ(plain.tolerance, 1e-8);
  EXPECT_EQ(plain.max_iterations, 0);
  EXPECT_EQ(plain.accept, 0);
  EXPECT_EQ(plain.budget, 0);
  const FrictionOptions given = options_from_values({{"accept", "1e-3"}, {"budget", "70"}});
  EXPECT_EQ(given.accept, 1e-3);
  EXPECT_EQ(given.budget, 70);
  const FrictionOptions defaults{.polish = 0.5, .accept = 0.25, .budget = 8};
  const FrictionOptions open = options_from_values({{"tol", "1e-6"}, {"budget", "0"}}, {}, defaults);
  EXPECT_EQ(open.polish, 0.5);
  EXPECT_EQ(open.accept, 0.25);
  EXPECT_EQ(open.budget, 0);
  const FrictionOptions fbf = options_from_values({{"outer", "fbf"},
                                                   {"inner", "apgd"},
                                                   {"tol", "1e-6"},
                                                   {"max_outer", "77"},
                                                   {"inner_iterations", "5"},
                                                   {"safety", "3"},
                                                   {"acceleration", "4"},
                                                   {"stop", "paper"},
                                                   {"step_rule", "measured"},
                                                   {"power_products", "10"},
                                                   {"test_every", "5"},
                                                   {"answer", "last"},
                                                   {"storage", "single"}});
  EXPECT_EQ(fbf.tolerance, 1e-6);
  EXPECT_EQ(fbf.max_iterations, 77);
  EXPECT_EQ(std::get<ApgdOptions>(fbf.inner).max_iterations, 5);
  EXPECT_EQ(std::get<FbfOptions>(fbf.outer).safety, 3);
  EXPECT_EQ(std::get<FbfOptions>(fbf.outer).acceleration, 4);
  EXPECT_EQ(std::get<FbfOptions>(fbf.outer).stop_rule, StopRule::kPaper);
  EXPECT_EQ(std::get<FbfOptions>(fbf.outer).step_rule, FbfStepRule::kMeasured);
  EXPECT_EQ(std::get<FbfOptions>(fbf.outer).power_products, 10);
  EXPECT_EQ(std::get<FbfOptions>(fbf.outer).test_every, 5);
  EXPECT_TRUE(std::get<FbfOptions>(fbf.outer).last);
  EXPECT_TRUE(std::get<FbfOptions>(fbf.outer).single);
  EXPECT_EQ(std::get<FbfOptions>(options_from_values({{"outer", "fbf"}, {"gamma", "0.25"}}).outer).gamma, 0.25);
  EXPECT_EQ(std::get<BgsOptions>(options_from_values({{"outer", "picard"}, {"inner_iterations", "9"}}).inner).sweeps,
            9);
}

TEST(SchemeOptions, MistakesAreNamed) {
  EXPECT_EQ(
      refusal({{"speed", "1"}}),
      "expected outer, inner, tol, accept, budget, max_outer, inner_iterations, gamma, safety, acceleration, stop, "
      "step_rule, power_products, test_every, answer, storage, got the option 'speed'");
  EXPECT_EQ(refusal({{"accept", "-1"}}), "accept: expected >= 0, got '-1'");
  EXPECT_EQ(refusal({{"accept", "1e-9"}}), "accept: expected 0, or tol (1e-08) or more, got '1e-9'");
  EXPECT_EQ(refusal({{"outer", "fbf"}, {"budget", "9"}}),
            "budget: expected with auto, newton only, got '9' with outer fbf");
  EXPECT_EQ(refusal({{"tol", "0"}}), "tol: expected > 0, got '0'");
  EXPECT_EQ(refusal({{"max_outer", "0"}}), "max_outer: expected a whole number, 1 .. 2147483647, got '0'");
  EXPECT_EQ(refusal({{"outer", "fbf"}, {"acceleration", "17"}}),
            "acceleration: expected a whole number, 0 .. 16, got '17'");
  EXPECT_EQ(refusal({{"gamma", "1"}}), "gamma: expected with fbf only, got '1' with outer auto");
  EXPECT_EQ(refusal({{"outer", "nsgs"}, {"inner", "bgs"}}),
            "inner: expected with fbf, picard, relaxed only, got 'bgs' with outer nsgs");
  EXPECT_EQ(refusal({{"outer", "fbf"}, {"gamma", "1"}, {"safety", "2"}}),
            "safety: expected without it (a fixed step size has no bound to be a share of), got '2' with gamma");
  EXPECT_EQ(refusal({{"outer", "fbf"}, {"gamma", "1"}, {"step_rule", "measured"}}),
            "step_rule: expected without a fixed step size, got 'measured' with gamma");
  EXPECT_EQ(
      complaint([] {
        (void)options_from_values({{"max_outer", "0"}}, [](std::string_view name) { return "--" + std::string(name); });
      }),
      "--max_outer: expected a whole number, 1 .. 2147483647, got '0'");
  EXPECT_EQ(refusal({{"outer", "nsgs"}, {"inner", "auto"}}), "");
}

}  // namespace
}  // namespace repose
