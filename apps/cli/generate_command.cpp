// SPDX-License-Identifier: Apache-2.0
// repose generate NAME: writes the contact problems of a built-in sequence, one file a step.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "apps/cli/commands.h"
#include "apps/cli/kind_list.h"
#include "apps/terminal/console.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_checks.h"
#include "apps/terminal/progress.h"
#include "problems/registry.h"
#include "repose/base/error.h"
#include "repose/contact/problem_file.h"
#include "repose/scheme/solve.h"

namespace repose::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGenerateExample =
    "Examples:\n"
    "  repose generate arch --set stones=25 --steps 12 --out out\n"
    "  repose generate wall --set rows=8 --set mu=0.5 --seed 7 --out out\n"
    "  repose generate --list\n\n"
    "Step i is solved with auto to reach step i+1; its impulses are stored there as the guess.";

struct GenerateSettings {
  std::string name, folder = ".";
  std::vector<std::string> changes;
  std::uint64_t seed = 1;
  int steps = 1;
  double tolerance = 1e-8;
  bool list = false, json = false, quiet = false;
};

std::map<std::string, double> parse_changes(const std::vector<std::string>& changes) {
  std::map<std::string, double> values;
  for (const std::string& change : changes) {
    const std::size_t equals = change.find('=');
    const auto value = equals == change.npos ? std::nullopt : parse_number(std::string_view(change).substr(equals + 1));
    require_usage(equals > 0 && value, "--set: expected key=number, got '", change, "'");
    values[change.substr(0, equals)] = *value;
  }
  return values;
}

std::unique_ptr<problems::Source> make_source(const GenerateSettings& s) {
  const auto values = parse_changes(s.changes);
  try {
    return problems::make(s.name, values, s.seed);
  } catch (const InputError& error) {
    throw UsageError(error.what() + std::string(" (repose generate --list)"));
  }
}

void create_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  require_usage(fs::is_directory(folder), "--out: expected a folder that exists or can be created, got '", folder,
                "' (", error.message(), ")");
}

/// "arch, stones=25, seed 1, step 3, h …": enough to make the file again.
std::string description(const GenerateSettings& s, int step) {
  std::string text = "repose generate " + s.name;
  for (const std::string& change : s.changes) text += " --set " + change;
  return text + fmt::format(" --seed {} --steps {}: step {}", s.seed, s.steps, step);
}

class GenerateSession {
 public:
  explicit GenerateSession(const GenerateSettings& s)
      : s_(s),
        source_(make_source(s)),
        solver_(make_solver(solver_options(s.tolerance))),
        console_(stdout),
        progress_(!s.quiet, s.steps) {}

  Exit run() {
    create_folder(s_.folder);
    for (int step = 0; step < s_.steps; ++step) {
      if (step > 0) advance();
      if (interrupted()) break;
      write(step);
    }
    finish();
    return interrupted() ? Exit::kInterrupted : Exit::kDone;
  }

 private:
  static FrictionOptions solver_options(double tolerance) {
    FrictionOptions options = options_from_names("auto", "auto");
    options.tolerance = tolerance;
    return options;
  }

  [[nodiscard]] fs::path file(int step) const {
    return fs::path(s_.folder) / fmt::format("{}-{:04}.hdf5", s_.name, step);
  }

  void write(int step) {
    const ContactProblem& problem = source_->problem();
    const std::vector<ContactVec> guess = step > 0 ? source_->warm_start() : std::vector<ContactVec>();
    FclibOptions content;
    content.title = fmt::format("{} step {}", s_.name, step);
    content.description = description(s_, step);
    content.guess = guess;
    write_fclib(file(step), problem, content);
    ++written_;
    contacts_low_ = written_ == 1 ? problem.size() : std::min(contacts_low_, problem.size());
    contacts_high_ = std::max(contacts_high_, problem.size());
  }

