// SPDX-License-Identifier: Apache-2.0
// repose solve FILE...: solves stored contact problems and prints a certificate for each.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/scheme_options.h"
#include "apps/cli/solve_table.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_checks.h"
#include "repose/base/error.h"
#include "repose/scheme/solve.h"

namespace repose::cli {
namespace {

constexpr const char* kSolveExample =
    "Examples:\n"
    "  repose solve problem.hdf5\n"
    "  repose solve out/arch-*.hdf5 --tol 1e-10 --json results.json\n"
    "  repose solve problem.dat --outer fbf --inner bgs --inner-iterations 30 --max-outer 1000\n"
    "  repose solve problem.hdf5 --solution solved.hdf5 && repose score solved.hdf5\n\n"
    "Exit status: 0 done, 1 bad input, 2 wrong usage, 3 --strict and not all solved,\n"
    "4 the numbers broke down (NaN, overflow), 130 interrupted.";

struct SolveSettings : SchemeSettings {
  std::vector<std::string> files;
  std::string json, solution, forces = "solver", device = "cpu";
  double time_limit = 0;
  int repeat = 1, threads = 1;
  bool warm_start = false, history = false, strict = false, quiet = false;
};

void add_run_options(CLI::App& app, SolveSettings& s) {
  app.add_option("--time-limit", s.time_limit, "end each solve after S seconds with its best answer so far")
      ->check(positive_number())
      ->type_name("S");
  app.add_option("--repeat", s.repeat, "solve each problem N times; times are medians (1)")
      ->check(whole_number(1))
      ->type_name("N");
  app.add_option("--threads", s.threads, "problems solved at the same time; answers do not depend on it (1)")
      ->check(whole_number(1, 1024))
      ->type_name("N");
  app.add_option("--device", s.device,
                 "cpu: the scheme; cuda: sweeps on a GPU first, what they miss finished by auto;\n"
                 "cpu-sweeps: the same sweeps, bit for bit, on the processor (cpu)")
      ->check(one_of({"cpu", "cpu-sweeps", "cuda"}))
      ->type_name("DEVICE");
  app.add_flag("--warm-start", s.warm_start, "start from the guess stored in the file, where there is one");
}

void add_output_options(CLI::App& app, SolveSettings& s) {
  app.add_option("--json", s.json,
                 "results as a list of records; - is standard output,\nand the table then moves to standard error")
      ->check(json_target())
      ->type_name("FILE|-");
  app.add_option("--solution", s.solution, "write problem and answer as FCLIB (one input only)")
      ->check(hdf5_target())
      ->type_name("FILE.hdf5");
  app.add_option("--forces", s.forces,
                 "solver: the impulses found; canonical: of all with the same motion those of least norm (solver)")
      ->check(one_of({"solver", "canonical"}))
      ->type_name("KIND");
  app.add_flag("--history", s.history, "the certificate after every outer iteration, into the records of --json");
  app.add_flag("--strict", s.strict, "exit with 3 unless every problem is solved to the tolerance");
  app.add_flag("--quiet", s.quiet, "no table and no progress line");
}

SolveRequest request_of(const SolveSettings& s) {
  require_usage(!s.history || !s.json.empty(), "--history: expected with it (the rows go there), got no --json");
  require_usage(s.solution.empty() || s.files.size() == 1,
                "--solution: expected one (it names a single output file), got ", s.files.size(), " input files");
  SolveRequest request;
  request.options = friction_options(s);
  request.threads = s.threads;
  request.history = s.history;
  request.time_limit = s.time_limit;
  request.repeat = s.repeat;
  request.warm_start = s.warm_start;
  request.device = s.device;
  require_usage(s.device == "cpu" || std::holds_alternative<AutoOptions>(request.options.outer),
                "--device: expected --outer auto with ", s.device,
                ", which finishes what the sweeps miss, got --outer ", name(request.options.outer));
  request.canonical = s.forces == "canonical";
  request.progress = !s.quiet;
  return request;
}

/// Every file is read before the first is solved, so that a bad one is found before hours of work, not after.
void check_files(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (interrupted()) return;
    (void)read_stored_problem(file);
  }
}

void write_solution(const std::string& target, const report::Solved& solved) {
  FclibOptions content;
  content.title = solved.stored.title;
  content.description = "solved by repose";
  if (solved.stored.guess) content.guess = *solved.stored.guess;
  content.solution = solved.lambda;
  write_fclib(target, solved.stored.problem, content);
}

/// What a run leaves behind: the table as it goes, everything else at the end.
class SolveSession {
 public:
  explicit SolveSession(const SolveSettings& s)
      : s_(s),
        request_(request_of(s)),
        console_(s.json == "-" ? stderr : stdout),
        table_(console_, s.files, request_),
        tally_(s.files.size(), request_.options.tolerance) {}

