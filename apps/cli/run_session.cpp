// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/run_session.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "apps/cli/control_table.h"
#include "apps/cli/run_progress.h"
#include "apps/cli/run_table.h"
#include "apps/cli/scene_source.h"
#include "apps/terminal/cpu_time.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_checks.h"
#include "repose/base/atomic_file.h"
#include "repose/base/error.h"
#include "repose/base/input_file.h"
#include "repose/base/parameters.h"
#include "repose/contact/problem_file.h"
#include "repose/record/recorder.h"

namespace repose::cli {
namespace {

/// Said one by one up to here, then counted.
constexpr int kLoudSteps = 5;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

Vec3 gravity_from(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> parts;
  for (std::string part; std::getline(in, part, ',');)
    if (const auto number = parse_number(part)) parts.push_back(*number);
  require_usage(parts.size() == 3 && std::count(text.begin(), text.end(), ',') == 2,
                "--gravity: expected three numbers x,y,z in m/s^2, got '", text, "'");
  return {parts[0], parts[1], parts[2]};
}

}  // namespace

Scene scene_for(const RunSettings& s) {
  FoundScene found = find_scene(s.what, s.values, s.seed);
  Scene& scene = found.scene;
  if (!found.ignored.empty() && !s.quiet)
    fmt::print(stderr, "repose: {}: ignored, without meaning here: {}\n", s.what, joined(found.ignored));
  if (!found.simplified.empty() && !s.quiet)
    fmt::print(stderr, "repose: {}: simplified: {}\n", s.what, joined(found.simplified));
  if (s.dt) scene.dt = *s.dt;
  if (s.baumgarte) scene.baumgarte = *s.baumgarte;
  if (!s.gravity.empty()) scene.gravity = gravity_from(s.gravity);
  return std::move(found.scene);
}

int steps_for(const RunSettings& s, const Scene& scene) {
  if (s.steps) return *s.steps;
  const double steps = std::ceil(s.time.value_or(scene.duration) / scene.dt - 1e-6);
  require(steps <= 2e9, "--time: expected at most 2e9 steps, got ", s.time.value_or(scene.duration), " s, ", steps,
          " steps of ", scene.dt, " s");
  return std::max(0, static_cast<int>(steps));
}

namespace {

WorldOptions options_for(const RunSettings& s) {
  return {.solver = friction_options(s, step_solver()),
          .warm_start = !s.no_warm_start,
          .threads = s.threads,
          .interrupt = &interrupt_flag()};
}

class Session {
 public:
  explicit Session(const RunSettings& s)
      : s_(s),
        world_(scene_for(s), options_for(s)),
        steps_(steps_for(s, world_.scene())),
        facts_(report::run_facts(world_.options().solver, s.threads)),
        console_(s.json == "-" ? stderr : stdout),
        progress_(!s.quiet, steps_) {
    facts_.device = s.device;
    if (!s.from.empty()) load();
    if (!s.ctrl.empty()) controls_.emplace(s.ctrl, world_.scene());
    summary_.emplace(world_);
  }

  Exit run() {
    open_outputs();
    if (!s_.quiet) print_head(console_, world_, steps_, facts_);
    for (done_ = 0; done_ < steps_ && !interrupted() && lost_.empty();) {
      if (controls_) controls_->apply(world_);
      const double before = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
      const StepReport report = world_.step();
      facts_.cpu_ms += cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - before;
      if (report.status == StepStatus::kBroken || report.status == StepStatus::kInterrupted) {
        broken_ = report.status == StepStatus::kBroken ? report.why : "";
        break;
      }
      ++done_;
      take(report);
    }
    return finish();
  }

 private:
  void load() {
    files::require_regular_file(s_.from, "one written by --checkpoint");
    std::ifstream in(s_.from, std::ios::binary);
    require(in.good(), s_.from, ": expected one written by --checkpoint, got a file that cannot be read");
    try {
      world_.load(in);
    } catch (const InputError& error) {
      fail(s_.from, ": ", error.what());
    }
  }

  void open_outputs() {
    if (!s_.dump.empty()) std::filesystem::create_directories(s_.dump);
    if (!s_.log.empty()) {
      log_.open(s_.log);
      require(log_.good(), s_.log, ": log: expected a file that can be written, got one that cannot");
    }
    if (s_.record.empty()) return;
    RecordOptions options;
    options.compact = s_.compact;
    options.scene_json = report::scene_text(world_.scene());
    options.settings_json = report::settings_text(facts_, !s_.no_warm_start);
    recorder_.emplace(s_.record, world_, options);
  }

  /// Writes one of the outputs. One that fails ends the run, and the others are still written.
  template <class Write>
  void output(const Write& write) {
    try {
      write();
    } catch (const InputError& error) {
      lost_.emplace_back(error.what());
    }
  }

  void take(const StepReport& report) {
    summary_->add(world_, report);
    if (recorder_) output([&] { recorder_->add(world_, report); });
    if (log_.is_open()) output([&] { log(report::step_line(report)); });
    if (!s_.dump.empty()) output([&] { dump(report); });
    if (report.status == StepStatus::kUnsolved) complain(report);
    if (report.squeeze.islands > 0 && summary_->squeezed() == 1) complain(report.squeeze, report);
    progress_.note(done_, report, summary_->worst(), facts_.tolerance);
  }

  void log(const std::string& line) {
    log_ << line << '\n' << std::flush;  // to be followed while it runs
    require(log_.good(), s_.log, ": log: expected a place with room, got an error while writing");
  }

