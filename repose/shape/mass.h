// SPDX-License-Identifier: Apache-2.0
// Mass, centre and inertia of shapes and of bodies of several shapes.
#pragma once

#include "repose/shape/geometry.h"

namespace repose {

struct MassProperties {
  double mass = 0;  ///< kg
  Vec3 centre;      ///< m
  Mat3 inertia;     ///< about the centre, kg m², in the axes in which the centre is given
};

/// Returns the mass of a homogeneous solid, in the shape's frame. Throws InputError for a half-space.
[[nodiscard]] MassProperties mass_properties(const Geometry& geometry, double density);
/// Transforms to another frame: `pose` places the old frame in the new one.
[[nodiscard]] MassProperties moved(const MassProperties& mass, const Pose& pose);
/// Combines two bodies that are given in one frame.
[[nodiscard]] MassProperties joined(const MassProperties& a, const MassProperties& b);

/// Principal axes: rotation R with R diag(moments) Rᵀ = inertia, moments ascending.
struct PrincipalInertia {
  Quat axes;
  Vec3 moments;  ///< kg m²
};
[[nodiscard]] PrincipalInertia principal_inertia(const Mat3& inertia);

}  // namespace repose
