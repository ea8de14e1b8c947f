// SPDX-License-Identifier: Apache-2.0
// Small scenes of all shapes for the tests of batches.
#pragma once

#include <string>
#include <vector>

#include "repose/scene/scene.h"

namespace repose::test {

[[nodiscard]] std::vector<std::string> batch_scene_names();
/// The body with a prescribed motion of the scenes "conveyor", "lift" and "turntable".
inline constexpr int kBelt = 0;
[[nodiscard]] Scene batch_scene(const std::string& name);

}  // namespace repose::test
