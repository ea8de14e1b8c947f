// SPDX-License-Identifier: Apache-2.0
// The normal of two parallel edges that touch, as at the apex of a card tent. Every direction between two of the four
// faces is admissible there, and geometry does not select one, so the scene does: it decides how slippery cards may be.
#pragma once

namespace repose {

enum class EdgeNormal {
  kBisecting,  ///< halves the admissible range: horizontal at the apex
  kFace,       ///< an end of the range, the normal of a face of one of the two, as in separating-axis tests
};

}  // namespace repose
