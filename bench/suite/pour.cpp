// SPDX-License-Identifier: Apache-2.0
// Heaps that move: whole time steps of bodies that are poured or struck, beside native MuJoCo on the same scenes.
// Every step is stored. A row that meets its limit of CPU time keeps the steps that were taken and says so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "bench/suite/all_benchmarks.h"
#include "bench/suite/measure.h"
#include "bench/suite/mujoco_peer.h"
#include "bench/suite/pour_run.h"
#include "bench/suite/text.h"
#include "repose/base/error.h"
#include "scenes/registry.h"

namespace repose::bench {
namespace {

constexpr double kLimit = 1200;  // CPU s for the steps of a row, and for those of each MuJoCo cone
constexpr int kDumped = 10;      // steps per row
constexpr int kQuickSettle = 10, kQuickSteps = 20;
constexpr int kQuickShare = 25;  // --quick pours one body for so many
constexpr double kLevels[] = {1e-4, 1e-6, 1e-8};
/// MuJoCo's own advice: a high impratio holds heaps with elliptic cones, and does not go with pyramidal ones.
constexpr std::pair<const char*, double> kCones[] = {{"elliptic", 100}, {"pyramidal", 1}};

/// Scenes that differ in a seed or, under fire, a little in μ: one run of a chaotic scene is one draw.
struct Case {
  std::string name, scene;
  ParameterValues values;
  int runs;
  double seconds;  ///< simulated
  std::vector<double> tolerances;
  bool to_rest = false, impact = false;
};

std::vector<Case> all_cases() {
  const auto cubes = [](const char* count, const char* walls = "false") {
    return ParameterValues{{"count", count}, {"walls", walls}};
  };
  const auto grains = [](const char* kind, const char* count) {
    return ParameterValues{{"grains", kind}, {"count", count}};
  };
  std::vector<Case> cases = {{"mixed-128", "bin", grains("mixed", "128"), 10, 10, {1e-8}},
                             {"cubes-300", "pile", cubes("300"), 5, 5, {1e-8, 1e-4}},
                             {"cubes-300-box", "pile", cubes("300", "true"), 1, 5, {1e-8}},
                             {"cubes-1000", "pile", cubes("1000"), 1, 5, {1e-8, 1e-6}},
                             {"cubes-2000", "pile", cubes("2000"), 1, 20, {1e-8, 1e-6}, true},
                             {"balls-1000", "bin", grains("balls", "1000"), 1, 5, {1e-6}},
                             {"capsules-1000", "bin", grains("capsules", "1000"), 1, 5, {1e-6}},
                             {"rubble-500", "bin", grains("rubble", "500"), 1, 5, {1e-6}}};
  const auto struck = [&](const char* name, const char* scene, ParameterValues values) {
    values["projectiles"] = "true";
    cases.push_back({name, scene, values, 5, 1, {1e-8}, false, true});
  };
  struck("cards-4", "cards", {{"levels", "4"}});
  struck("cards-5", "cards", {{"levels", "5"}});
  struck("cards-10", "cards", {{"levels", "10"}});
  struck("arch-25", "arch", {{"stones", "25"}});
  struck("arch-101", "arch", {{"stones", "101"}});
  return cases;
}

struct Peer {
  double impratio;
  std::vector<PeerTimes> runs;
  bool complete = true;
};

struct Row {
  const Case& what;
  double tolerance;
  StepPlan plan;
  std::vector<PourRun> runs;
  bool complete = true;  ///< every run to its end
};

StepPlan plan_of(const Case& one, const Context& context) {
  const int steps = static_cast<int>(std::lround(60 * one.seconds));
  const bool quick = context.options().quick;
  return {.settle = !one.impact ? 0
                    : quick     ? kQuickSettle
                                : 120,
          .steps = quick ? std::min(kQuickSteps, steps) : steps,
          .impact = one.impact};
}

Scene scene_of(const Case& one, int run, int runs, const StepPlan& plan, bool quick) {
  ParameterValues values = one.values;
  if (one.impact) {
    values["mu"] = fmt::format("{}", 0.8 + 0.002 * (run - runs / 2));
    values["projectile_time"] = fmt::format("{}", plan.settle / 60.0);
  } else {
    values["seed"] = std::to_string(run + 1);
    if (quick) values["count"] = std::to_string(std::stoi(values["count"]) / kQuickShare + 4);
  }
  return scenes::make(one.scene, values);
}

double limit_of(const Context& context) { return context.options().seconds > 0 ? context.options().seconds : kLimit; }

/// CPU seconds that are left, never 0, which would mean no limit.
double left_of(double limit, double spent) { return std::max(1e-3, limit - spent); }

Row run_row(const Case& one, double tolerance, int runs, Context& context) {
  Row row{one, tolerance, plan_of(one, context), {}};
  const SuiteOptions& suite = context.options();
  double spent = 0;
  for (int k = 0; k < runs && row.complete; ++k) {
    const PourPlan plan{.settle = row.plan.settle,
                        .steps = row.plan.steps,
                        .to_rest = one.to_rest,
                        .tolerance = tolerance,
                        .limit = left_of(limit_of(context), spent),
                        .dump = suite.dump,
                        .dump_count = suite.dump_count > 0 ? suite.dump_count : kDumped,
                        .dump_name = fmt::format("{}-{}-run{}", one.name, short_power(tolerance), k + 1)};
    row.runs.push_back(pour_scene(scene_of(one, k, runs, row.plan, suite.quick), plan, suite, [&](int step) {
      context.working_on(fmt::format("{} at {}, run {} of {}, step {} of {}", one.name, short_power(tolerance), k + 1,
                                     runs, step, plan.settle + plan.steps));
    }));
    spent += row.runs.back().cpu_seconds();
    row.complete = row.runs.back().complete;
  }
  return row;
}

/// Runs it as many times as Repose has, for as many steps each.
Peer run_peer(const Case& one, const char* cone, double impratio, int runs, Context& context) {
  Peer peer{.impratio = impratio, .runs = {}};
  double spent = 0;
  for (int k = 0; k < runs && peer.complete && !context.stopped(); ++k) {
    context.working_on(fmt::format("{}: MuJoCo {}, run {} of {}", one.name, cone, k + 1, runs));
    const StepPlan plan = plan_of(one, context);
    const Scene scene = scene_of(one, k, runs, plan, context.options().quick);
    const auto times = time_mujoco(scene, plan,
                                   {.cone = cone,
                                    .impratio = impratio,
                                    .limit = left_of(limit_of(context), spent),
                                    .thickness = thicknesses(scene)});
    if (!times) {
      peer.complete = false;
      break;
    }
    for (const double ms : times->ms) spent += 1e-3 * ms;
    peer.complete = static_cast<int>(times->ms.size()) == plan.steps;
    peer.runs.push_back(*times);
  }
  return peer;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? NAN : sum / static_cast<double>(values.size());
}

/// The value below which a share of them lies.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

std::vector<double> times_of(const PourRun& run) {
  std::vector<double> ms;
  for (const PourStep& step : run.steps) ms.push_back(step.ms);
  return ms;
}

std::vector<PourStep> all_steps(const Row& row) {
  std::vector<PourStep> all;
  for (const PourRun& run : row.runs) all.insert(all.end(), run.steps.begin(), run.steps.end());
  return all;
}

/// One text per column of a run's steps, numbers with blanks between them: a line each in the file.
Json raw_steps(const PourRun& run) {
  std::string ms, residual, overlap, rise, contacts, status;
  for (const PourStep& s : run.steps) {
    const char* blank = ms.empty() ? "" : " ";
    ms += fmt::format("{}{:.4g}", blank, s.ms);
    residual += fmt::format("{}{:.1e}", blank, s.residual);
    overlap += fmt::format("{}{:.3g}", blank, s.overlap);
    rise += fmt::format("{}{:.2g}{}", blank, s.rise, s.recovered ? "r" : "");
    contacts += fmt::format("{}{}", blank, s.contacts);
    status += s.status == StepStatus::kSolved ? 's' : s.status == StepStatus::kAccepted ? 'a' : 'u';
  }
  return {{"steps", run.steps.size()},
          {"complete", run.complete},
          {"rested", run.rested},
          {"cut_ms", run.cut_ms},
          {"broken", run.broken},
          {"energy", run.energy},
          {"ms", ms},
          {"residual", residual},
          {"overlap", overlap},
          {"energy_rise", rise},
          {"contacts", contacts},
          {"status", status}};
}

/// The largest sum over a run of what energy rises by in single steps, as a share of the energy at its start: in steps
/// that remove overlap, and in all others, where only the tolerance of the solve explains it.
double energy_share(const Row& row, bool recovered) {
  double worst = 0;
  for (const PourRun& run : row.runs) {
    double sum = 0;
    for (const PourStep& step : run.steps)
      if (step.recovered == recovered) sum += std::max(0.0, step.rise);
    worst = std::max(worst, sum / std::max(run.energy, 1e-300));
  }
  return worst;
}

Json row_numbers(const Row& row, int runs_wanted) {
  const std::vector<PourStep> steps = all_steps(row);
  std::vector<double> ms, p95;
  int solved = 0, contacts = 0, levels[3] = {};
  double worst = 0, overlap = 0;
  for (const PourStep& s : steps) {
    ms.push_back(s.ms);
    solved += s.residual <= row.tolerance;
    for (int k = 0; k < 3; ++k) levels[k] += s.residual <= kLevels[k];
    contacts = std::max(contacts, s.contacts);
    worst = std::max(worst, s.residual), overlap = std::max(overlap, s.overlap);
  }
  Json raw = Json::array();
  for (const PourRun& run : row.runs) {
    raw.push_back(raw_steps(run));
    if (!run.steps.empty()) p95.push_back(quantile(times_of(run), 0.95));
  }
  return {{"scene", row.what.name},
          {"tolerance", row.tolerance},
          {"bodies", row.runs.empty() ? 0 : row.runs[0].bodies},
          {"complete", row.complete},
          {"runs_wanted", runs_wanted},
          {"steps_wanted", row.plan.steps},
          {"runs", row.runs.size()},
          {"steps", steps.size()},
          {"contacts", contacts},
          {"solved", solved},
          {"within_1e-4", levels[0]},
          {"within_1e-6", levels[1]},
          {"within_1e-8", levels[2]},
          {"worst", worst},
          {"ms_median", median(ms)},
          {"ms_mean", mean(ms)},
          {"ms_p95", quantile(ms, 0.95)},
          {"ms_p99", quantile(ms, 0.99)},
          {"ms_max", largest(ms)},
          {"ms_p95_of_runs", p95},
          {"overlap", overlap},
          {"energy_rise", energy_share(row, false)},
          {"energy_rise_recovery", energy_share(row, true)},
          {"raw", raw}};
}

/// MuJoCo beside the row. Where one of the two was cut, ratios compare the steps that both took.
Json peer_numbers(const Row& row, const Peer& peer) {
  std::vector<double> ours, theirs, all, ours_p95, theirs_p95;
  Json raw = Json::array();
  double overlap = 0;
  int contacts = 0;
  bool dropped = false, finite = true;
  for (std::size_t k = 0; k < peer.runs.size(); ++k) {
    const PeerTimes& run = peer.runs[k];
    std::string ms;
    for (const double t : run.ms) ms += fmt::format("{}{:.4g}", ms.empty() ? "" : " ", t);
    raw.push_back(ms);
    all.insert(all.end(), run.ms.begin(), run.ms.end());
    overlap = std::max(overlap, run.overlap), contacts = std::max(contacts, run.contacts);
    dropped |= run.dropped, finite &= run.finite;
    if (k >= row.runs.size()) continue;
    const std::vector<double> own = times_of(row.runs[k]);
    const auto both = static_cast<std::ptrdiff_t>(std::min(run.ms.size(), own.size()));
    if (both == 0) continue;
    const std::vector<double> a(own.begin(), own.begin() + both), b(run.ms.begin(), run.ms.begin() + both);
    ours.insert(ours.end(), a.begin(), a.end()), theirs.insert(theirs.end(), b.begin(), b.end());
    ours_p95.push_back(quantile(a, 0.95)), theirs_p95.push_back(quantile(b, 0.95));
  }
  return {{"impratio", peer.impratio},
          {"complete", peer.complete},
          {"runs", peer.runs.size()},
          {"steps", all.size()},
          {"contacts", contacts},
          {"ms_median", median(all)},
          {"ms_mean", mean(all)},
          {"ms_p95", quantile(all, 0.95)},
          {"ms_max", largest(all)},
          {"overlap", overlap},
          {"contacts_dropped", dropped},
          {"finite", finite},
          {"steps_of_both", ours.size()},
          {"ratio_mean", mean(ours) / mean(theirs)},
          {"ratio_p95", median(ours_p95) / median(theirs_p95)},
          {"raw_ms", raw}};
}

std::string percent_text(double share) {
  if (share == 0) return "0";
  return share < 1e-4 ? "<0.01" : share < 0.1 ? fmt::format("{:.2g}", 100 * share) : fmt::format("{:.0f}", 100 * share);
}

/// "0.19 / 0.22", ratios of mean and of p95.
std::string ratios(const Json& numbers, const char* cone) {
  if (!numbers.contains("mujoco") || !numbers["mujoco"].contains(cone)) return "-";
  const Json& peer = numbers["mujoco"][cone];
  if (peer["steps_of_both"] == 0) return "-";
  return fmt::format("{:.2g} / {:.2g}", peer["ratio_mean"].get<double>(), peer["ratio_p95"].get<double>());
}

std::string peer_mean(const Json& numbers, const char* cone) {
  if (!numbers.contains("mujoco") || !numbers["mujoco"].contains(cone)) return "-";
  const Json& peer = numbers["mujoco"][cone];
  if (peer["steps"] == 0) return "-";
  return short_ms(peer["ms_mean"]) + (peer["complete"] ? "" : fmt::format(" ({} steps)", peer["steps"].get<int>())) +
         (peer["contacts_dropped"] ? " contacts lost" : "");
}

/// Ours and, in brackets, that of MuJoCo's elliptic cones.
std::string overlap_cell(const Json& n) {
  const bool peer = n.contains("mujoco") && n["mujoco"].contains("elliptic");
  return percent_text(n["overlap"]) + (peer ? " (" + percent_text(n["mujoco"]["elliptic"]["overlap"]) + ")" : "");
}

std::vector<std::string> cells(const Json& n) {
  const int steps = n["steps"];
  const auto ms = [&](const char* key) { return short_ms(n[key].is_number() ? n[key].get<double>() : NAN); };
  const int wanted = n["runs_wanted"].get<int>() * n["steps_wanted"].get<int>();
  return {n["scene"],
          short_power(n["tolerance"]),
          std::to_string(n["bodies"].get<int>()),
          n["complete"] ? std::to_string(steps) : fmt::format("partial: {} of {}", steps, wanted),
          std::to_string(n["contacts"].get<int>()),
          share(n["solved"], steps),
          fmt::format("{} / {} / {}", percent(n["within_1e-4"], steps), percent(n["within_1e-6"], steps),
                      percent(n["within_1e-8"], steps)),
          short_residual(n["worst"]),
          ms("ms_median"),
          ms("ms_mean"),
          ms("ms_p95"),
          ms("ms_p99"),
          ms("ms_max"),
          overlap_cell(n),
          short_residual(n["energy_rise"]),
          peer_mean(n, "elliptic"),
          ratios(n, "elliptic"),
          peer_mean(n, "pyramidal"),
          ratios(n, "pyramidal")};
}

bool chosen(const Case& one, const SuiteOptions& suite) {
  const bool large = one.name == "cards-10" || one.name == "arch-101";
  if (suite.scenes.empty() && suite.quick && large) return false;
  return suite.scenes.empty() || std::find(suite.scenes.begin(), suite.scenes.end(), one.name) != suite.scenes.end();
}

void check_scenes(const std::vector<Case>& cases, const SuiteOptions& suite) {
  std::string known;
  for (const Case& one : cases) known += (known.empty() ? "" : ", ") + one.name;
  for (const std::string& name : suite.scenes)
    require(std::any_of(cases.begin(), cases.end(), [&](const Case& one) { return one.name == name; }),
            "--scene: expected one of ", known, ", got '", name, "'");
}

/// Rows of an earlier run of the same commit, so that scenes can be measured one after another.
Json stored_rows(const Context& context) {
  const SuiteOptions& suite = context.options();
  std::ifstream in(suite.earlier);
  if (suite.scenes.empty() || suite.quick || !in.good()) return Json::array();
  const Json document = Json::parse(in, nullptr, false);
  if (!document.is_object() || document.value("quick", true)) return Json::array();
  const std::string commit = document["provenance"].value("commit", "unknown");
  if (commit != context.commit() || commit == "unknown" || commit.ends_with("-dirty")) return Json::array();
  return document["tables"].empty() ? Json::array() : document["tables"][0]["rows"];
}

void run_case(const Case& one, Context& context) {
  const SuiteOptions& suite = context.options();
  const int runs = context.seeds(one.runs, 1);
  const std::vector<double> tolerances = suite.tolerance > 0 ? std::vector<double>{suite.tolerance} : one.tolerances;
  std::vector<Row> rows;
  for (const double tolerance : tolerances)
    if (!context.stopped()) rows.push_back(run_row(one, tolerance, runs, context));
  std::vector<std::pair<const char*, Peer>> found;
  // One row shows that MuJoCo runs; starting it takes longer than all steps of --quick.
  if (!suite.alone && !(suite.quick && suite.scenes.empty() && one.name != "mixed-128"))
    for (const auto& [cone, impratio] : kCones) found.emplace_back(cone, run_peer(one, cone, impratio, runs, context));
  for (const Row& row : rows) {
    Json numbers = row_numbers(row, runs);
    for (const auto& [cone, peer] : found)
      if (!peer.runs.empty()) numbers["mujoco"][cone] = peer_numbers(row, peer);
    const std::vector<std::string> line = cells(numbers);
    context.add_row(std::move(numbers), line);
  }
}

}  // namespace

void run_pour(Context& context) {
  const std::vector<Case> cases = all_cases();
  check_scenes(cases, context.options());
  const Json earlier = stored_rows(context);
  context.start_table(
      "Heaps that move: whole steps, one thread, dt 1/60 s, CPU ms; deepest overlap in % of the thinner body, in "
      "brackets "
      "MuJoCo's; MuJoCo's mean ms with both cones, and our mean / p95 as a multiple of its",
      {{"scene", 13},
       {"tol", 4},
       {"bodies", 4},
       {"steps", 5},
       {"contacts", 4},
       {"solved", 9},
       {"% within 1e-4 / 1e-6 / 1e-8", 12},
       {"worst", 5},
       {"median", 6},
       {"mean", 6},
       {"p95", 6},
       {"p99", 6},
       {"max", 6},
       {"overlap", 9},
       {"energy", 5},
       {"elliptic", 6},
       {"ratio", 11},
       {"pyramidal", 6},
       {"ratio", 11}});
  for (const Case& one : cases) {
    if (chosen(one, context.options()) && !context.stopped()) {
      run_case(one, context);
      continue;
    }
    for (const Json& row : earlier)
      if (row["scene"] == one.name) context.add_row(row, cells(row));
  }
}

}  // namespace repose::bench
