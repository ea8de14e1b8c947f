// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/bgs.h"

#include <gtest/gtest.h>

#include <vector>

#include "repose/base/error.h"

namespace repose {
namespace {

/// A cube of 1 kg and edge 1 m on four corners.
ContactProblem box_on_floor(double mu) {
  const BodyInverseMass box{1.0, Mat3::diagonal(6, 6, 6)};
  std::vector<BodyContact> contacts;
  for (double x : {-0.5, 0.5})
    for (double y : {-0.5, 0.5}) contacts.push_back(point_contact(kStaticBody, {}, 0, {x, y, -0.5}, {0, 0, 1}));
  return {BodyForm({&box, 1}, contacts), std::vector<ContactVec>(4), std::vector<double>(4, mu)};
}

TEST(Bgs, BoxAtRestCarriesItsWeight) {
  const ContactProblem problem = box_on_floor(0.8);
  const auto solver = make_inner(BgsOptions{.sweeps = 500, .tolerance = 1e-13});
  solver->bind(problem);
  const std::vector<ContactVec> c(4, {0, 0, -1.0});
  std::vector<ContactVec> lambda(4);
  const InnerReport report = solver->solve(c, lambda);
  EXPECT_TRUE(report.converged) << report.residual;
  double weight = 0;
  for (const ContactVec& contact : lambda) weight += contact.n;
  EXPECT_NEAR(weight, 1.0, 1e-12);
}

TEST(Bgs, BudgetOfSweepsIsKept) {
  const ContactProblem problem = box_on_floor(0.3);
  const auto solver = make_inner(BgsOptions{.sweeps = 3});
  solver->bind(problem);
  const std::vector<ContactVec> c(4, {0.4, -0.3, -1.0});
  std::vector<ContactVec> lambda(4);
  const InnerReport first = solver->solve(c, lambda);
  EXPECT_EQ(first.iterations, 3);
  EXPECT_LT(solver->solve(c, lambda).residual, first.residual);  // the warm start is used
}

TEST(Bgs, OptionsAreChecked) {
  EXPECT_THROW((void)make_inner(BgsOptions{.sweeps = 0}), InputError);
  EXPECT_THROW((void)make_inner(BgsOptions{.tolerance = -1}), InputError);
}

}  // namespace
}  // namespace repose
