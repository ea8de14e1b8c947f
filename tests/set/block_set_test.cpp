// SPDX-License-Identifier: Apache-2.0
// One block's set as a value: its constructors, names and what each part of the law makes of it.
#include "repose/set/block_set.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "repose/base/random.h"
#include "tests/support/generators.h"
#include "tests/support/problem_copies.h"

namespace repose {
namespace {

using testing::length;
using testing::random_set;
using testing::unit_vec;

constexpr double kRounding = 4e-15;

TEST(BlockSet, NamesSayWhatTheSetIs) {
  EXPECT_STREQ(BlockSet::cone(0.5).name(), "Coulomb cone");
  for (const int rows : {1, 2, 3}) EXPECT_STREQ(BlockSet::bilateral(rows).name(), "bilateral") << rows;
  EXPECT_STREQ(BlockSet::half_line().name(), "half line");
  EXPECT_STREQ(BlockSet::interval(-1, 2).name(), "interval");
  EXPECT_STREQ(BlockSet::box({{-1, 0, 0}, {1, 0, 0}}).name(), "box");
  EXPECT_STREQ(BlockSet::cone(0.5).with_compliance({1, 1, 1}).name(), "Coulomb cone");
}

TEST(BlockSet, BilateralUsesTheRowsItIsGiven) {
  const bool used[4][3] = {{}, {false, false, true}, {true, true, false}, {true, true, true}};
  for (const int rows : {1, 2, 3}) {
    const Bounds b = BlockSet::bilateral(rows).bounds();
    EXPECT_EQ(row_is_live(b.lower.t1, b.upper.t1), used[rows][0]) << rows;
    EXPECT_EQ(row_is_live(b.lower.t2, b.upper.t2), used[rows][1]) << rows;
    EXPECT_EQ(row_is_live(b.lower.n, b.upper.n), used[rows][2]) << rows;
  }
}

TEST(BlockSet, OnlyTheConeWithoutComplianceIsPlain) {
  EXPECT_EQ(BlockSet::cone(0.3).ref().extra, nullptr);
  EXPECT_NE(BlockSet::cone(0.3).with_compliance({}).ref().extra, nullptr);
  EXPECT_NE(BlockSet::half_line().ref().extra, nullptr);
  EXPECT_EQ(BlockSet::half_line().mu(), 0);
}

/// λ ≥ 0 in one row: what the half line's projections are in closed form.
TEST(BlockSet, HalfLineProjectsImpulseAndVelocityToTheirPositiveParts) {
  const BlockSet set = BlockSet::half_line();
  for (const double n : {-2.0, -0.0, 0.0, 3.0}) {
    EXPECT_EQ(length(project(set.ref(), {5, -6, n}) - ContactVec{0, 0, std::max(n, 0.0)}), 0) << n;
    EXPECT_EQ(length(project_dual(set.ref(), {5, -6, n}) - ContactVec{5, -6, std::max(n, 0.0)}), 0) << n;
  }
}

TEST(BlockSet, BilateralAllowsEveryImpulseAndNoVelocity) {
  const BlockSet set = BlockSet::bilateral();
  EXPECT_EQ(length(project(set.ref(), {5, -6, 7}) - ContactVec{5, -6, 7}), 0);
  EXPECT_EQ(length(project_dual(set.ref(), {5, -6, 7})), 0);
  EXPECT_EQ(pairing(set.ref(), {1, 2, 3}, {4, 5, 6}), 4 + 10 + 18);
}

TEST(BlockSet, IntervalAllowsEveryVelocity) {
  const BlockSet set = BlockSet::interval(-1, 2);
  EXPECT_EQ(length(project_dual(set.ref(), {5, -6, 7}) - ContactVec{5, -6, 7}), 0);
  EXPECT_EQ(project(set.ref(), {0, 0, 9}).n, 2);
  EXPECT_EQ(project(set.ref(), {0, 0, -9}).n, -1);
}

TEST(BlockSet, OnlyConesHaveACoupling) {
  const ContactVec v{3, 4, -1};
  EXPECT_EQ(coupling(BlockSet::cone(0.5).ref(), v), 2.5);
  EXPECT_EQ(coupling(BlockSet::interval(-1, 1).ref(), v), 0);
  EXPECT_EQ(augmented(BlockSet::cone(0.5).ref(), v).n, 1.5);
  EXPECT_EQ(augmented(BlockSet::interval(-1, 1).ref(), v).n, -1);
}

TEST(BlockSet, ComplianceIsAddedAndTakenAwayRowByRow) {
  const BlockSet set = BlockSet::bilateral().with_compliance({1, 2, 4});
  const ContactVec v{1, 1, 1}, lambda{8, 4, 2}, soft = with_compliance(set.ref(), v, lambda);
  EXPECT_EQ(length(soft - ContactVec{9, 9, 9}), 0);
  EXPECT_EQ(length(without_compliance(set.ref(), soft, lambda) - v), 0);
}

/// A set from the kinds there are, drawn by rapidcheck.
rc::Gen<BlockSet> any_set() {
  return rc::gen::map(rc::gen::inRange(1, 1 << 30), [](int seed) {
    Random random(static_cast<std::uint64_t>(seed));
    return random_set(random);
  });
}

RC_GTEST_PROP(EverySet, ProjectionIsIdempotent, ()) {
  const BlockSet set = *any_set();
  const ContactVec p = project(set.ref(), *unit_vec()), d = project_dual(set.ref(), *unit_vec());
  RC_ASSERT(length(project(set.ref(), p) - p) <= kRounding);
  RC_ASSERT(length(project_dual(set.ref(), d) - d) <= kRounding);
}

RC_GTEST_PROP(EverySet, ProjectionDoesNotExpand, ()) {
  const BlockSet set = *any_set();
  const ContactVec x = *unit_vec(), y = *unit_vec();
  const double before = length(x - y) + kRounding;
  RC_ASSERT(length(project(set.ref(), x) - project(set.ref(), y)) <= before);
  RC_ASSERT(length(project_dual(set.ref(), x) - project_dual(set.ref(), y)) <= before);
}

RC_GTEST_PROP(EverySet, NoPointOfTheSetIsNearer, ()) {
  const BlockSet set = *any_set();
  const ContactVec x = *unit_vec(), other = project(set.ref(), *unit_vec());
  RC_ASSERT(length(x - project(set.ref(), x)) <= length(x - other) + kRounding);
}

/// λ = Π(λ − g ṽ) for one g > 0 iff −ṽ ∈ N_S(λ) iff the three parts of the residual vanish. From any trial x, Π(x) and
/// ṽ = Π(x) − x are such a pair.
RC_GTEST_PROP(EverySet, TheThreePartsVanishForAnImpulseAndItsNormalVelocity, ()) {
  const BlockSet set = *any_set();
  const ContactVec x = *unit_vec(), lambda = project(set.ref(), x), v_aug = lambda - x;
  RC_ASSERT(length(lambda - project(set.ref(), lambda)) <= kRounding);
  RC_ASSERT(length(v_aug - project_dual(set.ref(), v_aug)) <= kRounding);
  RC_ASSERT(std::fabs(pairing(set.ref(), v_aug, lambda)) <= kRounding);
}

}  // namespace
}  // namespace repose