  void complain(const StepReport& report) {
    if (summary_->unsolved() > kLoudSteps) return;
    progress_.erase();
    const Console errors(stderr);
    errors.line("repose: " + errors.paint(Style::kWarn, fmt::format("step {} at {:g} s NOT SOLVED: {}", report.step,
                                                                    report.time, reason(report))));
    if (summary_->unsolved() == kLoudSteps) errors.line("repose: further ones are counted at the end");
  }

  [[nodiscard]] std::string reason(const StepReport& report) const {
    if (report.pairs_missed > 0)
      return fmt::format("{} overlapped and got no contact",
                         counted(static_cast<std::size_t>(report.pairs_missed), "pair"));
    if (report.imprecise_islands > 0) return report.why;
    return fmt::format("residual {} above {}", short_residual(report.certificate.worst()),
                       short_power(limit_of(facts_)));
  }

  /// The first of its kind.
  void complain(const Squeeze& squeeze, const StepReport& report) {
    progress_.erase();
    const Console errors(stderr);
    errors.line("repose: " +
                errors.paint(Style::kWarn, fmt::format("step {} at {:g} s: {}; the overlap is kept", report.step,
                                                       report.time, squeeze_text(squeeze, world_.scene()))));
  }

  void dump(const StepReport& report) const {
    if (s_.dump_unsolved && report.status == StepStatus::kSolved) return;
    if (s_.dump_every && report.step % *s_.dump_every != 0) return;
    if (!s_.dump_steps.empty() && std::ranges::find(s_.dump_steps, report.step) == s_.dump_steps.end()) return;
    for (int k = 0; k < world_.problems(); ++k) {
      std::vector<ContactVec> start, lambda;
      for (const int i : world_.problem_contacts(k)) {
        start.push_back(world_.contacts()[at(i)].start);
        lambda.push_back(world_.contacts()[at(i)].lambda);
      }
      for (const int i : world_.problem_joint_blocks(k)) {
        start.push_back(world_.joint_blocks()[at(i)].start);
        lambda.push_back(world_.joint_blocks()[at(i)].lambda);
      }
      FclibOptions content;
      content.title = fmt::format("{} step {} island {}", world_.scene().name, report.step, k);
      content.description = "a step of repose run";
      content.guess = start;
      if (s_.dump_global)
        content.form = FclibForm::kGlobal, content.compress = true;
      else
        content.solution = lambda;
      const std::string file = fmt::format("{}-{:06d}-{:03d}.hdf5", world_.scene().name, report.step, k);
      write_fclib(std::filesystem::path(s_.dump) / file, world_.problem(k), content);
    }
  }

  Exit finish() {
    progress_.erase();
    if (!broken_.empty()) facts_.ended = "broke down: " + broken_;
    if (interrupted()) facts_.ended = "interrupted";
    if (recorder_) output([&] { recorder_->close(); });
    if (!s_.checkpoint.empty()) output([&] { save(); });
    if (!lost_.empty()) facts_.ended = "output lost: " + joined(lost_);
    const Summary summary = summary_->finish(world_);
    if (!s_.json.empty()) output([&] { report::write_json(s_.json, report::run_document(world_, summary, facts_)); });
    if (!s_.quiet) print_certificate(console_, summary, facts_);
    return verdict(summary);
  }

  void save() const {
    std::ostringstream out;
    world_.save(out);
    files::write_atomically(s_.checkpoint, out.str());
  }

  [[nodiscard]] Exit verdict(const Summary& summary) const {
    const Console errors(stderr);
    const auto say = [&](Style style, const std::string& text) { errors.line("repose: " + errors.paint(style, text)); };
    if (!summary.accepted_steps.empty()) say(Style::kWarn, accepted_text(summary, facts_));
    if (!summary.unsolved_steps.empty()) say(Style::kWarn, unsolved_text(summary, facts_));
    if (!summary.rounding_steps.empty()) say(Style::kWarn, rounding_text(summary, facts_));
    if (!summary.imprecise_steps.empty()) say(Style::kWarn, imprecise_text(summary));
    if (!summary.missed_steps.empty()) say(Style::kWarn, missed_text(summary));
    if (!summary.squeezed_steps.empty()) say(Style::kWarn, squeezed_text(summary, world_.scene()));
    if (!broken_.empty())
      say(Style::kBad,
          fmt::format("the numbers broke down in the step after {:g} s: {}; the last good state {}", world_.time(),
                      broken_,
                      s_.record.empty() && s_.checkpoint.empty() ? "is lost (--record or --checkpoint keep it)"
                                                                 : "is written"));
    for (const std::string& text : lost_) say(Style::kBad, text);
    if (interrupted()) {
      say(Style::kWarn, fmt::format("interrupted: {} of {} steps done", done_, steps_));
      return Exit::kInterrupted;
    }
    if (!broken_.empty()) return Exit::kBrokeDown;
    if (!lost_.empty()) return Exit::kBadInput;
    const bool solved =
        summary.accepted_steps.empty() && summary.unsolved_steps.empty() && summary.squeezed_steps.empty();
    return s_.strict && !solved ? Exit::kNotSolved : Exit::kDone;
  }

  const RunSettings& s_;
  World world_;
  const int steps_;
  report::RunFacts facts_;
  const Console console_;
  RunProgress progress_;
  std::optional<ControlTable> controls_;
  std::optional<RunSummary> summary_;
  std::optional<Recorder> recorder_;
  std::ofstream log_;
  int done_ = 0;
  std::string broken_;
  std::vector<std::string> lost_;  // why outputs could not be written
};

}  // namespace

Exit run_scene(const RunSettings& settings) { return Session(settings).run(); }

}  // namespace repose::cli
