// SPDX-License-Identifier: Apache-2.0
// What the sensors of a recorded scene read at the end of every step. A recording of a scene without sensors has none
// of these tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "repose/record/reader_internal.h"
#include "repose/record/value_table_internal.h"
#include "repose/scene/scene.h"

namespace repose::record {

class SensorWriter {
 public:
  SensorWriter(hid_t file, const Scene& scene, Packing rest);

  /// Writes names and sizes, and continues the checksum of the description with them. False when a write failed.
  bool describe(hid_t file, const Scene& scene, std::uint32_t& sum);
  /// Fewer numbers than there are sensors, from a program that has none, are filled up with NaN.
  void add_step(std::span<const double> numbers);
  /// Returns tables before those that refer to them.
  [[nodiscard]] std::vector<Table*> tables();

 private:
  std::size_t numbers_;
  DoubleTable value_;
  ValueTable<std::uint32_t> checksum_;
};

/// What a recording says of its sensors before the first step.
struct SensorHead {
  std::vector<std::string> names;
  std::vector<int> sizes;
  std::size_t numbers = 0;     ///< of all
  std::uint32_t checksum = 0;  ///< of the description up to here
};
/// `checksum`: of the description before the sensors.
[[nodiscard]] SensorHead read_sensors(const Reader& in, std::uint32_t checksum);
/// Returns the number of steps that are complete in these tables, at most `steps`.
[[nodiscard]] std::int64_t complete_sensor_steps(const Reader& in, std::int64_t steps);
[[nodiscard]] std::vector<std::vector<double>> read_sensor_steps(const Reader& in, const SensorHead& head, int first,
                                                                 int count);

}  // namespace repose::record
