// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/nsgs.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "repose/base/error.h"
#include "repose/stage/gauss_seidel.h"

namespace repose {

struct NsgsSolver::Workspace {
  Judge judge;
  std::variant<GaussSeidel<BodyForm>, GaussSeidel<MatrixForm>> sweeper;
  ContactArray lambda, best;
};

namespace {

constexpr int kDefaultSweeps = 10000;
constexpr double kRestart = 1.5;

Status verdict(const Certificate& now, double tolerance, const StopToken& stop) {
  if (now.solved(tolerance)) return Status::kConverged;
  if (!std::isfinite(now.worst())) return Status::kNumericalFailure;
  if (stop.asked() == StopReason::kTimeLimit) return Status::kTimeLimit;
  return stop.asked() == StopReason::kInterrupted ? Status::kInterrupted : Status::kIterationLimit;
}

}  // namespace

NsgsSolver::NsgsSolver(const NsgsOptions& options) : options_(options), work_(std::make_unique<Workspace>()) {
  require(options.check_every >= 1, "nsgs: check_every ", options.check_every, " must be >= 1");
}
NsgsSolver::~NsgsSolver() = default;

void NsgsSolver::bind(const ContactProblem& problem) {
  work_->judge.bind(problem);
  work_->lambda.resize(problem.size());
  work_->best.resize(problem.size());
  if (const auto* body = std::get_if<BodyForm>(&problem.form()))
    work_->sweeper.emplace<GaussSeidel<BodyForm>>().bind(*body, problem);
  else
    work_->sweeper.emplace<GaussSeidel<MatrixForm>>().bind(std::get<MatrixForm>(problem.form()), problem);
}

OuterReport NsgsSolver::solve(std::span<ContactVec> lambda) {
  Workspace& w = *work_;
  OuterReport report;
  w.lambda.load(lambda);
  w.best = w.lambda;
  report.certificate = w.judge.start(w.lambda);
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kDefaultSweeps;
  std::visit(
      [&](auto& sweeper) {
        sweeper.start(w.lambda);
        while (!report.certificate.solved(limits.tolerance) && report.outer_iterations < limit &&
               stop.asked() == StopReason::kGoOn) {
          const int batch = std::min(options_.check_every, limit - report.outer_iterations);
          for (int k = 0; k < batch; ++k) options_.momentum ? sweeper.sweep_momentum(kRestart) : sweeper.sweep_plain();
          sweeper.refresh();
          sweeper.store(w.lambda);
          report.outer_iterations += batch;
          const Certificate now = w.judge.certify(w.lambda);
          if (observer) observer(report.outer_iterations, now);
          if (!std::isfinite(now.worst())) break;  // sweeps do not come back from a number that is not finite
          if (!(now.worst() < report.certificate.worst())) continue;
          report.certificate = now;
          w.best = w.lambda;
        }
      },
      w.sweeper);
  w.best.store(lambda);
  report.inner_iterations = report.outer_iterations;
  report.status = verdict(report.certificate, limits.tolerance, stop);
  report.add_stage("gauss-seidel", report.outer_iterations, report.certificate.worst());
  return report;
}

}  // namespace repose
