// SPDX-License-Identifier: Apache-2.0
// What a recording knows of the removal of overlap: the contacts that pushed, and the residual of their problems.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "repose/record/reader_internal.h"
#include "repose/record/value_table_internal.h"
#include "repose/world/world.h"

namespace repose::record {

class PushWriter {
 public:
  PushWriter(hid_t file, Packing rest);

  void add_step(double residual, std::span<const OverlapPush> pushes);
  /// Returns tables before those that refer to them.
  [[nodiscard]] std::vector<Table*> tables();

 private:
  ValueTable<int> key_;
  DoubleTable values_, residual_;
  ValueTable<std::int64_t> first_;
  ValueTable<int> count_;
  ValueTable<std::uint32_t> checksum_;
  std::int64_t written_ = 0;
};

/// Whether the recording has these tables; those of earlier versions have none.
[[nodiscard]] bool has_pushes(const Reader& in);
/// Returns the number of steps that are complete in these tables, at most `steps`.
[[nodiscard]] std::int64_t complete_push_steps(const Reader& in, std::int64_t steps);

[[nodiscard]] std::vector<OverlapPush> read_pushes(const Reader& in, std::size_t bodies, int step);

}  // namespace repose::record
