// SPDX-License-Identifier: Apache-2.0
// Every way to solve a contact problem, with limits that let slow schemes finish on small problems.
#pragma once

#include <string>
#include <vector>

#include "repose/base/error.h"
#include "repose/scheme/solve.h"

namespace repose::testing {

struct Choice {
  std::string outer, inner;  ///< inner is empty for schemes without
  FrictionOptions options;
  [[nodiscard]] std::string label() const { return inner.empty() ? outer : outer + "/" + inner; }
};

/// The names of the inner solvers that this build has.
[[nodiscard]] inline std::vector<std::string> inner_names() {
  std::vector<std::string> names;
  const auto add = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
    const InnerOptions options{std::in_place_index<K>};
    try {
      (void)make_inner(options);
      names.emplace_back(name(options));
    } catch (const InputError&) {  // a build without this adapter
    }
  };
  [&]<std::size_t... K>(std::index_sequence<K...>) { (add(std::integral_constant<std::size_t, K>{}), ...); }
  (std::make_index_sequence<std::variant_size_v<InnerOptions>>());
  return names;
}

/// Every outer scheme, under every inner solver where it takes one.
[[nodiscard]] inline std::vector<Choice> all_choices(double tolerance, int max_iterations) {
  std::vector<Choice> choices;
  for (const std::string_view outer : outer_names()) {
    const bool nested = has_inner(outer_options(outer));
    for (const std::string& inner : nested ? inner_names() : std::vector<std::string>{""}) {
      FrictionOptions options = options_from_names(outer, inner);
      // Clarabel and SCS stop where their own tolerances end, at about 1e-8 of an impulse.
      options.tolerance = inner == "clarabel" || inner == "scs" ? 100 * tolerance : tolerance;
      options.max_iterations = outer == "auto" ? 0 : max_iterations;
      choices.push_back({std::string(outer), inner, options});
    }
  }
  return choices;
}

/// One choice per scheme that solves the exact law (bgs where an inner solver is needed).
[[nodiscard]] inline std::vector<Choice> exact_choices(double tolerance, int max_iterations = 50000) {
  std::vector<Choice> choices;
  for (Choice& c : all_choices(tolerance, max_iterations))
    if (c.outer != "relaxed" && (c.inner.empty() || c.inner == "bgs")) choices.push_back(std::move(c));
  return choices;
}

[[nodiscard]] inline FrictionOptions relaxed(double tolerance) {
  FrictionOptions options = options_from_names("relaxed", "bgs");
  options.tolerance = tolerance;
  return options;
}

}  // namespace repose::testing
