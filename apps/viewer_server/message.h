// SPDX-License-Identifier: Apache-2.0
// What a page may ask of a live run, read from JSON that nobody vouches for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "repose/math/vec3.h"

namespace repose::view {

struct RunOn {};
struct Pause {};
struct StepOnce {};
struct Reset {};
struct SetSpeed {
  double value = 1;  ///< simulated seconds per second, 0.01 … 1000
};
struct SetSolver {
  bool exact = true;
};
struct SetScene {
  std::string name;
  std::map<std::string, std::string> values;
};
struct SetControl {
  int actuator = 0;
  double value = 0;
};
struct Pull {
  int body = 0;
  Vec3 at;  ///< where it is held, in the body's frame, m
  Vec3 to;  ///< where it is pulled to, m
};
struct Release {};
struct Throw {
  Vec3 from, towards;  ///< m; direction of any length but 0
};
using Message =
    std::variant<RunOn, Pause, StepOnce, Reset, SetSpeed, SetSolver, SetScene, SetControl, Pull, Release, Throw>;

/// Throws InputError with one line for everything that is not exactly one of these.
[[nodiscard]] Message parse_message(std::string_view text);

}  // namespace repose::view
