// SPDX-License-Identifier: Apache-2.0
// Scenes from files of any supported format.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "repose/base/parameters.h"
#include "repose/scene/scene.h"

namespace repose {

/// A state that a file names, to start from: of its bodies' frames and its actuators.
struct SceneKey {
  std::string name{};
  std::vector<Pose> poses{};                         ///< by body
  std::vector<Vec3> velocity{}, angular_velocity{};  ///< by body, of the mass centre, world axes, m/s and rad/s
  std::vector<double> controls{};                    ///< by actuator
  std::vector<double> activations{};                 ///< the same; 0 for those without
};

struct LoadedScene {
  Scene scene;
  std::string format;                     ///< native, rigid-ipc, mjcf or urdf
  std::vector<std::string> ignored{};     ///< what the file contains that has no meaning here, each once
  std::vector<std::string> simplified{};  ///< what is simulated in a simpler form than the file says, and how
  std::vector<SceneKey> keys{};           ///< the first is the scene's start
};

/// What a file leaves open.
struct LoadOptions {
  // URDF
  bool free_base = false;      ///< the root link moves freely; otherwise it is fixed to the world
  bool self_collision = true;  ///< whether the robot's links collide with each other; neighbours never do
  std::string package_path{};  ///< folders with packages, ':' between them, searched first for package://

  // Every format with mesh files
  /// Returns the corners of convex parts of a mesh file, in its units. Absent: one hull a mesh.
  std::function<std::vector<std::vector<Vec3>>(const std::string& file)> decompose{};
};

/// Options as text: base (fixed or free), self_collision (true or false) and package_path, of URDF files. Throws
/// InputError for others.
[[nodiscard]] LoadOptions load_options(const std::string& path, const ParameterValues& values);

/// Whether the ending of a path is that of a scene file: .xml, .urdf or .json.
[[nodiscard]] bool is_scene_file(const std::string& path);

/// Loads and validates a scene; the ending and the content select the format: .xml is MJCF, .urdf is URDF, .json is
/// native or Rigid-IPC. Throws InputError with one line: file, line or field, what was expected and what was found.
[[nodiscard]] LoadedScene load_scene(const std::string& path, const LoadOptions& options = {});

}  // namespace repose
