// SPDX-License-Identifier: Apache-2.0
// Writes a run to an HDF5 file while it goes on: states, contacts, certificates, and what is needed to check them.
//
// The file is in SWMR mode from the first step on: other programs can read it while it grows, and after the writer was
// killed. Rows wait in memory and go out every few steps or fractions of a second. Layout: docs/recording.md.
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
  std::string scene_json{};     ///< the scene in its own format; empty: not kept
  std::string settings_json{};  ///< how the run was made
  /// Compresses also what hardly repeats (positions, impulses, velocities): smaller, and the writing takes several
  /// times as long. docs/recording.md has numbers.
  bool compact = false;
  int flush_steps = 64;        ///< steps that may wait, ≥ 1
  double flush_seconds = 0.5;  ///< seconds that a step may wait
};

class Recorder {
 public:
  /// Makes the file and writes the state at the start. Throws InputError, naming the file, when it cannot be written.
  Recorder(const std::filesystem::path& file, const World& world, const RecordOptions& options = {});
  ~Recorder();  ///< closes
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;

  /// The step that `world` has just taken. Throws InputError when the disk refuses.
  void add(const World& world, const StepReport& report);
  void flush();
  /// Everything written, the file readable by any HDF5 program. Later calls do nothing.
  void close();

  /// A run that another program made, as a recording: states 0 … T, steps 0 … T−1, complete or not at all. Throws
  /// InputError when the numbers of bodies or rows do not fit the scene.
  static void write(const std::filesystem::path& file, const Scene& scene, const std::vector<RecordedState>& states,
                    const std::vector<RecordedStep>& steps, double tolerance, const RecordOptions& options = {});

 private:
  struct Impl;
  Recorder(const std::filesystem::path& file, const Scene& scene, std::span<const BodyModel> models, double tolerance,
           const RecordOptions& options);
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
