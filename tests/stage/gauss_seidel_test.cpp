// SPDX-License-Identifier: Apache-2.0
// Sweeps of the exact local law, and the Newton step with the modes held, each as one map: its fixed points, its value
// in both forms, its limit.
#include "repose/stage/gauss_seidel.h"

#include <gtest/gtest.h>

#include "problems/bricks.h"
#include "problems/families.h"
#include "problems/manufactured.h"
#include "repose/stage/mode_newton.h"
#include "tests/stage/rig.h"
#include "tests/support/set_cases.h"

namespace repose::testing {
namespace {

/// λ after some sweeps of a kind.
template <class Sweep>
Impulses swept(const ContactProblem& problem, const Impulses& from, int sweeps, const Sweep& sweep) {
  return std::visit(
      [&](const auto& form) {
        GaussSeidel<std::decay_t<decltype(form)>> gs;
        gs.bind(form, problem);
        gs.start(packed(from));
        for (int k = 0; k < sweeps; ++k) sweep(gs);
        EXPECT_EQ(gs.sweeps(), sweeps);
        ContactArray lambda = packed(from);
        gs.store(lambda);
        return unpacked(lambda);
      },
      problem.form());
}

constexpr auto kPlain = [](auto& gs) { return gs.sweep_plain(); };
constexpr auto kMomentum = [](auto& gs) { return gs.sweep_momentum(1.5); };
constexpr auto kGlobal = [](auto& gs) { return gs.sweep_global_momentum(); };

/// One sweep by the definition: every block in turn, its law solved with the others as they are.
Impulses one_sweep(const ContactProblem& problem, Impulses lambda) {
  for (int i = 0; i < problem.size(); ++i) {
    ContactVec b = problem.v_free()[static_cast<std::size_t>(i)];
    for (int j = 0; j < problem.size(); ++j) {
      if (j == i) continue;
      const ContactVec x = lambda[static_cast<std::size_t>(j)];
      const Vec3 v = problem.coupling(i, j) * Vec3{x.t1, x.t2, x.n};
      b = b + ContactVec{v.x, v.y, v.z};
    }
    lambda[static_cast<std::size_t>(i)] = solve_locally(problem.sets()[i], problem.diagonal_block(i), b);
  }
  return lambda;
}

TEST(GaussSeidel, ASweepSolvesOneBlockAfterTheOther) {
  Random random(3);
  for (const char* family : {"sliding_box", "pile_2x2x3", "arch_15"}) {
    const ContactProblem plain = problems::family(family, 0.5, 2);
    const double size = length(plain.v_free()) / plain.rho(0);
    const ContactProblem mixed = with_sets(plain, random_sets(random, plain.size(), size, plain.rho(0)));
    for (const ContactProblem& problem : {plain, mixed, in_matrix_form(plain), in_matrix_form(mixed)}) {
      Impulses expected(static_cast<std::size_t>(problem.size()));
      const Impulses from = expected;
      for (int sweeps = 1; sweeps <= 3; ++sweeps) {
        expected = one_sweep(problem, expected);
        EXPECT_LE(distance(swept(problem, from, sweeps, kPlain), expected), 1e-10 * length(expected))
            << family << ", sweep " << sweeps;
      }
    }
  }
}

TEST(GaussSeidel, AnswersDoNotMove) {
  for (const std::string& name : set_case_names()) {
    const SetCase c = make_set_case(name);
    if (c.lambda.empty()) continue;
    for (const ContactProblem& problem : {c.problem, in_matrix_form(c.problem)}) {
      EXPECT_LE(distance(swept(problem, c.lambda, 5, kPlain), c.lambda), 1e-12 * length(c.lambda)) << name;
      EXPECT_LE(distance(swept(problem, c.lambda, 5, kMomentum), c.lambda), 1e-12 * length(c.lambda)) << name;
      EXPECT_LE(distance(swept(problem, c.lambda, 5, kGlobal), c.lambda), 1e-12 * length(c.lambda)) << name;
    }
  }
}

TEST(GaussSeidel, EveryKindOfSweepReachesTheSameVelocities) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto made = problems::manufactured_problem({.contacts = 12, .mu_max = 0.6, .seed = seed});
    const Impulses from(made.lambda.size());
    const double bound = 1e-6 * length(made.problem.v_free());
    EXPECT_LE(distance(velocity(made.problem, swept(made.problem, from, 5000, kPlain)), made.v), bound) << seed;
    EXPECT_LE(distance(velocity(made.problem, swept(made.problem, from, 5000, kMomentum)), made.v), bound) << seed;
    EXPECT_LE(distance(velocity(made.problem, swept(made.problem, from, 5000, kGlobal)), made.v), bound) << seed;
  }
}

