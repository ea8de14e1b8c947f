// SPDX-License-Identifier: Apache-2.0
// From what a user typed to a scene.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repose/scene/scene.h"

namespace repose::cli {

struct FoundScene {
  Scene scene;
  std::vector<std::string> ignored{};     ///< what a file says that has no meaning here
  std::vector<std::string> simplified{};  ///< what is simulated in a simpler form than the file says
};

/// `what`: the name of a built-in scene, or a file. `values`: key=value. Throws UsageError for a value without '=',
/// InputError for everything that is wrong with the scene.
[[nodiscard]] FoundScene find_scene(const std::string& what, const std::vector<std::string>& values,
                                    std::optional<long long> seed);

}  // namespace repose::cli
