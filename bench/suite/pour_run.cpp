// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/pour_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/suite/cpu_clock.h"
#include "repose/contact/problem_file.h"

namespace repose::bench {
namespace {

namespace fs = std::filesystem;
constexpr double kStillSpeed = 1e-3;   // m/s, of the farthest point of a body
constexpr double kStillTime = 0.5;     // s
constexpr double kProgressTime = 0.3;  // CPU s between two calls

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A flag that is set by an interrupt of the suite or after some CPU seconds of this thread: a step that takes minutes
/// must end as well.
class Stop {
 public:
  Stop(const SuiteOptions& suite, double seconds)
      : deadline_(seconds, flag_), watcher_([this, &suite](std::stop_token end) {
          while (!end.stop_requested() && !suite.stopped()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          if (suite.stopped()) flag_.store(true, std::memory_order_relaxed);
        }) {}
  [[nodiscard]] const std::atomic<bool>& flag() const { return flag_; }

 private:
  std::atomic<bool> flag_{false};
  CpuDeadline deadline_;
  std::jthread watcher_;
};

/// Files with the problems of the slowest steps so far; a step that is overtaken loses its file.
class Slowest {
 public:
  explicit Slowest(const PourPlan& plan) : plan_(plan) {
    if (plan.dump_count > 0 && !plan.dump.empty()) fs::create_directories(plan.dump);
  }

  void offer(const World& world, double ms) {
    if (plan_.dump.empty() || plan_.dump_count <= 0 || world.problems() == 0) return;
    if (static_cast<int>(kept_.size()) == plan_.dump_count) {
      const auto least = std::min_element(kept_.begin(), kept_.end());
      if (least->first >= ms) return;
      fs::remove(least->second);
      kept_.erase(least);
    }
    kept_.emplace_back(ms, write(world, ms));
  }

 private:
  /// The island that took the most iterations, with the impulses that its solve started from.
  [[nodiscard]] fs::path write(const World& world, double ms) const {
    int hardest = 0;
    const auto work = [&](int k) {
      const OuterReport& r = world.problem_report(k);
      return std::tuple(r.inner_iterations, r.outer_iterations, world.problem(k).size());
    };
    for (int k = 1; k < world.problems(); ++k)
      if (work(k) > work(hardest)) hardest = k;
    std::vector<ContactVec> start;
    for (const int i : world.problem_contacts(hardest)) start.push_back(world.contacts()[at(i)].start);
    FclibOptions content;
    content.title = fmt::format("{} step {} island {}", plan_.dump_name, world.steps(), hardest);
    content.description = fmt::format("a step of repose bench pour that took {:.3g} ms", ms);
    content.guess = start;
    content.form = FclibForm::kGlobal;
    content.compress = true;
    fs::path file = plan_.dump / fmt::format("{}-{:06d}.hdf5", plan_.dump_name, world.steps());
    write_fclib(file, world.problem(hardest), content);
    return file;
  }

  const PourPlan& plan_;
  std::vector<std::pair<double, fs::path>> kept_;
};

double fastest_point(const World& world) {
  double speed = 0;
  for (int i = 0; i < static_cast<int>(world.states().size()); ++i) {
    const BodyModel& model = world.models()[at(i)];
    const BodyState& state = world.states()[at(i)];
    if (model.kind == BodyKind::kDynamic && world.present(i))
      speed = std::max(speed, norm(state.velocity) + model.size / 2 * norm(state.angular_velocity));
  }
  return speed;
}

PourStep record(const StepReport& report, double ms) {
  return {.ms = ms,
          .residual = report.certificate.worst(),
          .overlap = report.overlap_share,
          .rise = report.energy_rise,
          .contacts = report.contacts,
          .recovered = report.recoveries > 0,
          .status = report.status};
}

bool taken(StepStatus status) { return status != StepStatus::kBroken && status != StepStatus::kInterrupted; }

}  // namespace

double PourRun::cpu_seconds() const {
  double ms = cut_ms;
  for (const PourStep& step : steps) ms += step.ms;
  return 1e-3 * ms;
}

std::vector<double> thicknesses(const Scene& scene) {
  std::vector<double> all;
  for (const SceneBody& body : scene.bodies) all.push_back(make_model(body).thickness);
  return all;
}

PourRun pour_scene(const Scene& scene, const PourPlan& plan, const SuiteOptions& suite,
                   const std::function<void(int)>& progress) {
  const Stop stop(suite, plan.limit);
  WorldOptions options;
  options.solver.tolerance = plan.tolerance;
  options.interrupt = &stop.flag();
  World world(scene, options);
  PourRun run;
  run.bodies = static_cast<int>(std::count_if(world.models().begin(), world.models().end(),
                                              [](const BodyModel& m) { return m.kind == BodyKind::kDynamic; }));
  Slowest slowest(plan);
  int still = 0;
  double shown = -1;
  for (int k = 0; k < plan.settle + plan.steps; ++k) {
    if (const double now = thread_cpu_seconds(); shown < 0 || now - shown > kProgressTime) progress(k + 1), shown = now;
    if (k == plan.settle) run.energy = world.energy();
    const double begin = thread_cpu_seconds();
    const StepReport report = world.step();
    const double ms = 1e3 * (thread_cpu_seconds() - begin);
    if (!taken(report.status)) {
      run.cut_ms = ms;
      run.broken = report.why;
      return run;
    }
    if (k < plan.settle) continue;
    run.steps.push_back(record(report, ms));
    slowest.offer(world, ms);
    still = plan.to_rest && fastest_point(world) < kStillSpeed ? still + 1 : 0;
    if (still * scene.dt >= kStillTime) {
      run.rested = true;
      break;
    }
  }
  run.complete = true;
  return run;
}

}  // namespace repose::bench
