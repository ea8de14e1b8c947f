// SPDX-License-Identifier: Apache-2.0
// A cube on a disc that starts to turn about the vertical. It is captured if and only if r √(ω⁴ + α²) ≤ μ g at all
// times. There is no ground below. SI units, z up.
#pragma once

#include "repose/base/parameters.h"
#include "repose/scene/scene.h"

namespace repose::scenes {

struct TurntableOptions {
  double mu = 0.5;
  double speed = 2;                            ///< rad/s, reached with s²(3 − 2s), s = t/ramp
  double ramp = 2;                             ///< s
  double radius = 0.75;                        ///< m, of the cube's place
  double disc_radius = 2, disc_height = 0.25;  ///< m
  double size = 0.2;                           ///< m, edge of a cube
  int cubes = 1;                               ///< on top of each other
};
[[nodiscard]] const Fields<TurntableOptions>& fields(const TurntableOptions&);
[[nodiscard]] Scene turntable(const TurntableOptions& options = {});

}  // namespace repose::scenes
