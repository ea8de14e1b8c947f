// SPDX-License-Identifier: Apache-2.0
// The equation that proximal Newton solves.
#pragma once

namespace repose {

/// Two equations with the same solutions. On a hard problem Newton's method may converge on only one of them, and which
/// one is not known beforehand.
enum class LawEquation { kAlartCurnier, kDeSaxce };

}  // namespace repose
