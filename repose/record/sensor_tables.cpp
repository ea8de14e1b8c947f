// SPDX-License-Identifier: Apache-2.0
#include "repose/record/sensor_tables_internal.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "repose/record/layout_internal.h"

namespace repose::record {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

std::size_t numbers_of(const Scene& scene) {
  std::size_t numbers = 0;
  for (const SceneSensor& sensor : scene.sensors) numbers += sensor_size(sensor.kind);
  return numbers;
}

}  // namespace

SensorWriter::SensorWriter(hid_t file, const Scene& scene, Packing rest)
    : numbers_(numbers_of(scene)), value_(file, kSensor, {numbers_}, rest), checksum_(file, kSensorChecksum) {}

bool SensorWriter::describe(hid_t file, const Scene& scene, std::uint32_t& sum) {
  std::string names;
  ValueTable<int> size(file, kSensorSize);
  for (const SceneSensor& sensor : scene.sensors) {
    names += sensor.name + '\n';
    size.put(static_cast<int>(sensor_size(sensor.kind)));
  }
  write_text(file, kSensorNames, names);
  sum = size.checksum_new(checksum(sum, names));
  return size.flush();
}

void SensorWriter::add_step(std::span<const double> numbers) {
  for (std::size_t k = 0; k < numbers_; ++k)
    value_.put(k < numbers.size() ? numbers[k] : std::numeric_limits<double>::quiet_NaN());
  checksum_.put(checksum_of({&value_}));
}

std::vector<Table*> SensorWriter::tables() { return {&value_, &checksum_}; }

SensorHead read_sensors(const Reader& in, std::uint32_t sum) {
  SensorHead head;
  const std::string names = in.text(kSensorNames);
  std::istringstream lines(names);
  for (std::string line; std::getline(lines, line);) head.names.push_back(line);
  head.sizes = in.rows<int>(kSensorSize, 0, static_cast<std::int64_t>(head.names.size()), 1);
  for (const int size : head.sizes) {
    require(size >= 1 && size <= 4, in.path, ": ", kSensorSize, ": expected 1 to 4, got ", size);
    head.numbers += at(size);
  }
  head.checksum = checksum(checksum(sum, names), head.sizes);
  return head;
}

std::int64_t complete_sensor_steps(const Reader& in, std::int64_t steps) {
  steps = std::min({steps, in.count(kSensor), in.count(kSensorChecksum)});
  const auto sums = in.rows<std::uint32_t>(kSensorChecksum, 0, steps, 1);
  while (steps > 0 && sums[static_cast<std::size_t>(steps) - 1] == 0) --steps;
  return steps;
}

std::vector<std::vector<double>> read_sensor_steps(const Reader& in, const SensorHead& head, int first, int count) {
  const auto numbers = in.rows<double>(kSensor, first, count, head.numbers);
  std::vector<std::uint32_t> sums(at(count));
  add_rows(sums, numbers, head.numbers);
  in.check_rows(kSensorChecksum, 0, 1, "sensors of step", first, sums);
  std::vector<std::vector<double>> list(at(count));
  auto row = numbers.begin();
  for (std::vector<double>& step : list) {
    step.assign(row, row + static_cast<std::ptrdiff_t>(head.numbers));
    row += static_cast<std::ptrdiff_t>(head.numbers);
  }
  return list;
}

}  // namespace repose::record
