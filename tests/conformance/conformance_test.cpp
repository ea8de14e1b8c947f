// SPDX-License-Identifier: Apache-2.0
// Every outer scheme under every inner solver on the same small problems: the exact velocities, or a documented
// failure.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/cases.h"
#include "tests/conformance/choices.h"
#include "tests/support/impulses.h"

namespace repose::testing {
namespace {

constexpr double kTolerance = 1e-8;
constexpr int kIterations = 5000;

/// What is known not to work, and why. These run with the scheme's own default limit.
struct Documented {
  const char* outer;  ///< with any inner solver, or one of them: "fbf/ipm"
  const char* problem;
  Status status;
  double worst;  ///< it stays above this
  const char* why;
  bool always = true;  ///< or only with some roundings: then it may also find the answer
};
constexpr Documented kDocumented[] = {
    {"fbf", "heavy_on_light", Status::kIterationLimit, 1e-3, "γ_safe follows the lightest body; heavy modes creep"},
    {"fbf", "arch_11", Status::kIterationLimit, 1e-5, "soft modes contract by 1/(1 + γw) per iteration"},
    {"fbf", "arch_11_struck", Status::kIterationLimit, 1e-4, "soft modes contract by 1/(1 + γw) per iteration"},
    {"fbf", "tripods_4", Status::kIterationLimit, 1e-4, "soft modes contract by 1/(1 + γw) per iteration"},
    {"fbf", "mixed_40", Status::kIterationLimit, 1e-6, "soft modes contract by 1/(1 + γw) per iteration"},
    {"fbf", "mixed_mu_5", Status::kIterationLimit, 1e-4, "γ_safe falls with 1/μ"},
    {"picard/admm", "arch_11_struck", Status::kStalled, 1e-8, "admm keeps the penalty that stuck contacts drove away",
     false},
    {"nsgs", "grid_slides", Status::kIterationLimit, 1e-2, "sweeps cycle between two states on a redundant patch"},
    {"nsgs", "heavy_on_light", Status::kIterationLimit, 1e-6, "slow: a heavy body on a light one"},
    {"nsgs", "mixed_mu_5", Status::kIterationLimit, 1e-2, "sweeps cycle"},
    {"staggered", "painleve_rod_dragged", Status::kStalled, 1e-2, "the turns cycle: W_TN is strong, μ large"},
    {"staggered", "mixed_40", Status::kStalled, 1e-5, "the turns cycle"},
    {"staggered", "mixed_mu_5", Status::kStalled, 1e-7, "the turns cycle"},
};

const Documented* documented(const Choice& choice, const std::string& problem) {
  for (const Documented& d : kDocumented)
    if ((choice.outer == d.outer || choice.label() == d.outer) && problem == d.problem) return &d;
  return nullptr;
}

/// ‖v − exact‖ / ‖v_f‖
double velocity_error(const Case& c, const Solution& found) {
  const double speed = length(c.problem.v_free());
  return speed > 0 ? distance(found.v, c.v) / speed : 0.0;
}

void expect_documented_failure(const Documented& d, const Case& c, Choice choice) {
  choice.options.max_iterations = 0;
  const Solution found = solve(c.problem, choice.options);
  EXPECT_EQ(found.report.status, d.status) << choice.label() << " does better than documented: " << d.why;
  EXPECT_GT(found.report.certificate.worst(), d.worst) << choice.label() << " does better than documented: " << d.why;
}

void expect_exact(const Case& c, const Choice& choice) {
  const Solution found = solve(c.problem, choice.options);
  EXPECT_EQ(found.report.status, Status::kConverged)
      << choice.label() << " reached " << found.report.certificate.worst() << " in " << found.report.outer_iterations;
  EXPECT_TRUE(choice.outer == "relaxed" || found.report.certificate.solved(choice.options.tolerance)) << choice.label();
  EXPECT_LE(velocity_error(c, found), c.v_accuracy * choice.options.tolerance / kTolerance) << choice.label();
}

/// Loaded contacts have ṽ replaced by v in the law: v_N = μ‖v_T‖ wherever they slide.
void expect_artefact(const std::string& problem, const Case& c, const Choice& choice) {
  const Solution found = solve(c.problem, choice.options);
  EXPECT_EQ(found.report.status, Status::kConverged) << problem << ", " << choice.label() << ": its own QP is solved";
  EXPECT_GT(found.report.certificate.worst(), 1e-4) << choice.label() << ": the exact law's certificate must show it";
  EXPECT_GT(velocity_error(c, found), 1e-4) << choice.label();
  const double accuracy = c.v_accuracy * choice.options.tolerance / kTolerance;
  double scale = 0, largest = 0;
  for (const ContactVec& l : found.lambda) largest = std::max(largest, l.n);
  for (const ContactVec& v : c.problem.v_free()) scale = std::max(scale, std::sqrt(squared_norm(v)));
  for (std::size_t i = 0; i < found.v.size(); ++i) {
    if (tangential_norm(found.lambda[i]) <= 1e-6 * largest) continue;  // open, up to what interior points leave
    EXPECT_NEAR(found.v[i].n, c.problem.sets().mu()[i] * tangential_norm(found.v[i]), accuracy * scale)
        << choice.label() << " contact " << i;
  }
}

class Conformance : public ::testing::TestWithParam<std::string> {};

TEST_P(Conformance, ExactVelocitiesOrADocumentedFailure) {
  const Case c = make_case(GetParam());
  for (const Choice& choice : all_choices(kTolerance, kIterations)) {
    const Documented* d = documented(choice, GetParam());
    if (d && (d->always || solve(c.problem, choice.options).report.status == d->status))
      expect_documented_failure(*d, c, choice);
    else if (choice.outer == "relaxed" && c.slides)
      expect_artefact(GetParam(), c, choice);
    else
      expect_exact(c, choice);
  }
}

INSTANTIATE_TEST_SUITE_P(Problem, Conformance, ::testing::ValuesIn(case_names()),
                         [](const auto& problem) { return problem.param; });

/// The exact law need not have one answer. Each scheme finds a certified one; not all find the same.
TEST(SeveralAnswers, EachIsCertified) {
  const ContactProblem problem = several_answers();
  std::vector<std::vector<ContactVec>> answers;
  for (const Choice& choice : exact_choices(kTolerance)) {
    const Solution found = solve(problem, choice.options);
    EXPECT_LE(certify(problem, found.lambda, std::vector<ContactVec>(found.lambda.size())).worst(), 10 * kTolerance)
        << choice.label();
    bool known = false;
    for (const auto& v : answers) known = known || distance(v, found.v) < 1e-3;
    if (!known) answers.push_back(found.v);
  }
  EXPECT_GE(answers.size(), 2u);
}

}  // namespace
}  // namespace repose::testing
