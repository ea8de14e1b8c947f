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
    "The law, the surfaces of the shapes and the motion are computed from the recording alone, by code that shares\n"
    "nothing with the solver: the impulses obey the law, they give the velocities, the velocities the poses; contacts\n"
    "lie on both surfaces, no overlap lacks a contact, joints hold, motions and events are those of the scene.\n\n"
    "Exit status: 0 every step agrees with what was stored, 1 bad input, 2 wrong usage,\n"
    "3 --strict and a step above tolerance, 4 a stored certificate, velocity or joint does not follow, 130 "
    "interrupted.";

struct CheckSettings {
  std::string file, json;
  std::optional<double> tolerance, accept;
  bool strict = false, quiet = false;
};

void print(const Console& console, const Recording& recording, bool has_scene, const report::CheckTally& tally,
           double tolerance, double accept) {
  const bool has_terms = recording.has_terms();
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
  console.line(fmt::format("{} of {} solved to {}{} · certificates differ from the stored ones by at most {}",
                           tally.solved(), tally.steps, short_power(tolerance), others,
                           short_residual(tally.largest_difference)));
  const StepCheck& e = tally.largest;
  const auto line = [&](const char* what, double error, const char* of) {
    console.line(fmt::format("  {:<46}{:>9}  {}", what, short_residual(error), of));
  };
  console.line();
  console.line(
      console.paint(Style::kDim, fmt::format("  {:<46}{:>9}", "follows from the rest of the recording", "error")));
  line("velocities: free velocity + M⁻¹ Jᵀ λ", e.velocity, "of the largest speed");
  if (has_terms) line("poses: x + h v, the free rotation", e.motion, "of the body's size");
  if (!recording.joints().empty()) line("joints", e.joints, "of the largest joint's size");
  if (has_scene) {
    if (has_terms) line("free velocities: v + h (g + F/m)", e.free_motion, "of the largest speed");
    if (recording.joints().empty()) line("energies: those of the states", e.energy, "of the sum of their parts");
    line("contact points on both surfaces", e.surface, "of the smaller body");
    line("biases: of the gap, or restitution", e.gap_bias, "of the smaller body, as a gap");
    line("friction of the materials", e.friction, "");
    line("prescribed motions", e.prescribed, "of the largest body");
    console.line(fmt::format("  {:<46}{:>9}", "overlapping pairs without a contact", e.unaccounted));
    console.line(fmt::format("  {:<46}{:>9}", "events missed", e.events_missed));
  } else {
    console.line("  the recording holds no scene: surfaces, materials, motions and events are not checked");
  }
  if (e.displacement > 0)
    console.line(
        fmt::format("  {:<46}{:>9}  m", "largest displacement against overlap", short_residual(e.displacement)));
  if (e.recovery_motion > 0) {
    line("that displacement: M⁻¹ Jᵀ λ of what pushed", e.recovery_motion, "of the body's size");
    line("residual of what pushed", e.recovery, "");
  }
  const auto note = [&](int count, const char* what) {
    if (count > 0) console.line(fmt::format("  {} {}", count, what));
  };
  note(e.off_surface, "contacts of parallel edges, capsules or cylinders lie off a surface (docs/limits.md)");
  note(e.predicted, "contacts were predicted by the look-ahead: their points are not checked against the surfaces");
  note(e.changes, "states were set from outside between steps");
  note(e.pairs_missed, "pairs overlapped at the end of a step and got no contact");
}

Exit check(const CheckSettings& s) {
  const Recording recording(s.file);
  const double tolerance = s.tolerance.value_or(recording.tolerance());
  const double accept = s.accept.value_or(recording.accept());
  require_usage(!s.accept || accept >= tolerance, "--accept: expected --tol (", tolerance, ") or more, got ", accept);
  require_certificates(recording, s.file);
  report::CheckTally tally;
  const Verifier verifier(recording);
  for (int k = 0; k < recording.steps() && !interrupted(); ++k) tally.add(verifier.check(k), tolerance, accept);
  if (!s.json.empty()) report::write_json(s.json, report::check_document(s.file, recording, tally, tolerance, accept));
  const Console console(s.json == "-" ? stderr : stdout), errors(stderr);
  if (!s.quiet) print(console, recording, verifier.has_scene(), tally, tolerance, accept);
  const auto say = [&](Style style, const std::string& text) { errors.line("repose: " + errors.paint(style, text)); };
  if (!tally.accepted.empty())
    say(Style::kWarn,
        fmt::format("accepted: {} of {} steps above {}, within {}, the first is step {}", tally.accepted.size(),
                    tally.steps, short_power(tolerance), short_power(accept), tally.accepted.front()));
  if (!tally.unsolved.empty())
    say(Style::kWarn, fmt::format("NOT SOLVED: {} of {} steps above {}, the first is step {}", tally.unsolved.size(),
                                  tally.steps, short_power(std::max(tolerance, accept)), tally.unsolved.front()));
  if (!tally.disagreeing.empty())
    say(Style::kBad, fmt::format("DOES NOT FOLLOW: {} of {} steps, the first is step {} ({})", tally.disagreeing.size(),
                                 tally.steps, tally.disagreeing.front(), tally.first_fault));
  if (interrupted()) return Exit::kInterrupted;
  if (!tally.disagreeing.empty()) return Exit::kBrokeDown;
  return s.strict && tally.solved() < tally.steps ? Exit::kNotSolved : Exit::kDone;
}

}  // namespace

Command add_check(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("check", "Verify every step of a recording from the recording alone");
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
