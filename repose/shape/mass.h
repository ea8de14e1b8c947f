// SPDX-License-Identifier: Apache-2.0
// Mass, centre and inertia of shapes and of bodies made of several.
#pragma once

#include "repose/shape/geometry.h"

namespace repose {

struct MassProperties {
  double mass = 0;  ///< kg
  Vec3 centre;      ///< m
  Mat3 inertia;     ///< about the centre, kg m², in the axes in which the centre is given
};

/// Of a homogeneous solid, in the shape's frame. A half-space has none: InputError.
[[nodiscard]] MassProperties mass_properties(const Geometry& geometry, double density);
/// The same body seen from another frame: `pose` places the old frame in the new one.
[[nodiscard]] MassProperties moved(const MassProperties& mass, const Pose& pose);
/// Two bodies, given in one frame, as one.
[[nodiscard]] MassProperties joined(const MassProperties& a, const MassProperties& b);

/// Principal axes: rotation R with R diag(moments) Rᵀ = inertia, moments ascending.
struct PrincipalInertia {
  Quat axes;
  Vec3 moments;  ///< kg m²
};
[[nodiscard]] PrincipalInertia principal_inertia(const Mat3& inertia);

}  // namespace repose
