// SPDX-License-Identifier: Apache-2.0
// MJCF, the scene format of MuJoCo: free and fixed bodies with their geoms. docs/scenes/mjcf.md has the subset.
#pragma once

#include <string>

#include "repose/scene/load.h"

namespace repose {

/// Reads and validates. What has no meaning here is listed in LoadedScene::ignored; what is unknown or not supported
/// throws InputError "<file>:<line>: <element> attribute: expected …, got …".
[[nodiscard]] LoadedScene read_mjcf_scene(const std::string& path, const LoadOptions& options = {});

}  // namespace repose
