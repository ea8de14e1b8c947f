// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/solve.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "repose/base/error.h"

namespace repose {
namespace {

using Made = std::unique_ptr<OuterSolver>;

Made make(const AutoOptions& o, const InnerOptions&) { return std::make_unique<AutoSolver>(o); }
Made make(const NewtonOptions& o, const InnerOptions&) { return std::make_unique<NewtonSolver>(o); }
Made make(const NsgsOptions& o, const InnerOptions&) { return std::make_unique<NsgsSolver>(o); }
Made make(const FbfOptions& o, const InnerOptions& inner) { return std::make_unique<FbfSolver>(o, make_inner(inner)); }
Made make(const PicardOptions& o, const InnerOptions& inner) {
  return std::make_unique<PicardSolver>(o, make_inner(inner));
}
Made make(const RelaxedOptions& o, const InnerOptions& inner) {
  return std::make_unique<RelaxedSolver>(o, make_inner(inner));
}
Made make(const PadmmOptions& o, const InnerOptions&) { return std::make_unique<PadmmSolver>(o); }
Made make(const StaggeredOptions& o, const InnerOptions&) { return std::make_unique<StaggeredSolver>(o); }

/// An inner solver that starts from an answer within its own tolerance stops at once, and the outer scheme would stall
/// far above its tolerance. γ⁻¹ makes the natural map of the QP up to a hundred times smaller than that of the law, a
/// mass ratio of 1000 up to a thousand times.
constexpr double kInnerShare = 1e-4, kTightest = 1e-14;

InnerOptions tightened(InnerOptions inner, double outer_tolerance) {
  const double enough = std::max(kInnerShare * outer_tolerance, kTightest);
  const auto tighten = [&]<class Options>(Options& options) {
    if constexpr (std::is_same_v<Options, ApgdOptions> || std::is_same_v<Options, AdmmOptions> ||
                  std::is_same_v<Options, IpmOptions>)
      options.tolerance = std::min(options.tolerance, enough);
  };
  std::visit(tighten, inner);
  return inner;
}

void check_start(std::span<const ContactVec> lambda0, int contacts) {
  require(static_cast<int>(lambda0.size()) == contacts, "start: expected ", contacts, " impulses, got ",
          lambda0.size());
  for (std::size_t i = 0; i < lambda0.size(); ++i)
    require(std::isfinite(lambda0[i].t1) && std::isfinite(lambda0[i].t2) && std::isfinite(lambda0[i].n),
            "start: impulse ", i, ": expected finite numbers, got (", lambda0[i].t1, ", ", lambda0[i].t2, ", ",
            lambda0[i].n, ")");
}

}  // namespace

std::unique_ptr<OuterSolver> make_solver(const FrictionOptions& options) {
  require(options.tolerance > 0 && std::isfinite(options.tolerance), "tolerance: expected > 0, got ",
          options.tolerance);
  require(options.max_iterations >= 0, "max_iterations: expected >= 1, or 0 for the scheme's default, got ",
          options.max_iterations);
  require(options.polish >= 0 && options.polish <= 1, "polish: expected a number in 0 .. 1, got ", options.polish);
  require(options.accept >= 0, "accept: expected >= 0, got ", options.accept);
  require(options.budget >= 0, "budget: expected >= 0, got ", options.budget);
  const InnerOptions inner = tightened(options.inner, options.tolerance);
  Made solver = std::visit([&](const auto& chosen) { return make(chosen, inner); }, options.outer);
  solver->limits = {.tolerance = options.tolerance,
                    .max_iterations = options.max_iterations,
                    .aim = options.polish * options.tolerance,
                    .accept = options.accept,
                    .budget = options.budget};
  return solver;
}

Solution solve(const ContactProblem& problem, const FrictionOptions& options, std::span<const ContactVec> lambda0) {
  const std::unique_ptr<OuterSolver> solver = make_solver(options);
  Solution solution;
  solution.lambda.resize(static_cast<std::size_t>(problem.size()));
  solution.v.resize(solution.lambda.size());
  if (!lambda0.empty()) {
    check_start(lambda0, problem.size());
    solution.lambda.assign(lambda0.begin(), lambda0.end());
  }
  solver->bind(problem);
  solution.report = solver->solve(solution.lambda);
  DelassusOperator W;
  W.bind(problem);
  W.velocity(solution.lambda, solution.v);
  solution.outer = name(options.outer);
  solution.inner = has_inner(options.outer) ? name(options.inner) : "none";
  return solution;
}

}  // namespace repose
