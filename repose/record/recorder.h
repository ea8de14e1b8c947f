// SPDX-License-Identifier: Apache-2.0
// Writes a run to an HDF5 file while it is running: states, contacts, certificates, and the data to check them.
//
// The file is in SWMR mode from the first step: other programs can read it while it grows, and after the writer was
// killed. Rows are buffered and written every few steps or fractions of a second. Layout: docs/recording.md.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "repose/record/recording.h"
#include "repose/world/world.h"

namespace repose {

struct RecordOptions {
  std::string scene_json{};     ///< the scene in its own format; empty: not stored
  std::string settings_json{};  ///< the settings of the run
  /// Compresses also numbers that hardly repeat (positions, impulses, velocities): smaller files, several times the
  /// writing time. docs/recording.md has numbers.
  bool compact = false;
  int flush_steps = 64;        ///< limit on the buffered steps, ≥ 1
  double flush_seconds = 0.5;  ///< limit on the time that a step is buffered, s
};

class Recorder {
 public:
  /// Creates the file and writes the initial state. Throws InputError, naming the file, when it cannot be written.
  Recorder(const std::filesystem::path& file, const World& world, const RecordOptions& options = {});
  ~Recorder();  ///< closes
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;

  /// Adds the step that `world` has just taken. Throws InputError when a write fails: the recording then ends with the
  /// step that the message names, and every later call throws the same.
  void add(const World& world, const StepReport& report);
  void flush();
  /// Writes everything and makes the file readable by any HDF5 program. Later calls do nothing.
  void close();

  /// Writes a run of another program as a recording: states 0 … T, steps 0 … T−1, complete or not at all. Throws
  /// InputError when the numbers of bodies or rows do not match the scene.
  static void write(const std::filesystem::path& file, const Scene& scene, const std::vector<RecordedState>& states,
                    const std::vector<RecordedStep>& steps, double tolerance, const RecordOptions& options = {});

 private:
  struct Impl;
  struct Limits {
    double tolerance = 0, accept = 0;  ///< residuals below which steps count as solved and as accepted
  };
  Recorder(const std::filesystem::path& file, const Scene& scene, std::span<const BodyModel> models,
           const Limits& limits, const RecordOptions& options);
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
