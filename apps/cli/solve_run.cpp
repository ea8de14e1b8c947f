// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/solve_run.h"

#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "apps/terminal/console.h"
#include "apps/terminal/cpu_time.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/progress.h"
#include "repose/large/swept_solver.h"
#include "repose/scheme/solve.h"
#include "repose/stage/equivalent_impulses.h"

namespace repose::cli {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::vector<ContactVec> start_of(const report::Solved& solved) {
  if (solved.from_guess) return *solved.stored.guess;
  return std::vector<ContactVec>(static_cast<std::size_t>(solved.stored.problem.size()));
}

struct Times {
  std::vector<double> total, bind, cpu;  // ms
};

std::unique_ptr<OuterSolver> solver_for(const SolveRequest& request) {
  std::unique_ptr<OuterSolver> made = make_solver(request.options);  // checks the options
  if (request.device == "cpu") return made;
  const SolveLimits limits = made->limits;
  made = std::make_unique<SweptSolver>(
      SweptOptions{.device = request.device == "cuda" ? SweepDevice::kCuda : SweepDevice::kHost},
      std::get<AutoOptions>(request.options.outer));
  made->limits = limits;
  return made;
}

/// A solver of its own for every repeat: some keep a step size from solve to solve, and repeats must not differ.
void solve_once(report::Solved& solved, const SolveRequest& request, Progress::Job& job, Times& times) {
  std::vector<ContactVec> lambda = start_of(solved);
  const std::unique_ptr<OuterSolver> solver = solver_for(request);
  double cpu_begin = 0;
  const bool keep = request.history && solved.repeats == 0;
  solver->observer = [&](int k, const Certificate& certificate) {
    job.note(k, certificate);
    if (keep)
      solved.history.push_back({k, cpu_ms(CLOCK_THREAD_CPUTIME_ID) - cpu_begin, certificate.r_c(), certificate.nat,
                                certificate.paper.worst()});
  };
  solver->stop = StopToken(request.time_limit, &interrupt_flag());
  cpu_begin = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
  const Clock::time_point begin = Clock::now();
  solver->bind(solved.stored.problem);
  const double bind_ms = ms_since(begin);
  const OuterReport report = solver->solve(lambda);
  const double ms = ms_since(begin), cpu = cpu_ms(CLOCK_THREAD_CPUTIME_ID) - cpu_begin;
  const bool ended = report.status != Status::kInterrupted;
  if (solved.repeats == 0) {
    solved.report = report;
    solved.lambda = std::move(lambda);
    if (const auto* swept = dynamic_cast<const SweptSolver*>(solver.get())) {
      solved.device = request.device;
      solved.swept = swept->swept();
    }
  }
  if (!ended) return;
  ++solved.repeats;
  times.total.push_back(ms);
  times.bind.push_back(bind_ms);
  times.cpu.push_back(cpu);
}

/// Of the impulses that cause the same motion, those of least norm.
void take_canonical(report::Solved& solved, double tolerance) {
  if (!certify(solved.stored.problem, solved.lambda).solved(tolerance)) return;
  EquivalentImpulses equivalent(solved.stored.problem, solved.lambda, tolerance);
  solved.canonical = equivalent.canonical(solved.lambda).solved;
}

/// From λ alone: the solver's own word plays no part.
void certify_answer(report::Solved& solved) {
  solved.certificate = certify(solved.stored.problem, solved.lambda, start_of(solved));
  solved.siconos_error = siconos_error(solved.stored.problem, solved.lambda);
}

void solve_one(report::Solved& solved, const SolveRequest& request, Progress::Job& job) {
  solved.from_guess = request.warm_start && solved.stored.guess.has_value();
  Times times;
  for (int r = 0; r < request.repeat && (r == 0 || !interrupted()); ++r) solve_once(solved, request, job, times);
  solved.ms = median(times.total);
  solved.bind_ms = median(times.bind);
  solved.cpu_ms = median(times.cpu);
  if (request.canonical && solved.finished()) take_canonical(solved, request.options.tolerance);
  certify_answer(solved);
}

using Item = std::shared_ptr<report::Solved>;

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void solve_files(const std::vector<std::string>& files, const SolveRequest& request,
                 const std::function<void(report::Solved&)>& take) {
  const std::vector<std::string> names = shown_names(files).names;
  Progress progress(request.progress, static_cast<int>(files.size()));
  int next = 0;
  const auto read = [&](tbb::flow_control& control) -> Item {
    if (next == static_cast<int>(files.size()) || interrupted()) {
      control.stop();
      return nullptr;
    }
    auto item = std::make_shared<report::Solved>();
    item->index = next++;
    item->file = files[static_cast<std::size_t>(item->index)];
    item->stored = read_stored_problem(item->file);
    return item;
  };
  const auto work = [&](const Item& item) {
    const Progress::Handle job = progress.start(item->index + 1, names[static_cast<std::size_t>(item->index)]);
    tbb::this_task_arena::isolate([&] { solve_one(*item, request, *job); });
    progress.finish(job);
    return item;
  };
  const auto hand_over = [&](const Item& item) { progress.above([&] { take(*item); }); };

  const auto threads = static_cast<std::size_t>(request.threads);
  tbb::task_arena(std::min(request.threads, tbb::info::default_concurrency())).execute([&] {
    using tbb::filter_mode;
    tbb::parallel_pipeline(threads, tbb::make_filter<void, Item>(filter_mode::serial_in_order, read) &
                                        tbb::make_filter<Item, Item>(filter_mode::parallel, work) &
                                        tbb::make_filter<Item, void>(filter_mode::serial_in_order, hand_over));
  });
}

}  // namespace repose::cli
