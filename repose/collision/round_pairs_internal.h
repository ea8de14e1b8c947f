// SPDX-License-Identifier: Apache-2.0
// Half-spaces, spheres and capsules against each other and against polyhedra: closed forms.
// The first shape is the host; the second is placed by `b`. Points with gap ≤ margin are added.
#pragma once

#include "repose/collision/pair_internal.h"

namespace repose::collision {

REPOSE_KERNEL PairResult halfspace_sphere(const ShapeView& sphere, const Relative& b, double margin, Points& out);
REPOSE_KERNEL PairResult halfspace_capsule(const ShapeView& capsule, const Relative& b, double margin, Points& out);
/// Every vertex within the margin; `start` is a vertex to begin the search with and becomes the lowest one.
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
