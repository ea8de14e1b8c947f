// SPDX-License-Identifier: Apache-2.0
// Repose's own scene files: JSON that holds everything a Scene holds, except motions that are functions.
// docs/scenes/native.md explains the fields and their units, docs/schema/scene.schema.json is the schema.
#pragma once

#include <string>

#include "repose/scene/scene.h"

namespace repose {

/// The file's "repose_scene" number.
constexpr int kNativeSceneVersion = 1;

/// Reads and validates. Throws InputError "<file>:<line>: <JSON pointer>: expected …, got …".
[[nodiscard]] Scene read_native_scene(const std::string& path);
/// The same from text; messages and relative mesh paths start from `file`.
[[nodiscard]] Scene parse_native_scene(const std::string& text, const std::string& file);

/// Returns text that reads back to the same scene, bit for bit. Scripted motions cannot be stored: InputError.
[[nodiscard]] std::string native_scene_text(const Scene& scene);
void write_native_scene(const std::string& path, const Scene& scene);

}  // namespace repose
