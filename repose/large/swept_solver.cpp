// SPDX-License-Identifier: Apache-2.0
#include "repose/large/swept_solver.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "repose/base/error.h"
#include "repose/large/backend_internal.h"
#include "repose/large/schedule_internal.h"

namespace repose {
namespace {

using Clock = std::chrono::steady_clock;

/// Sweeps of one launch, between which a request to stop is heard. The bits do not depend on it.
constexpr long long kSweepsPerCall = 500;

/// Solves of the scheme that finishes.
constexpr int kFinishingRounds = 3;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void check(const SweptOptions& o) {
  require(o.most_sweeps >= 1, "sweeps: most_sweeps: expected >= 1, got ", o.most_sweeps);
  require(o.patience >= 1, "sweeps: patience: expected >= 1, got ", o.patience);
  require(o.check_every >= 1, "sweeps: check_every: expected >= 1, got ", o.check_every);
  require(o.restart >= 1, "sweeps: restart: expected >= 1, got ", o.restart);
  require(o.slow_restart >= 1, "sweeps: slow_restart: expected >= 1, got ", o.slow_restart);
  require(o.slow_after >= 1, "sweeps: slow_after: expected >= 1, got ", o.slow_after);
}

}  // namespace

struct SweptSolver::Parts {
  explicit Parts(const AutoOptions& finishing) : finisher(finishing) {}

  const ContactProblem* problem = nullptr;
  large::Schedule schedule;
  std::unique_ptr<large::DeviceSweeps> device;  // none: the host sweeps
  Judge judge;
  AutoSolver finisher;
  bool finisher_is_bound = false;
  ContactArray start_array;
  SweptReport report;

  large::Progress sweep(const large::Goal& goal, long long until) {
    if (device) return device->sweep(goal, until);
    const large::Arrays arrays = schedule.arrays();
    large::host::sweep(&arrays, &goal, until);
    return *arrays.progress;
  }
};

SweptSolver::SweptSolver(const SweptOptions& options, const AutoOptions& finisher)
    : options_(options), parts_(std::make_unique<Parts>(finisher)) {
  check(options);
  if (options.device == SweepDevice::kCuda) parts_->device = large::make_device_sweeps(options.crew);
}
SweptSolver::~SweptSolver() = default;

const SweptReport& SweptSolver::swept() const { return parts_->report; }

void SweptSolver::bind(const ContactProblem& problem) {
  Parts& p = *parts_;
  require(std::holds_alternative<BodyForm>(problem.form()),
          "sweeps: expected a problem in body form, got one in matrix form");
  require_cones(problem.sets(), "sweeps", "joints and compliance are solved on the processor");
  p.problem = &problem;
  p.finisher_is_bound = false;
  p.start_array.claim(problem.size());
  p.judge.bind(problem);
  const Clock::time_point begin = Clock::now();
  p.schedule.bind(problem);
  p.report = {.build_ms = ms_since(begin)};
  if (p.device) p.device->upload_constants(p.schedule.memory().data(), p.schedule.layout());
}

OuterReport SweptSolver::solve(std::span<ContactVec> lambda) {
  Parts& p = *parts_;
  OuterReport report;
  std::optional<Status> end;
  p.start_array.load(lambda);
  p.judge.open(p.start_array);
  if (norm(p.start_array) > 0) {  // the sweeps judge zero impulses, for which the judge would need λ_max
    report.certificate = p.judge.certify(p.start_array);
    report.stages.add({"warm start", 0, report.certificate.worst()});
    end = verdict(report.certificate.solved(limits.tolerance), report.certificate.worst(), stop);
  }
  double free_speed = 0;
  for (const ContactVec& v : p.problem->v_free()) free_speed += squared_norm(v);
  const large::Goal goal{.tolerance = limits.tolerance,
                         .free_speed = std::sqrt(free_speed),
                         .most_sweeps = limits.max_iterations > 0 ? limits.max_iterations : options_.most_sweeps,
                         .judged_every = options_.check_every,
                         .patience = options_.patience,
                         .restart = options_.restart,
                         .slow_restart = options_.slow_restart,
                         .slow_after = options_.slow_after};

  p.report.sweeps = 0, p.report.sweep_ms = p.report.finish_ms = 0;
  p.report.solved = end == Status::kConverged;
  p.report.worst = report.certificate.worst();
  if (!end) {
    p.schedule.start(*p.problem, lambda);
    if (p.device) p.device->upload_start(p.schedule.memory().data());
    const Clock::time_point begin = Clock::now();
    large::Progress progress;
    while (!end && !progress.ended) {
      progress = p.sweep(goal, progress.sweeps + kSweepsPerCall);
      end = verdict(false, progress.best, stop);
    }
    p.report.sweep_ms = ms_since(begin);
    if (p.device) p.device->download(p.schedule.memory().data());
    p.schedule.store(lambda);
    report.certificate = p.judge.certify(std::span<const ContactVec>(lambda.data(), lambda.size()));
    report.outer_iterations = static_cast<int>(progress.sweeps);
    report.stages.add({"sweeps", report.outer_iterations, report.certificate.worst()});
    p.report.sweeps = progress.sweeps;
    p.report.worst = progress.best;
    p.report.solved = report.certificate.solved(limits.tolerance);
    if (p.report.solved) end = Status::kConverged;
    if (observer) observer(report.outer_iterations, report.certificate);
  }
  if (p.device) p.report.transfer_ms = 1e3 * p.device->times().transfer, p.report.launches = p.device->times().launches;
  if (end || !options_.finish) {
    report.grade(end.value_or(Status::kIterationLimit), limits.accept);
    return report;
  }
  return finished(report, lambda);
}

/// Lets `auto` go on from the best impulses of the sweeps. It takes its scales from where it starts, which may be
/// milder than those of this solve's own start: then it goes on to a smaller tolerance.
OuterReport SweptSolver::finished(OuterReport report, std::span<ContactVec> lambda) {
  Parts& p = *parts_;
  const Clock::time_point begin = Clock::now();
  if (!std::exchange(p.finisher_is_bound, true)) p.finisher.bind(*p.problem);
  p.finisher.limits = limits;
  p.finisher.limits.max_iterations = 0;
  p.finisher.stop = stop;
  Status end = Status::kIterationLimit;
  for (int round = 0; round < kFinishingRounds; ++round) {
    const OuterReport more = p.finisher.solve(lambda);
    report.certificate = p.judge.certify(std::span<const ContactVec>(lambda.data(), lambda.size()));
    report.work += more.work;
    report.inner_iterations += more.inner_iterations;
    report.outer_iterations += more.outer_iterations;
    for (const Stage& stage : more.stages) report.stages.add(stage);
    end = more.status == Status::kAccepted ? Status::kIterationLimit : more.status;  // graded below
    if (end != Status::kConverged || report.certificate.solved(limits.tolerance)) break;
    end = Status::kIterationLimit;
    p.finisher.limits.tolerance *= 0.5 * limits.tolerance / report.certificate.worst();
  }
  report.fallbacks = report.stages.size() - 1;
  p.report.finish_ms = ms_since(begin);
  report.grade(end, limits.accept);
  return report;
}

}  // namespace repose
