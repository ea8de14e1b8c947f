// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/solve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "problems/simple.h"
#include "repose/base/error.h"
#include "tests/support/complaint.h"

namespace repose {
namespace {

using problems::make_problem;

using testing::complaint;

TEST(Solve, DefaultIsAuto) {
  const ContactProblem problem = make_problem(problems::ball());
  const Solution found = solve(problem);
  EXPECT_EQ(found.outer, "auto");
  EXPECT_EQ(found.inner, "none");
  EXPECT_TRUE(found.report.certificate.solved(1e-8));
  EXPECT_NEAR(found.v[0].n, 0, 1e-8);
}

TEST(Solve, NamesComeBack) {
  const ContactProblem problem = make_problem(problems::ball());
  const Solution found = solve(problem, options_from_names("picard", "bgs"));
  EXPECT_EQ(found.outer, "picard");
  EXPECT_EQ(found.inner, "bgs");
  for (const std::string_view outer : outer_names()) EXPECT_EQ(name(outer_options(outer)), outer);
}

TEST(Solve, UnknownNamesListTheKnown) {
  const std::string outer = complaint([] { (void)options_from_names("fbff", ""); });
  EXPECT_NE(outer.find("'fbff'"), std::string::npos) << outer;
  for (const std::string_view known : outer_names()) EXPECT_NE(outer.find(known), std::string::npos) << outer;
  EXPECT_NE(complaint([] { (void)options_from_names("fbf", "gauss"); }).find("bgs"), std::string::npos);
}

TEST(Solve, EmptyAndAutoTakeTheDefaults) {
  EXPECT_EQ(name(options_from_names("", "").outer), "auto");
  EXPECT_EQ(name(options_from_names("auto", "auto").outer), "auto");
  EXPECT_EQ(name(options_from_names("fbf", "auto").inner), "bgs");
}

TEST(Solve, LimitsReachTheScheme) {
  FrictionOptions options = options_from_names("fbf", "bgs");
  options.tolerance = 1e-12;
  options.max_iterations = 3;
  const Solution found = solve(make_problem(problems::box({.slope = 0.5})), options);
  EXPECT_EQ(found.report.status, Status::kIterationLimit);
  EXPECT_EQ(found.report.outer_iterations, 3);
}

TEST(Solve, MistakesAreNamed) {
  const ContactProblem problem = make_problem(problems::ball());
  EXPECT_EQ(complaint([&] { (void)solve(problem, {.tolerance = 0}); }), "tolerance: expected > 0, got 0");
  EXPECT_EQ(complaint([&] { (void)solve(problem, {.max_iterations = -1}); }),
            "max_iterations: expected >= 1, or 0 for the scheme's default, got -1");
  const std::vector<ContactVec> two(2), broken{{0, 0, NAN}};
  EXPECT_EQ(complaint([&] { (void)solve(problem, {}, two); }), "start: expected 1 impulses, got 2");
  EXPECT_EQ(complaint([&] { (void)solve(problem, {}, broken); }),
            "start: impulse 0: expected finite numbers, got (0, 0, nan)");
}

TEST(Solve, WarmStartIsUsed) {
  const ContactProblem problem = make_problem(problems::box({.slope = 0.5, .mu = 0.3}));
  for (const std::string_view outer : outer_names()) {
    if (outer == "relaxed") continue;
    FrictionOptions options = options_from_names(outer, "");
    options.max_iterations = 20000;
    const Solution first = solve(problem, options), second = solve(problem, options, first.lambda);
    EXPECT_EQ(second.report.outer_iterations, 0) << outer;
  }
}

TEST(Solve, NothingToDoWithoutContacts) {
  for (const std::string_view outer : outer_names()) {
    const Solution found = solve(ContactProblem(), options_from_names(outer, ""));
    EXPECT_EQ(found.report.status, Status::kConverged) << outer;
    EXPECT_EQ(found.report.certificate.worst(), 0) << outer;
  }
}

}  // namespace
}  // namespace repose
