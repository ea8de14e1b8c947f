// SPDX-License-Identifier: Apache-2.0
// URDF, the robot format of ROS: links and joints as a tree. docs/scenes/urdf.md has the subset.
#pragma once

#include <string>

#include "repose/scene/load.h"

namespace repose {

/// Reads and validates. What has no meaning here is listed in LoadedScene::ignored; what is unknown or not supported
/// throws InputError "<file>:<line>: <element> attribute: expected …, got …".
[[nodiscard]] LoadedScene read_urdf_scene(const std::string& path, const LoadOptions& options = {});

}  // namespace repose
