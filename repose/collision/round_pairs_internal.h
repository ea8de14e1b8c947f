// SPDX-License-Identifier: Apache-2.0
// Half-spaces, spheres and capsules against each other and against polyhedra: closed forms.
// The first shape is the host, `b` the placement of the second. Each function adds the points with gap ≤ margin.
#pragma once

#include "repose/collision/pair_internal.h"

namespace repose::collision {

REPOSE_KERNEL PairResult halfspace_sphere(const ShapeView& sphere, const Relative& b, double margin, Points& out);
REPOSE_KERNEL PairResult halfspace_capsule(const ShapeView& capsule, const Relative& b, double margin, Points& out);
/// Adds every vertex within the margin. `start` is the first vertex of the search and becomes the lowest one.
REPOSE_KERNEL PairResult halfspace_polyhedron(const ShapeView& poly, const Relative& b, double margin, int& start,
                                              Scratch& scratch, Points& out);
REPOSE_KERNEL PairResult sphere_sphere(const ShapeView& a, const ShapeView& sphere, const Relative& b, double margin,
                                       Points& out);
REPOSE_KERNEL PairResult capsule_sphere(const ShapeView& a, const ShapeView& sphere, const Relative& b, double margin,
                                        Points& out);
REPOSE_KERNEL PairResult polyhedron_sphere(const ShapeView& a, const ShapeView& sphere, const Relative& b,
                                           double margin, Points& out);
REPOSE_KERNEL PairResult capsule_capsule(const ShapeView& a, const ShapeView& capsule, const Relative& b, double margin,
                                         Points& out);
REPOSE_KERNEL PairResult polyhedron_capsule(const ShapeView& a, const ShapeView& capsule, const Relative& b,
                                            double margin, Points& out);

}  // namespace repose::collision
