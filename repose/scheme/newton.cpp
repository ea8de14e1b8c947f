// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/newton.h"

#include "repose/base/error.h"
#include "repose/scheme/stage_runner_internal.h"

namespace repose {

struct NewtonSolver::Runner {
  AnyStageRunner stages;
};

NewtonSolver::NewtonSolver(const NewtonOptions& options) : options_(options), runner_(std::make_unique<Runner>()) {
  require(options.alpha > 0 && std::isfinite(options.alpha), "newton: alpha: expected > 0, got ", options.alpha);
  require(options.failures >= 0, "newton: failures: expected >= 0, got ", options.failures);
}
NewtonSolver::~NewtonSolver() = default;

void NewtonSolver::bind(const ContactProblem& problem) { bind_runner(runner_->stages, problem); }

OuterReport NewtonSolver::solve(std::span<ContactVec> lambda) {
  return std::visit(
      [&](auto& stages) {
        stages.begin(lambda, *this);
        if (options_.interior_point && stages.worst() > 0.05) stages.interior_point({});
        const double alpha = stages.worst() < 1e-2 ? options_.alpha : std::min(options_.alpha, 3.0);
        stages.newton({.alpha = alpha, .newton_per_step = 40, .failures = options_.failures, .newton_budget = 2000});
        return stages.finish(lambda);
      },
      runner_->stages);
}

}  // namespace repose
