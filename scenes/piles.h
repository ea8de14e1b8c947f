// SPDX-License-Identifier: Apache-2.0
// Many equal bodies: stacks, walls, heaps, dominoes. SI units, z up.
#pragma once

#include "repose/base/parameters.h"
#include "repose/scene/scene.h"

namespace repose::scenes {

/// Cubes on top of each other in exact touch.
struct StackOptions {
  int count = 10;
  double mu = 0.5;
  double size = 1;   ///< m, edge
  double twist = 0;  ///< degrees from one cube to the next about the vertical
  double ratio = 1;  ///< mass of the top cube in masses of another one
  int stacks = 1;    ///< separate stacks, three edges apart on a square grid
};
[[nodiscard]] const Fields<StackOptions>& fields(const StackOptions&);
[[nodiscard]] Scene stack(const StackOptions& options = {});

/// Bricks in running bond along x, all joints in exact touch; every other row starts and ends with half a brick.
struct WallOptions {
  int rows = 10, columns = 10;
  double mu = 0.5;
  double length = 0.4, width = 0.2, height = 0.2;  ///< m, of a brick along x, y, z
  double joint = 0;                                ///< m, gap between neighbours of a row
  bool projectiles = false;                        ///< one cube at the middle of the wall
  double projectile_size = 0.4;                    ///< m
  double projectile_speed = 10;                    ///< m/s along y
  double projectile_time = 2;                      ///< s
};
[[nodiscard]] const Fields<WallOptions>& fields(const WallOptions&);
[[nodiscard]] Scene wall(const WallOptions& options = {});

/// Cubes in random attitudes, released as a loose column over the ground, or over a box without a lid.
struct PileOptions {
  int count = 100;
  double mu = 0.5;
  double size = 0.2;   ///< m, edge
  bool walls = false;  ///< four walls around the column
  int seed = 1;
};
[[nodiscard]] const Fields<PileOptions>& fields(const PileOptions&);
[[nodiscard]] Scene pile(const PileOptions& options = {});

/// A row along x; the first one turns about its leading lower edge.
struct DominoesOptions {
  int count = 20;
  double mu = 0.5;
  double height = 0.5, width = 0.25, thickness = 0.075;  ///< m, along z, y, x
  double spacing = 0.25;                                 ///< m, from one to the next
  double push = 2;                                       ///< rad/s of the first one
};
[[nodiscard]] const Fields<DominoesOptions>& fields(const DominoesOptions&);
[[nodiscard]] Scene dominoes(const DominoesOptions& options = {});

}  // namespace repose::scenes
