// SPDX-License-Identifier: Apache-2.0
// Readers that start from parsed JSON.
#pragma once

#include "repose/scene/json_object_internal.h"
#include "repose/scene/load.h"

namespace repose {

[[nodiscard]] Scene native_from_json(const Json& root, const std::string& file);
[[nodiscard]] LoadedScene rigid_ipc_from_json(const Json& root, const std::string& file);

/// Calls validate() and puts the file's name before its message.
void validate_file(const std::string& file, const Scene& scene);

}  // namespace repose