  Exit run() {
    check_files(s_.files);
    if (!s_.quiet) table_.head();
    solve_files(s_.files, request_, [this](report::Solved& solved) { take(solved); });
    if (!s_.quiet) table_.foot(tally_);
    if (!s_.json.empty()) report::write_json(s_.json, records_);
    raise_alarms();
    return verdict();
  }

 private:
  void take(const report::Solved& solved) {
    if (!s_.quiet) table_.row(solved);
    if (!solved.finished()) return;
    tally_.add(table_.name(solved), solved.certificate, solved.ms);
    records_.push_back(report::solve_record(solved, request_));
    broke_down_ |= solved.broke_down();
    if (s_.warm_start && !solved.from_guess) ++without_guess_;
    if (request_.canonical && !solved.canonical) ++not_canonical_;
    if (!s_.solution.empty() && !solved.broke_down()) write_solution(s_.solution, solved);
  }

  void raise_alarms() const {
    const Console errors(stderr);
    const auto say = [&](Style style, const std::string& text) { errors.line("repose: " + errors.paint(style, text)); };
    if (without_guess_ > 0 && !s_.quiet)
      say(Style::kPlain, "--warm-start: no guess in " + counted(without_guess_, "file") + ", started from zero there");
    if (not_canonical_ > 0)
      say(Style::kWarn, "--forces canonical: not found for " + counted(not_canonical_, "problem") +
                            ", which have those of the solver");
    if (!tally_.all_solved()) say(Style::kWarn, tally_.alarm());
    if (broke_down_) say(Style::kBad, "the numbers broke down (NaN or overflow): status numerical_failure");
    if (broke_down_ && !s_.solution.empty()) say(Style::kBad, "--solution: nothing written");
    if (interrupted())
      say(Style::kWarn, "interrupted: " + std::to_string(tally_.finished()) + " of " + std::to_string(s_.files.size()) +
                            " problems finished");
  }

  [[nodiscard]] Exit verdict() const {
    if (interrupted()) return Exit::kInterrupted;
    if (broke_down_) return Exit::kBrokeDown;
    return s_.strict && !tally_.all_solved() ? Exit::kNotSolved : Exit::kDone;
  }

  const SolveSettings& s_;
  const SolveRequest request_;
  const Console console_;
  const SolveTable table_;
  Tally tally_;
  report::Json records_ = report::Json::array();
  std::size_t without_guess_ = 0, not_canonical_ = 0;
  bool broke_down_ = false;
};

}  // namespace

Command add_solve(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("solve", "Solve stored contact problems (FCLIB .hdf5, Siconos .dat)");
  app.footer(kSolveExample);
  const auto settings = std::make_shared<SolveSettings>();
  app.add_option("FILE", settings->files, "contact problems")->required()->type_name("");
  add_scheme_options(app, *settings);
  add_run_options(app, *settings);
  add_output_options(app, *settings);
  return {&app, [settings] { return SolveSession(*settings).run(); }};
}

}  // namespace repose::cli
