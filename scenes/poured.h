// SPDX-License-Identifier: Apache-2.0
// Grains that are poured: into a bin, through a hopper, into a drum that turns. SI units, z up.
#pragma once

#include <string>

#include "repose/base/parameters.h"
#include "repose/scene/scene.h"

namespace repose::scenes {

/// Grains in random attitudes, released as a loose column over a bin as wide as the column, or over bare ground.
struct BinOptions {
  std::string grains = "mixed";  ///< one of grain_kinds()
  int count = 128;
  double mu = 0.5;
  double size = 0.2;  ///< m, a grain fits into a ball of 1.1 times this diameter
  bool walls = true;  ///< without them the column collapses into a heap
  int seed = 1;
};
[[nodiscard]] const Fields<BinOptions>& fields(const BinOptions&);
[[nodiscard]] Scene bin(const BinOptions& options = {});

/// Grains that fall into a square funnel; its gate is taken away and they flow onto the ground.
struct HopperOptions {
  std::string grains = "mixed";
  int count = 200;
  double mu = 0.5;
  double size = 0.2;     ///< m
  double opening = 0.8;  ///< m, edge of the square opening
  double slope = 60;     ///< degrees, funnel against the horizontal
  double height = 1;     ///< m, opening above the ground
  double open_time = 2;  ///< s
  int seed = 1;
};
[[nodiscard]] const Fields<HopperOptions>& fields(const HopperOptions&);
[[nodiscard]] Scene hopper(const HopperOptions& options = {});

/// Grains in a drum that starts to turn about its horizontal axis, y. The drum is a kinematic ring of planks between
/// two half-spaces that stand still.
struct DrumOptions {
  std::string grains = "mixed";
  int count = 80;
  double mu = 0.5;
  double size = 0.2;   ///< m
  double radius = 1;   ///< m, of the circle that the planks touch from outside
  double width = 0.8;  ///< m, along the axis
  int planks = 24;     ///< around the ring
  double speed = 1;    ///< rad/s about y after the ramp
  double ramp = 1;     ///< s
  int seed = 1;
};
[[nodiscard]] const Fields<DrumOptions>& fields(const DrumOptions&);
[[nodiscard]] Scene drum(const DrumOptions& options = {});

}  // namespace repose::scenes
