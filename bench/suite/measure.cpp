// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/suite/cpu_clock.h"

namespace repose::bench {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// One timed call of solve(): sets ms, report, capped, level_ms and lambda.
void time_once(OuterSolver& solver, std::span<const ContactVec> start, const MeasureOptions& how,
               const SuiteOptions& suite, Measured& out) {
  std::atomic<bool> stop{false};
  out.lambda.assign(start.begin(), start.end());
  out.level_ms.assign(how.levels.size(), kNever);
  double begun = 0;
  solver.observer = [&](int, const Certificate& now) {
    if (suite.stopped()) stop.store(true, std::memory_order_relaxed);
    for (std::size_t k = 0; k < how.levels.size(); ++k)
      if (out.level_ms[k] == kNever && now.solved(how.levels[k]))
        out.level_ms[k] = 1e3 * (thread_cpu_seconds() - begun);
  };
  solver.stop = StopToken(0, &stop);
  const CpuDeadline deadline(how.cap, stop);
  begun = thread_cpu_seconds();
  out.report = solver.solve(out.lambda);
  out.ms = 1e3 * (thread_cpu_seconds() - begun);
  out.capped = stop.load(std::memory_order_relaxed);
  solver.observer = {};
  solver.stop = {};
}

/// Levels that the returned impulses meet were passed by the end at the latest.
void close_levels(const MeasureOptions& how, Measured& out) {
  for (std::size_t k = 0; k < how.levels.size(); ++k)
    if (out.certificate.solved(how.levels[k])) out.level_ms[k] = std::min(out.level_ms[k], out.ms);
}

}  // namespace

Measured measure(OuterSolver& solver, const ContactProblem& problem, std::span<const ContactVec> start,
                 const MeasureOptions& how, const SuiteOptions& suite) {
  std::vector<ContactVec> from(start.begin(), start.end());
  from.resize(static_cast<std::size_t>(problem.size()));
  Measured best;
  double spent = 0;
  for (int k = 0; k < how.repetitions && spent <= 1e3 * how.repeat_below && !(k > 0 && suite.stopped()); ++k) {
    Measured one;
    time_once(solver, from, how, suite, one);
    spent += one.ms;
    if (k == 0 || one.ms < best.ms) best = std::move(one);
  }
  best.certificate = certify(problem, best.lambda, from);
  close_levels(how, best);
  return best;
}

double measure_bind(OuterSolver& solver, const ContactProblem& problem) {
  const double begun = thread_cpu_seconds();
  solver.bind(problem);
  return 1e3 * (thread_cpu_seconds() - begun);
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double largest(const std::vector<double>& values) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : *std::max_element(values.begin(), values.end());
}

void Summary::add(const Measured& one) {
  const bool solved = one.certificate.solved(tolerance_);
  ms_.push_back(one.ms);
  if (solved) solved_ms_.push_back(one.ms);
  solved_ += solved;
  outer_.push_back(one.report.outer_iterations);
  inner_.push_back(one.report.inner_iterations);
  worst_.nat = std::max(worst_.nat, one.certificate.nat);
  worst_.residual.gap = std::max(worst_.residual.gap, one.certificate.residual.worst());
  worst_.paper.gap = std::max(worst_.paper.gap, one.certificate.paper.worst());
}

int Summary::solved_within(double ms) const {
  return static_cast<int>(std::count_if(solved_ms_.begin(), solved_ms_.end(), [&](double t) { return t <= ms; }));
}

Json Summary::numbers() const {
  return {{"tolerance", tolerance_},
          {"solves", count()},
          {"solved", solved_},
          {"ms_median", ms_median()},
          {"ms_max", ms_max()},
          {"outer_median", outer_median()},
          {"outer_max", largest(outer_)},
          {"inner_median", inner_median()},
          {"inner_max", inner_max()},
          {"r_c", worst_.residual.worst()},
          {"nat", worst_.nat},
          {"r_c_paper", worst_.paper.worst()}};
}

}  // namespace repose::bench
