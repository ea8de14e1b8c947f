// SPDX-License-Identifier: Apache-2.0
// Mass, mass centre and inertia of uniform solids. SI units.
#pragma once

#include <span>

#include "problems/structure.h"

namespace repose::problems {

/// Box with edge lengths `size`; the columns of `axes` are its unit edge directions in the world.
[[nodiscard]] Body box_body(Vec3 size, double density, Vec3 centre, const Mat3& axes = Mat3::identity());

[[nodiscard]] Body sphere_body(double radius, double density, Vec3 centre);

/// Prism over a simple polygon in the plane y = 0 (either sense), reaching from −depth/2 to depth/2 along y.
[[nodiscard]] Body prism_body(std::span<const Vec3> polygon, double depth, double density);

/// Rotation about y by `angle` rad: turns z towards x.
[[nodiscard]] Mat3 rotation_y(double angle);

}  // namespace repose::problems
