// SPDX-License-Identifier: Apache-2.0
// A small check of JSON against a JSON Schema: the keywords that docs/schema/scene.schema.json uses, and no others.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace repose::testing {

using nlohmann::json;

/// Empty when `value` follows `schema` (with references into `root`), else the place and what is wrong there.
[[nodiscard]] std::string schema_fault(const json& root, const json& schema, const json& value,
                                       const std::string& at = "");

}  // namespace repose::testing
