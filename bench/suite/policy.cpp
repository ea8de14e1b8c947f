// SPDX-License-Identifier: Apache-2.0
// `auto` with every number of its policy at its extremes, on the same problems: how many are solved and how much work
// they take. Only counts are recorded, so that a table repeats.
//
//   work of a solve = contacts · (1 + sweeps + Newton steps · (1 + sweeps that cost as much as one factorisation))
//
// in contact visits: the residual of the start, every sweep, and every Newton step with its factorisation and one
// evaluation of all contacts. Hard problems take other ways after any change, and those stored were chosen because the
// default takes long on them. So the ratios refer to the mean of the default and four policies a percent or two away,
// and an effect is what leaves the scatter of these five.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/measure.h"
#include "bench/suite/policy_numbers.h"
#include "bench/suite/settled_pack.h"
#include "bench/suite/text.h"
#include "problems/arch.h"
#include "problems/bricks.h"
#include "problems/cards.h"
#include "problems/families.h"
#include "problems/sequence.h"
#include "repose/contact/newton_system.h"
#include "repose/contact/problem_file.h"
#include "repose/scheme/solve.h"
#include "repose/stage/pile.h"

namespace repose::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kMostIterations = 4000;  // outer iterations of one solve: a poor policy would run for hours
constexpr double kPolish = 2e-3;       // the share of the tolerance that a simulation aims at
constexpr double kMu[] = {0.3, 0.8, 1.5};

/// Two or three problems of each group of problems/corpus, those that the default policy solves quickly.
constexpr const char* kStored[] = {"cards4-mu0.8-65",        "cards4-mu0.8-103",
                                   "cards4-mu0.6-81",        "cards5-mu0.8-46",
                                   "cards5-mu0.79-60",       "cards5-mu0.79-73",
                                   "cards10-mu0.81-44",      "arch25-12",
                                   "arch25-semicircle-37",   "arch101-15",
                                   "arch101-side-55",        "cubes30-mu0.5-seed1-104",
                                   "cubes60-mu0.8-seed2-71", "cubes120-mu0.5-seed3-148",
                                   "mixed40-mu0.5-seed1-73", "mixed40-mu0.5-seed1-108",
                                   "balls60-mu0.5-seed1-59", "balls216-mu0.3-seed3-41",
                                   "kapla12-mu0.5-seed1-28", "kapla20-mu0.6-seed2-8",
                                   "kapla20-mu0.6-seed2-19", "kapla30-mu0.7-seed3-20"};

struct Case {
  std::string group;
  ContactProblem problem;
  std::vector<ContactVec> start{};  // empty: from zero
  double sweeps_per_factor = 0;
};

struct Count {
  bool solved = false;
  int newton = 0, sweeps = 0;
  double work = 0;
  std::vector<ContactVec> lambda{};
};

std::unique_ptr<OuterSolver> solver_of(const AutoOptions& options, double tolerance) {
  return make_solver({.tolerance = tolerance, .max_iterations = kMostIterations, .polish = kPolish, .outer = options});
}

double sweeps_per_factor(const ContactProblem& problem) {
  return std::visit(
      [&]<class Form>(const Form& form) {
        NewtonSystem<Form> system;
        (void)system.bind(form);
        return kVisitsPerProduct<Form> * static_cast<double>(system.factor_products()) / std::max(1, problem.size());
      },
      problem.form());
}

class Cases {
 public:
  explicit Cases(Context& context) : context_(context), tolerance_(context.tolerance(1e-8)) {
    add_stored();
    add_families();
    add_steps(problems::arch({.stones = 101}), {.impact = 2});
    add_steps(problems::cards({.levels = 4}), {.impact = 1});
    add_steps(problems::arch({.stones = 101}), {.rest = 1e-3});
    add_steps(problems::cards({.levels = 4}), {.rest = 1e-3});
    if (!context.options().quick) {
      add_piles();
      add_packs();
    }
  }
  [[nodiscard]] const std::vector<Case>& all() const { return all_; }
  [[nodiscard]] double tolerance() const { return tolerance_; }

 private:
  void add(std::string group, ContactProblem problem, std::vector<ContactVec> start = {}) {
    const double cost = sweeps_per_factor(problem);
    all_.push_back({std::move(group), std::move(problem), std::move(start), cost});
  }

  void add_stored() {
    for (const char* name : kStored) {
      const fs::path file = fs::path(REPOSE_SOURCE_DIR) / "problems/corpus" / (std::string(name) + ".hdf5");
      if (!fs::exists(file) || (context_.options().quick && std::strncmp(name, "arch25", 6) != 0)) continue;
      const StoredProblem stored = read_stored_problem(file);
      const std::string group(name, std::strcspn(name, "0123456789"));
      add(group, stored.problem);
      if (stored.guess) add(group, stored.problem, *stored.guess);
    }
  }

  void add_families() {
    for (const problems::Family& family : problems::families())
      for (const double mu : kMu)
        for (int seed = 1; seed <= context_.seeds(2, 1); ++seed)
          add("families", problems::family(family.name, mu, static_cast<std::uint64_t>(seed)));
  }

