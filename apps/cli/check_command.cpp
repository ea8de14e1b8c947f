// SPDX-License-Identifier: Apache-2.0
// repose check RECORDING: recomputes every step's certificate from the recording alone.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/console.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/json_output.h"
#include "apps/cli/option_checks.h"
#include "repose/base/error.h"
#include "repose/record/check.h"
#include "repose/record/summary.h"

namespace repose::cli {
namespace {

constexpr const char* kExample =
    "Example:\n"
    "  repose run arch --record arch.h5\n"
    "  repose check arch.h5\n\n"
    "Masses, poses, contact points, normals and friction give W and the free velocities; the stored impulses are\n"
    "scored against them, and must give the stored velocities. The solver's own word plays no part.\n\n"
    "Exit status: 0 every step agrees with what was stored, 1 bad input, 2 wrong usage,\n"
    "3 --strict and a step above tolerance, 4 a stored certificate or velocity does not follow, 130 interrupted.";

struct Settings {
  std::string file, json;
  std::optional<double> tolerance;
  bool strict = false, quiet = false;
};

struct Tally {
  int steps = 0;
  std::vector<double> r_c, nat;
  std::vector<int> unsolved, disagreeing;
  double largest_velocity_error = 0, largest_difference = 0;

  void add(const StepCheck& check, double tolerance) {
    ++steps;
    r_c.push_back(check.recomputed.r_c());
    nat.push_back(check.recomputed.nat);
    if (!check.solved(tolerance)) unsolved.push_back(check.step + 1);
    if (!check.agrees()) disagreeing.push_back(check.step + 1);
    largest_velocity_error = std::max(largest_velocity_error, check.velocity_error);
    largest_difference = std::max({largest_difference, std::abs(check.recomputed.r_c() - check.stored.r_c()),
                                   std::abs(check.recomputed.nat - check.stored.nat)});
  }
};

Json spread(const std::vector<double>& values) {
  const Spread s = spread_of(values);
  JsonRecord record;
  record.put("median", s.median);
  record.put("p99", s.p99);
  record.put("max", s.max);
  return record.finish();
}

Json document(const Settings& s, const Recording& recording, const Tally& tally, double tolerance) {
  JsonRecord doc;
  doc.put("recording", s.file);
  doc.put("scene", recording.scene_name());
  doc.put("steps", tally.steps);
  doc.put("tolerance", tolerance);
  doc.put("residual",
          Json{{"r_c", spread(tally.r_c)},
               {"nat", spread(tally.nat)},
               {"solved_share", tally.steps > 0 ? 1 - static_cast<double>(tally.unsolved.size()) / tally.steps : 1.0},
               {"unsolved_steps", tally.unsolved}});
  doc.put("disagreeing_steps", tally.disagreeing);
  doc.put("largest_certificate_difference", tally.largest_difference);
  doc.put("largest_velocity_error", tally.largest_velocity_error);
  return doc.finish();
}

void print(const Console& console, const Recording& recording, const Tally& tally, double tolerance) {
  const Spread r_c = spread_of(tally.r_c), nat = spread_of(tally.nat);
  const auto row = [](const char* name, const Spread& s) {
    return fmt::format("{:<12}{:>10}{:>10}{:>10}", name, short_residual(s.median), short_residual(s.p99),
                       short_residual(s.max));
  };
  console.line(fmt::format("{} · {} recomputed", recording.scene_name(),
                           counted(static_cast<std::size_t>(tally.steps), "step")));
  console.line();
  console.line(console.paint(Style::kDim, fmt::format("{:<12}{:>10}{:>10}{:>10}", "per step", "median", "p99", "max")));
  console.line(row("r_c", r_c));
  console.line(row("nat", nat));
  console.line();
  console.line(
      fmt::format("{} of {} solved to {} · certificates differ from the stored ones by at most {} · velocities by {}",
                  tally.steps - static_cast<int>(tally.unsolved.size()), tally.steps, short_power(tolerance),
                  short_residual(tally.largest_difference), short_residual(tally.largest_velocity_error)));
}

Exit check(const Settings& s) {
  const Recording recording(s.file);
  const double tolerance = s.tolerance.value_or(recording.tolerance());
  require_certificates(recording, s.file);
  Tally tally;
  for (int k = 0; k < recording.steps() && !interrupted(); ++k) tally.add(check_step(recording, k), tolerance);
  if (!s.json.empty()) write_json(s.json, document(s, recording, tally, tolerance));
  const Console console(s.json == "-" ? stderr : stdout), errors(stderr);
  if (!s.quiet) print(console, recording, tally, tolerance);
  const auto say = [&](Style style, const std::string& text) { errors.line("repose: " + errors.paint(style, text)); };
  if (!tally.unsolved.empty())
    say(Style::kWarn, fmt::format("NOT SOLVED: {} of {} steps above {}, the first is step {}", tally.unsolved.size(),
                                  tally.steps, short_power(tolerance), tally.unsolved.front()));
  if (!tally.disagreeing.empty())
    say(Style::kBad,
        fmt::format("DOES NOT FOLLOW: in {} of {} steps the stored certificate or velocities are not those "
                    "of the stored contacts, the first is step {}",
                    tally.disagreeing.size(), tally.steps, tally.disagreeing.front()));
  if (interrupted()) return Exit::kInterrupted;
  if (!tally.disagreeing.empty()) return Exit::kBrokeDown;
  return s.strict && !tally.unsolved.empty() ? Exit::kNotSolved : Exit::kDone;
}

}  // namespace

Command add_check(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("check", "Recompute every step's certificate from a recording alone");
  app.footer(kExample);
  const auto settings = std::make_shared<Settings>();
  app.add_option("RECORDING", settings->file, "a file written by repose run --record")->required()->type_name("");
  app.add_option("--tol", settings->tolerance, "what counts as solved (that of the run)")
      ->check(positive_number())
      ->type_name("X");
  app.add_option("--json", settings->json, "the result; - is standard output")
      ->check(json_target())
      ->type_name("FILE|-");
  app.add_flag("--strict", settings->strict, "exit with 3 unless every step is solved to the tolerance");
  app.add_flag("--quiet", settings->quiet, "no table");
  return {&app, [settings] { return check(*settings); }};
}

}  // namespace repose::cli
