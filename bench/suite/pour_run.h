// SPDX-License-Identifier: Apache-2.0
// One scene in motion, step by step: what each step took, how well it was solved, how deep bodies overlap, and what
// energy came in.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/suite/context.h"
#include "repose/world/world.h"

namespace repose::bench {

struct PourPlan {
  int settle = 0, steps = 0;     ///< before the clock counts; while it does, at most
  bool to_rest = false;          ///< ends once no body has moved for half a second
  double tolerance = 1e-8;       ///< that every step is solved to
  double limit = 0;              ///< CPU seconds after which the run is cut; 0: never
  std::filesystem::path dump{};  ///< folder for the problems of the slowest steps; empty: none
  int dump_count = 0;            ///< how many
  std::string dump_name{};       ///< how their files begin
};

struct PourStep {
  double ms = 0;        ///< CPU time of World::step()
  double residual = 0;  ///< larger one of r_c and nat
  double overlap = 0;   ///< deepest overlap at its start as a share of the thinner body's thickness
  double rise = 0;      ///< energy that forces and prescribed motions do not explain, J
  int contacts = 0;
  bool recovered = false;  ///< some overlap was removed, which lifts bodies
  StepStatus status = StepStatus::kSolved;
};

struct PourRun {
  std::vector<PourStep> steps;
  int bodies = 0;         ///< dynamic ones
  bool complete = false;  ///< every planned step was taken, or the bodies came to rest
  bool rested = false;
  double cut_ms = 0;   ///< CPU time of the step that the limit cut; 0: none
  double energy = 0;   ///< kinetic and potential at the start of the first counted step, J
  std::string broken;  ///< what broke, where numbers did
  [[nodiscard]] double cpu_seconds() const;
};

/// Steps `scene`; `progress` is called now and then with the number of the step.
[[nodiscard]] PourRun pour_scene(const Scene& scene, const PourPlan& plan, const SuiteOptions& suite,
                                 const std::function<void(int)>& progress);

/// Smallest width of each body of the scene, m; 0 for half-spaces.
[[nodiscard]] std::vector<double> thicknesses(const Scene& scene);

}  // namespace repose::bench
