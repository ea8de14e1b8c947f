// SPDX-License-Identifier: Apache-2.0
// repose check RECORDING: recomputes every step's certificate from the recording alone.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/terminal/console.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_checks.h"
#include "repose/base/error.h"
#include "repose/record/summary.h"
#include "repose/report/check_report_internal.h"

namespace repose::cli {
namespace {

constexpr const char* kCheckExample =
    "Example:\n"
    "  repose run arch --record arch.h5\n"
    "  repose check arch.h5\n\n"
    "Masses, poses, contact points, normals and friction give W and the free velocities; the stored impulses are\n"
    "scored against them, and must give the stored velocities. The solver's own word plays no part.\n\n"
    "Exit status: 0 every step agrees with what was stored, 1 bad input, 2 wrong usage,\n"
    "3 --strict and a step above tolerance, 4 a stored certificate or velocity does not follow, 130 interrupted.";

struct CheckSettings {
  std::string file, json;
  std::optional<double> tolerance, accept;
  bool strict = false, quiet = false;
};

void print(const Console& console, const Recording& recording, const report::CheckTally& tally, double tolerance,
           double accept) {
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
  const std::string others = tally.solved() == tally.steps || accept <= tolerance
                                 ? ""
                                 : fmt::format(", {} accepted to {}, {} unsolved", tally.accepted.size(),
                                               short_power(accept), tally.unsolved.size());
  console.line(
      fmt::format("{} of {} solved to {}{} · certificates differ from the stored ones by at most {} · velocities by {}",
                  tally.solved(), tally.steps, short_power(tolerance), others, short_residual(tally.largest_difference),
                  short_residual(tally.largest_velocity_error)));
}

Exit check(const CheckSettings& s) {
  const Recording recording(s.file);
  const double tolerance = s.tolerance.value_or(recording.tolerance());
  const double accept = s.accept.value_or(recording.accept());
  require_usage(!s.accept || accept >= tolerance, "--accept: expected --tol (", tolerance, ") or more, got ", accept);
  require_certificates(recording, s.file);
  report::CheckTally tally;
  for (int k = 0; k < recording.steps() && !interrupted(); ++k) tally.add(check_step(recording, k), tolerance, accept);
  if (!s.json.empty()) report::write_json(s.json, report::check_document(s.file, recording, tally, tolerance, accept));
  const Console console(s.json == "-" ? stderr : stdout), errors(stderr);
  if (!s.quiet) print(console, recording, tally, tolerance, accept);
  const auto say = [&](Style style, const std::string& text) { errors.line("repose: " + errors.paint(style, text)); };
  if (!tally.accepted.empty())
    say(Style::kWarn,
        fmt::format("accepted: {} of {} steps above {}, within {}, the first is step {}", tally.accepted.size(),
                    tally.steps, short_power(tolerance), short_power(accept), tally.accepted.front()));
  if (!tally.unsolved.empty())
    say(Style::kWarn, fmt::format("NOT SOLVED: {} of {} steps above {}, the first is step {}", tally.unsolved.size(),
                                  tally.steps, short_power(std::max(tolerance, accept)), tally.unsolved.front()));
  if (!tally.disagreeing.empty())
    say(Style::kBad,
        fmt::format("DOES NOT FOLLOW: in {} of {} steps the stored certificate or velocities are not those "
                    "of the stored contacts, the first is step {}",
                    tally.disagreeing.size(), tally.steps, tally.disagreeing.front()));
  if (interrupted()) return Exit::kInterrupted;
  if (!tally.disagreeing.empty()) return Exit::kBrokeDown;
  return s.strict && tally.solved() < tally.steps ? Exit::kNotSolved : Exit::kDone;
}

}  // namespace

Command add_check(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("check", "Recompute every step's certificate from a recording alone");
  app.footer(kCheckExample);
  const auto settings = std::make_shared<CheckSettings>();
  app.add_option("RECORDING", settings->file, "a file written by repose run --record")->required()->type_name("");
  app.add_option("--tol", settings->tolerance, "what counts as solved (that of the run)")
      ->check(positive_number())
      ->type_name("X");
  app.add_option("--accept", settings->accept, "what counts as accepted (that of the run)")
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
