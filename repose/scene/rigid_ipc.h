// SPDX-License-Identifier: Apache-2.0
// Scenes of Rigid-IPC (Ferguson et al. 2021). docs/scenes/rigid-ipc.md lists the fields. The file's axes stay: y is up.
#pragma once

#include <string>

#include "repose/scene/load.h"

namespace repose {

/// Thickness of a card as a share of its longer edge: 0.035 m for the 2.5 m cards of the data set, whose files have
/// plates without thickness.
constexpr double kCardThickness = 0.014;
/// Thickness of a fixed plate as a share of its shorter edge. It lies behind the surface on which bodies stand.
constexpr double kGroundThickness = 0.1;

/// Meshes are searched for beside the file and in a folder "meshes" of its folder or of one above it.
[[nodiscard]] LoadedScene read_rigid_ipc_scene(const std::string& path);

}  // namespace repose
