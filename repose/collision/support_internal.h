// SPDX-License-Identifier: Apache-2.0
// Lowest vertices of a polyhedron along a direction: by looking at all of few, by walking downhill on many.
#pragma once

#include "repose/collision/points_internal.h"
#include "repose/shape/polyhedron_view.h"

namespace repose::collision {

/// Above this number of vertices a walk over the surface is quicker than a look at all of them.
inline constexpr int kWalkFrom = 40;

/// Vertex with the smallest d · x, ties to the smallest index among those seen. A convex body has no false valleys.
REPOSE_HD inline int lowest_vertex(const PolyhedronView& poly, Vec3 d, int start) {
  const int n = poly.vertices.size();
  int best = n > kWalkFrom ? start : 0;
  double height = dot(d, poly.vertices[best]);
  if (n <= kWalkFrom) {
    for (int v = 1; v < n; ++v) {
      const double h = dot(d, poly.vertices[v]);
      if (h < height) best = v, height = h;
    }
    return best;
  }
  for (bool moved = true; moved;) {
    moved = false;
    const int here = best;
    for (int i = poly.ring_first[here]; i < poly.ring_first[here + 1]; ++i) {
      const double h = dot(d, poly.vertices[poly.ring[i]]);
      if (h < height) best = poly.ring[i], height = h, moved = true;
    }
  }
  return best;
}

/// Calls `visit(v)` for every vertex with d · x ≤ limit. They hang together along edges, so the walk that starts at the
/// lowest vertex finds all. `start` enters as a guess and leaves as the lowest vertex.
template <class Visit>
REPOSE_HD void for_vertices_below(const PolyhedronView& poly, Vec3 d, double limit, int& start, Scratch& scratch,
                                  const Visit& visit) {
  const int n = poly.vertices.size();
  if (n <= kWalkFrom) {
    for (int v = 0; v < n; ++v)
      if (dot(d, poly.vertices[v]) <= limit) visit(v);
    return;
  }
  start = lowest_vertex(poly, d, start);
  if (dot(d, poly.vertices[start]) > limit) return;
  if (n > scratch.seen.size()) {
    scratch.walk_exceeded = true;
    return;
  }
  const unsigned walk = ++scratch.walk;
  scratch.stack.clear();
  scratch.stack.push_back(start);
  scratch.seen[start] = walk;
  while (!scratch.stack.empty()) {
    const int v = scratch.stack.back();
    scratch.stack.pop_back();
    visit(v);
    for (int i = poly.ring_first[v]; i < poly.ring_first[v + 1]; ++i) {
      const int w = poly.ring[i];
      if (scratch.seen[w] == walk || dot(d, poly.vertices[w]) > limit) continue;
      scratch.seen[w] = walk;
      scratch.stack.push_back(w);
    }
  }
}

}  // namespace repose::collision
