// SPDX-License-Identifier: Apache-2.0
// Reads a recording: finished, still growing, or left by a program that was killed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "repose/world/body.h"
#include "repose/world/contact.h"
#include "repose/world/world.h"

namespace repose {

/// State k of a recording: k steps after its start.
struct RecordedState {
  double time = 0;  ///< s
  std::vector<BodyState> bodies;
  std::vector<Vec3> positions;  ///< of the bodies' frames, m
  std::vector<char> present;
};

/// Step k: from state k to state k + 1.
struct RecordedStep {
  StepReport report;
  std::vector<Contact> contacts;
  std::vector<Vec3> free_velocity, free_spin;  ///< by body, m/s and rad/s
};

class Recording {
 public:
  /// Throws InputError that names the file and the fault.
  explicit Recording(const std::filesystem::path& file);
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;

  [[nodiscard]] int steps() const;  ///< number of complete steps; see refresh()
  void refresh();                   ///< includes what was written since
  [[nodiscard]] const std::string& scene_name() const;
  [[nodiscard]] const std::string& scene_json() const;  ///< empty when not stored
  [[nodiscard]] const std::string& settings_json() const;
  [[nodiscard]] double dt() const;
  [[nodiscard]] double tolerance() const;
  [[nodiscard]] double accept() const;  ///< residual up to which steps count as accepted; 0: none does
  [[nodiscard]] const std::vector<std::string>& names() const;
  /// Returns kind, mass, inertia and centre; sizes are not stored.
  [[nodiscard]] const std::vector<BodyModel>& models() const;

  [[nodiscard]] RecordedState state(int k) const;
  [[nodiscard]] RecordedStep step(int k) const;

  // Many at once: one read per table.
  [[nodiscard]] std::vector<double> times() const;  ///< of all states, s
  [[nodiscard]] std::vector<RecordedState> states(int first, int count) const;
  [[nodiscard]] std::vector<StepReport> reports(int first, int count) const;
  [[nodiscard]] std::vector<std::vector<Contact>> contacts(int first, int count) const;  ///< by step

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
