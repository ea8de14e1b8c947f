// SPDX-License-Identifier: Apache-2.0
// Grains in random attitudes, and the loose lattice from which they are poured. SI units, z up.
//
// A grain of size s fits into a ball of diameter 1.1 s. Cells of 1.25 s hold it in any attitude, moved by up to 0.02 s.
#pragma once

#include <string>
#include <vector>

#include "repose/base/random.h"
#include "repose/scene/builder.h"

namespace repose::scenes {

constexpr double kGrainCell = 1.25;   // edge of a lattice cell, in sizes
constexpr double kGrainShift = 0.02;  // largest shift within the cell along each axis, in sizes

/// The values of the parameter `grains`.
[[nodiscard]] const std::vector<std::string>& grain_kinds();

/// Uniform over all attitudes (Shoemake 1992).
[[nodiscard]] Quat random_rotation(Random& random);

/// Adds a static body `name` of four half-spaces that face inwards, around a square of edge 2 `half`.
void add_walls(SceneBuilder& builder, const std::string& name, double half);

/// Cells along x and y of a column with `count` cells that is about twice as high as wide.
[[nodiscard]] int column_side(int count);

/// Centres of `count` cells of edge `cell`, layer by layer from `bottom` upwards, `side` x `side` cells in a layer.
[[nodiscard]] std::vector<Vec3> column(int count, int side, double cell, double bottom);

/// Adds one grain per cell, called grain-1, grain-2, … `kind` is one of grain_kinds(); mixed repeats box, ball,
/// capsule, cylinder.
void add_grains(SceneBuilder& builder, const std::string& kind, double size, const std::vector<Vec3>& cells,
                Random& random);

}  // namespace repose::scenes
