// SPDX-License-Identifier: Apache-2.0
// Every scheme on blocks with every kind of set: the answer in closed form, or one line that says why not.
#include <gtest/gtest.h>

#include "tests/conformance/choices.h"
#include "tests/support/impulses.h"
#include "tests/support/set_cases.h"

namespace repose::testing {
namespace {

constexpr double kTolerance = 1e-8;
constexpr int kIterations = 20000;

/// Who takes Coulomb cones only.
bool takes_any_set(const Choice& choice) {
  return choice.outer != "staggered" && choice.inner != "ipm" && choice.inner != "clarabel" && choice.inner != "scs";
}

class EverySet : public ::testing::TestWithParam<std::string> {};

TEST_P(EverySet, HasItsClosedFormUnderEveryScheme) {
  const SetCase c = make_set_case(GetParam());
  bool friction = false;
  for (const double mu : c.problem.sets().mu()) friction = friction || mu > 0;
  for (const Choice& choice : all_choices(kTolerance, kIterations)) {
    if (!takes_any_set(choice) || (choice.outer == "relaxed" && friction)) continue;
    const Solution found = solve(c.problem, choice.options);
    EXPECT_EQ(found.report.status, Status::kConverged)
        << choice.label() << " reached " << found.report.certificate.worst();
    EXPECT_LE(distance(found.v, c.v), c.accuracy * length(c.problem.v_free())) << choice.label();
    if (c.lambda.empty()) continue;
    EXPECT_LE(distance(found.lambda, c.lambda), c.accuracy * length(c.lambda)) << choice.label();
  }
}

TEST_P(EverySet, TheExactAnswerIsCertifiedAndAnErrorIsSeen) {
  const SetCase c = make_set_case(GetParam());
  if (c.lambda.empty()) return;
  EXPECT_LE(certify(c.problem, c.lambda).worst(), 1e-14);
  for (std::size_t i = 0; i < c.lambda.size(); ++i)
    for (const auto row : {&ContactVec::t1, &ContactVec::t2, &ContactVec::n}) {
      std::vector<ContactVec> wrong = c.lambda;
      wrong[i].*row += 1e-3 * length(c.lambda);
      EXPECT_GT(certify(c.problem, wrong).worst(), 1e-5) << "block " << i;
    }
}

TEST_P(EverySet, SchemesForConesAloneSaySo) {
  const SetCase c = make_set_case(GetParam());
  for (const Choice& choice : all_choices(kTolerance, kIterations)) {
    if (takes_any_set(choice)) continue;
    try {
      (void)solve(c.problem, choice.options);
      ADD_FAILURE() << choice.label() << " took it";
    } catch (const InputError& error) {
      const std::string line = error.what();
      EXPECT_NE(line.find("expected a Coulomb cone without compliance"), std::string::npos) << line;
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EverySet, ::testing::ValuesIn(set_case_names()),
                         [](const auto& made) { return made.param; });

}  // namespace
}  // namespace repose::testing
