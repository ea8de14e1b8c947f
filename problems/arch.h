// SPDX-License-Identifier: Apache-2.0
// Masonry arches in the plane y = 0: n stones, the first and the last static, four contacts at every joint.
#pragma once

#include "problems/structure.h"
#include "repose/base/parameters.h"

namespace repose::problems {

/// Semicircle of equal voussoirs: wedges with flat faces whose corners lie on two circles.
struct ArchOptions {
  int stones = 25;          ///< ≥ 3; 25, 101, 501 stones give 96, 400, 2000 contacts
  double mu = 0.8;          ///< friction coefficient
  double thickness = 0.15;  ///< share of the radius, in the plane
  double radius = 10;       ///< of the centre line, m
  double depth = 1.5;       ///< out of the plane, m
  double density = 2500;    ///< kg/m³
};
[[nodiscard]] const Fields<ArchOptions>& fields(const ArchOptions& options);
[[nodiscard]] Structure arch(const ArchOptions& options = {});

/// Weighted catenary, z = 60 − 57.647 (cosh(1.340209 x/30) − 1) m, cut at equal arc lengths: the closed arch of the
/// Rigid-IPC scenes. Every stone has the square section of its lower end: 10 m wide at the feet, 7 m at the crown,
/// linear in height. Neighbours touch on the smaller of the two facing squares.
struct CatenaryOptions {
  int stones = 25;        ///< ≥ 3; 25, 101, 501, 951 stones give 96, 400, 2000, 3800 contacts
  double mu = 0.8;        ///< friction coefficient
  double density = 1000;  ///< kg/m³
};
[[nodiscard]] const Fields<CatenaryOptions>& fields(const CatenaryOptions& options);
[[nodiscard]] Structure catenary_arch(const CatenaryOptions& options = {});

}  // namespace repose::problems
