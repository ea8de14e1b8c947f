// SPDX-License-Identifier: Apache-2.0
// The built-in scenes by name, with what can be set about them: what the command line offers.
#pragma once

#include <string_view>
#include <vector>

#include "repose/base/registry.h"
#include "repose/scene/scene.h"

namespace repose::scenes {

/// All of them, in the order in which they are shown.
[[nodiscard]] const std::vector<Kind>& list();
[[nodiscard]] bool known(std::string_view name);

/// The scene `name` with some parameters changed from their defaults, given as text ("mu" → "0.4"). Unknown names and
/// values out of range throw InputError with one line that says what is allowed. Scene::parameters tells all of them.
[[nodiscard]] Scene make(std::string_view name, const ParameterValues& values = {});

}  // namespace repose::scenes
