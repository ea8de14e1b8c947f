// SPDX-License-Identifier: Apache-2.0
// Boxes laid in courses on the ground z = 0; wherever two faces touch there is a patch of four contacts.
#pragma once

#include "problems/structure.h"
#include "repose/base/parameters.h"

namespace repose::problems {

/// Wall in running bond: every other row is shifted. With R rows of C bricks there are
/// C patches on the ground, (R−1)(2C−1) bed joints and R(C−1) head joints.
struct WallOptions {
  int rows = 4, columns = 4;                       ///< ≥ 1; 4 × 4, 10 × 12, 20 × 24 give 148, 1316, 5508 contacts
  double mu = 0.5;                                 ///< friction coefficient
  double shift = 0.5;                              ///< share of a brick; at 0.5 bricks at the ends balance on an edge
  double length = 0.2, width = 0.1, height = 0.1;  ///< of a brick, m: along, across and up the wall
  double density = 2000;                           ///< kg/m³
};
[[nodiscard]] const Fields<WallOptions>& fields(const WallOptions& options);
[[nodiscard]] Structure wall(const WallOptions& options = {});

/// Pile of nx × ny × nz boxes: every other layer is shifted by a share of the cell along x and y. Side faces carry no
/// contacts: nx·ny patches on the ground, (nz−1)(2nx−1)(2ny−1) between the layers.
struct BoxPileOptions {
  int nx = 6, ny = 6, nz = 7;  ///< ≥ 1; 2,2,3 / 3,3,4 / 5,5,4 / 6,6,7: 88 / 336 / 1072 / 3048 contacts
  double mu = 0.5;             ///< friction coefficient
  double shift = 0.5;          ///< share of a cell; at 0.5 boxes at the rim balance on an edge
  double length = 0.2, width = 0.2, height = 0.1;  ///< of a box, m: along x, y, z
  double density = 2000;                           ///< kg/m³
};
[[nodiscard]] const Fields<BoxPileOptions>& fields(const BoxPileOptions& options);
[[nodiscard]] Structure pile(const BoxPileOptions& options = {});

}  // namespace repose::problems
