// SPDX-License-Identifier: Apache-2.0
// Piles after an impact, from zero. One solve to 1e-8 tells when the looser levels were passed.
//   boxes    random velocities up to 1 m/s and 2 rad/s
//   spheres  a pack that settled in its box, every ball kicked at 1 m/s
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/measure.h"
#include "bench/suite/prototype.h"
#include "bench/suite/schemes_by_name.h"
#include "bench/suite/settled_pack.h"
#include "bench/suite/text.h"
#include "problems/bricks.h"
#include "problems/sequence.h"

namespace repose::bench {
namespace {

constexpr std::array<double, 3> kLevels{1e-4, 1e-6, 1e-8};
constexpr double kCap = 60;  // CPU s for one solve

struct Boxes {
  int nx, ny, nz, seeds;
};
struct Spheres {
  int n;
  std::vector<double> mu;
  int seeds;
  SettleOptions settle{};
};

/// Solves of one pile at one μ.
class Pile {
 public:
  Pile(std::string name, double mu, Context& context) : name_(std::move(name)), mu_(mu), context_(context) {}

  void solve(const ContactProblem& problem, int seed) {
    context_.working_on(fmt::format("{} mu {}, problem {}", name_, mu_, seed));
    const auto solver = auto_scheme(kLevels.back());
    solver->bind(problem);
    const MeasureOptions how{.cap = kCap, .levels = {kLevels.begin(), kLevels.end()}};
    Measured solved = measure(*solver, problem, {}, how, context_.options());
    contacts_.push_back(problem.size());
    capped_ += solved.capped;
    summary_.add(solved);
    for (std::size_t k = 0; k < kLevels.size(); ++k)
      if (std::isfinite(solved.level_ms[k])) level_ms_[k].push_back(solved.level_ms[k]);
  }

  void report() const {
    if (context_.stopped()) return;
    const PileReference* r = find_pile_reference(name_, mu_);
    Json row{{"pile", name_}, {"mu", mu_}, {"contacts", median(contacts_)}};
    row.update(summary_.numbers());
    std::vector<std::string> cells{name_, fmt::format("{:.0f}", median(contacts_)), fmt::format("{}", mu_)};
    for (std::size_t k = 0; k < kLevels.size(); ++k) {
      const std::string level = short_power(kLevels[k]);
      const int passed = static_cast<int>(level_ms_[k].size());
      row["passed_" + level] = passed;
      row["ms_median_" + level] = median(level_ms_[k]);
      row["ms_max_" + level] = largest(level_ms_[k]);
      cells.push_back(ms_median_max(median(level_ms_[k]), largest(level_ms_[k])) + " " +
                      share(passed, summary_.count()));
    }
    row["capped"] = capped_;
    row["prototype_ms_1e-8"] = r && r->ms[2] > 0 ? Json(r->ms[2]) : Json();
    cells.push_back(short_residual(summary_.worst().worst()));
    cells.push_back(fmt::format("{:.0f} / {:.0f}", summary_.outer_median(), summary_.inner_median()));
    cells.push_back(reference_text(r));
    context_.add_row(row, cells);
  }

 private:
  static std::string reference_text(const PileReference* r) {
    if (!r) return "-";
    const auto ms = [&](int k) { return r->ms[k] > 0 ? fmt::format("{}", r->ms[k]) : std::string("-"); };
    return fmt::format("{} / {} / {} {}", ms(0), ms(1), ms(2), share(r->solved, r->solves));
  }

  std::string name_;
  double mu_;
  Context& context_;
  Summary summary_{kLevels.back()};
  std::array<std::vector<double>, kLevels.size()> level_ms_{};
  std::vector<double> contacts_{};
  int capped_ = 0;
};

void run_boxes(const Boxes& size, double mu, Context& context) {
  Pile pile(fmt::format("boxes {}x{}x{}", size.nx, size.ny, size.nz), mu, context);
  const auto structure = problems::pile({.nx = size.nx, .ny = size.ny, .nz = size.nz, .mu = mu});
  for (int seed = 1; seed <= size.seeds && !context.stopped(); ++seed) {
    const problems::Sequence sequence(structure,
                                      {.random = 1, .random_spin = 2, .seed = static_cast<std::uint64_t>(seed)});
    pile.solve(sequence.problem(), seed);
  }
  pile.report();
}

void run_spheres(const Spheres& size, double mu, Context& context) {
  const std::string name = fmt::format("spheres {}", size.n * size.n * size.n);
  context.working_on(fmt::format("{} mu {}, settling", name, mu));
  const auto pack = settled_pack(size.n, mu, size.settle, context.options());
  Pile pile(name, mu, context);
  for (int seed = 1; seed <= size.seeds && !context.stopped(); ++seed)
    pile.solve(kicked(pack, 1, seed).problem(), seed);
  pile.report();
}

std::vector<Boxes> box_sizes(const Context& context) {
  if (context.options().quick) return {{3, 3, 4, context.seeds(5)}};
  return {{5, 5, 4, context.seeds(5)},
          {6, 6, 7, context.seeds(5)},
          {9, 9, 10, context.seeds(2)},
          {11, 11, 13, context.seeds(1)}};
}

std::vector<Spheres> sphere_sizes(const Context& context) {
  if (context.options().quick) return {{4, {0.5}, context.seeds(4), {.steps = 10}}};
  // A tight one would take hours, and so would factorisations: sweeps alone.
  const SettleOptions rough{.scheme = "nsgs", .tolerance = 1e-4, .max_iterations = 500};
  return {{7, {0.3, 0.5, 0.8}, context.seeds(16)},  // times scatter by ten
          {8, {0.3, 0.5, 0.8}, context.seeds(8)},
          {10, {0.5, 0.8}, context.seeds(3)},
          {15, {0.5}, context.seeds(1), rough},
          {19, {0.5}, context.seeds(1), rough}};
}

}  // namespace

void run_piles(Context& context) {
  context.start_table(
      "Piles after an impact, auto, cold, one solve to 1e-8: ms until a level was passed, median (max), share",
      {{"pile", 14},
       {"contacts", 5},
       {"mu", 3},
       {"1e-4", 20},
       {"1e-6", 20},
       {"1e-8", 20},
       {"worst", 5},
       {"outer / Newton", 12},
       {"prototype 1e-4 / 1e-6 / 1e-8", 22}});
  for (const Boxes& size : box_sizes(context))
    for (double mu : {0.3, 0.5, 0.8})
      if (!context.stopped()) run_boxes(size, mu, context);
  for (const Spheres& size : sphere_sizes(context))
    for (double mu : size.mu)
      if (!context.stopped()) run_spheres(size, mu, context);
  context.note(
      "A solve ends after 60 s of CPU time at the latest. Packs settled at 1e-6 with at most "
      "2000 outer iterations a step, those of 3375 and 6859 balls with 500 sweeps of nsgs. Medians are over the solves "
      "that passed the level.");
}

}  // namespace repose::bench
