// SPDX-License-Identifier: Apache-2.0
// The runs whose final bits are frozen: short, and between them every part of a step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "repose/scene/scene.h"

namespace repose::frozen {

struct FrozenScene {
  std::string name;
  std::function<Scene()> make;
  int steps = 0;
  int threads = 1;
};

[[nodiscard]] const std::vector<FrozenScene>& frozen_scenes();

/// 16 hexadecimal digits: World::state_hash() after the last step, as `repose run` prints it.
[[nodiscard]] std::string final_hash(const FrozenScene& run);

}  // namespace repose::frozen
