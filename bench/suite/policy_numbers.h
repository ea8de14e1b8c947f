// SPDX-License-Identifier: Apache-2.0
// Every scalar of AutoPolicy with the two extremes at which `repose bench policy` measures it.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "repose/scheme/auto.h"

namespace repose::bench {

/// Where a number decides whether a rule applies, one extreme applies it never and the other always; a step size or a
/// budget is taken ten times smaller and ten times larger.
struct PolicyNumber {
  const char* name;
  std::variant<int AutoPolicy::*, double AutoPolicy::*> member;
  double low, high;

  [[nodiscard]] double value(const AutoPolicy& policy) const;
  void set(AutoPolicy& policy, double value) const;
};

/// In the order of the struct.
[[nodiscard]] std::span<const PolicyNumber> policy_numbers();

/// `auto` with something changed.
struct PolicyVariant {
  std::string number, usual, value;  ///< what is changed, and its usual and present value as text
  AutoOptions options{};
};

/// Variants at the front of policy_variants() that count as the same policy: the default, and all its numbers with
/// fractions 2 % and 1 % smaller and larger.
inline constexpr std::size_t kReferences = 5;

/// Returns the variants in the order of the table: the references; every number at its extremes; one round only; each
/// round first.
[[nodiscard]] std::vector<PolicyVariant> policy_variants();

}  // namespace repose::bench
