// SPDX-License-Identifier: Apache-2.0
// Reads a recording: finished, still growing, or left by a program that was killed.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "repose/world/body.h"
#include "repose/world/contact.h"
#include "repose/world/joint.h"
#include "repose/world/joint_block.h"
#include "repose/world/world.h"

namespace repose {

/// State k of a recording: k steps after its start.
struct RecordedState {
  double time = 0;  ///< s
  std::vector<BodyState> bodies;
  std::vector<Vec3> positions;  ///< of the bodies' frames, m
  std::vector<char> present;
  std::vector<JointValues> joint_positions{};  ///< by joint; angles count whole turns from state 0, rad or m
};

/// Step k: from state k to state k + 1.
struct RecordedStep {
  StepReport report;
  std::vector<Contact> contacts;
  std::vector<Vec3> free_velocity, free_spin;  ///< by body, m/s and rad/s
  std::vector<BodyTerm> terms{};  ///< loads, displacements and changes from outside; recordings of old have none
  std::vector<JointBlock> joint_blocks{};
  std::vector<double> controls{};     ///< by actuator
  std::vector<double> inputs{};       ///< the same: controls within their range, or activations
  std::vector<OverlapPush> pushes{};  ///< what removed overlap at its end; recordings of old have none
  std::vector<double> sensors{};      ///< of all sensors at its end, one after the other
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
  [[nodiscard]] Vec3 gravity() const;
  [[nodiscard]] bool has_terms() const;   ///< whether steps have their loads and displacements; those of old have none
  [[nodiscard]] bool has_pushes() const;  ///< whether steps have what removed overlap; those of old have not
  [[nodiscard]] double tolerance() const;
  [[nodiscard]] double accept() const;  ///< residual up to which steps count as accepted; 0: none does
  [[nodiscard]] const std::vector<std::string>& names() const;
  /// Returns kind, mass, inertia and centre; sizes are not stored.
  [[nodiscard]] const std::vector<BodyModel>& models() const;
  [[nodiscard]] const std::vector<std::string>& joint_names() const;
  [[nodiscard]] const std::vector<std::string>& actuator_names() const;
  [[nodiscard]] const std::vector<std::string>& sensor_names() const;  ///< empty in recordings of earlier versions
  [[nodiscard]] const std::vector<int>& sensor_sizes() const;          ///< numbers of each sensor
  /// Returns kinds, bodies and frames; what acts along the coordinates is not stored here.
  [[nodiscard]] const std::vector<JointModel>& joints() const;

  [[nodiscard]] RecordedState state(int k) const;
  [[nodiscard]] RecordedStep step(int k) const;

  // Many at once: one read per table.
  [[nodiscard]] std::vector<double> times() const;  ///< of all states, s
  [[nodiscard]] std::vector<RecordedState> states(int first, int count) const;
  [[nodiscard]] std::vector<StepReport> reports(int first, int count) const;
  [[nodiscard]] std::vector<std::vector<Contact>> contacts(int first, int count) const;         ///< by step
  [[nodiscard]] std::vector<std::vector<JointBlock>> joint_blocks(int first, int count) const;  ///< by step
  [[nodiscard]] std::vector<std::vector<double>> sensors(int first, int count) const;           ///< by step

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace repose
