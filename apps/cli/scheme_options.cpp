// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/scheme_options.h"

#include <type_traits>
#include <vector>

#include "apps/cli/exit_status.h"
#include "apps/cli/option_checks.h"
#include "repose/base/error.h"
#include "repose/base/parameters.h"
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
  const auto of_fbf = [&](const char* option, bool given, const auto& value) {
    require_usage(!given || std::holds_alternative<FbfOptions>(options.outer), option, ": found ", value,
                  " with --outer ", s.outer, ", allowed with fbf only");
  };
  of_fbf("--gamma", s.gamma.has_value(), s.gamma.value_or(0));
  of_fbf("--safety", s.safety.has_value(), s.safety.value_or(0));
  of_fbf("--acceleration", s.acceleration.has_value(), s.acceleration.value_or(0));
  of_fbf("--stop", !s.stop.empty(), s.stop);
  require_usage(!s.gamma || !s.safety, "--safety: found ", s.safety.value_or(0),
                " with --gamma, allowed without it (a fixed step size has no bound to be a share of)");
}

void set_fbf(FbfOptions& fbf, const SchemeSettings& s) {
  fbf.gamma = s.gamma.value_or(fbf.gamma);
  fbf.safety = s.safety.value_or(fbf.safety);
  fbf.acceleration = s.acceleration.value_or(fbf.acceleration);
  if (s.stop == "paper") fbf.stop_rule = StopRule::kPaper;
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
  app.add_option("--safety", s.safety, "fbf: adaptive step size as a share of 1/(mu lambda_max) (0.5)")
      ->check(positive_number())
      ->type_name("X");
  app.add_option("--acceleration", s.acceleration, "fbf: iterations that Anderson's mix remembers, 0 .. 16 (0: none)")
      ->check(whole_number(0, Anderson::kMaxDepth))
      ->type_name("N");
  app.add_option("--stop", s.stop, "fbf stops on:\ncertificate (r_c and nat), paper (r_c with the paper's scales)")
      ->check(one_of({"certificate", "paper"}))
      ->type_name("RULE");
}

FrictionOptions friction_options(const SchemeSettings& s) {
  try {
    FrictionOptions options = options_from_names(s.outer, s.inner);
    check_combination(s, options);
    options.tolerance = s.tolerance;
    options.max_iterations = s.max_outer.value_or(0);
    if (s.inner_iterations) set_inner_iterations(options, *s.inner_iterations);
    if (auto* fbf = std::get_if<FbfOptions>(&options.outer)) set_fbf(*fbf, s);
    (void)make_solver(options);  // a solver that this build lacks shows here
    return options;
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace repose::cli
