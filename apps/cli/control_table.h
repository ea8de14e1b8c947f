// SPDX-License-Identifier: Apache-2.0
// Controls of actuators from a file of comma-separated values: a first line `time,<actuator>,…`, then lines of numbers
// by ascending time, s. A line counts from the first step that starts at its time or after it until the next line's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "repose/world/world.h"

namespace repose::cli {

class ControlTable {
 public:
  /// Throws InputError "file:line: expected …, got …".
  ControlTable(const std::string& file, const Scene& scene);

  /// Sets the controls of the step that starts now. Actuators that the table does not name keep theirs.
  void apply(World& world);

 private:
  void read_head(const std::string& line, const Scene& scene);
  void read_row(const std::string& line, long number);

  std::string file_;
  std::vector<int> actuators_;
  std::vector<double> times_, values_;  ///< values: a row of all actuators after the other
  std::size_t next_ = 0;                ///< row that comes into effect next
};

}  // namespace repose::cli
