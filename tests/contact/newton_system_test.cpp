// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/newton_system.h"

#include <gtest/gtest.h>

#include "problems/families.h"
#include "repose/base/random.h"

namespace repose {
namespace {

using Node = BodyForm::Node;

/// A slope as the exact law has it, of a random mode: open, stuck or sliding.
ContactSlope<double> random_slope(Random& random) {
  ContactSlope<double> D;
  const double kind = random.uniform(0, 3), g = random.uniform(0.5, 2);
  const auto v = ContactVec{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  if (kind < 1) return D;
  (void)alart_curnier(kind < 2 ? ContactVec{0, 0, 9} : ContactVec{3, 1, 2}, v, g, 0.5, D);
  return D;
}

void set(SlopeArray& slopes, int i, const ContactSlope<double>& D) {
  ContactSlope<Pack>& s = slopes[static_cast<std::size_t>(i / kLanes)];
  const int k = i % kLanes;
  s.t1t1[k] = D.t1t1, s.t1t2[k] = D.t1t2, s.t2t2[k] = D.t2t2, s.t1n[k] = D.t1n, s.t2n[k] = D.t2n;
  s.nn[k] = D.nn, s.nt1[k] = D.nt1, s.nt2[k] = D.nt2, s.t2t1[k] = D.t2t1;
}

std::vector<double> solution(NewtonSystem<BodyForm>& system, const SlopeArray& D, int nodes) {
  EXPECT_TRUE(system.factor(D));
  AlignedVector<Node> x(static_cast<std::size_t>(nodes), Node{1, -2, 3, -4, 5, -6, 0, 0});
  x.back() = Node{};
  system.solve(x);
  std::vector<double> flat;
  for (const Node& node : x)
    for (int k = 0; k < BodyForm::kDof; ++k) flat.push_back(node[k]);
  return flat;
}

// Blocks of patches that did not change are kept; the same bits must come out as from a system that starts anew.
TEST(NewtonSystem, KeptBlocksAreThoseOfAFreshSystem) {
  Random random(7);
  for (const problems::Family& family : problems::families()) {
    const ContactProblem problem = problems::family(family.name, 0.8, 3);
    const auto& form = std::get<BodyForm>(problem.form());
    SlopeArray D(static_cast<std::size_t>((form.size() + kLanes - 1) / kLanes));
    for (int i = 0; i < form.size(); ++i) set(D, i, random_slope(random));
    NewtonSystem<BodyForm> kept;
    ASSERT_TRUE(kept.bind(form));
    for (int round = 0; round < 5; ++round) {
      NewtonSystem<BodyForm> fresh;
      ASSERT_TRUE(fresh.bind(form));
      EXPECT_EQ(solution(kept, D, form.nodes()), solution(fresh, D, form.nodes())) << family.name << ' ' << round;
      for (int change = 0; change < round; ++change)  // the second round has none
        set(D, static_cast<int>(random.uniform(0, form.size())), random_slope(random));
    }
  }
}

TEST(NewtonSystem, RefreshForgetsBlocksOfOldNumbers) {
  Random random(8);
  BodyForm form = std::get<BodyForm>(problems::family("wall_4x4", 0.8, 3).form());
  SlopeArray D(static_cast<std::size_t>((form.size() + kLanes - 1) / kLanes));
  for (int i = 0; i < form.size(); ++i) set(D, i, random_slope(random));
  NewtonSystem<BodyForm> kept, fresh;
  ASSERT_TRUE(kept.bind(form));
  const std::vector<double> before = solution(kept, D, form.nodes());
  std::vector<BodyForm::Ends> ends;
  std::vector<BodyForm::Rows> rows;
  for (int i = 0; i < form.size(); ++i) {
    ends.push_back(form.ends(i));
    rows.push_back(form.rows(i));
    for (Pack& row : rows.back().a) row *= 1.25;
  }
  form = BodyForm::from_scaled_rows(form.bodies(), ends, rows);
  kept.refresh();
  ASSERT_TRUE(fresh.bind(form));
  const std::vector<double> after = solution(kept, D, form.nodes());
  EXPECT_EQ(after, solution(fresh, D, form.nodes()));
  EXPECT_NE(after, before);
}

}  // namespace
}  // namespace repose
