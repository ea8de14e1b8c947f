// SPDX-License-Identifier: Apache-2.0
// Arches and card houses, step by step with frozen geometry.
//   rest    a random kick of up to 1e-3 m/s to every body at every step, so that no step repeats the last
//   impact  2 m/s down on the crown of an arch, or 1 m/s at a slant on the top of a card house, at step 2
//   down    the same blow on the card house from straight above
//   cold    from zero
//   warm    from the last step's impulses (the first step, cold by nature, is not counted)
#include <fmt/format.h>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/measure.h"
#include "bench/suite/prototype.h"
#include "bench/suite/schemes_by_name.h"
#include "bench/suite/text.h"
#include "problems/arch.h"
#include "problems/cards.h"
#include "problems/sequence.h"

namespace repose::bench {
namespace {

struct Scene {
  std::string name;
  problems::Structure structure;
  double impact;  // m/s
  int steps;
};

constexpr std::string_view kDown = "down";

struct Case {
  const Scene* scene;
  std::string event, start;
  double tolerance;
  [[nodiscard]] bool warm() const { return start == "warm"; }
  [[nodiscard]] std::string title() const {
    return fmt::format("{} {} {} {}", scene->name, event, start, short_power(tolerance));
  }
};

struct Outcome {
  Summary summary;
  double bind_ms = 0;
  int contacts = 0;
};

std::vector<Scene> scenes(const Context& context) {
  std::vector<Scene> all;
  const int steps = context.seeds(12, 3);
  all.push_back({"arch-25", problems::arch({.stones = 25}), 2, steps});
  all.push_back({"cards-4", problems::cards({.levels = 4}), 1, steps});
  if (context.options().quick) return all;
  all.push_back({"arch-101", problems::arch({.stones = 101}), 2, steps});
  all.push_back({"cards-10", problems::cards({.levels = 10}), 1, steps});
  all.push_back({"arch-501", problems::arch({.stones = 501}), 2, steps});
  return all;
}

problems::Sequence sequence_of(const Case& one) {
  problems::SequenceOptions kicks;
  (one.event == "rest" ? kicks.rest : kicks.impact) = one.event == "rest" ? 1e-3 : one.scene->impact;
  problems::Structure structure = one.scene->structure;
  if (one.event == kDown) structure.struck_along = {0, 0, -1};
  return problems::Sequence(std::move(structure), kicks);
}

Outcome step_through(const Case& one, const Context& context) {
  problems::Sequence sequence = sequence_of(one);
  const auto solver = auto_scheme(one.tolerance);
  Outcome outcome{Summary(one.tolerance), measure_bind(*solver, sequence.problem()), sequence.problem().size()};
  const MeasureOptions how{.cap = 10, .repetitions = 5};
  for (int step = one.warm() ? -1 : 0; step < one.scene->steps && !context.stopped(); ++step) {
    const std::vector<ContactVec> start = one.warm() ? sequence.warm_start() : std::vector<ContactVec>{};
    const Measured solved = measure(*solver, sequence.problem(), start, how, context.options());
    if (step >= 0) outcome.summary.add(solved);
    sequence.advance(solved.lambda);
  }
  return outcome;
}

std::string reference_text(const StructureReference* r) {
  if (!r) return "-";
  const std::string times = r->ms_median > 0 ? fmt::format("{} ({}) ", r->ms_median, r->ms_max) : "";
  return times + share(r->solved, r->solves);
}

void report(const Case& one, const Outcome& outcome, Context& context) {
  const Summary& s = outcome.summary;
  // The prototype's blow has a speed and no direction: both of ours stand beside it.
  const std::string event = one.event == kDown ? "impact" : one.event;
  const StructureReference* r = find_structure_reference(one.scene->name, event, one.start, one.tolerance);
  Json row{{"scene", one.scene->name}, {"event", one.event}, {"start", one.start}, {"contacts", outcome.contacts}};
  row.update(s.numbers());
  row["bind_ms"] = outcome.bind_ms;
  const bool compares = r && r->ms_median > 0;
  row["prototype_ms"] = compares ? Json(r->ms_median) : Json();
  row["aim_ms"] = r && r->aim_ms > 0 ? Json(r->aim_ms) : Json();
  context.add_row(
      row, {one.scene->name + " " + one.event, one.start, short_power(one.tolerance),
            ms_median_max(s.ms_median(), s.ms_max()), share(s.solved(), s.count()),
            fmt::format("{:.0f} ({:.0f})", s.inner_median(), s.inner_max()), short_residual(s.worst().residual.worst()),
            short_residual(s.worst().nat), short_residual(s.worst().paper.worst()), short_ms(outcome.bind_ms),
            reference_text(r), compares ? fmt::format("{:.2f}", s.ms_median() / r->ms_median) : "-",
            r && r->aim_ms > 0 ? fmt::format("{}", r->aim_ms) : "-"});
}

void run_case(const Case& one, Context& context) {
  context.working_on(one.title());
  const Outcome outcome = step_through(one, context);
  if (!context.stopped()) report(one, outcome, context);
}

}  // namespace

void run_structures(Context& context) {
  context.start_table("Structures, auto: ms per solve, median (max) over the steps", {{"case", 16},
                                                                                      {"start", 5},
                                                                                      {"tol", 6},
                                                                                      {"ms", 16},
                                                                                      {"solved", 6},
                                                                                      {"Newton", 9},
                                                                                      {"r_c", 6},
                                                                                      {"nat", 6},
                                                                                      {"r_c paper", 6},
                                                                                      {"bind ms", 6},
                                                                                      {"prototype", 22},
                                                                                      {"ratio", 5},
                                                                                      {"aim", 5}});
  const std::vector<double> tolerances = context.options().tolerance > 0
                                             ? std::vector<double>{context.options().tolerance}
                                             : std::vector<double>{1e-6, 1e-10};
  for (const Scene& scene : scenes(context))
    for (const std::string_view event : {std::string_view("rest"), std::string_view("impact"), kDown})
      for (const char* start : {"cold", "warm"})
        for (double tolerance : tolerances) {
          if (context.stopped()) return;
          if (event == kDown && scene.structure.struck_along.x == 0) continue;  // it comes from there anyway
          run_case({&scene, std::string(event), start, tolerance}, context);
        }
}

}  // namespace repose::bench
