// SPDX-License-Identifier: Apache-2.0
// Support vertices of a polyhedron: by comparing all vertices, or by hill climbing when there are many.
#pragma once

#include "repose/collision/points_internal.h"
#include "repose/shape/polyhedron_view.h"

namespace repose::collision {

/// Number of vertices above which hill climbing is faster than comparing all of them.
inline constexpr int kWalkFrom = 40;

/// Returns the vertex with the smallest d · x; in a tie, the smallest index among those compared. A convex body has no
/// local minima besides the global one.
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

/// Calls `visit(v)` for every vertex with d · x ≤ limit. They are connected by edges, so a traversal from the lowest
/// vertex reaches all of them. `start` is the first vertex of the search and becomes the lowest vertex.
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
