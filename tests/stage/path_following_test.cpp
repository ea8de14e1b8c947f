// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/path_following.h"

#include <gtest/gtest.h>

#include "problems/families.h"
#include "tests/stage/rig.h"
#include "tests/support/set_cases.h"

namespace repose::testing {
namespace {

/// One path on one problem, from a given λ.
Ending walk(const ContactProblem& problem, const Impulses& from, const PathSchedule& schedule) {
  Rig<BodyForm> rig(problem, from);
  PathFollowing<BodyForm> path;
  path.bind(rig.form, rig.system, rig.judge);
  const PathResult result = path.run(rig.lambda, rig.before, schedule, rig.context);
  const Impulses end = unpacked(rig.lambda);
  return {end, rig.before, result.certificate, certify(problem, end, from), result.pivots};
}

// A step of size α from λ⁰ ends within ‖λ − λ⁰‖/α of the law. From answers with a tenth of every third impulse missing,
// on kicked arches and card houses, some contact opens, closes, sticks or slips on the way.
TEST(PathFollowing, EndsAsNearToTheLawAsTheStepIsLarge) {
  int arrived = 0;
  for (const char* family : {"arch_15", "cards_3", "pile_2x2x3"})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const ContactProblem problem = problems::family(family, 0.5, seed);
      const Ending end = walk(problem, weakened(solution(problem), 0.9, 3), {.alpha = 1e6, .pivots = 5000});
      EXPECT_GT(end.before.worst(), 1e-4) << family << seed;
      arrived += end.after.worst() < 1e-6;
    }
  EXPECT_GE(arrived, 10) << "of 12; a path may turn back";
}

TEST(PathFollowing, NeverLeavesAWorseImpulse) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const ContactProblem problem = problems::family("cards_3", 1.5, seed);
    const Impulses from = weakened(solution(problem), 0.5);
    for (const int pivots : {1, 7, 300}) {
      const Ending end = walk(problem, from, {.alpha = 1e7, .pivots = pivots});
      EXPECT_LE(end.after.worst(), end.before.worst()) << seed << " " << pivots;
      EXPECT_LE(end.work, pivots);
    }
  }
}

// λ = 0: every block may be open or at a bound, and y then stands still until the first of them closes.
TEST(PathFollowing, GoesOnFromNoImpulseAtAll) {
  for (const char* name : {"limits", "dry_friction", "joint_and_contact_slides", "motor_at_limit", "box_of_three"}) {
    const SetCase c = make_set_case(name);
    const Ending end = walk(c.problem, Impulses(c.lambda.size()), {.alpha = 1e8});
    EXPECT_LE(end.after.worst(), 1e-7) << name;
    EXPECT_LE(distance(velocity(c.problem, end.lambda), c.v), 1e-5 * length(c.problem.v_free())) << name;
  }
}

TEST(PathFollowing, AnAnswerIsItsOwnEnd) {
  const ContactProblem problem = problems::family("arch_15", 0.8, 3);
  EXPECT_LE(walk(problem, solution(problem), {.alpha = 1e4}).after.worst(), 1e-10);
}

}  // namespace
}  // namespace repose::testing