  /// Steps of a structure, each from the impulses of the last, which are those of the default policy.
  void add_steps(problems::Structure structure, const problems::SequenceOptions& kicks) {
    problems::Sequence sequence(std::move(structure), kicks);
    for (int step = 0; step <= context_.seeds(8, 2); ++step) {
      if (step > 0) add("steps", sequence.problem(), sequence.warm_start());
      sequence.advance(solve_by_default(sequence));
    }
  }

  /// Boxes after an impact, from zero, and their next step from those impulses.
  void add_piles() {
    for (const double mu : {0.3, 0.8}) {
      problems::Sequence sequence(problems::pile({.nx = 6, .ny = 6, .nz = 7, .mu = mu}),
                                  {.random = 1, .random_spin = 2});
      add("piles", sequence.problem());
      sequence.advance(solve_by_default(sequence));
      add("piles", sequence.problem(), sequence.warm_start());
    }
  }

  /// 343 balls that settled in a box, every ball kicked at 1 m/s, from zero.
  void add_packs() {
    context_.working_on("a pack settles");
    const problems::SpherePack pack = settled_pack(7, 0.5, {}, context_.options());
    for (const int seed : {1, 2}) add("packs", kicked(pack, 1, seed).problem());
  }

  std::vector<ContactVec> solve_by_default(const problems::Sequence& sequence) const {
    const auto solver = solver_of({}, tolerance_);
    solver->bind(sequence.problem());
    std::vector<ContactVec> lambda = sequence.warm_start();
    lambda.resize(static_cast<std::size_t>(sequence.problem().size()));
    solver->solve(lambda);
    return lambda;
  }

  Context& context_;
  double tolerance_;
  std::vector<Case> all_;
};

/// Sweeps of all Gauss–Seidel stages.
int sweeps_of(const OuterReport& report) {
  int count = 0;
  for (const Stage& stage : report.stages)
    if (std::strcmp(stage.method, "gauss-seidel") == 0) count += stage.iterations;
  return count;
}

Count count(OuterSolver& solver, const Case& one, const Context& context) {
  solver.bind(one.problem);
  Measured m = measure(solver, one.problem, one.start, {}, context.options());
  Count out{m.certificate.solved(solver.limits.tolerance), m.report.inner_iterations, sweeps_of(m.report)};
  out.work = one.problem.size() * (1 + out.sweeps + out.newton * (1 + one.sweeps_per_factor));
  out.lambda = std::move(m.lambda);
  return out;
}

bool same(const Count& a, const Count& b) {
  const auto equal = [](const ContactVec& x, const ContactVec& y) {
    return x.t1 == y.t1 && x.t2 == y.t2 && x.n == y.n;
  };
  return a.newton == b.newton && a.sweeps == b.sweeps &&
         std::equal(a.lambda.begin(), a.lambda.end(), b.lambda.begin(), b.lambda.end(), equal);
}

/// The solves of a group, or of all, by one policy.
struct Sum {
  int solves = 0, solved = 0, other = 0;
  long long newton = 0, sweeps = 0;
  double work = 0, usual_work = 0, logarithms = 0;

  /// `usual`: the geometric mean of the work of the reference policies.
  void add(const Count& now, bool differs, double usual) {
    ++solves;
    solved += now.solved;
    other += differs;
    newton += now.newton;
    sweeps += now.sweeps;
    work += now.work;
    usual_work += usual;
    logarithms += std::log(now.work / usual);
  }
  [[nodiscard]] double ratio() const { return work / usual_work; }
  [[nodiscard]] double mean_log() const { return logarithms / solves; }
  [[nodiscard]] double mean_ratio() const { return std::exp(mean_log()); }
  [[nodiscard]] Json numbers() const {
    return {{"solves", solves}, {"solved", solved}, {"other", other},        {"newton", newton},
            {"sweeps", sweeps}, {"work", work},     {"work_ratio", ratio()}, {"mean_ratio", mean_ratio()}};
  }
};
using Sums = std::map<std::string, Sum>;  // by group; all solves under kAll
const std::string kAll = "all";

/// How far a group's counts scatter between policies that differ by a percent or two.
struct Scatter {
  double low = HUGE_VAL, high = -HUGE_VAL;  // mean logarithm of the work
  int solved = 1 << 30;

  void add(const Sum& sum) {
    low = std::min(low, sum.mean_log());
    high = std::max(high, sum.mean_log());
    solved = std::min(solved, sum.solved);
  }
  /// Distance from the middle in units of half the range, which is 1.5 % at least.
  [[nodiscard]] double distance(const Sum& sum) const {
    return std::abs(sum.mean_log() - 0.5 * (low + high)) / std::max(0.5 * (high - low), 0.015);
  }
};
constexpr double kBeyondScatter = 2;
constexpr std::size_t kNamed = 4;  // groups that a row names

class Table {
 public:
  explicit Table(Context& context) : context_(context), cases_(context) {}

