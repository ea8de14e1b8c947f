// SPDX-License-Identifier: Apache-2.0
// What a recording knows of single bodies in a step: loads, displacements, states changed from outside; and how overlap
// was removed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "repose/record/reader_internal.h"
#include "repose/record/value_table_internal.h"
#include "repose/world/world.h"

namespace repose::record {

class TermWriter {
 public:
  TermWriter(hid_t file, Packing rest);

  void add_step(const StepReport& report, std::span<const BodyTerm> terms);
  /// Returns tables before those that refer to them.
  [[nodiscard]] std::vector<Table*> tables();

 private:
  ValueTable<int> key_;
  DoubleTable values_;
  ValueTable<int> recovery_;
  ValueTable<std::int64_t> first_;
  ValueTable<int> count_;
  ValueTable<std::uint32_t> checksum_;
  std::int64_t written_ = 0;
};

/// Returns the number of steps that are complete in these tables, at most `steps`.
[[nodiscard]] std::int64_t complete_term_steps(const Reader& in, std::int64_t steps);

struct TermStep {
  std::vector<BodyTerm> terms;
  int recoveries = 0, recoveries_unsolved = 0, pairs_missed = 0;
};
[[nodiscard]] TermStep read_terms(const Reader& in, std::size_t bodies, int step);

}  // namespace repose::record
