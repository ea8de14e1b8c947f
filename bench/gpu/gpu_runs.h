// SPDX-License-Identifier: Apache-2.0
// Batches on a device: bits against the host, and world-steps per second. Every body of every world may get a random
// velocity, a kick, in every step.
#pragma once

#include <string>
#include <vector>

#include "repose/batch/batch.h"

namespace repose::bench {

struct GpuScene {
  std::string name;
  Scene scene;
  bool large = false;          ///< timed with 65 536 worlds, too
  int contacts = 0;            ///< BatchOptions::contacts
  int settle = 20;             ///< steps before the measured ones
  int worlds = 4096;           ///< fewer where the host takes many steps
  int removal_period = 1;      ///< BatchOptions::removal_period
  bool quick_removal = false;  ///< BatchOptions::quick_removal
  bool robot = false;          ///< no kicks: controls that hold, or that move by a sine of a twentieth of their range
};
/// The gripper and the quadruped of public robots' files in `folder` (the MuJoCo Menagerie), as far as they are there.
[[nodiscard]] std::vector<GpuScene> gpu_robots(const std::string& folder);
/// The scenes that are timed: a cube, a stack of ten, a house of cards of four levels; then further ones, of them a
/// tray while its bodies fall and later, a box that is pushed, a house that falls.
[[nodiscard]] std::vector<GpuScene> gpu_scenes();

/// The four scenes of the paper's table of GPU times: titles, files for other engines, layouts with gaps.
struct PaperScene {
  std::string title, file;
  Scene scene;
};
[[nodiscard]] std::vector<PaperScene> paper_scenes();

/// A run of one world on a device from the scene's start.
struct PaperRun {
  double ms_per_step = 0, moved = 0;  ///< wall clock; the largest displacement of a mass centre, m
  BatchReport report;
};
[[nodiscard]] PaperRun run_paper_scene(const Scene& scene, int steps);

struct BitCheck {
  std::string scene;
  double kick = 0;  ///< m/s
  int worlds = 0, steps = 0;
  int unequal = 0;        ///< worlds whose bits differ from those of the host
  int unequal_twins = 0;  ///< pairs of equal worlds with other bits
  std::int64_t finished = 0;
};
/// Advances the same worlds on both; every world has a twin.
[[nodiscard]] BitCheck check_bits(const GpuScene& scene, double kick, int worlds, int steps);

/// The same, with forces, gravity and states written between steps, worlds reset and the device's memory shared.
[[nodiscard]] BitCheck check_arrays(const GpuScene& scene, int worlds);

/// The first step after which a world on the device has other bits than on the host, with what differs.
struct Difference {
  int step = -1, world = -1;  ///< −1: none
  std::string what;
};
[[nodiscard]] Difference first_difference(const GpuScene& scene, double kick, int worlds, int steps);

struct GpuRate {
  std::string scene;
  double kick = 0;  ///< m/s; of a robot 1: the controls move
  int worlds = 0, steps = 0, threads = 0;
  int state_bytes = 0, work_bytes = 0;
  double seconds = 0, device_seconds = 0;  ///< of the whole call, of the kernels
  BatchReport report;
  [[nodiscard]] double rate() const { return static_cast<double>(report.steps) / seconds; }
};
[[nodiscard]] GpuRate measure_rate(const GpuScene& scene, double kick, int worlds, int steps, int host_threads,
                                   BatchDevice device = BatchDevice::kCuda);

}  // namespace repose::bench
