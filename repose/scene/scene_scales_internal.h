// SPDX-License-Identifier: Apache-2.0
// Contact settings for scenes whose files have none.
#pragma once

#include "repose/scene/scene.h"

namespace repose {

/// Sets margin (0.8 %) and slop (0.01 %) from the longest edge of what moves; keeps them when nothing moves.
void set_scales(Scene& scene);

}  // namespace repose
