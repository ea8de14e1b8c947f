// SPDX-License-Identifier: Apache-2.0
// Random cold problems: every body moves at 0.5 to 1 m/s. One seed, one problem; auto first, then its rivals.
#include <fmt/format.h>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/measure.h"
#include "bench/suite/prototype.h"
#include "bench/suite/schemes_by_name.h"
#include "bench/suite/text.h"
#include "problems/families.h"

namespace repose::bench {
namespace {

constexpr double kMu[] = {0.3, 0.8, 1.5};
constexpr double kLimitMs = 100;
constexpr double kPatience = 20;  // CPU s: "solved at all"

struct Rival {
  const char* outer;
  int max_iterations;  // 0: the scheme's own
};
constexpr int kNoLimit = 100'000'000;  // these are stopped by time
constexpr Rival kRivals[] = {
    {"fbf", 2000}, {"nsgs", kNoLimit}, {"picard", kNoLimit}, {"padmm", kNoLimit}, {"newton", 0}};

struct Cell {
  const problems::Family* family;
  int mu_index;
  int seeds;
  [[nodiscard]] double mu() const { return kMu[mu_index]; }
  [[nodiscard]] std::string title() const { return fmt::format("{} mu {}", family->name, mu()); }
};

Summary solve_all(const Cell& cell, OuterSolver& solver, const MeasureOptions& how, const Context& context) {
  Summary summary(solver.limits.tolerance);
  for (int seed = 1; seed <= cell.seeds && !context.stopped(); ++seed) {
    const ContactProblem problem = problems::family(cell.family->name, cell.mu(), static_cast<std::uint64_t>(seed));
    solver.bind(problem);
    summary.add(measure(solver, problem, {}, how, context.options()));
  }
  return summary;
}

void auto_row(const Cell& cell, Context& context) {
  context.working_on(cell.title());
  const auto solver = auto_scheme(context.tolerance(1e-10));
  const Summary s = solve_all(cell, *solver, {.cap = kPatience, .repetitions = 3, .repeat_below = 0.02}, context);
  if (context.stopped()) return;
  const FamilyReference* r = find_family_reference(cell.family->name);
  Json row{{"family", cell.family->name}, {"contacts", cell.family->contacts}, {"mu", cell.mu()}};
  row.update(s.numbers());
  row["solved_within_100_ms"] = s.solved_within(kLimitMs);
  row["prototype_percent"] = r ? Json(r->percent[cell.mu_index]) : Json();
  context.add_row(row, {cell.family->name, std::to_string(cell.family->contacts), fmt::format("{}", cell.mu()),
                        share(s.solved_within(kLimitMs), s.count()), share(s.solved(), s.count()),
                        ms_median_max(s.ms_median(), s.ms_max()), short_residual(s.worst().residual.worst()),
                        short_residual(s.worst().nat), r ? std::to_string(r->percent[cell.mu_index]) : "-"});
}

void rivals_row(const Cell& cell, Context& context) {
  Json row{
      {"family", cell.family->name}, {"contacts", cell.family->contacts}, {"mu", cell.mu()}, {"problems", cell.seeds}};
  std::vector<std::string> cells{cell.family->name, fmt::format("{}", cell.mu()), std::to_string(cell.seeds)};
  for (const Rival& rival : kRivals) {
    context.working_on(cell.title() + " " + rival.outer);
    const auto solver = scheme(rival.outer, "", context.tolerance(1e-10), rival.max_iterations);
    const double cap = 1e-3 * (context.options().quick ? kLimitMs / 10 : kLimitMs);
    const Summary s = solve_all(cell, *solver, {.cap = cap}, context);
    row[rival.outer] = s.numbers();
    cells.push_back(fmt::format("{} ({})", percent(s.solved(), s.count()), short_ms(s.ms_median())));
  }
  if (!context.stopped()) context.add_row(row, cells);
}

/// Every family at every μ, `many` problems of the two smallest and `few` of the others.
void every_cell(void (*make_row)(const Cell&, Context&), int many, int few, Context& context) {
  for (const problems::Family& family : problems::families())
    for (int mu = 0; mu < 3 && !context.stopped(); ++mu)
      make_row({&family, mu, context.seeds(family.contacts <= 4 ? many : few)}, context);
}

}  // namespace

void run_families(Context& context) {
  context.start_table(fmt::format("Random families, auto, cold, tol {}", short_power(context.tolerance(1e-10))),
                      {{"family", 11},
                       {"contacts", 3},
                       {"mu", 3},
                       {"within 100 ms", 7},
                       {"solved", 7},
                       {"ms", 16},
                       {"r_c", 6},
                       {"nat", 6},
                       {"prototype %", 3}});
  every_cell(auto_row, 200, 60, context);
  if (context.stopped()) return;
  context.start_table("The same by single schemes, 100 ms at most: % solved (median ms)", {{"family", 11},
                                                                                           {"mu", 3},
                                                                                           {"problems", 3},
                                                                                           {"fbf, 2000 outers", 12},
                                                                                           {"nsgs", 12},
                                                                                           {"picard", 12},
                                                                                           {"padmm", 12},
                                                                                           {"newton", 12}});
  every_cell(rivals_row, 24, 12, context);
}

}  // namespace repose::bench
