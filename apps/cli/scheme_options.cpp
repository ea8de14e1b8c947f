// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/scheme_options.h"

#include <type_traits>
#include <vector>

#include "apps/cli/exit_status.h"
#include "apps/cli/option_checks.h"
#include "repose/base/error.h"
#include "repose/outer/solve.h"

namespace repose::cli {
namespace {

const std::vector<std::string> kOuterNames{"auto", "newton", "fbf", "picard", "relaxed", "nsgs", "padmm", "staggered"};
const std::vector<std::string> kInnerNames{"auto", "bgs", "apgd", "admm", "ipm", "clarabel", "scs"};

void set_inner_iterations(FrictionOptions& options, int count) {
  std::visit(
      [count](auto& inner) {
        if constexpr (std::is_same_v<std::decay_t<decltype(inner)>, BgsOptions>)
          inner.sweeps = count;
        else
          inner.max_iterations = count;
      },
      options.inner);
}

void check_combination(const SchemeSettings& s, const FrictionOptions& options) {
  const bool inner = has_inner(options.outer);
  require_usage(inner || s.inner == "auto", "--inner: found '", s.inner, "' with --outer ", s.outer,
                ", which has no cone solver under it; allowed with fbf, picard, relaxed");
  require_usage(inner || !s.inner_iterations, "--inner-iterations: found ", s.inner_iterations.value_or(0),
                " with --outer ", s.outer, ", which has no cone solver under it; allowed with fbf, picard, relaxed");
  require_usage(!s.gamma || std::holds_alternative<FbfOptions>(options.outer), "--gamma: found ", s.gamma.value_or(0),
                " with --outer ", s.outer, ", allowed with fbf only");
}

}  // namespace

void add_scheme_options(CLI::App& app, SchemeSettings& s) {
  app.add_option("--outer", s.outer, "outer scheme (auto):\n" + joined(kOuterNames))
      ->check(one_of(kOuterNames))
      ->type_name("NAME");
  app.add_option("--inner", s.inner,
                 "cone solver under fbf, picard and relaxed (auto: the scheme's own):\n" + joined(kInnerNames))
      ->check(one_of(kInnerNames))
      ->type_name("NAME");
  app.add_option("--tol", s.tolerance, "solved when r_c and nat are both at most X (1e-8)")
      ->check(positive_number())
      ->type_name("X");
  app.add_option("--max-outer", s.max_outer, "outer iterations at most (the scheme's own)")
      ->check(whole_number(1))
      ->type_name("N");
  app.add_option("--inner-iterations", s.inner_iterations, "iterations of the cone solver per outer iteration")
      ->check(whole_number(1))
      ->type_name("N");
  app.add_option("--gamma", s.gamma, "fixed step size of fbf, kg")->check(positive_number())->type_name("X");
}

FrictionOptions friction_options(const SchemeSettings& s) {
  try {
    FrictionOptions options = options_from_names(s.outer, s.inner);
    check_combination(s, options);
    options.tolerance = s.tolerance;
    options.max_iterations = s.max_outer.value_or(0);
    if (s.inner_iterations) set_inner_iterations(options, *s.inner_iterations);
    if (s.gamma) std::get<FbfOptions>(options.outer).gamma = *s.gamma;
    (void)make_solver(options);  // a solver that this build lacks shows here
    return options;
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace repose::cli
