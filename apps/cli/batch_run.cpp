// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/batch_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/terminal/console.h"
#include "apps/terminal/interrupt.h"
#include "repose/base/error.h"
#include "repose/base/version.h"
#include "repose/batch/batch.h"
#include "repose/report/json_record_internal.h"

namespace repose::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Steps between two looks at Ctrl-C. The bits do not depend on it.
constexpr int kStepsPerCall = 100;

void refuse(bool given, const char* option) {
  require_usage(!given, option, ": expected none with --device cpu-batch or cuda, got one (docs/gpu.md)");
}

void refuse_options_of_one_world(const RunSettings& s) {
  refuse(!s.record.empty(), "--record");
  refuse(!s.log.empty(), "--log");
  refuse(!s.dump.empty(), "--dump-problems");
  refuse(!s.from.empty(), "--from");
  refuse(!s.ctrl.empty(), "--ctrl");
  refuse(!s.checkpoint.empty(), "--checkpoint");
  refuse(s.no_warm_start, "--no-warm-start");
  for (const auto& [name, value] : s.SchemeSettings::values)
    require_usage(name == "tol", "--", name, ": expected only --tol with --device cpu-batch or cuda, got '", value,
                  "' (docs/gpu.md)");
}

struct Outcome {
  int steps = 0;  ///< per world
  double seconds = 0;
  BatchReport report;
};

Outcome advance(Batch& batch, int steps) {
  Outcome outcome;
  const Clock::time_point start = Clock::now();
  while (outcome.steps < steps && !interrupted()) {
    const int now = std::min(kStepsPerCall, steps - outcome.steps);
    batch.advance(now);
    outcome.steps += now;
  }
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  outcome.report = batch.report();
  return outcome;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1.0;
}

double rate(const Outcome& o) { return o.seconds > 0 ? static_cast<double>(o.report.steps) / o.seconds : 0.0; }

nlohmann::ordered_json document(const RunSettings& s, const Batch& batch, const Outcome& o) {
  const BatchReport& r = o.report;
  const BatchModel& m = batch.model();
  nlohmann::ordered_json doc{
      {"repose", kVersion},
      {"scene", m.scene().name},
      {"device", s.device},
      {"worlds", batch.worlds()},
      {"steps", o.steps},
      {"dt", m.scene().dt},
      {"tolerance", m.options().tolerance},
      {"kick", s.kick},
      {"threads", s.threads},
      {"threads_per_world", m.threads_per_world()},
      {"state_bytes", m.state_bytes()},
      {"seconds", o.seconds},
      {"device_seconds", batch.device_seconds()},
      {"world_steps", r.steps},
      {"world_steps_per_second", rate(o)},
      {"solved_share", share(r.solved, r.steps)},
      {"unsolved", r.steps - r.solved},
      {"worst_residual", r.worst},
      {"escalations",
       {{"all", r.finished}, {"overlap", r.overlaps}, {"capacity", r.exceeded}, {"look_ahead", r.ahead}}},
      {"newton_steps_mean", share(r.newton, std::max<std::int64_t>(r.steps, 1))},
      {"contacts_mean", share(r.contacts, std::max<std::int64_t>(r.steps, 1))},
      {"stopped", r.stopped},
      {"state_hashes", nlohmann::ordered_json::array()}};
  for (int w = 0; w < batch.worlds(); ++w) doc["state_hashes"].push_back(batch.state_hash(w));
  return doc;
}

void print_table(const Console& out, const RunSettings& s, const Batch& batch, const Outcome& o) {
  const BatchReport& r = o.report;
  out.line(fmt::format("{} worlds of {} on {}, {} steps each", batch.worlds(), batch.model().scene().name, s.device,
                       o.steps));
  out.line(fmt::format("{:.4g} world-steps/s in {:.3g} s", rate(o), o.seconds));
  out.line(fmt::format("{} of {} world-steps solved to {}, {} of them by auto on the host", r.solved, r.steps,
                       short_power(batch.model().options().tolerance), r.finished));
  if (r.stopped > 0) out.line(fmt::format("{} worlds stopped", r.stopped));
}

Exit verdict(const RunSettings& s, const BatchReport& report) {
  if (interrupted()) return Exit::kInterrupted;
  if (report.stopped > 0) {
    fmt::print(stderr, "repose: {} worlds stopped: broken numbers, or more contacts than a world has room for\n",
               report.stopped);
    return Exit::kBrokeDown;
  }
  return s.strict && report.solved < report.steps ? Exit::kNotSolved : Exit::kDone;
}

}  // namespace

Exit run_batch(const RunSettings& s) {
  refuse_options_of_one_world(s);
  BatchOptions options;
  options.tolerance = friction_options(s, FrictionOptions{}).tolerance;
  options.threads = s.threads;
  Scene scene = scene_for(s);
  const int steps = steps_for(s, scene);
  const Vec3 gravity = scene.gravity;
  const auto model = std::make_shared<const BatchModel>(std::move(scene), options);
  Batch batch(model, s.worlds.value_or(1), s.device == "cuda" ? BatchDevice::kCuda : BatchDevice::kCpu);
  for (int w = 0; w < batch.worlds(); ++w) batch.set_parameters(w, {gravity, 1, s.kick, static_cast<std::uint64_t>(w)});
  const Outcome outcome = advance(batch, steps);
  if (!s.json.empty()) report::write_json(s.json, document(s, batch, outcome));
  if (!s.quiet) print_table(Console(s.json == "-" ? stderr : stdout), s, batch, outcome);
  return verdict(s, outcome.report);
}

}  // namespace repose::cli
