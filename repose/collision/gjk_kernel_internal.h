// SPDX-License-Identifier: Apache-2.0
// Closest points of large polyhedra, and the features that define the normal.
// Definitions: for one source of the host library, and for device sources (kernels_internal.h).
#pragma once

#include "repose/collision/gjk_internal.h"
#include "repose/collision/support_internal.h"

namespace repose::collision {

namespace {

// A vertex of the difference B − A, and its weight in the closest point.
struct SimplexVertex {
  Vec3 w;  // b − a
  int a = 0, b = 0;
  double weight = 0;
};

struct Simplex {
  SimplexVertex v[4];
  int count = 0;
};

// Computes the weights of the point of the affine hull of some vertices that is closest to the origin. Returns false
// when it lies outside their convex hull or the vertices are degenerate.
REPOSE_HD bool inside_weights(const Simplex& s, const int (&pick)[4], int n, double (&weight)[4]) {
  const Vec3 o = s.v[pick[0]].w;
  if (n == 1) {
    weight[0] = 1;
    return true;
  }
  // Normal equations of min |o + Σ t_i e_i|², e_i = w_i − o, by Cramer's rule.
  Vec3 e[3];
  for (int i = 1; i < n; ++i) e[i - 1] = s.v[pick[i]].w - o;
  double t[3] = {};
  if (n == 2) {
    const double ee = dot(e[0], e[0]);
    if (ee == 0) return false;
    t[0] = -dot(o, e[0]) / ee;
  } else if (n == 3) {
    const Vec3 m = cross(e[0], e[1]);
    const double mm = dot(m, m);
    if (mm <= 1e-28 * dot(e[0], e[0]) * dot(e[1], e[1])) return false;
    t[0] = -dot(cross(o, e[1]), m) / mm;
    t[1] = -dot(cross(e[0], o), m) / mm;
  } else {
    const double volume = dot(e[0], cross(e[1], e[2]));
    if (volume == 0) return false;
    t[0] = -dot(o, cross(e[1], e[2])) / volume;
    t[1] = -dot(e[0], cross(o, e[2])) / volume;
    t[2] = -dot(e[0], cross(e[1], o)) / volume;
  }
  weight[0] = 1 - t[0] - t[1] - t[2];
  for (int i = 1; i < n; ++i) weight[i] = t[i - 1];
  for (int i = 0; i < n; ++i)
    if (weight[i] < 0) return false;
  return true;
}

// Reduces the simplex to the smallest face that contains its point closest to the origin, and returns that point.
REPOSE_HD Vec3 reduce(Simplex& s) {
  double least = 1e300;
  Simplex best;
  Vec3 nearest;
  for (int subset = 1; subset < (1 << s.count); ++subset) {
    int pick[4] = {};
    int n = 0;
    for (int i = 0; i < s.count; ++i)
      if (subset >> i & 1) pick[n++] = i;
    double weight[4] = {};
    if (!inside_weights(s, pick, n, weight)) continue;
    Vec3 x;
    for (int i = 0; i < n; ++i) x = x + weight[i] * s.v[pick[i]].w;
    const double size2 = dot(x, x);
    if (size2 >= least) continue;
    least = size2;
    nearest = x;
    best.count = n;
    for (int i = 0; i < n; ++i) {
      best.v[i] = s.v[pick[i]];
      best.v[i].weight = weight[i];
    }
  }
  s = best;
  return nearest;
}

}  // namespace

REPOSE_KERNEL GjkResult nearest_points(const PolyhedronView& a, const PolyhedronView& b, const Relative& place,
                                       int& hint_a, int& hint_b, double scale) {
  const Vec3 between = place * b.centre - a.centre;
  const auto vertex = [&](int i, int j) {
    Vec3 w = place * b.vertices[j] - a.vertices[i];
    if (scale != 1) w = between + scale * (w - between);
    return SimplexVertex{w, i, j, 0};
  };
  Simplex simplex;
  simplex.v[0] = vertex(hint_a, hint_b);
  simplex.v[0].weight = 1;
  simplex.count = 1;
  Vec3 x = simplex.v[0].w;
  double size2 = dot(x, x);
  for (int i = 0; i < 200 && simplex.count < 4; ++i) {
    hint_a = lowest_vertex(a, -x, hint_a);
    hint_b = lowest_vertex(b, turn_back(place.R, x), hint_b);
    const SimplexVertex next = vertex(hint_a, hint_b);
    bool known = false;
    for (int k = 0; k < simplex.count; ++k) known = known || (simplex.v[k].a == next.a && simplex.v[k].b == next.b);
    if (known || dot(x, x - next.w) <= 1e-15 * size2) break;
    Simplex grown = simplex;
    grown.v[grown.count++] = next;
    const Vec3 nearer = reduce(grown);
    const double nearer2 = dot(nearer, nearer);
    if (!(nearer2 < size2)) break;  // no progress beyond rounding
    simplex = grown, x = nearer, size2 = nearer2;
  }
  GjkResult result;
  result.count = simplex.count;
  for (int k = 0; k < simplex.count; ++k) {
    const SimplexVertex& v = simplex.v[k];
    result.a[k] = v.a, result.b[k] = v.b;
    result.on_a = result.on_a + v.weight * a.vertices[v.a];
    result.on_b = result.on_b + v.weight * (place * b.vertices[v.b]);
  }
  result.distance = simplex.count == 4 ? 0.0 : std::sqrt(size2);
  if (result.distance > 0) result.normal = (1.0 / result.distance) * x;
  return result;
}

REPOSE_KERNEL int squarest_face_near(const PolyhedronView& poly, Vec3 direction, int start) {
  int best = poly.face_ring[poly.ring_first[start]];
  double top = dot(poly.faces[best].normal, direction);
  const auto look = [&](int f) {
    const double c = dot(poly.faces[f].normal, direction);
    if (c > top) top = c, best = f;
  };
  for (int i = poly.ring_first[start]; i < poly.ring_first[start + 1]; ++i) look(poly.face_ring[i]);
  for (int here = -1; here != best;) {
    here = best;
    const auto& face = poly.faces[here];
    for (int i = 0; i < face.count; ++i) {
      const auto& edge = poly.edges[poly.loop_edge[face.first + i]];
      look(edge.left == here ? edge.right : edge.left);
    }
  }
  return best;
}

namespace {

// Angle, rad, within which a direction counts as the normal of a feature; the feature's own normal is then taken.
inline constexpr double kSame = 1e-6;
// Distance by which overlapping bodies are moved apart for the search, relative to the size of the smaller one.
inline constexpr double kPushHulls = 1e-2;

REPOSE_HD int edge_between(const PolyhedronView& poly, int v, int w) {
  for (int i = poly.ring_first[v]; i < poly.ring_first[v + 1]; ++i) {
    const auto& face = poly.faces[poly.face_ring[i]];
    for (int k = 0; k < face.count; ++k) {
      const auto& edge = poly.edges[poly.loop_edge[face.first + k]];
      if ((edge.tail == v && edge.head == w) || (edge.tail == w && edge.head == v))
        return poly.loop_edge[face.first + k];
    }
  }
  return -1;
}

REPOSE_HD double separation_along(const PolyPair& pair, Vec3 n, int& hint_a, int& hint_b) {
  hint_a = lowest_vertex(pair.a, -n, hint_a);
  hint_b = lowest_vertex(pair.b, turn_back(pair.place.R, n), hint_b);
  return dot(n, pair.place * pair.b.vertices[hint_b] - pair.a.vertices[hint_a]);
}

// The face or pair of edges whose normal is the given direction, if there is one.
REPOSE_HD void snap(const PolyPair& pair, const GjkResult& near, LocalSearch& found) {
  for (int k = 0; k < near.count; ++k) {
    const int fa = squarest_face_near(pair.a, found.normal, near.a[k]);
    if (norm(pair.a.faces[fa].normal - found.normal) < kSame) {
      found.kind = LocalSearch::Kind::kFaceOfFirst, found.first = fa, found.normal = pair.a.faces[fa].normal;
      return;
    }
    const int fb = squarest_face_near(pair.b, turn_back(pair.place.R, -found.normal), near.b[k]);
    const Vec3 nb = -(pair.place.R * pair.b.faces[fb].normal);
    if (norm(nb - found.normal) < kSame) {
      found.kind = LocalSearch::Kind::kFaceOfSecond, found.second = fb, found.normal = nb;
      return;
    }
  }
  for (int i = 0; i < near.count; ++i)
    for (int j = 0; j < near.count; ++j) {
      if (near.a[i] == near.a[j]) continue;
      const int ea = edge_between(pair.a, near.a[i], near.a[j]);
      for (int k = 0; k < near.count && ea >= 0; ++k)
        for (int l = k + 1; l < near.count; ++l) {
          const int eb = near.b[k] == near.b[l] ? -1 : edge_between(pair.b, near.b[k], near.b[l]);
          EdgeAxis axis;
          if (eb < 0 || !crossing_axis(pair, ea, eb, axis) || norm(axis.normal - found.normal) > kSame) continue;
          found.kind = LocalSearch::Kind::kEdges, found.first = ea, found.second = eb, found.normal = axis.normal;
          return;
        }
    }
}

REPOSE_HD LocalSearch look(const PolyPair& pair, Vec3 shift, PairMemory& memory) {
  Relative place = pair.place;
  place.p = place.p + shift;
  const GjkResult near = nearest_points(pair.a, pair.b, place, memory.hint_first, memory.hint_second);
  LocalSearch found;
  if (near.distance <= 0) return found;
  found.normal = near.normal;
  found.on_a = near.on_a;
  found.on_b = near.on_b - shift;
  snap(pair, near, found);
  found.separation = separation_along(pair, found.normal, memory.hint_first, memory.hint_second);
  return found;
}

// A first normal for overlapping bodies: that of the same bodies, scaled down until they are separate.
REPOSE_HD Vec3 direction_between(const PolyPair& pair, PairMemory& memory) {
  for (const double scale : {0.98, 0.9, 0.7, 0.4}) {
    const GjkResult near = nearest_points(pair.a, pair.b, pair.place, memory.hint_first, memory.hint_second, scale);
    if (near.distance > 1e-6 * pair.size) return near.normal;
  }
  const Vec3 way = pair.place * pair.b.centre - pair.a.centre;
  return dot(way, way) > 0 ? normalized(way) : Vec3{0, 0, 1};
}

}  // namespace

REPOSE_KERNEL LocalSearch search_locally(const PolyPair& pair, PairMemory& memory) {
  const double size = pair.size;
  LocalSearch found = look(pair, {}, memory);
  const bool certain = dot(found.normal, found.normal) > 0 && found.separation > kSame * size;
  if (certain) return found;
  // Overlap, or touch to rounding: the bodies are moved apart along the last normal until the search returns it.
  Vec3 normal = direction_between(pair, memory);
  LocalSearch best;
  best.separation = -1e300;
  for (int i = 0; i < 30; ++i) {
    const double depth = separation_along(pair, normal, memory.hint_first, memory.hint_second);
    found = look(pair, (kPushHulls * size - depth) * normal, memory);
    if (!(dot(found.normal, found.normal) > 0)) break;
    const bool axis = found.kind != LocalSearch::Kind::kNearest;
    const bool best_is_axis = best.kind != LocalSearch::Kind::kNearest;
    if (found.separation > best.separation || (axis && !best_is_axis && i > 15)) best = found;
    if (norm(found.normal - normal) < 1e-12) return found;
    normal = found.normal;
  }
  return best;
}

}  // namespace repose::collision
