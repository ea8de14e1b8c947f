// SPDX-License-Identifier: Apache-2.0
// repose solve FILE...: solves stored contact problems and prints a certificate for each.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/option_checks.h"
#include "apps/cli/solve_report.h"
#include "repose/base/error.h"
#include "repose/outer/solve.h"

namespace repose::cli {
namespace {

constexpr const char* kExample =
    "Examples:\n"
    "  repose solve problem.hdf5\n"
    "  repose solve out/arch-*.hdf5 --tol 1e-10 --json results.json\n"
    "  repose solve problem.dat --outer fbf --inner bgs --inner-iterations 30 --max-outer 1000\n"
    "  repose solve problem.hdf5 --solution solved.hdf5 && repose score solved.hdf5\n\n"
    "Exit status: 0 done, 1 bad input, 2 wrong usage, 3 --strict and not all solved,\n"
    "4 the numbers broke down (NaN, overflow), 130 interrupted.";

const std::vector<std::string> kOuterNames{"auto", "newton", "fbf", "picard", "relaxed", "nsgs", "padmm", "staggered"};
const std::vector<std::string> kInnerNames{"auto", "bgs", "apgd", "admm", "ipm", "clarabel", "scs"};

struct Settings {
  std::vector<std::string> files;
  std::string outer = "auto", inner = "auto", json, solution;
  double tolerance = 1e-8, time_limit = 0;
  std::optional<double> gamma;
  std::optional<int> max_outer, inner_iterations;
  int repeat = 1, threads = 1;
  bool warm_start = false, strict = false, quiet = false;
};

void add_scheme_options(CLI::App& app, Settings& s) {
  app.add_option("--outer", s.outer, "outer scheme (auto):\n" + joined(kOuterNames))
      ->check(one_of(kOuterNames))
      ->type_name("NAME");
  app.add_option("--inner", s.inner,
                 "cone solver under fbf, picard and relaxed (auto: the scheme's own):\n" + joined(kInnerNames))
      ->check(one_of(kInnerNames))
      ->type_name("NAME");
  app.add_option("--tol", s.tolerance, "solved when r_c and nat are both at most X (1e-8)")
      ->check(positive_number())
      ->type_name("X");
  app.add_option("--max-outer", s.max_outer, "outer iterations at most (the scheme's own)")
      ->check(whole_number(1))
      ->type_name("N");
  app.add_option("--inner-iterations", s.inner_iterations, "iterations of the cone solver per outer iteration")
      ->check(whole_number(1))
      ->type_name("N");
  app.add_option("--gamma", s.gamma, "fixed step size of fbf, kg")->check(positive_number())->type_name("X");
}

void add_run_options(CLI::App& app, Settings& s) {
  app.add_option("--time-limit", s.time_limit, "end each solve after S seconds with its best answer so far")
      ->check(positive_number())
      ->type_name("S");
  app.add_option("--repeat", s.repeat, "solve each problem N times; times are medians (1)")
      ->check(whole_number(1))
      ->type_name("N");
  app.add_option("--threads", s.threads, "problems solved at the same time; answers do not depend on it (1)")
      ->check(whole_number(1, 1024))
      ->type_name("N");
  app.add_flag("--warm-start", s.warm_start, "start from the guess stored in the file, where there is one");
}

void add_output_options(CLI::App& app, Settings& s) {
  app.add_option("--json", s.json,
                 "results as a list of records; - is standard output,\nand the table then moves to standard error")
      ->check(json_target())
      ->type_name("FILE|-");
  app.add_option("--solution", s.solution, "write problem and answer as FCLIB (one input only)")
      ->check(hdf5_target())
      ->type_name("FILE.hdf5");
  app.add_flag("--strict", s.strict, "exit with 3 unless every problem is solved to the tolerance");
  app.add_flag("--quiet", s.quiet, "no table and no progress line");
}

void set_inner_iterations(FrictionOptions& options, int count) {
  std::visit(
      [count](auto& inner) {
        if constexpr (std::is_same_v<std::decay_t<decltype(inner)>, BgsOptions>)
          inner.sweeps = count;
        else
          inner.max_iterations = count;
      },
      options.inner);
}

/// Options that the chosen scheme would not look at are refused: silence would read as obedience.
void check_combination(const Settings& s, const FrictionOptions& options) {
  const bool inner = has_inner(options.outer);
  require_usage(inner || s.inner == "auto", "--inner: found '", s.inner, "' with --outer ", s.outer,
                ", which has no cone solver under it; allowed with fbf, picard, relaxed");
  require_usage(inner || !s.inner_iterations, "--inner-iterations: found ", s.inner_iterations.value_or(0),
                " with --outer ", s.outer, ", which has no cone solver under it; allowed with fbf, picard, relaxed");
  require_usage(!s.gamma || std::holds_alternative<FbfOptions>(options.outer), "--gamma: found ", s.gamma.value_or(0),
                " with --outer ", s.outer, ", allowed with fbf only");
  require_usage(s.solution.empty() || s.files.size() == 1, "--solution: found ", s.files.size(),
                " input files, allowed one (it names a single output file)");
}

FrictionOptions friction_options(const Settings& s) {
  try {
    FrictionOptions options = options_from_names(s.outer, s.inner);
    check_combination(s, options);
    options.tolerance = s.tolerance;
    options.max_iterations = s.max_outer.value_or(0);
    if (s.inner_iterations) set_inner_iterations(options, *s.inner_iterations);
    if (s.gamma) std::get<FbfOptions>(options.outer).gamma = *s.gamma;
    (void)make_solver(options);  // a solver that this build lacks shows here
    return options;
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
}

SolveRequest request_of(const Settings& s) {
  return {.options = friction_options(s),
          .time_limit = s.time_limit,
          .repeat = s.repeat,
          .threads = s.threads,
          .warm_start = s.warm_start,
          .progress = !s.quiet};
}

/// Every file is read before the first is solved, so that a bad one is found before hours of work, not after.
void check_files(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (interrupted()) return;
    (void)read_stored_problem(file);
  }
}

void write_solution(const std::string& target, const Solved& solved) {
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
  explicit SolveSession(const Settings& s)
      : s_(s),
        request_(request_of(s)),
        console_(s.json == "-" ? stderr : stdout),
        table_(console_, s.files, request_),
        tally_(s.files.size(), s.tolerance) {}

  Exit run() {
    check_files(s_.files);
    if (!s_.quiet) table_.head();
    solve_files(s_.files, request_, [this](Solved& solved) { take(solved); });
    if (!s_.quiet) table_.foot(tally_);
    if (!s_.json.empty()) write_json(s_.json, records_);
    raise_alarms();
    return verdict();
  }

 private:
  void take(const Solved& solved) {
    if (!s_.quiet) table_.row(solved);
    if (!solved.finished()) return;
    tally_.add(table_.name(solved), solved.certificate, solved.ms);
    records_.push_back(solve_record(solved, request_));
    broke_down_ |= solved.broke_down();
    if (s_.warm_start && !solved.from_guess) ++without_guess_;
    if (!s_.solution.empty() && !solved.broke_down()) write_solution(s_.solution, solved);
  }

  void raise_alarms() const {
    const Console errors(stderr);
    const auto say = [&](Style style, const std::string& text) { errors.line("repose: " + errors.paint(style, text)); };
    if (without_guess_ > 0 && !s_.quiet)
      say(Style::kPlain, "--warm-start: no guess in " + counted(without_guess_, "file") + ", started from zero there");
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

  const Settings& s_;
  const SolveRequest request_;
  const Console console_;
  const SolveTable table_;
  Tally tally_;
  Json records_ = Json::array();
  std::size_t without_guess_ = 0;
  bool broke_down_ = false;
};

}  // namespace

Command add_solve(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("solve", "Solve stored contact problems (FCLIB .hdf5, Siconos .dat)");
  app.footer(kExample);
  const auto settings = std::make_shared<Settings>();
  app.add_option("FILE", settings->files, "contact problems")->required()->type_name("");
  add_scheme_options(app, *settings);
  add_run_options(app, *settings);
  add_output_options(app, *settings);
  return {&app, [settings] { return SolveSession(*settings).run(); }};
}

}  // namespace repose::cli
