// SPDX-License-Identifier: Apache-2.0
// Scenes compared field by field, to the last bit.
#pragma once

#include "repose/scene/scene.h"

namespace repose::testing {

/// A failure for every field that differs. Scripted motions never count as equal.
void expect_equal(const Scene& a, const Scene& b);

}  // namespace repose::testing
