// SPDX-License-Identifier: Apache-2.0
// `repose bench policy` measures every number of AutoPolicy.
#include "bench/suite/policy_numbers.h"

#include <gtest/gtest.h>

#include <set>

namespace repose::bench {
namespace {

struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): stands for a member of any type
};

/// Returns the number of members of an aggregate: the most initialisers that it takes.
template <class T, class... Taken>
consteval int members() {
  if constexpr (requires { T{Taken{}..., Anything{}}; })
    return members<T, Taken..., Anything>();
  else
    return static_cast<int>(sizeof...(Taken));
}

constexpr int kLists = 3;  // of rounds, which have rows of their own

TEST(PolicyNumbers, EveryScalarOfThePolicyIsInTheTable) {
  struct Three {
    int a;
    double b;
    std::array<int, 2> c;
  };
  static_assert(members<Three>() == 3);
  EXPECT_EQ(members<AutoPolicy>(), static_cast<int>(policy_numbers().size()) + kLists);
}

TEST(PolicyNumbers, EachEntryIsAMemberOfItsOwn) {
  for (const PolicyNumber& number : policy_numbers()) {
    AutoPolicy policy;
    number.set(policy, number.high);
    for (const PolicyNumber& other : policy_numbers())
      EXPECT_EQ(other.value(policy), &other == &number ? number.high : other.value(AutoPolicy{}))
          << number.name << " and " << other.name;
  }
}

TEST(PolicyNumbers, ExtremesEncloseTheDefault) {
  for (const PolicyNumber& number : policy_numbers()) {
    EXPECT_LT(number.low, number.value(AutoPolicy{})) << number.name;
    EXPECT_GT(number.high, number.value(AutoPolicy{})) << number.name;
  }
}

TEST(PolicyNumbers, VariantsHaveDistinctNames) {
  std::set<std::string> names;
  for (const PolicyVariant& variant : policy_variants())
    EXPECT_TRUE(names.insert(variant.number + " " + variant.value).second) << variant.number << " " << variant.value;
}

}  // namespace
}  // namespace repose::bench
