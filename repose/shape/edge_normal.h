// SPDX-License-Identifier: Apache-2.0
// The normal of two parallel edges that touch, as at the apex of a card tent. Every direction between two face normals
// is admissible there; the scene selects one. The choice changes the least friction at which a card house stands.
#pragma once

namespace repose {

enum class EdgeNormal {
  kBisecting,  ///< the bisector of the admissible range: horizontal at the apex
  kFace,       ///< an end of the range, the normal of a face of one of the two, as in separating-axis tests
};

}  // namespace repose
