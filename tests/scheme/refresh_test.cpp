// SPDX-License-Identifier: Apache-2.0
// A problem whose numbers change on the same graph: refresh() after assign() gives the bits of a fresh bind(), and a
// warm start that is good enough costs no allocation at all.
#include <gtest/gtest.h>

#include "problems/families.h"
#include "problems/simple.h"
#include "problems/structure.h"
#include "repose/base/error.h"
#include "repose/scheme/solve.h"
#include "tests/support/allocation_counter.h"

namespace repose {
namespace {

struct Parts {
  std::vector<BodyForm::Roots> roots;
  std::vector<BodyContact> contacts;
  std::vector<ContactVec> v_free;
  std::vector<double> mu;
};

/// Two cubes, one on the other, on the ground; `lean` shifts the upper one.
Parts stack(double lean, int lower_points = 4) {
  Parts parts;
  parts.roots.assign(2, {1.0, Mat3::diagonal(2.4, 2.4, 2.4)});
  const auto add = [&](int a, Vec3 centre_a, int b, Vec3 centre_b, Vec3 point) {
    parts.contacts.push_back(point_contact(a, point - centre_a, b, point - centre_b, {0, 0, 1}));
    parts.mu.push_back(0.6);
    parts.v_free.push_back({0.01 * lean, 0, b == 1 ? 0.0 : -0.16});
  };
  const Vec3 lower{0, 0, 0.5}, upper{lean, 0, 1.5};
  for (int k = 0; k < lower_points; ++k) add(kStaticBody, {}, 0, lower, {k % 2 ? 0.5 : -0.5, k / 2 ? 0.5 : -0.5, 0});
  for (int k = 0; k < 4; ++k) add(0, lower, 1, upper, {k % 2 ? 0.5 : lean - 0.5, k / 2 ? 0.5 : -0.5, 1});
  return parts;
}

bool assign(ContactProblem& problem, const Parts& parts) {
  return problem.assign(parts.roots, parts.contacts, parts.v_free, SetList::cones(parts.mu));
}

bool same_bits(const std::vector<ContactVec>& a, const std::vector<ContactVec>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].t1 != b[i].t1 || a[i].t2 != b[i].t2 || a[i].n != b[i].n) return false;
  return a.size() == b.size();
}

TEST(Refresh, AssignTellsWhetherTheGraphChanged) {
  ContactProblem problem;
  EXPECT_FALSE(assign(problem, stack(0)));
  EXPECT_TRUE(assign(problem, stack(0.1)));
  EXPECT_FALSE(assign(problem, stack(0.1, 3)));
  Parts broken = stack(0);
  broken.contacts[2].b.angular[1].x = std::nan("");
  EXPECT_THROW(assign(problem, broken), InputError);
}

TEST(Refresh, AssignedFormIsTheConstructedOne) {
  const Parts parts = stack(0.2);
  ContactProblem problem;
  assign(problem, parts);
  std::vector<BodyInverseMass> masses(2, {1.0, Mat3::diagonal(2.4 * 2.4, 2.4 * 2.4, 2.4 * 2.4)});
  const ContactProblem made(BodyForm(masses, parts.contacts), parts.v_free, parts.mu);
  for (int i = 0; i < made.size(); ++i) {
    EXPECT_NEAR(3 * made.rho(i), trace(made.diagonal_block(i)), 1e-14);
    for (int j = 0; j < made.size(); ++j)
      for (int k = 0; k < 9; ++k)
        EXPECT_NEAR(problem.coupling(i, j).m[k / 3][k % 3], made.coupling(i, j).m[k / 3][k % 3], 1e-14);
  }
}

TEST(Refresh, GivesTheBitsOfAFreshBind) {
  for (const char* outer : {"auto", "newton", "nsgs", "padmm", "staggered"}) {
    const FrictionOptions options = options_from_names(outer, "auto");
    ContactProblem problem;
    assign(problem, stack(0));
    const auto kept = make_solver(options);
    kept->bind(problem);
    std::vector<ContactVec> lambda(8);
    (void)kept->solve(lambda);
    for (const double lean : {0.1, 0.3, 0.6}) {
      ASSERT_TRUE(assign(problem, stack(lean)));
      std::vector<ContactVec> fresh_lambda = lambda;
      kept->refresh(problem);
      const OuterReport report = kept->solve(lambda);
      const auto fresh = make_solver(options);
      fresh->bind(problem);
      const OuterReport fresh_report = fresh->solve(fresh_lambda);
      EXPECT_TRUE(same_bits(lambda, fresh_lambda)) << outer << " lean " << lean;
      EXPECT_EQ(report.certificate.worst(), fresh_report.certificate.worst()) << outer;
      EXPECT_LE(report.certificate.worst(), 1e-8) << outer << " lean " << lean;
    }
  }
}

/// Scratch is not cleared when a problem of the same size is bound: nothing of the last one may be read, in unused
/// lanes (these sizes are no multiples of eight) as little as elsewhere.
TEST(Refresh, ASolverThatSolvedOtherProblemsGivesTheBitsOfANewOne) {
  for (const char* outer : {"auto", "newton", "nsgs", "padmm"})
    for (const char* name : {"sliding_box", "spheres_27", "wall_4x4"}) {
      FrictionOptions options = options_from_names(outer, "auto");
      options.max_iterations = 300;
      const auto kept = make_solver(options);
      for (const double mu : {1.5, 0.8, 0.3})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          const ContactProblem problem = problems::family(name, mu, seed);
          const auto fresh = make_solver(options);
          std::vector<ContactVec> of_kept(static_cast<std::size_t>(problem.size())), of_fresh = of_kept;
          kept->bind(problem);
          fresh->bind(problem);
          (void)kept->solve(of_kept);
          (void)fresh->solve(of_fresh);
          EXPECT_TRUE(same_bits(of_kept, of_fresh)) << outer << ' ' << name << " mu " << mu << " seed " << seed;
        }
    }
}

TEST(Refresh, StepWithGoodWarmStartDoesNotAllocate) {
  const Parts parts = stack(0.1);
  ContactProblem problem;
  assign(problem, parts);
  const auto solver = make_solver();
  solver->bind(problem);
  std::vector<ContactVec> lambda(8);
  (void)solver->solve(lambda);
  const testing::AllocationScope scope;
  assign(problem, parts);
  solver->refresh(problem);
  const OuterReport report = solver->solve(lambda);
  EXPECT_EQ(scope.count(), 0);
  EXPECT_EQ(report.outer_iterations, 0);
}

}  // namespace
}  // namespace repose
