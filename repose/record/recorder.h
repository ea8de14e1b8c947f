// SPDX-License-Identifier: Apache-2.0
// Writes a run to an HDF5 file while it goes on: states, contacts, certificates, and what is needed to check them.
//
// The file is in SWMR mode from the first step on: other programs can read it while it grows, and after the writer was
// killed. Rows wait in memory and go out every few steps or fractions of a second. Layout: docs/recording.md.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

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

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