  /// Measures the policies whose mean the ratios refer to, the default first.
  void measure_references(std::span<const PolicyVariant> variants) {
    std::vector<std::vector<Count>> counts;
    for (const PolicyVariant& variant : variants) counts.push_back(solve_all(variant));
    if (context_.stopped()) return;
    default_ = counts[0];
    for (std::size_t k = 0; k < cases_.all().size(); ++k) {
      double sum = 0;
      for (const auto& one : counts) sum += std::log(one[k].work);
      usual_work_.push_back(std::exp(sum / static_cast<double>(counts.size())));
    }
    for (const auto& one : counts)
      for (const auto& [name, sum] : sums(one)) scatter_[name].add(sum);
    for (std::size_t k = 0; k < variants.size(); ++k) report(variants[k], sums(counts[k]));
  }

  void measure_variant(const PolicyVariant& variant) {
    const std::vector<Count> counts = solve_all(variant);
    if (!context_.stopped()) report(variant, sums(counts));
  }

  void note_problems() const {
    std::map<std::string, std::pair<int, double>> groups;
    for (const Case& one : cases_.all()) {
      auto& [solves, cost] = groups[one.group];
      ++solves;
      cost = std::max(cost, one.sweeps_per_factor);
    }
    std::string text = "Solves and dearest factorisation, in sweeps, by group:";
    for (const auto& [name, group] : groups) text += fmt::format(" {} {} ({:.1f})", name, group.first, group.second);
    context_.note(text + ".");
    context_.note(fmt::format("A solve ends after {} outer iterations.", kMostIterations));
  }

 private:
  std::vector<Count> solve_all(const PolicyVariant& variant) {
    context_.working_on(variant.number + " " + variant.value);
    const auto solver = solver_of(variant.options, cases_.tolerance());
    std::vector<Count> counts;
    for (const Case& one : cases_.all())
      if (!context_.stopped()) counts.push_back(count(*solver, one, context_));
    return counts;
  }

  [[nodiscard]] Sums sums(const std::vector<Count>& counts) const {
    Sums all;
    for (std::size_t k = 0; k < counts.size(); ++k)
      for (const std::string& name : {kAll, cases_.all()[k].group})
        all[name].add(counts[k], !same(counts[k], default_[k]), usual_work_[k]);
    return all;
  }

  /// "kapla 3.83, cards 3.74 and -4 solved": groups whose mean work leaves the scatter, the farthest first.
  [[nodiscard]] std::string effect(const Sums& sums) const {
    if (sums.at(kAll).other == 0) return "none";
    std::vector<std::pair<double, std::string>> found;
    for (const auto& [name, sum] : sums) {
      const Scatter& usual = scatter_.at(name);
      const int lost = usual.solved - sum.solved;
      if (name == kAll || (usual.distance(sum) <= kBeyondScatter && lost <= 0)) continue;
      const double order = std::abs(sum.mean_log()) + 10 * std::max(0, lost);
      found.emplace_back(-order, fmt::format("{} {:.2f}", name, sum.mean_ratio()) +
                                     (lost > 0 ? fmt::format(" and -{} solved", lost) : std::string()));
    }
    if (found.empty()) return "within scatter";
    std::sort(found.begin(), found.end());
    std::string text = found[0].second;
    for (std::size_t k = 1; k < std::min(found.size(), kNamed); ++k) text += ", " + found[k].second;
    return text + (found.size() > kNamed ? ", …" : "");
  }

  void report(const PolicyVariant& variant, const Sums& sums) {
    const Sum& sum = sums.at(kAll);
    const std::string seen = effect(sums);
    Json row{{"number", variant.number}, {"default", variant.usual}, {"value", variant.value}, {"effect", seen}};
    row.update(sum.numbers());
    for (const auto& [name, group] : sums)
      if (name != kAll) row["groups"][name] = group.numbers();
    context_.add_row(row, {variant.number, variant.usual, variant.value, std::to_string(sum.other),
                           share(sum.solved, sum.solves), std::to_string(sum.newton), std::to_string(sum.sweeps),
                           fmt::format("{:.2f}", sum.ratio()), fmt::format("{:.2f}", sum.mean_ratio()), seen});
  }

  Context& context_;
  Cases cases_;
  std::vector<Count> default_;
  std::vector<double> usual_work_;
  std::map<std::string, Scatter> scatter_;
};

}  // namespace

void run_policy(Context& context) {
  Table table(context);
  context.start_table(fmt::format("Numbers of auto's policy, tol {}", short_power(context.tolerance(1e-8))),
                      {{"number", 30},
                       {"default", 7},
                       {"value", 7},
                       {"other solves", 4},
                       {"solved", 7},
                       {"Newton", 6},
                       {"sweeps", 6},
                       {"work", 5},
                       {"mean", 5},
                       {"effect", 16}});
  std::vector<PolicyVariant> variants = policy_variants();
  if (context.options().quick) variants.resize(kReferences + 2);
  table.measure_references(std::span(variants).first(kReferences));
  for (const PolicyVariant& variant : std::span(variants).subspan(kReferences))
    if (!context.stopped()) table.measure_variant(variant);
  table.note_problems();
}

}  // namespace repose::bench
