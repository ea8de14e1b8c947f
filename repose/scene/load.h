// SPDX-License-Identifier: Apache-2.0
// Scenes from files of any supported format.
#pragma once

#include <string>
#include <vector>

#include "repose/scene/scene.h"

namespace repose {

/// A state that a file names, to start from: of its bodies' frames and its actuators.
struct SceneKey {
  std::string name{};
  std::vector<Pose> poses{};                         ///< by body
  std::vector<Vec3> velocity{}, angular_velocity{};  ///< by body, of the mass centre, world axes, m/s and rad/s
  std::vector<double> controls{};                    ///< by actuator
};

struct LoadedScene {
  Scene scene;
  std::string format;                     ///< native, rigid-ipc or mjcf
  std::vector<std::string> ignored{};     ///< what the file contains that has no meaning here, each once
  std::vector<std::string> simplified{};  ///< what is simulated in a simpler form than the file says, and how
  std::vector<SceneKey> keys{};           ///< the first is the scene's start
};

/// Loads and validates a scene; the ending and the content select the format: .xml is MJCF, .json is native or
/// Rigid-IPC. Throws InputError with one line: file, line or field, what was expected and what was found.
[[nodiscard]] LoadedScene load_scene(const std::string& path);

}  // namespace repose
