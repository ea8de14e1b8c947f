// SPDX-License-Identifier: Apache-2.0
// The choice of a scheme: the type held by OuterOptions selects it, its fields are its parameters.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "repose/inner/options.h"
#include "repose/scheme/auto.h"
#include "repose/scheme/fbf.h"
#include "repose/scheme/newton.h"
#include "repose/scheme/nsgs.h"
#include "repose/scheme/padmm.h"
#include "repose/scheme/picard.h"
#include "repose/scheme/staggered.h"

namespace repose {

/// The first is the default.
using OuterOptions = std::variant<AutoOptions, NewtonOptions, NsgsOptions, FbfOptions, PicardOptions, RelaxedOptions,
                                  PadmmOptions, StaggeredOptions>;

/// Residual up to which a step of a world that misses its tolerance is accepted. [decision 010]
inline constexpr double kStepAccept = 1e-4;
/// Work per contact, in block products (repose/stage/work.h), after which a step of a world takes an acceptable answer.
/// At least 999 of 1000 steps that are solved without it need less; decision 010 has the distributions and the commands
/// that measure them again.
inline constexpr double kStepBudget = 100000;
/// Contacts of an island beyond which its budget does not grow with it: a step of a large heap takes about as long as
/// one of this size before its answer is accepted. [decision 010]
inline constexpr double kBudgetContacts = 1000;

struct FrictionOptions {
  double tolerance = 1e-8;  ///< Solved when r_c ≤ tolerance and nat ≤ tolerance, > 0.
  int max_iterations = 0;   ///< Outer iterations, ≥ 1; 0 takes the scheme's own default.
  double polish = 0;  ///< Share of the tolerance that a final Newton polish aims at, 0 … 1; 0: none (auto only).
  double accept = 0;  ///< Above tolerance but accepted when r_c and nat are both at most this, ≥ 0; 0: never.
  /// Work per contact, in block products, after which an acceptable answer is taken, ≥ 0; 0: no limit (auto, newton).
  double budget = 0;
  OuterOptions outer{};
  /// Used by the schemes with a cone QP: fbf, picard, relaxed. apgd, admm and ipm get at most 1e-4 of `tolerance`.
  InnerOptions inner{};
};

/// Returns every scheme's name, in the order of OuterOptions.
[[nodiscard]] std::span<const std::string_view> outer_names();

/// Returns the defaults of the scheme called `name`; InputError lists the known names.
[[nodiscard]] OuterOptions outer_options(std::string_view name);

/// Returns "fbf", "picard", …: the name that outer_options() takes.
[[nodiscard]] std::string_view name(const OuterOptions& options);

/// Whether the scheme uses an inner solver.
[[nodiscard]] bool has_inner(const OuterOptions& options);

/// Returns both by name; an empty name or "auto" selects the default. InputError lists the known names.
[[nodiscard]] FrictionOptions options_from_names(std::string_view outer, std::string_view inner);

}  // namespace repose
