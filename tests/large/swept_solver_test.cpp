// SPDX-License-Identifier: Apache-2.0
// Sweeps: they meet the law, their bits do not depend on who sweeps, and what they miss is said and finished.
#include "repose/large/swept_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/manufactured.h"
#include "problems/sequence.h"
#include "repose/base/error.h"
#include "repose/batch/device_info.h"
#include "repose/large/backend_internal.h"
#include "repose/large/schedule_internal.h"
#include "repose/large/sweeps_internal.h"
#include "repose/scheme/solve.h"

namespace repose {
namespace {

using large::Arrays;
using large::Goal;
using large::Schedule;

ContactProblem pile(int n) {
  const problems::Sequence sequence(problems::pile({.nx = n, .ny = n, .nz = n}), {.random = 1, .random_spin = 2});
  return sequence.problem();
}
ContactProblem arch() { return problems::make_problem(problems::arch({.stones = 25})); }

std::vector<ContactVec> zeros(const ContactProblem& problem) {
  return std::vector<ContactVec>(static_cast<std::size_t>(problem.size()));
}

SweptOptions on_host(SweptOptions options = {}) {
  options.device = SweepDevice::kHost;
  return options;
}

struct Answer {
  std::vector<ContactVec> lambda;
  OuterReport report;
  SweptReport swept;
};
Answer answer(const ContactProblem& problem, const SweptOptions& options, double tolerance = 1e-8) {
  SweptSolver solver(options);
  solver.limits.tolerance = tolerance;
  Answer a{zeros(problem), {}, {}};
  solver.bind(problem);
  a.report = solver.solve(a.lambda);
  a.swept = solver.swept();
  return a;
}

bool same_bits(std::span<const ContactVec> a, std::span<const ContactVec> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// ---- the order ---------------------------------------------------------------------------------------------------

TEST(SweepOrder, EveryPushArrivesAtItsBodyOnce) {
  const ContactProblem problem = pile(5);
  Schedule schedule;
  schedule.bind(problem);
  const Arrays a = schedule.arrays();
  std::set<int> arrived;
  for (int body = 0; body < a.bodies; ++body)
    for (int e = a.body_first[body]; e < a.body_first[body + 1]; ++e) {
      const int entry = a.body_entry[e];
      EXPECT_EQ((entry % 2 == 0 ? a.patch_a : a.patch_b)[entry / 2], body);
      EXPECT_TRUE(arrived.insert(entry).second) << entry;
    }
  std::size_t ends = 0;
  for (int p = 0; p < large::kTile * a.tiles; ++p)
    if (a.patch_contacts[p] > 0) ends += (a.patch_a[p] < a.bodies) + (a.patch_b[p] < a.bodies);
  EXPECT_EQ(arrived.size(), ends);
}

TEST(SweepOrder, EveryContactHasItsPlaceAndItsImpulse) {
  const ContactProblem problem = pile(4);
  Schedule schedule;
  schedule.bind(problem);
  std::vector<ContactVec> lambda = zeros(problem), back = lambda;
  for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] = {0.1, 0.2, 1.0 + static_cast<double>(i)};
  schedule.start(problem, lambda);
  const Arrays a = schedule.arrays();
  std::copy(a.x, a.x + 3 * a.slots, a.best);
  schedule.store(back);
  EXPECT_TRUE(same_bits(lambda, back));
  int contacts = 0;
  for (int p = 0; p < large::kTile * a.tiles; ++p) contacts += a.patch_contacts[p];
  EXPECT_EQ(contacts, problem.size());
}

// ---- the law -----------------------------------------------------------------------------------------------------

/// Largest distance of the velocities of λ from v, m/s.
double apart(const ContactProblem& problem, std::span<const ContactVec> lambda, std::span<const ContactVec> v) {
  std::vector<ContactVec> found = zeros(problem);
  DelassusOperator W;
  W.bind(problem);
  W.velocity(lambda, found);
  double most = 0;
  for (std::size_t i = 0; i < v.size(); ++i) most = std::max(most, std::sqrt(squared_norm(found[i] - v[i])));
  return most;
}

TEST(Sweeps, FindTheVelocitiesThatWereChosen) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const problems::Manufactured made = problems::manufactured_problem({.contacts = 40, .seed = seed});
    const Answer a = answer(made.problem, on_host({.finish = false}), 1e-12);
    EXPECT_TRUE(a.swept.solved) << seed;
    EXPECT_LT(apart(made.problem, a.lambda, made.v), 1e-7) << seed;
  }
}

