// SPDX-License-Identifier: Apache-2.0
// The fields of every kind of object in a native scene file. Reader, writer and the published schema agree on this
// table; a test compares it with docs/schema/scene.schema.json.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace repose {

using NativeFields = std::map<std::string, std::vector<std::string>>;

/// By kind: "scene", "material", "shape_box", "event_push", …
[[nodiscard]] const NativeFields& native_fields();

}  // namespace repose
