// SPDX-License-Identifier: Apache-2.0
// Piles that come to rest: each step starts from the last step's impulses, and its solution moves the bodies.
//   spheres  dropped into a box, contacts found anew at every step; "fall" is the first third, "settle" the rest
//   boxes    kicked with up to 0.5 m/s, geometry frozen
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/measure.h"
#include "bench/suite/prototype.h"
#include "bench/suite/schemes_by_name.h"
#include "bench/suite/text.h"
#include "problems/bricks.h"
#include "problems/sequence.h"
#include "problems/sphere_pack.h"

namespace repose::bench {
namespace {

constexpr double kLoose = 1e-6, kTight = 1e-8;
constexpr double kCap = 20;  // CPU s for one step

struct Run {
  std::string name;
  double mu;
  int steps, first;  // steps of the first phase
  const char *first_name, *rest_name;
  std::unique_ptr<problems::Source> source;
};

struct Phase {
  std::string name;
  Summary summary{kTight};
  std::vector<double> loose_ms{}, contacts{};

  void add(const Measured& solved, int size) {
    summary.add(solved);
    contacts.push_back(size);
    if (std::isfinite(solved.level_ms[0])) loose_ms.push_back(solved.level_ms[0]);
  }
};

void report(const Run& run, const Phase& phase, Context& context) {
  const Summary& s = phase.summary;
  const SettlingReference* r = find_settling_reference(run.name, run.mu, phase.name);
  const int loose = static_cast<int>(phase.loose_ms.size());
  Json row{{"sequence", run.name}, {"mu", run.mu}, {"phase", phase.name}, {"contacts", median(phase.contacts)}};
  row.update(s.numbers());
  row["passed_1e-6"] = loose;
  row["ms_median_1e-6"] = median(phase.loose_ms);
  row["ms_max_1e-6"] = largest(phase.loose_ms);
  context.add_row(
      row, {run.name, fmt::format("{}", run.mu), phase.name, fmt::format("{:.0f}", median(phase.contacts)),
            ms_median_max(median(phase.loose_ms), largest(phase.loose_ms)), share(loose, s.count()),
            ms_median_max(s.ms_median(), s.ms_max()), share(s.solved(), s.count()), short_residual(s.worst().worst()),
            fmt::format("{:.0f} / {:.0f}", s.outer_median(), s.inner_median()),
            r ? fmt::format("{} / {} {}", r->ms_1e6, r->ms_1e8, share(r->solved, r->solves)) : std::string("-")});
}

void step_through(Run& run, Context& context) {
  Phase phases[2] = {{run.first_name}, {run.rest_name}};
  const auto solver = auto_scheme(kTight);
  for (int step = 0; step < run.steps && !context.stopped(); ++step) {
    context.working_on(fmt::format("{} mu {}, step {} of {}", run.name, run.mu, step + 1, run.steps));
    const ContactProblem& problem = run.source->problem();
    if (step == 0 || !run.source->fixed_operator()) solver->bind(problem);
    const MeasureOptions how{.cap = kCap, .repetitions = 3, .repeat_below = 0.02, .levels = {kLoose}};
    const Measured solved = measure(*solver, problem, run.source->warm_start(), how, context.options());
    phases[step < run.first ? 0 : 1].add(solved, problem.size());
    run.source->advance(solved.lambda);
  }
  if (context.stopped()) return;
  for (const Phase& phase : phases) report(run, phase, context);
}

Run spheres(int n, double mu, int steps) {
  return {fmt::format("spheres {}", n * n * n),
          mu,
          steps,
          steps / 3,
          "fall",
          "settle",
          std::make_unique<problems::SpherePack>(problems::SpherePackOptions{.n = n, .mu = mu})};
}

Run boxes(int nx, int ny, int nz, double mu, int steps) {
  return {fmt::format("boxes {}x{}x{}", nx, ny, nz),
          mu,
          steps,
          steps / 3,
          "first 10",
          "other 20",
          std::make_unique<problems::Sequence>(problems::pile({.nx = nx, .ny = ny, .nz = nz, .mu = mu}),
                                               problems::SequenceOptions{.random = 0.5})};
}

}  // namespace

void run_settling(Context& context) {
  context.start_table("Settling, auto, warm, each step to 1e-8: ms until 1e-6 and to the end, median (max), share",
                      {{"sequence", 12},
                       {"mu", 3},
                       {"phase", 8},
                       {"contacts", 4},
                       {"ms 1e-6", 16},
                       {"1e-6", 5},
                       {"ms 1e-8", 16},
                       {"1e-8", 5},
                       {"worst", 5},
                       {"outer / Newton", 10},
                       {"prototype 1e-6 / 1e-8", 18}});
  const bool quick = context.options().quick;
  for (double mu : {0.3, 0.5, 0.8}) {
    Run run = quick ? spheres(3, mu, 12) : spheres(7, mu, 45);
    if (!context.stopped()) step_through(run, context);
  }
  if (!quick && !context.stopped()) {
    Run run = spheres(10, 0.5, 45);
    step_through(run, context);
  }
  for (double mu : {0.3, 0.5, 0.8}) {
    Run run = quick ? boxes(2, 2, 3, mu, 12) : boxes(6, 6, 7, mu, 30);
    if (!context.stopped()) step_through(run, context);
  }
}

}  // namespace repose::bench
