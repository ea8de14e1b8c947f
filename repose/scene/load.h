// SPDX-License-Identifier: Apache-2.0
// Scenes from files of any format we know.
#pragma once

#include <string>
#include <vector>

#include "repose/scene/scene.h"

namespace repose {

struct LoadedScene {
  Scene scene;
  std::string format;                ///< native, rigid-ipc or mjcf
  std::vector<std::string> ignored;  ///< what the file says that has no meaning here, each once
};

/// By ending and content: .xml is MJCF; .json is a native scene or a Rigid-IPC one. Validated. Throws InputError with
/// one line: file, field or line, what was found, what is allowed.
[[nodiscard]] LoadedScene load_scene(const std::string& path);

}  // namespace repose