  void advance() {
    std::vector<ContactVec> lambda = source_->warm_start();
    const Progress::Handle job = progress_.start(written_, s_.name);
    if (written_ == 1 || !source_->fixed_operator()) solver_->bind(source_->problem());
    solver_->stop = StopToken(0, &interrupt_flag());
    solver_->observer = [job](int k, const Certificate& certificate) { job->note(k, certificate); };
    const OuterReport report = solver_->solve(lambda);
    progress_.finish(job);
    if (interrupted()) return;
    if (!report.certificate.solved(s_.tolerance)) {
      ++unsolved_;
      worst_ = std::max(worst_, report.certificate.worst());
    }
    source_->advance(lambda);
  }

  [[nodiscard]] std::string contacts() const {
    if (contacts_low_ == contacts_high_) return counted(static_cast<std::size_t>(contacts_high_), "contact") + " each";
    return fmt::format("{} to {} contacts", contacts_low_, contacts_high_);
  }

  void finish() {
    if (written_ > 0 && !s_.quiet)
      console_.line(fmt::format("{} {}{} · {} · seed {}", console_.paint(Style::kGood, "wrote"), file(0).string(),
                                written_ > 1 ? " … " + file(written_ - 1).filename().string() : "", contacts(),
                                s_.seed));
    const Console errors(stderr);
    if (unsolved_ > 0)
      errors.line("repose: " +
                  errors.paint(Style::kWarn, fmt::format("NOT SOLVED: {} on the way are above {}, up to "
                                                         "{}; the files after them follow from the best "
                                                         "answer found",
                                                         counted(unsolved_, "step"), short_power(s_.tolerance),
                                                         short_residual(worst_))));
    if (std::error_code error; fs::exists(file(s_.steps), error) && !interrupted())
      errors.line(fmt::format("repose: note: {} is from an earlier, longer run", file(s_.steps).string()));
    if (interrupted()) errors.line(fmt::format("repose: interrupted: {} of {} files written", written_, s_.steps));
  }

  const GenerateSettings& s_;
  std::unique_ptr<problems::Source> source_;
  std::unique_ptr<OuterSolver> solver_;
  const Console console_;
  Progress progress_;
  int written_ = 0, contacts_low_ = 0, contacts_high_ = 0;
  std::size_t unsolved_ = 0;
  double worst_ = 0;
};

Exit run_generate(const GenerateSettings& s) {
  require_usage(s.list || !s.name.empty(), "generate: expected one of repose generate --list, got no NAME");
  require_usage(!s.json || s.list, "--json: expected with --list only, got it without");
  if (!s.list) return GenerateSession(s).run();
  require_usage(s.changes.empty(), "--set: expected without --list only, got both");
  list_kinds("generate", problems::list(), s.name, s.json);
  return Exit::kDone;
}

}  // namespace

Command add_generate(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("generate", "Write the contact problems of a built-in sequence");
  app.footer(kGenerateExample);
  const auto s = std::make_shared<GenerateSettings>();
  app.add_option("NAME", s->name, "kind of problem, from --list")->type_name("");
  app.add_option("--set", s->changes, "change a parameter of the kind (repeatable)")
      ->type_name("key=value")
      ->allow_extra_args(false);
  app.add_option("--seed", s->seed, "of everything random (1)")
      ->check(whole_number(0, 1'000'000'000'000'000'000))
      ->type_name("N");
  app.add_option("--steps", s->steps, "time steps, one file each (1)")->check(whole_number(1, 10'000))->type_name("N");
  app.add_option("--out", s->folder, "folder for NAME-0000.hdf5, NAME-0001.hdf5, ...; created when missing (.)")
      ->type_name("DIR");
  app.add_option("--tol", s->tolerance, "tolerance of the solves between the steps (1e-8)")
      ->check(positive_number())
      ->type_name("X");
  app.add_flag("--list", s->list, "list the kinds; with NAME, its parameters with defaults, ranges and units");
  app.add_flag("--json", s->json, "the list, with all parameters, as JSON on standard output");
  app.add_flag("--quiet", s->quiet, "do not say what was written");
  return {&app, [s] { return run_generate(*s); }};
}

}  // namespace repose::cli
