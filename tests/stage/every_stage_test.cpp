// SPDX-License-Identifier: Apache-2.0
// What holds for every stage of a combined scheme: nothing is made worse, budgets and requests to stop are kept, both
// forms lead to the same velocities, and an answer stays one.
#include <gtest/gtest.h>

#include <algorithm>

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/cards.h"
#include "problems/families.h"
#include "problems/manufactured.h"
#include "tests/stage/rig.h"
#include "tests/support/random_block.h"
#include "tests/support/set_cases.h"

namespace repose::testing {
namespace {

struct NamedProblem {
  std::string name;
  ContactProblem problem;
};

/// Structures at rest, kicked families and blocks with every kind of set.
std::vector<NamedProblem> small_problems() {
  using namespace problems;
  std::vector<NamedProblem> list{{"arch", make_problem(arch({.stones = 9}))},
                                 {"cards", make_problem(cards({.levels = 2}))},
                                 {"wall", make_problem(wall({.rows = 3, .columns = 3}))}};
  for (const char* name : {"rod", "sliding_box", "pile_2x2x3", "arch_15"}) list.push_back({name, family(name, 0.5, 3)});
  for (const std::string& name : set_case_names()) list.push_back({name, make_set_case(name).problem});
  return list;
}

Impulses cold(const ContactProblem& problem) { return Impulses(static_cast<std::size_t>(problem.size())); }

Impulses random_start(const ContactProblem& problem, std::uint64_t seed) {
  Random random(seed);
  Impulses lambda = cold(problem);
  for (std::size_t i = 0; i < lambda.size(); ++i)
    lambda[i] = (length(problem.v_free()) / problem.rho(static_cast<int>(i))) * random_vec(random);
  return lambda;
}

class EveryStage : public ::testing::TestWithParam<StageKind> {};

TEST_P(EveryStage, NeverReturnsAWorseImpulseAndSaysHowGoodItIs) {
  for (const auto& [name, problem] : small_problems())
    for (const Impulses& from : {cold(problem), random_start(problem, 1), weakened(solution(problem), 0.9, 3)})
      for (const int budget : {1, 4, 40}) {
        const Ending end = run_stage(GetParam(), problem, from, 1e-8, budget);
        EXPECT_LE(end.after.worst(), end.before.worst()) << name << ", budget " << budget;
        EXPECT_EQ(end.claimed.worst(), end.after.worst()) << name << ", budget " << budget;
      }
}

TEST_P(EveryStage, KeepsItsBudget) {
  for (const auto& [name, problem] : small_problems())
    for (const int budget : {1, 2, 7, 25}) {
      const Ending end = run_stage(GetParam(), problem, random_start(problem, 2), 1e-300, budget);
      // A proximal step that has begun is finished, and so is a batch of sweeps.
      const int finished = GetParam() == StageKind::kProxNewton ? ProxSchedule{}.newton_per_step - 1
                           : GetParam() == StageKind::kPile     ? 9
                                                                : 0;
      EXPECT_LE(end.work, budget + finished) << name;
    }
}

TEST_P(EveryStage, StopsBeforeItBeginsWhenAskedTo) {
  const std::atomic<bool> interrupted{true};
  for (const auto& [name, problem] : small_problems()) {
    const Impulses from = random_start(problem, 3);
    const Ending end = run_stage(GetParam(), problem, from, 1e-8, 0, &interrupted);
    EXPECT_TRUE(same_bits(end.lambda, from)) << name;
    EXPECT_EQ(end.claimed.worst(), end.before.worst()) << name;
    EXPECT_EQ(end.work, 0) << name;
  }
}

TEST_P(EveryStage, RepeatsItsBits) {
  for (const auto& [name, problem] : small_problems()) {
    const Impulses from = random_start(problem, 4);
    const Ending first = run_stage(GetParam(), problem, from), second = run_stage(GetParam(), problem, from);
    EXPECT_TRUE(same_bits(first.lambda, second.lambda)) << name;
    EXPECT_EQ(first.work, second.work) << name;
  }
}

/// An answer known in closed form stays one. The interior point does not start from λ and need not come as near.
TEST_P(EveryStage, LeavesAnAnswerAlone) {
  for (const std::string& name : set_case_names()) {
    const SetCase c = make_set_case(name);
    if (c.lambda.empty()) continue;
    const Ending end = run_stage(GetParam(), c.problem, c.lambda);
    EXPECT_LE(end.after.worst(), 1e-14) << name;
    EXPECT_LE(distance(end.lambda, c.lambda), 1e-10 * length(c.lambda)) << name;
  }
}

/// Blocks with every kind of set reach the velocities in closed form, in both forms: from a cold start to the
/// tolerance; along a path as near as its step of 1e6 is large.
TEST_P(EveryStage, SolvesEveryKindOfSetInBothForms) {
  for (const std::string& name : set_case_names()) {
    const SetCase c = make_set_case(name);
    const bool path = GetParam() == StageKind::kPathFollowing;
    const double reach = path ? c.accuracy : 1e-8, accuracy = c.accuracy * reach / 1e-8;
    const Impulses from = path ? weakened(solution(c.problem), 0.99) : cold(c.problem);
    for (const ContactProblem& problem : {c.problem, in_matrix_form(c.problem)}) {
      const bool body = std::holds_alternative<BodyForm>(problem.form());
      const Ending end = run_stage(GetParam(), problem, from);
      EXPECT_TRUE(end.after.solved(reach)) << name << (body ? ", bodies: " : ", matrix: ") << end.after.worst();
      EXPECT_LE(distance(velocity(problem, end.lambda), c.v), accuracy * length(c.problem.v_free())) << name;
    }
  }
}

/// W positive definite, contacts of every mode: the velocities chosen first come back from a nearby start.
TEST_P(EveryStage, FindsTheManufacturedVelocitiesInBothForms) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto made = problems::manufactured_problem({.contacts = 12, .mu_max = 0.6, .seed = seed});
    const Impulses from = weakened(made.lambda, 1 - 1e-4, 2);
    for (const ContactProblem& problem : {made.problem, in_matrix_form(made.problem)}) {
      const Ending end = run_stage(GetParam(), problem, from);
      EXPECT_TRUE(end.after.solved(1e-6)) << seed << ": " << end.after.worst();
      EXPECT_LE(distance(velocity(problem, end.lambda), made.v), 1e-4 * length(made.problem.v_free())) << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stage, EveryStage, ::testing::ValuesIn(kStages), [](const auto& made) {
  std::string label = name(made.param);
  std::replace(label.begin(), label.end(), ' ', '_');
  return label;
});

}  // namespace
}  // namespace repose::testing
