// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/nsgs.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "repose/base/error.h"
#include "repose/scheme/progress.h"
#include "repose/stage/gauss_seidel.h"

namespace repose {

struct NsgsSolver::Workspace {
  Progress progress;
  std::variant<GaussSeidel<BodyForm>, GaussSeidel<MatrixForm>> sweeper;
  ContactArray packed;
  std::vector<ContactVec> lambda;
};

namespace {

constexpr int kDefaultSweeps = 10000;
constexpr double kRestart = 1.5;

}  // namespace

NsgsSolver::NsgsSolver(const NsgsOptions& options) : options_(options), work_(std::make_unique<Workspace>()) {
  require(options.check_every >= 1, "nsgs: check_every: expected >= 1, got ", options.check_every);
}
NsgsSolver::~NsgsSolver() = default;

void NsgsSolver::bind(const ContactProblem& problem) {
  work_->progress.bind(problem);
  work_->packed.resize(problem.size());
  work_->lambda.resize(static_cast<std::size_t>(problem.size()));
  if (const auto* body = std::get_if<BodyForm>(&problem.form()))
    work_->sweeper.emplace<GaussSeidel<BodyForm>>().bind(*body, problem);
  else
    work_->sweeper.emplace<GaussSeidel<MatrixForm>>().bind(std::get<MatrixForm>(problem.form()), problem);
}

OuterReport NsgsSolver::solve(std::span<ContactVec> lambda) {
  Workspace& w = *work_;
  w.progress.start(*this, kDefaultSweeps, lambda);
  w.packed.load(lambda);
  std::visit(
      [&](auto& sweeper) {
        sweeper.start(w.packed);
        while (!w.progress.over()) {
          const int batch = std::min(options_.check_every, w.progress.remaining());
          for (int k = 0; k < batch; ++k) options_.momentum ? sweeper.sweep_momentum(kRestart) : sweeper.sweep_plain();
          sweeper.refresh();
          sweeper.store(w.packed);
          w.packed.store(w.lambda);
          w.progress.count_inner(batch);
          w.progress.score(w.lambda, batch);
        }
      },
      w.sweeper);
  OuterReport report = w.progress.finish(lambda);
  report.stages.add({"gauss-seidel", report.outer_iterations, report.certificate.worst()});
  return report;
}

}  // namespace repose
