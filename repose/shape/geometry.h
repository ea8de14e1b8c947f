// SPDX-License-Identifier: Apache-2.0
// The convex shapes that bodies are made of. Each is described in its own frame; a body places it with a pose.
// Lengths in metres (any unit works as long as all agree).
#pragma once

#include <memory>
#include <variant>

#include "repose/math/pose.h"

namespace repose {

struct Polyhedron;  // shape/polyhedron.h

/// All points with z ≤ 0; the surface faces +z. Without volume: only for bodies that do not move freely.
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
/// Convex polyhedron with merged faces, shared between the bodies that have the same one.
struct Hull {
  std::shared_ptr<const Polyhedron> polyhedron;
};

using Geometry = std::variant<HalfSpace, Sphere, Box, Capsule, Cylinder, Hull>;

}  // namespace repose
