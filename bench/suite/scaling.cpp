// SPDX-License-Identifier: Apache-2.0
// Chains should cost the same per contact whatever their length; ten thousand contacts should fit in little memory.
#include <fmt/format.h>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/child_memory.h"
#include "bench/suite/measure.h"
#include "bench/suite/schemes_by_name.h"
#include "bench/suite/text.h"
#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/sequence.h"

namespace repose::bench {
namespace {

constexpr double kAllowedMib = 200;

/// Cold solves of a few steps at rest.
Summary rest_steps(const problems::Structure& structure, double tolerance, int steps, const Context& context) {
  problems::Sequence sequence(structure, {.rest = 1e-3});
  const auto solver = auto_scheme(tolerance);
  solver->bind(sequence.problem());
  Summary summary(tolerance);
  for (int step = 0; step < steps && !context.stopped(); ++step) {
    const Measured solved = measure(*solver, sequence.problem(), {}, {.cap = 20, .repetitions = 5}, context.options());
    summary.add(solved);
    sequence.advance(solved.lambda);
  }
  return summary;
}

void time_arches(const char* kind, problems::Structure (*make)(int), Context& context) {
  double shortest = 0, first = 0;
  const double tolerance = context.tolerance(1e-10);
  for (int stones : {25, 51, 101, 201, 501, 951}) {
    if (context.stopped() || (context.options().quick && stones > 51)) return;
    context.working_on(fmt::format("{} of {} stones", kind, stones));
    const problems::Structure structure = make(stones);
    const Summary s = rest_steps(structure, tolerance, context.seeds(7, 2), context);
    if (context.stopped()) return;
    const double contacts = static_cast<double>(structure.contacts.size()), each = 1e3 * s.ms_median() / contacts;
    if (first == 0) first = shortest = each;
    shortest = std::min(shortest, each);
    Json row{{"arch", kind}, {"stones", stones}, {"contacts", contacts}, {"us_per_contact", each}};
    row["ratio_to_25"] = each / first;
    row.update(s.numbers());
    context.add_row(
        row, {kind, std::to_string(stones), fmt::format("{:.0f}", contacts), ms_median_max(s.ms_median(), s.ms_max()),
              fmt::format("{:.2f}", each), fmt::format("{:.2f}", each / first), share(s.solved(), s.count()),
              fmt::format("{:.0f}", s.inner_median())});
  }
}

/// Makes the problem, binds and solves it to 1e-6, all of it inside the child.
ChildMemory memory_of(const std::function<problems::Structure()>& make, double random, const SuiteOptions& suite) {
  return measure_memory([&] {
    const problems::Sequence sequence(make(), {.rest = 1e-3, .random = random, .random_spin = 2 * random});
    const auto solver = auto_scheme(1e-6);
    solver->bind(sequence.problem());
    return measure(*solver, sequence.problem(), {}, {.cap = 60}, suite).certificate.solved(1e-6);
  });
}

void weigh(const std::string& name, const std::function<problems::Structure()>& make, double random, Context& context) {
  context.working_on("memory of " + name);
  const ChildMemory used = memory_of(make, random, context.options());
  if (context.stopped()) return;
  const int contacts = static_cast<int>(make().contacts.size());
  context.add_row({{"problem", name},
                   {"contacts", contacts},
                   {"peak_mib", used.peak_mib},
                   {"growth_mib", used.growth_mib},
                   {"solved", used.succeeded}},
                  {name, std::to_string(contacts), fmt::format("{:.0f}", used.peak_mib),
                   fmt::format("{:.0f}", used.growth_mib), fmt::format("{:.1f}", used.growth_mib * 1024 / contacts),
                   used.succeeded ? "yes" : "no", used.peak_mib < kAllowedMib ? "yes" : "no"});
}

}  // namespace

void run_scaling(Context& context) {
  context.start_table("Arches at rest, auto, cold: time per contact", {{"arch", 10},
                                                                       {"stones", 4},
                                                                       {"contacts", 4},
                                                                       {"ms", 14},
                                                                       {"us/contact", 6},
                                                                       {"ratio to 25 stones", 6},
                                                                       {"solved", 6},
                                                                       {"Newton", 4}});
  time_arches(
      "semicircle", [](int stones) { return problems::arch({.stones = stones}); }, context);
  time_arches(
      "catenary", [](int stones) { return problems::catenary_arch({.stones = stones}); }, context);
  if (context.stopped()) return;
  context.start_table("Peak memory of a process that makes, binds and solves the problem (1e-6, cold, 60 s at most)",
                      {{"problem", 18},
                       {"contacts", 6},
                       {"peak MiB", 5},
                       {"growth MiB", 5},
                       {"KiB/contact", 5},
                       {"solved", 4},
                       {"below 200 MiB", 4}});
  if (context.options().quick)
    return weigh(
        "arch of 251 stones", [] { return problems::arch({.stones = 251}); }, 0, context);
  weigh(
      "arch of 2501 stones", [] { return problems::arch({.stones = 2501}); }, 0, context);
  weigh(
      "boxes 9x9x10", [] { return problems::pile({.nx = 9, .ny = 9, .nz = 10}); }, 1, context);
}

}  // namespace repose::bench
