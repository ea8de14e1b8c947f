// SPDX-License-Identifier: Apache-2.0
// The sets of all blocks: what is refused and with which words, and the same sets seen eight by eight.
#include "repose/set/set_list.h"

#include <gtest/gtest.h>

#include <limits>

#include "repose/base/random.h"
#include "tests/support/complaint.h"
#include "tests/support/problem_copies.h"

namespace repose {
namespace {

using testing::complaint;
using testing::random_sets;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string complaint_about(const BlockSet& set) {
  const std::vector<BlockSet> sets{BlockSet::cone(0.5), set};
  return complaint([&] { (void)SetList(sets); });
}

TEST(SetList, RefusesFrictionOutsideItsRange) {
  EXPECT_EQ(complaint_about(BlockSet::cone(-1)),
            "contact 1: friction coefficient: expected a finite number >= 0, got -1");
  EXPECT_NE(complaint_about(BlockSet::cone(kNan)), "");
  EXPECT_NE(complaint_about(BlockSet::cone(kUnbounded)), "");
  SetList sets;
  const std::vector<double> mu{0.5, 0.2, -0.5};
  EXPECT_EQ(complaint([&] { sets.assign_cones(mu); }),
            "contact 2: friction coefficient: expected a finite number >= 0, got -0.5");
}

TEST(SetList, RefusesBoundsThatLeaveNothing) {
  EXPECT_EQ(complaint_about(BlockSet::box({{0, 2, 0}, {0, 1, 0}})),
            "block 1: row t2: expected lower <= upper, got [2, 1]");
  EXPECT_EQ(complaint_about(BlockSet::interval(3, -3)), "block 1: row n: expected lower <= upper, got [3, -3]");
  EXPECT_EQ(complaint_about(BlockSet::box({{kUnbounded, 0, 0}, {kUnbounded, 0, 0}})),
            "block 1: row t1: expected lower <= upper, got [inf, inf]");
  EXPECT_NE(complaint_about(BlockSet::interval(-kUnbounded, -kUnbounded)), "");
  EXPECT_NE(complaint_about(BlockSet::interval(kNan, 1)), "");
  EXPECT_NE(complaint_about(BlockSet::interval(0, kNan)), "");
}

TEST(SetList, RefusesComplianceOutsideItsRange) {
  const BlockSet joint = BlockSet::bilateral(), cone = BlockSet::cone(0.5);
  EXPECT_EQ(complaint_about(joint.with_compliance({0, -1, 0})),
            "block 1: compliance: expected finite numbers >= 0, got (0, -1, 0) 1/kg");
  EXPECT_NE(complaint_about(joint.with_compliance({0, kUnbounded, 0})), "");
  EXPECT_NE(complaint_about(joint.with_compliance({0, 0, kNan})), "");
  EXPECT_EQ(complaint_about(cone.with_compliance({1, 2, 0})),
            "block 1: compliance of a Coulomb cone: expected the same number for both tangents, got 1 and 2 1/kg");
}

TEST(SetList, TakesEveryKindOfSetInItsRange) {
  for (const BlockSet& set :
       {BlockSet::cone(0), BlockSet::bilateral(1), BlockSet::bilateral(2), BlockSet::half_line(),
        BlockSet::interval(4, 4), BlockSet::interval(-kUnbounded, 2), BlockSet::cone(1).with_compliance({2, 2, 0}),
        BlockSet::bilateral().with_compliance({1, 2, 3})})
    EXPECT_EQ(complaint_about(set), "") << set.name();
}

TEST(SetList, SaysWhichBlockIsNoCone) {
  const auto refusal = [](const BlockSet& set) {
    const std::vector<BlockSet> list{BlockSet::cone(0.5), set};
    return complaint([&] { require_cones(SetList(list), "scheme", "its reason"); });
  };
  EXPECT_EQ(refusal(BlockSet::half_line()),
            "scheme: block 1: expected a Coulomb cone without compliance (its reason), got a half line");
  EXPECT_EQ(refusal(BlockSet::cone(1).with_compliance({0, 0, 1})),
            "scheme: block 1: expected a Coulomb cone without compliance (its reason), got a cone with compliance");
  EXPECT_EQ(refusal(BlockSet::cone(1).with_compliance({})), "") << "compliance zero is none";
}

TEST(SetList, PlainMeansConesWithoutCompliance) {
  const std::vector<BlockSet> cones(9, BlockSet::cone(0.5));
  const SetList plain(cones);
  EXPECT_TRUE(plain.plain());
  EXPECT_EQ(plain.first_special(), 9);
  std::vector<BlockSet> mixed = cones;
  mixed[4] = BlockSet::half_line();
  const SetList special(mixed);
  EXPECT_FALSE(special.plain());
  EXPECT_EQ(special.first_special(), 4);
  EXPECT_TRUE(special.is_box(4));
  EXPECT_FALSE(special.is_box(3));
}

TEST(SetList, AssignConesForgetsTheSetsOfBefore) {
  const std::vector<BlockSet> boxes(3, BlockSet::half_line());
  SetList sets(boxes);
  const std::vector<double> mu{0.1, 0.2};
  sets.assign_cones(mu);
  EXPECT_TRUE(sets.plain());
  EXPECT_EQ(sets.size(), 2);
  EXPECT_EQ(sets[1].mu(), 0.2);
}

/// One by one, in any order of plain and special sets, the list is the one made of all at once.
TEST(SetList, GrowsBlockByBlock) {
  Random random(6);
  SetList grown;
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<BlockSet> sets = random_sets(random, 1 + trial % 12);
    const SetList whole(sets);
    grown.clear();
    for (const BlockSet& set : sets) grown.add(set);
    ASSERT_EQ(grown.size(), whole.size());
    EXPECT_EQ(grown.plain(), whole.plain());
    EXPECT_EQ(grown.first_special(), whole.first_special());
    for (int i = 0; i < whole.size(); ++i) {
      const BlockSet& set = sets[static_cast<std::size_t>(i)];
      EXPECT_STREQ(grown[i].name(), set.name());
      EXPECT_EQ(grown[i].mu(), set.mu());
      EXPECT_EQ(grown[i].bounds().lower.t1, set.bounds().lower.t1);
      EXPECT_EQ(grown[i].bounds().upper.n, set.bounds().upper.n);
      EXPECT_EQ(grown[i].compliance().n, set.compliance().n);
    }
  }
}

TEST(SetList, AddSaysWhichBlockIsWrong) {
  SetList sets;
  sets.add(BlockSet::cone(0.5));
  sets.add(BlockSet::half_line());
  EXPECT_EQ(complaint([&] { sets.add(BlockSet::cone(-2)); }),
            "contact 2: friction coefficient: expected a finite number >= 0, got -2");
  EXPECT_EQ(complaint([&] { sets.add(BlockSet::interval(1, 0)); }),
            "block 2: row n: expected lower <= upper, got [1, 0]");
  EXPECT_EQ(sets.size(), 2) << "what was refused is not there";
}

/// ρ is the mean over the rows that answer a velocity; rows with a prescribed impulse do not count.
TEST(SetList, RhoIsTheMeanOverLiveRows) {
  const std::vector<BlockSet> list{BlockSet::cone(0.5),    BlockSet::cone(0.5).with_compliance({1, 1, 4}),
                                   BlockSet::bilateral(1), BlockSet::bilateral(2).with_compliance({2, 4, 0}),
                                   BlockSet::bilateral(),  BlockSet::interval(4, 4)};
  const SetList sets(list);
  const double trace = 6, expected[] = {2, 4, 6, 6, 2, 2};
  for (int i = 0; i < sets.size(); ++i) EXPECT_EQ(sets.rho(i, trace), expected[i]) << i;
}

TEST(SetList, ComplianceGoesToTheDiagonal) {
  const std::vector<BlockSet> list{BlockSet::bilateral().with_compliance({1, 2, 4})};
  const Mat3 W{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, soft = SetList(list).with_compliance(0, W);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(soft.m[r][c], W.m[r][c] + (r == c ? std::ldexp(1.0, r) : 0.0));
}

/// Every number of every block comes out of the array of packs as it went in; lanes past the end are cones with μ = 0.
TEST(SetArray, HoldsTheListEightByEight) {
  Random random(5);
  for (const int blocks : {1, 8, 13, 24}) {
    const std::vector<BlockSet> sets = random_sets(random, blocks);
    const SetList list(sets);
    SetArray array;
    array.bind(list);
    for (int i = 0; i < blocks; ++i) {
      const PackSet pack = array.pack(i / kLanes);
      const int k = i % kLanes;
      const BlockSet& set = sets[static_cast<std::size_t>(i)];
      EXPECT_EQ(pack.mu[k], set.mu());
      if (!pack.extra) continue;  // a pack of eight plain cones
      EXPECT_EQ(pack.extra->box[k] != 0, !set.is_cone());
      EXPECT_EQ(pack.extra->compliance.t2[k], set.compliance().t2);
      EXPECT_EQ(pack.extra->bounds.lower.t1[k], set.bounds().lower.t1);
      EXPECT_EQ(pack.extra->bounds.upper.n[k], set.bounds().upper.n);
    }
    const PackSet last = array.pack(pack_count(blocks) - 1);
    for (int i = blocks; i < kLanes * pack_count(blocks); ++i) {
      EXPECT_EQ(last.mu[i % kLanes], 0);
      EXPECT_EQ(last.extra ? last.extra->box[i % kLanes] : 0, 0);
    }
  }
}

}  // namespace
}  // namespace repose