TEST(Sweeps, MeetTheLawOnPilesAndHoldAnArchAsAutoDoes) {
  const ContactProblem stones = arch();
  for (const ContactProblem& problem : {pile(4), stones}) {
    const Answer a = answer(problem, on_host({.finish = false}), 1e-9);
    EXPECT_EQ(a.report.status, Status::kConverged);
    EXPECT_TRUE(a.swept.solved);
    EXPECT_LE(certify(problem, a.lambda, zeros(problem)).worst(), 1e-9);
  }
  const Answer a = answer(stones, on_host({.finish = false}), 1e-9);
  EXPECT_LT(apart(stones, a.lambda, solve(stones, {.tolerance = 1e-10}).v), 1e-6);
}

TEST(Sweeps, JudgeThemselvesNoMilderThanTheJudge) {
  const ContactProblem problem = pile(4);
  for (const int sweeps : {10, 30, 60}) {
    const Answer a = answer(problem, on_host({.most_sweeps = sweeps, .finish = false}), 1e-14);
    const double judged = certify(problem, a.lambda, zeros(problem)).worst();
    EXPECT_GE(a.swept.worst, judged * (1 - 1e-6)) << sweeps;
    EXPECT_LE(a.swept.worst, judged * 3) << sweeps;
  }
}

TEST(Sweeps, AStartWithinToleranceTakesNone) {
  const ContactProblem problem = pile(3);
  SweptSolver solver(on_host());
  solver.limits.tolerance = 1e-8;
  std::vector<ContactVec> lambda = solve(problem, {.tolerance = 1e-10}).lambda;
  const std::vector<ContactVec> before = lambda;
  solver.bind(problem);
  EXPECT_EQ(solver.solve(lambda).status, Status::kConverged);
  EXPECT_EQ(solver.swept().sweeps, 0);
  EXPECT_TRUE(same_bits(before, lambda));
}

TEST(Sweeps, NoContactsAndContactsWithoutMovingBodiesAreSolved) {
  const ContactProblem none(BodyForm(std::vector<BodyInverseMass>(2), {}), {}, std::vector<double>{});
  EXPECT_EQ(answer(none, on_host()).report.status, Status::kConverged);
  const std::vector<BodyContact> fixed(3, point_contact(kStaticBody, {}, kStaticBody, {}, {0, 0, 1}));
  const ContactProblem still(BodyForm({}, fixed), std::vector<ContactVec>(3), std::vector<double>(3, 0.5));
  EXPECT_EQ(answer(still, on_host()).report.status, Status::kConverged);
}

// ---- the bits ----------------------------------------------------------------------------------------------------

/// A crew whose items are taken in another order, as by many threads.
struct Backwards : large::Alone {
  template <class F>
  void each(int first, int last, F f) const {
    for (int i = last - 1; i >= first; --i) f(i);
  }
  template <class F>
  void each_apart(int first, int last, F f) const {
    for (int odd = 1; odd >= 0; --odd)
      for (int i = last - 1; i >= first; --i)
        if ((i - first) % 2 == odd) f(i);
  }
};

template <class Sweep>
std::vector<std::byte> swept_memory(const ContactProblem& problem, const Sweep& sweep) {
  Schedule schedule;
  schedule.bind(problem);
  schedule.start(problem, zeros(problem));
  const Goal goal{.tolerance = 1e-14,
                  .free_speed = 1,
                  .most_sweeps = 1000,
                  .judged_every = 7,
                  .patience = 1000,
                  .restart = 30,
                  .slow_restart = 1.5,
                  .slow_after = 20};
  const Arrays arrays = schedule.arrays();
  sweep(arrays, goal);
  return {schedule.memory().begin(), schedule.memory().end()};
}

TEST(SweepBits, DoNotDependOnTheOrderWithinAPhase) {
  const ContactProblem problem = pile(5);
  const auto host = swept_memory(problem, [](const Arrays& a, const Goal& g) { large::host::sweep(&a, &g, 60); });
  const auto other = swept_memory(problem, [](const Arrays& a, const Goal& g) {
    const Backwards crew;
    large::Sweeps<Backwards>(a, crew).run(g, 60);
  });
  EXPECT_TRUE(host == other);
}

