// SPDX-License-Identifier: Apache-2.0
// repose score FILE...: certifies the solutions stored in problem files, whoever computed them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/solve_table.h"
#include "apps/terminal/console.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_checks.h"
#include "repose/base/error.h"
#include "repose/contact/problem_file.h"
#include "repose/report/json_record_internal.h"

namespace repose::cli {
namespace {

constexpr const char* kScoreExample =
    "Examples:\n"
    "  repose solve problem.hdf5 --solution solved.hdf5\n"
    "  repose score solved.hdf5\n\n"
    "Scores /solution/r against the problem beside it, as if the solve had started from zero.";

struct ScoreSettings {
  std::vector<std::string> files;
  std::string json;
  double tolerance = 1e-8;
  bool strict = false, quiet = false;
};

struct Score {
  std::string file;
  int contacts = 0;
  Certificate certificate;
  double siconos_error = 0;
};

Score score_file(const std::string& file) {
  const StoredProblem stored = read_stored_problem(file);
  require(stored.solution.has_value(), file,
          ": /solution/r: expected the impulses of a solution, got none, or zeros while contacts approach");
  const std::vector<ContactVec> zero(stored.solution->size());
  return {.file = file,
          .contacts = stored.problem.size(),
          .certificate = certify(stored.problem, *stored.solution, zero),
          .siconos_error = siconos_error(stored.problem, *stored.solution)};
}

report::Json score_record(const Score& score, double tolerance) {
  report::JsonRecord record;
  record.put("file", score.file);
  record.put("contacts", score.contacts);
  record.put("solved", score.certificate.solved(tolerance));
  record.put("tolerance", tolerance);
  record.put(score.certificate);
  record.put("siconos_error", score.siconos_error);
  record.put("r_c_paper", score.certificate.paper.worst());
  return record.finish();
}

void print_row(const Console& console, const std::string& name, std::size_t width, const Score& score, double tol) {
  const Certificate& c = score.certificate;
  const bool solved = c.solved(tol);
  const std::string verdict = console.paint(solved ? Style::kGood : Style::kWarn, solved ? "solved    " : "not solved");
  console.line(fmt::format("{:<{}}  {:>8}  {}  {:>7}  {:>7}  {:>8}  {:>7}  {:>7}  {:>8}", name, width, score.contacts,
                           verdict, short_residual(c.r_c()), short_residual(c.residual.force),
                           short_residual(c.residual.velocity), short_residual(c.residual.gap), short_residual(c.nat),
                           short_residual(score.siconos_error)));
}

void print_table(const Console& console, const std::vector<Score>& scores, const ShownNames& shown, double tol) {
  std::size_t width = 8;
  for (const std::string& name : shown.names) width = std::max(width, name.size());
  console.line(console.paint(
      Style::kDim, fmt::format("{:<{}}  {:>8}  {:<10}  {:>7}  {:>7}  {:>8}  {:>7}  {:>7}  {:>8}", "file", width,
                               "contacts", "verdict", "r_c", "force", "velocity", "gap", "nat", "siconos")));
  for (std::size_t k = 0; k < scores.size(); ++k) print_row(console, shown.names[k], width, scores[k], tol);
}

Exit run_score(const ScoreSettings& s) {
  std::vector<Score> scores;
  for (const std::string& file : s.files)
    if (!interrupted()) scores.push_back(score_file(file));
  const ShownNames shown = shown_names(s.files);
  Tally tally(s.files.size(), s.tolerance);
  report::Json records = report::Json::array();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    tally.add(shown.names[k], scores[k].certificate);
    records.push_back(score_record(scores[k], s.tolerance));
  }
  const Console console(s.json == "-" ? stderr : stdout), errors(stderr);
  if (!s.quiet) {
    print_table(console, scores, shown, s.tolerance);
    console.line();
    console.line(console.paint(tally.all_solved() ? Style::kGood : Style::kWarn, tally.summary()));
  }
  if (!s.json.empty()) report::write_json(s.json, records);
  if (!tally.all_solved()) errors.line("repose: " + errors.paint(Style::kWarn, tally.alarm()));
  if (interrupted()) return Exit::kInterrupted;
  if (tally.broke_down()) return Exit::kBrokeDown;
  return s.strict && !tally.all_solved() ? Exit::kNotSolved : Exit::kDone;
}

}  // namespace

Command add_score(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("score", "Certify the solutions stored in problem files");
  app.footer(kScoreExample);
  const auto s = std::make_shared<ScoreSettings>();
  app.add_option("FILE", s->files, "FCLIB .hdf5 files with /solution/r")->required()->type_name("");
  app.add_option("--tol", s->tolerance, "solved when r_c and nat are both at most X (1e-8)")
      ->check(positive_number())
      ->type_name("X");
  app.add_option("--json", s->json, "results as a list of records; - is standard output")
      ->check(json_target())
      ->type_name("FILE|-");
  app.add_flag("--strict", s->strict, "exit with 3 unless every solution meets the tolerance");
  app.add_flag("--quiet", s->quiet, "no table");
  return {&app, [s] { return run_score(*s); }};
}

}  // namespace repose::cli
