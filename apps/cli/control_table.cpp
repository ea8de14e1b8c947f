// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/control_table.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "repose/base/error.h"
#include "repose/base/input_file.h"
#include "repose/base/parameters.h"

namespace repose::cli {
namespace {

/// Share of a step by which a line's time may be rounded.
constexpr double kEarly = 1e-6;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\""), last = text.find_last_not_of(" \t\r\"");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(trimmed(field));
  return fields;
}

int find_actuator(const Scene& scene, const std::string& name) {
  const auto found =
      std::ranges::find_if(scene.actuators, [&](const SceneActuator& actuator) { return actuator.name == name; });
  return found == scene.actuators.end() ? -1 : static_cast<int>(found - scene.actuators.begin());
}

}  // namespace

ControlTable::ControlTable(const std::string& file, const Scene& scene) : file_(file) {
  files::require_regular_file(file, "a file of comma-separated values");
  std::ifstream in(file);
  require(in.good(), file, ": expected a file of comma-separated values, got one that cannot be read");
  long number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (trimmed(line).empty()) continue;
    if (actuators_.empty())
      read_head(line, scene);
    else
      read_row(line, number);
  }
  require(!times_.empty(), file, ": expected a line `time,<actuator>,...` and lines of numbers, got ",
          actuators_.empty() ? "none" : "no numbers");
}

void ControlTable::read_head(const std::string& line, const Scene& scene) {
  const std::vector<std::string> names = fields_of(line);
  require(names.size() > 1 && names[0] == "time", file_, ":1: expected `time,<actuator>,...`, got '", trimmed(line),
          "'");
  for (std::size_t k = 1; k < names.size(); ++k) {
    std::vector<std::string> known;
    for (const SceneActuator& actuator : scene.actuators) known.push_back(actuator.name);
    actuators_.push_back(find_actuator(scene, names[k]));
    require(actuators_.back() >= 0, file_, ":1: expected actuators of the scene, ",
            known.empty() ? "which has none" : joined(known), ", got '", names[k], "'");
    require(std::count(actuators_.begin(), actuators_.end(), actuators_.back()) == 1, file_,
            ":1: expected each actuator once, got '", names[k], "' again");
  }
}

void ControlTable::read_row(const std::string& line, long number) {
  const std::vector<std::string> fields = fields_of(line);
  require(fields.size() == actuators_.size() + 1, file_, ":", number, ": expected ", actuators_.size() + 1,
          " numbers as in the first line, got ", fields.size());
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const auto x = parse_number(fields[k]);
    require(x.has_value(), file_, ":", number, ": expected finite numbers, got '", fields[k], "'");
    (k == 0 ? times_ : values_).push_back(*x);
  }
  const std::size_t n = times_.size();
  require(n < 2 || times_[n - 1] > times_[n - 2], file_, ":", number, ": expected a time after ",
          n < 2 ? 0.0 : times_[n - 2], " s, got ", times_[n - 1], " s");
}

void ControlTable::apply(World& world) {
  const double now = world.time() + kEarly * world.scene().dt;
  std::size_t row = next_;
  while (row < times_.size() && times_[row] <= now) ++row;
  if (row == next_) return;
  next_ = row;
  for (std::size_t k = 0; k < actuators_.size(); ++k)
    world.set_control(actuators_[k], values_[(row - 1) * actuators_.size() + k]);
}

}  // namespace repose::cli