TEST(SweepBits, DoNotDependOnWhereACallEnds) {
  const ContactProblem problem = pile(4);
  const auto once = swept_memory(problem, [](const Arrays& a, const Goal& g) { large::host::sweep(&a, &g, 50); });
  const auto often = swept_memory(problem, [](const Arrays& a, const Goal& g) {
    for (const int until : {1, 2, 20, 33, 50}) large::host::sweep(&a, &g, until);
  });
  EXPECT_TRUE(once == often);
}

TEST(SweepBits, AreThoseOfTheDevice) {
  std::string why;
  if (cuda_devices(why).empty()) GTEST_SKIP() << why;
  const ContactProblem problem = pile(6);
  const Answer host = answer(problem, on_host({.most_sweeps = 200, .finish = false}), 1e-14);
  for (const SweepCrew crew : {SweepCrew::kAny, SweepCrew::kBlock, SweepCrew::kGrid}) {
    const Answer device = answer(problem, {.crew = crew, .most_sweeps = 200, .finish = false}, 1e-14);
    EXPECT_TRUE(same_bits(host.lambda, device.lambda));
    EXPECT_EQ(host.swept.worst, device.swept.worst);
  }
}

// ---- what is not solved ------------------------------------------------------------------------------------------

TEST(SweptSolver, SaysWhatSweepsMissAndLetsAutoFinishIt) {
  const ContactProblem problem = pile(4);
  const Answer missed = answer(problem, on_host({.most_sweeps = 20, .finish = false}));
  EXPECT_EQ(missed.report.status, Status::kIterationLimit);
  EXPECT_FALSE(missed.swept.solved);
  EXPECT_GT(missed.report.certificate.worst(), 1e-8);
  const Answer finished = answer(problem, on_host({.most_sweeps = 20}));
  EXPECT_EQ(finished.report.status, Status::kConverged);
  EXPECT_FALSE(finished.swept.solved);
  EXPECT_EQ(finished.swept.sweeps, 20);
  EXPECT_EQ(finished.swept.worst, missed.swept.worst);
  EXPECT_LE(certify(problem, finished.lambda, zeros(problem)).worst(), 1e-8);
  EXPECT_GT(finished.report.stages.size(), 1);
}

TEST(SweptSolver, GivesUpWhereNothingIsWon) {
  const ContactProblem problem = pile(3);
  const Answer a = answer(problem, on_host({.most_sweeps = 100000, .patience = 50, .finish = false}), 1e-30);
  EXPECT_EQ(a.report.status, Status::kIterationLimit);
  EXPECT_LT(a.swept.sweeps, 100000);
}

TEST(SweptSolver, EndsWhenAsked) {
  const ContactProblem problem = pile(3);
  const std::atomic<bool> stop{true};
  SweptSolver solver(on_host());
  solver.limits.tolerance = 1e-30;
  solver.stop = StopToken(0, &stop);
  std::vector<ContactVec> lambda = zeros(problem);
  solver.bind(problem);
  EXPECT_EQ(solver.solve(lambda).status, Status::kInterrupted);
}

TEST(SweptSolver, NamesWhatItCannotSolve) {
  const auto complaint = [](const auto& act) {
    try {
      act();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint([] { SweptSolver(on_host({.most_sweeps = 0})); }), "sweeps: most_sweeps: expected >= 1, got 0");
  const ContactProblem pile_problem = pile(2);
  std::vector<BlockSet> sets(static_cast<std::size_t>(pile_problem.size()), BlockSet::cone(0.5));
  sets[1] = BlockSet::bilateral();
  const ContactProblem joint(pile_problem.form(), {pile_problem.v_free().begin(), pile_problem.v_free().end()},
                             SetList(sets));
  EXPECT_NE(complaint([&] { SweptSolver(on_host()).bind(joint); }).find("sweeps"), std::string::npos);
  std::string why;
  if (cuda_devices(why).empty()) {
    EXPECT_EQ(complaint([] { SweptSolver(SweptOptions{}); }), "device: expected cpu, got cuda: " + why);
  }
}

}  // namespace
}  // namespace repose
