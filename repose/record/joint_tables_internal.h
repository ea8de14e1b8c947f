// SPDX-License-Identifier: Apache-2.0
// The joints of a recording: their models, their positions in every state, the controls and blocks of every step. A
// recording of a scene without joints has none of these tables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "repose/record/reader_internal.h"
#include "repose/record/value_table_internal.h"
#include "repose/world/body.h"
#include "repose/world/joint.h"
#include "repose/world/joint_block.h"

namespace repose::record {

/// The rows of blocks against bodies beside the first two: block by block, in the order of JointModel::others.
struct OtherTables {
  explicit OtherTables(hid_t file, Packing rest, std::size_t rows_per_flush);
  void add_step(std::span<const JointBlock> blocks);

  DoubleTable rows;
  ValueTable<std::int64_t> first;
  ValueTable<int> count;
  ValueTable<std::uint32_t> checksum;
  std::int64_t written = 0;
};

/// The inputs of actuators in every step, where they are not the controls.
struct InputTables {
  InputTables(hid_t file, std::size_t actuators, Packing rest);

  DoubleTable value;
  ValueTable<std::uint32_t> checksum;
};

class JointWriter {
 public:
  JointWriter(hid_t file, const Scene& scene, std::span<const BodyModel> models, Packing rest);

  /// Writes the models and continues the checksum of the description. False when a write fails.
  [[nodiscard]] bool describe(hid_t file, const Scene& scene, std::uint32_t& sum);
  /// Adds the coordinates of all joints; angles count whole turns from the first state on.
  void add_state(std::span<const BodyState> bodies);
  void add_step(std::span<const JointBlock> blocks, std::span<const double> controls, std::span<const double> inputs);
  /// Returns tables before those that refer to them.
  [[nodiscard]] std::vector<Table*> tables();

 private:
  std::vector<JointModel> joints_;
  std::vector<JointValues> positions_;  ///< in the last state
  std::size_t controls_;
  DoubleTable position_;
  ValueTable<std::uint32_t> position_checksum_;
  ValueTable<int> key_, body_;
  DoubleTable rows_, bounds_, compliance_, bias_, start_, impulse_, control_;
  ValueTable<std::int64_t> first_block_;
  ValueTable<int> blocks_;
  ValueTable<std::uint32_t> checksum_;
  std::optional<OtherTables> others_;  ///< with couplings over more than two bodies
  std::optional<InputTables> inputs_;  ///< with activations
  std::int64_t written_ = 0;
};

/// What a recording says of its joints before the first step.
struct JointHead {
  std::vector<std::string> names, actuators;
  std::vector<JointModel> models;  ///< without what acts along their coordinates
  std::uint32_t checksum = 0;      ///< of the description up to here
};
/// `checksum`: of the description before the joints.
[[nodiscard]] JointHead read_joints(const Reader& in, std::size_t bodies, std::uint32_t checksum);
/// Returns the number of steps that are complete in the tables of joints, at most `steps`.
[[nodiscard]] std::int64_t complete_joint_steps(const Reader& in, std::size_t controls, std::int64_t steps);

struct JointStep {
  std::vector<JointBlock> blocks;
  std::vector<double> controls, inputs;
};
[[nodiscard]] std::vector<JointStep> read_joint_steps(const Reader& in, const JointHead& head, int first, int count);
/// Returns the coordinates of all joints in states first .. first + count.
[[nodiscard]] std::vector<std::vector<JointValues>> read_joint_positions(const Reader& in, const JointHead& head,
                                                                         int first, int count);

}  // namespace repose::record
