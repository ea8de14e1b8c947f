// SPDX-License-Identifier: Apache-2.0
// Scenes from files of any supported format.
#pragma once

#include <string>
#include <vector>

#include "repose/scene/scene.h"

namespace repose {

struct LoadedScene {
  Scene scene;
  std::string format;                ///< native, rigid-ipc or mjcf
  std::vector<std::string> ignored;  ///< what the file contains that has no meaning here, each once
};

/// Loads and validates a scene; the ending and the content select the format: .xml is MJCF, .json is native or
/// Rigid-IPC. Throws InputError with one line: file, line or field, what was expected and what was found.
[[nodiscard]] LoadedScene load_scene(const std::string& path);

}  // namespace repose
