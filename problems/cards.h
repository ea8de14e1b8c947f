// SPDX-License-Identifier: Apache-2.0
// House of cards: tents of two leaning cards, flat cards between the levels.
#pragma once

#include "problems/structure.h"
#include "repose/base/parameters.h"

namespace repose::problems {

/// n levels have n(3n+1)/2 cards and n(n+1) feet, n(n+1)/2 apexes and 2n(n−1) supports of flat cards, each an edge with
/// four contacts: 26 cards and 216 contacts for n = 4, 155 and 1380 for n = 10. The ends of two flat neighbours
/// interlock like fingers, so that either one rests on both cards of the tent under them.
struct CardsOptions {
  int levels = 4;            ///< ≥ 1
  double mu = 0.8;           ///< friction coefficient
  double tilt = 20;          ///< of a leaning card off the vertical, degrees
  double length = 2.5;       ///< m
  double width = 1.25;       ///< m
  double thickness = 0.035;  ///< m
  double density = 1000;     ///< kg/m³
};
[[nodiscard]] const Fields<CardsOptions>& fields(const CardsOptions& options);
[[nodiscard]] Structure cards(const CardsOptions& options = {});

}  // namespace repose::problems
