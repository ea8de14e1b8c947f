// SPDX-License-Identifier: Apache-2.0
// Every outer scheme, with every inner solver where it has one, on the same problems from zero; then the paper's scheme
// in the paper's own setting, with warm starts, a tolerance of 1e-6 and 200 or 2000 outer iterations.
#include <fmt/format.h>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/measure.h"
#include "bench/suite/schemes_by_name.h"
#include "bench/suite/text.h"
#include "problems/arch.h"
#include "problems/cards.h"
#include "problems/families.h"
#include "problems/sequence.h"
#include "problems/simple.h"
#include "repose/base/error.h"
#include "repose/scheme/solve.h"

namespace repose::bench {
namespace {

constexpr double kCap = 2;  // CPU s for one solve
constexpr const char* kInner[] = {"bgs", "apgd", "admm", "ipm", "clarabel", "scs"};

struct Task {
  std::string name;
  ContactProblem problem;
};

struct Contender {
  std::string outer, inner;
};

Task at_rest(problems::Structure structure) {
  const problems::Sequence sequence(std::move(structure), {.rest = 1e-3});
  return {sequence.structure().name, sequence.problem()};
}

std::vector<Task> tasks(bool quick) {
  std::vector<Task> all;
  all.push_back({"backspin", problems::make_problem(problems::ball())});
  all.push_back({"incline", problems::make_problem(problems::box({.slope = 0.6, .mu = 0.5, .speed = 1}))});
  all.push_back(at_rest(problems::arch({.stones = quick ? 7 : 25})));
  all.push_back(at_rest(problems::cards({.levels = quick ? 2 : 4})));
  if (quick) return all;
  all.push_back({"wall_4x4", problems::family("wall_4x4", 0.8, 1)});
  all.push_back({"pile_2x2x3", problems::family("pile_2x2x3", 0.8, 1)});
  all.push_back({"spheres_27", problems::family("spheres_27", 0.8, 1)});
  return all;
}

std::vector<Contender> contenders() {
  std::vector<Contender> all{{"auto", ""}, {"newton", ""}, {"nsgs", ""}, {"padmm", ""}, {"staggered", ""}};
  for (const char* outer : {"fbf", "picard", "relaxed"})
    for (const char* inner : kInner) all.push_back({outer, inner});
  return all;
}

/// "0.41 ms, 12" when solved after 12 outer iterations, otherwise "no, 3e-4, 200".
std::string cell(const Measured& m, double tolerance) {
  if (m.certificate.solved(tolerance)) return fmt::format("{} ms, {}", short_ms(m.ms), m.report.outer_iterations);
  return fmt::format("no, {}, {}", short_residual(m.certificate.worst()), m.report.outer_iterations);
}

Json numbers(const std::string& task, const Measured& m, double tolerance) {
  return {{"problem", task},
          {"solved", m.certificate.solved(tolerance)},
          {"status", m.capped ? "time_limit" : to_string(m.report.status)},
          {"ms", m.ms},
          {"outer_iterations", m.report.outer_iterations},
          {"inner_iterations", m.report.inner_iterations},
          {"r_c", m.certificate.r_c()},
          {"nat", m.certificate.nat}};
}

void contender_row(const Contender& who, const std::vector<Task>& all, Context& context) {
  const double tolerance = context.tolerance(1e-8);
  Json row{{"outer", who.outer}, {"inner", who.inner}, {"results", Json::array()}};
  std::vector<std::string> cells{who.outer, who.inner.empty() ? "-" : who.inner};
  int solved = 0;
  for (const Task& task : all) {
    context.working_on(fmt::format("{} {} on {}", who.outer, who.inner, task.name));
    const auto solver = scheme(who.outer, who.inner, tolerance);  // anew: fbf remembers its step size
    solver->bind(task.problem);
    const double cap = context.options().quick ? 0.02 : kCap;
    const Measured m = measure(*solver, task.problem, {}, {.cap = cap}, context.options());
    if (context.stopped()) return;
    solved += m.certificate.solved(tolerance);
    row["results"].push_back(numbers(task.name, m, tolerance));
    cells.push_back(cell(m, tolerance));
  }
  cells.push_back(share(solved, static_cast<int>(all.size())));
  context.add_row(row, cells);
}

void run_contenders(Context& context) {
  const std::vector<Task> all = tasks(context.options().quick);
  std::vector<Column> columns{{"outer", 9}, {"inner", 8}};
  for (const Task& task : all) columns.push_back({fmt::format("{} ({})", task.name, task.problem.size()), 17});
  columns.push_back({"solved", 3});
  context.start_table(
      fmt::format("Schemes, cold, tol {}, own iteration limits, 2 s at most: ms and outer iterations, or "
                  "max(r_c, nat) and outer iterations where it failed",
                  short_power(context.tolerance(1e-8))),
      columns);
  for (const Contender& who : contenders()) {
    if (context.stopped()) return;
    try {
      contender_row(who, all, context);
    } catch (const InputError& error) {
      context.note(error.what());
    }
  }
}

/// fbf as the paper runs it: its stopping rule at 1e-6, block Gauss–Seidel inside, warm starts.
struct PaperRun {
  const char* name;
  problems::Structure structure;
  double rest;    // m/s
  int steps;      // time steps
  int sweeps;     // of the inner solver
  double safety;  // c_γ
  bool exact;     // steps follow from, and start with, exact impulses of the step before; otherwise its own
};

std::vector<PaperRun> paper_runs(bool quick) {
  const int steps = quick ? 2 : 12;
  std::vector<PaperRun> all;
  all.push_back({"backspin", problems::ball(), 0, quick ? 5 : 60, 10, 0.5, false});
  all.push_back({"incline", problems::box({.slope = 0.6, .mu = 0.5, .speed = 1}), 0, steps, 10, 0.5, false});
  if (quick) return all;
  for (const auto& [safety, exact] : {std::pair{0.5, false}, {0.5, true}, {50.0, true}}) {
    all.push_back({"arch-25", problems::arch(), 1e-3, steps, 30, safety, exact});
    all.push_back({"cards-4", problems::cards(), 1e-3, steps, 10, safety, exact});
  }
  return all;
}

struct PaperOutcome {
  int within = 0, at_limit = 0;  // steps with the paper's r_c ≤ 1e-6; steps that used up their iterations
  std::vector<double> outer, r_c, ms;
};

std::vector<ContactVec> exact_impulses(const ContactProblem& problem) {
  return solve(problem, {.tolerance = 1e-10}).lambda;
}

PaperOutcome follow(const PaperRun& run, int limit, const Context& context) {
  constexpr double kPaperTolerance = 1e-6;
  const auto solver = make_solver({.tolerance = kPaperTolerance,
                                   .max_iterations = limit,
                                   .outer = FbfOptions{.safety = run.safety, .stop_rule = StopRule::kPaper},
                                   .inner = BgsOptions{.sweeps = run.sweeps}});
  problems::Sequence sequence(run.structure, {.rest = run.rest});
  solver->bind(sequence.problem());
  PaperOutcome out;
  if (run.exact) sequence.advance(exact_impulses(sequence.problem()));
  for (int step = 0; step < run.steps && !context.stopped(); ++step) {
    const Measured m = measure(*solver, sequence.problem(), sequence.warm_start(), {}, context.options());
    out.within += m.certificate.paper.worst() <= kPaperTolerance;
    out.at_limit += m.report.outer_iterations >= limit;
    out.outer.push_back(m.report.outer_iterations);
    out.r_c.push_back(m.certificate.paper.worst());
    out.ms.push_back(m.ms);
    sequence.advance(run.exact ? exact_impulses(sequence.problem()) : m.lambda);
  }
  return out;
}

void paper_row(const PaperRun& run, int limit, Context& context) {
  context.working_on(fmt::format("fbf in paper mode on {}, {} outers", run.name, limit));
  const PaperOutcome out = follow(run, limit, context);
  if (context.stopped()) return;
  context.add_row(
      {{"problem", run.name},
       {"contacts", run.structure.contacts.size()},
       {"safety", run.safety},
       {"sweeps", run.sweeps},
       {"carried", run.exact ? "exact" : "own"},
       {"limit", limit},
       {"steps", run.steps},
       {"within_1e-6", out.within},
       {"at_limit", out.at_limit},
       {"outer_median", median(out.outer)},
       {"outer_max", largest(out.outer)},
       {"r_c_paper_median", median(out.r_c)},
       {"r_c_paper_max", largest(out.r_c)},
       {"ms_median", median(out.ms)},
       {"ms_max", largest(out.ms)}},
      {run.name, std::to_string(run.structure.contacts.size()), run.exact ? "exact" : "own",
       fmt::format("{}", run.safety), std::to_string(run.sweeps), std::to_string(limit), share(out.within, run.steps),
       share(out.at_limit, run.steps), fmt::format("{:.0f} ({:.0f})", median(out.outer), largest(out.outer)),
       fmt::format("{} ({})", short_residual(median(out.r_c)), short_residual(largest(out.r_c))),
       ms_median_max(median(out.ms), largest(out.ms))});
}

void run_paper_mode(Context& context) {
  context.start_table(
      "fbf in paper mode: warm steps, the paper's r_c and stopping rule at 1e-6, bgs inside; median (max)",
      {{"problem", 9},
       {"contacts", 3},
       {"carried", 5},
       {"c_gamma", 4},
       {"sweeps", 3},
       {"limit", 4},
       {"within 1e-6", 5},
       {"at the limit", 5},
       {"outers", 12},
       {"r_c paper", 14},
       {"ms", 14}});
  for (const PaperRun& run : paper_runs(context.options().quick))
    for (int limit : {200, 2000})
      if (!context.stopped()) paper_row(run, limit, context);
}

}  // namespace

void run_schemes(Context& context) {
  run_contenders(context);
  if (!context.stopped()) run_paper_mode(context);
}

}  // namespace repose::bench
