// SPDX-License-Identifier: Apache-2.0
// The convex shapes of bodies. Each is described in its own frame; a body places it with a pose.
// Lengths in metres (any unit works if all agree).
#pragma once

#include <memory>
#include <variant>

#include "repose/math/pose.h"

namespace repose {

struct Polyhedron;  // shape/polyhedron.h

/// All points with z ≤ 0; the surface faces +z. It has no finite volume: only for static and kinematic bodies.
struct HalfSpace {};
struct Sphere {
  double radius = 0;
};
struct Box {
  Vec3 half;  ///< half edge lengths
};
/// Segment from −half_length to +half_length on the z axis, thickened by the radius.
struct Capsule {
  double radius = 0, half_length = 0;
};
/// A true cylinder around the z axis, from z = −half_length to +half_length.
struct Cylinder {
  double radius = 0, half_length = 0;
};
/// Convex polyhedron with merged faces, shared by the bodies that use it.
struct Hull {
  std::shared_ptr<const Polyhedron> polyhedron;
};

using Geometry = std::variant<HalfSpace, Sphere, Box, Capsule, Cylinder, Hull>;

}  // namespace repose
