// SPDX-License-Identifier: Apache-2.0
// Built-in scenes on the real world: collision, islands, warm starts and all.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "repose/record/summary.h"
#include "repose/world/world.h"
#include "scenes/registry.h"

namespace repose::testing {

inline constexpr double kFrame = 1.0 / 60;

/// Steps a world and keeps what the gates of every scene ask for.
class SceneRun {
 public:
  explicit SceneRun(const Scene& scene, const WorldOptions& options = {}) : world(scene, options), summary_(world) {}
  SceneRun(const std::string& name, const ParameterValues& values, const WorldOptions& options = {})
      : SceneRun(scenes::make(name, values), options) {}

  StepReport step() {
    const StepReport report = world.step();
    if (report.status == StepStatus::kBroken) ADD_FAILURE() << "broke down: " << report.why;
    summary_.add(world, report);
    unsolved += report.status != StepStatus::kSolved;
    worst = std::max(worst, report.certificate.worst());
    most_iterations = std::max(most_iterations, report.outer_iterations);
    for (const Contact& c : world.contacts()) {
      highest_gap = std::max(highest_gap, c.gap);
      const double outside = std::hypot(c.lambda.t1, c.lambda.t2) - c.mu * c.lambda.n;
      outside_cone = std::max(outside_cone, outside / std::max(std::abs(c.lambda.n), 1e-300));
    }
    return report;
  }
  void steps(int count) {
    for (int k = 0; k < count; ++k) step();
  }
  void seconds(double time) { steps(static_cast<int>(std::lround(time / world.scene().dt))); }

  /// The gates of every scene: solved, impulses in the cone.
  void expect_certified() const {
    EXPECT_EQ(unsolved, 0) << "worst " << worst;
    EXPECT_LE(outside_cone, 1e-12);
  }
  [[nodiscard]] Summary summary() const { return summary_.finish(world); }
  [[nodiscard]] int body(const std::string& name) const {
    for (std::size_t b = 0; b < world.scene().bodies.size(); ++b)
      if (world.scene().bodies[b].name == name) return static_cast<int>(b);
    ADD_FAILURE() << "no body '" << name << "'";
    return 0;
  }
  /// The only dynamic body of a small scene, or the last one.
  [[nodiscard]] int last_dynamic() const {
    int found = 0;
    for (std::size_t b = 0; b < world.models().size(); ++b)
      if (world.models()[b].kind == BodyKind::kDynamic) found = static_cast<int>(b);
    return found;
  }
  [[nodiscard]] const BodyState& state(int b) const { return world.states()[static_cast<std::size_t>(b)]; }

  World world;
  int unsolved = 0, most_iterations = 0;
  double worst = 0, highest_gap = 0, outside_cone = 0;

 private:
  RunSummary summary_;
};

/// The control: the same code without the coupling.
inline WorldOptions relaxed_world() {
  WorldOptions options;
  options.solver = options_from_names("relaxed", "auto");
  return options;
}

inline double weight(const World& world) {
  double mass = 0;
  for (std::size_t b = 0; b < world.models().size(); ++b)
    if (world.present(static_cast<int>(b))) mass += world.models()[b].mass;
  return mass * norm(world.scene().gravity);
}

inline double largest_displacement(const Summary& summary) {
  double most = 0;
  for (const BodyOutcome& body : summary.final) most = std::max(most, body.max_displacement);
  return most;
}
inline double last_second_speed(const Summary& summary) {
  double most = 0;
  for (const BodyOutcome& body : summary.final) most = std::max(most, body.last_second_speed);
  return most;
}

}  // namespace repose::testing
