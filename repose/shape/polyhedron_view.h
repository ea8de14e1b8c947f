// SPDX-License-Identifier: Apache-2.0
// A convex polyhedron as views of flat arrays for collision kernels, on the host or on a device.
// Lengths in metres, in the polyhedron's own frame.
#pragma once

#include "repose/base/view.h"
#include "repose/math/vec3.h"

namespace repose {

struct PolyhedronFace {
  Vec3 normal;        ///< outward, unit
  double offset = 0;  ///< normal · x = offset on the face, m
  int first = 0;      ///< the face's vertices, counter-clockwise from outside: loop[first .. first + count)
  int count = 0;
};

struct PolyhedronEdge {
  int tail, head;   ///< vertices
  int left, right;  ///< faces: `left` has tail → head in its loop, `right` has head → tail
};

/// The arrays of a Polyhedron; shape/polyhedron.h explains them.
struct PolyhedronView {
  View<const Vec3> vertices;
  View<const PolyhedronFace> faces;
  View<const int> loop;
  View<const PolyhedronEdge> edges;
  View<const int> loop_edge, ring_first, ring, face_ring;
  Vec3 centre, half;
  double radius = 0, size = 0;
};

}  // namespace repose