/// Without momentum a sweep is one of block coordinate descent: the energy ½λᵀ(W + C)λ + v_fᵀλ of boxes never grows.
TEST(GaussSeidel, SweepsOverBoxesNeverRaiseTheEnergy) {
  Random random(4);
  const ContactProblem plain = problems::family("pile_2x2x3", 0.5, 2);
  std::vector<BlockSet> sets;
  while (static_cast<int>(sets.size()) < plain.size())
    if (const BlockSet set = random_set(random, 0.1, plain.rho(0)); !set.is_cone()) sets.push_back(set);
  const ContactProblem problem = with_sets(plain, sets);
  const auto energy = [&](const Impulses& lambda) {
    const Impulses v = velocity(problem, lambda);
    double total = 0;
    for (std::size_t i = 0; i < v.size(); ++i) total += 0.5 * dot(lambda[i], v[i] + problem.v_free()[i]);
    return total;
  };
  Impulses lambda(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) lambda[i] = project(sets[i].ref(), lambda[i]);
  double last = energy(lambda);
  for (int k = 0; k < 50; ++k) {
    lambda = swept(problem, lambda, 1, kPlain);
    const double now = energy(lambda);
    EXPECT_LE(now, last + 1e-13 * std::fabs(last)) << k;
    last = now;
  }
}

TEST(GaussSeidel, TheResponseStaysThatOfTheImpulses) {
  const ContactProblem problem = problems::family("pile_2x2x3", 0.5, 2);
  const auto& form = std::get<BodyForm>(problem.form());
  GaussSeidel<BodyForm> refreshed, plain;
  const ContactArray zero = packed(Impulses(static_cast<std::size_t>(problem.size())));
  ContactArray a = zero, b = zero;
  for (GaussSeidel<BodyForm>* gs : {&refreshed, &plain}) gs->bind(form, problem), gs->start(zero);
  for (int k = 0; k < 200; ++k) {
    (void)refreshed.sweep_plain(), (void)plain.sweep_plain();
    refreshed.refresh();
  }
  refreshed.store(a), plain.store(b);
  EXPECT_LE(distance(velocity(problem, unpacked(a)), velocity(problem, unpacked(b))), 1e-10 * length(problem.v_free()));
}

// ---- mode Newton ---------------------------------------------------------------------------------------------------

Impulses mode_step(const ContactProblem& problem, const Impulses& from, double alpha) {
  return std::visit(
      [&](const auto& form) {
        using Form = std::decay_t<decltype(form)>;
        Rig<Form> rig(problem, from);
        ModeNewton<Form> newton;
        newton.bind(form, rig.system, rig.judge);
        ContactArray next = rig.lambda;
        const ContactArray v = rig.judge.velocity();
        EXPECT_TRUE(newton.step(rig.lambda, v, alpha, next));
        return unpacked(next);
      },
      problem.form());
}

TEST(ModeNewton, AnswersDoNotMove) {
  for (const std::string& name : set_case_names()) {
    const SetCase c = make_set_case(name);
    if (c.lambda.empty()) continue;
    for (const ContactProblem& problem : {c.problem, in_matrix_form(c.problem)})
      EXPECT_LE(distance(mode_step(problem, c.lambda, 1e3), c.lambda), 1e-10 * length(c.lambda)) << name;
  }
}

/// With the right modes the step is Newton's, up to a share 1/α of the error: four steps leave nothing of it. A larger
/// α gains nothing: rounding errors in v are multiplied by it.
TEST(ModeNewton, ConvergesQuadraticallyNearAnAnswer) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto made = problems::manufactured_problem({.contacts = 12, .mu_max = 0.6, .seed = seed});
    for (const ContactProblem& problem : {made.problem, in_matrix_form(made.problem)}) {
      Impulses lambda = weakened(made.lambda, 1 - 1e-3, 2);
      for (int k = 0; k < 4; ++k) lambda = mode_step(problem, lambda, 1e5);
      EXPECT_LE(distance(velocity(problem, lambda), made.v), 1e-12 * length(problem.v_free())) << seed;
    }
  }
}

/// Boxes and sticking contacts are linear inside their modes: one long step from nearby is the answer.
TEST(ModeNewton, OneStepSolvesWhatIsLinear) {
  for (const char* name : {"bilateral_pair", "heavy_chain", "limits", "limit_and_joint", "dry_friction",
                           "prescribed_impulse", "compliant_rows", "joint_and_contact_sticks", "box_of_three"}) {
    const SetCase c = make_set_case(name);
    for (const ContactProblem& problem : {c.problem, in_matrix_form(c.problem)}) {
      const Impulses found = mode_step(problem, weakened(c.lambda, 0.999), 1e7);
      EXPECT_LE(distance(velocity(problem, found), c.v), c.accuracy * length(c.problem.v_free())) << name;
    }
  }
}

TEST(ModeNewton, BothFormsTakeTheSameStep) {
  for (const char* family : {"sliding_box", "pile_2x2x3", "arch_15"}) {
    const ContactProblem problem = problems::family(family, 0.5, 2);
    const Impulses from = weakened(solution(problem), 0.9, 3);
    const Impulses body = mode_step(problem, from, 10), matrix = mode_step(in_matrix_form(problem), from, 10);
    EXPECT_LE(distance(body, matrix), 1e-8 * length(body)) << family;
  }
}

}  // namespace
}  // namespace repose::testing
