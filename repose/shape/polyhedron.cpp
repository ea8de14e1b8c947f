// SPDX-License-Identifier: Apache-2.0
#include "repose/shape/polyhedron.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "repose/base/error.h"
#include "repose/shape/polyhedron_internal.h"

namespace repose {
namespace {

bool before(Vec3 a, Vec3 b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); }

// Keeps the vertices that loops use, sorts them and renumbers them in the loops.
std::vector<Vec3> sort_vertices(const std::vector<Vec3>& vertices, std::vector<std::vector<int>>& loops) {
  std::vector<int> used;
  for (const auto& loop : loops) used.insert(used.end(), loop.begin(), loop.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::sort(used.begin(), used.end(), [&](int a, int b) { return before(vertices[a], vertices[b]); });

  std::vector<int> renamed(vertices.size(), -1);
  std::vector<Vec3> sorted;
  for (const int old : used) {
    renamed[old] = static_cast<int>(sorted.size());
    sorted.push_back(vertices[old]);
  }
  for (auto& loop : loops)
    for (int& v : loop) v = renamed[v];
  return sorted;
}

void sort_loops(std::vector<std::vector<int>>& loops) {
  for (auto& loop : loops) std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  std::sort(loops.begin(), loops.end());
}

void add_faces(const std::vector<std::vector<int>>& loops, Polyhedron& poly) {
  for (const auto& loop : loops) {
    Polyhedron::Face face;
    face.normal = normalized(newell(poly.vertices, loop));
    face.first = static_cast<int>(poly.loop.size());
    face.count = static_cast<int>(loop.size());
    for (const int v : loop) face.offset += dot(face.normal, poly.vertices[v]) / face.count;
    poly.loop.insert(poly.loop.end(), loop.begin(), loop.end());
    poly.faces.push_back(face);
  }
}

void add_edges(Polyhedron& poly) {
  std::map<std::pair<int, int>, int> face_of;  // directed edge → the face that has it in its loop
  for (int f = 0; f < static_cast<int>(poly.faces.size()); ++f) {
    const auto& face = poly.faces[f];
    for (int i = 0; i < face.count; ++i)
      face_of[{poly.loop[face.first + i], poly.loop[face.first + (i + 1) % face.count]}] = f;
  }
  std::map<std::pair<int, int>, int> edge_of;
  for (const auto& [ends, f] : face_of) {
    const auto [tail, head] = ends;
    if (tail > head) continue;
    const auto other = face_of.find({head, tail});
    require(other != face_of.end(), "polyhedron: surface: expected two faces at edge ", tail, "-", head, ", got one");
    edge_of[ends] = static_cast<int>(poly.edges.size());
    poly.edges.push_back({tail, head, f, other->second});
  }
  require(2 * poly.edges.size() == face_of.size(), "polyhedron: surface: expected two faces at every edge, got ",
          face_of.size(), " sides of ", poly.edges.size(), " edges");
  poly.loop_edge.resize(poly.loop.size());
  for (const auto& face : poly.faces)
    for (int i = 0; i < face.count; ++i) {
      const int a = poly.loop[face.first + i], b = poly.loop[face.first + (i + 1) % face.count];
      poly.loop_edge[face.first + i] = edge_of[{std::min(a, b), std::max(a, b)}];
    }
}

void add_rings(Polyhedron& poly) {
  const std::size_t n = poly.vertices.size();
  poly.ring_first.assign(n + 1, 0);
  for (const int v : poly.loop) ++poly.ring_first[v + 1];
  std::partial_sum(poly.ring_first.begin(), poly.ring_first.end(), poly.ring_first.begin());
  poly.ring.resize(poly.loop.size());
  poly.face_ring.resize(poly.loop.size());
  std::vector<int> filled(poly.ring_first.begin(), poly.ring_first.end() - 1);
  for (int f = 0; f < static_cast<int>(poly.faces.size()); ++f) {
    const auto& face = poly.faces[f];
    for (int i = 0; i < face.count; ++i) {
      const int place = filled[poly.loop[face.first + i]]++;
      poly.ring[place] = poly.loop[face.first + (i + 1) % face.count];
      poly.face_ring[place] = f;
    }
  }
}

void add_bounds(Polyhedron& poly) {
  Vec3 low = poly.vertices.front(), high = low;
  for (const Vec3 v : poly.vertices) {
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
  }
  poly.centre = 0.5 * (low + high);
  poly.half = 0.5 * (high - low);
  poly.size = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  for (const Vec3 v : poly.vertices) {
    poly.radius = std::max(poly.radius, norm(v - poly.centre));
    poly.reach = std::max(poly.reach, norm(v));
  }
}

}  // namespace

Vec3 newell(const std::vector<Vec3>& vertices, const std::vector<int>& loop) {
  // About the first vertex, so that a polygon far from the origin does not lose digits.
  const Vec3 start = vertices[loop.front()];
  Vec3 sum;
  for (std::size_t i = 1; i + 1 < loop.size(); ++i)
    sum = sum + cross(vertices[loop[i]] - start, vertices[loop[i + 1]] - start);
  return sum;
}

Polyhedron assemble_polyhedron(const std::vector<Vec3>& vertices, std::vector<std::vector<int>> loops) {
  Polyhedron poly;
  poly.vertices = sort_vertices(vertices, loops);
  sort_loops(loops);
  add_faces(loops, poly);
  add_edges(poly);
  add_rings(poly);
  add_bounds(poly);
  return poly;
}

PolyhedronView view_of(const Polyhedron& p) {
  return {view_of_all(p.vertices),
          view_of_all(p.faces),
          view_of_all(p.loop),
          view_of_all(p.edges),
          view_of_all(p.loop_edge),
          view_of_all(p.ring_first),
          view_of_all(p.ring),
          view_of_all(p.face_ring),
          p.centre,
          p.half,
          p.radius,
          p.size};
}

std::shared_ptr<const Polyhedron> box_polyhedron(Vec3 half) {
  require(half.x > 0 && half.y > 0 && half.z > 0, "box: half edges: expected numbers > 0, got ", half.x, " ", half.y,
          " ", half.z);
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back({(i & 4) ? half.x : -half.x, (i & 2) ? half.y : -half.y, (i & 1) ? half.z : -half.z});
  return std::make_shared<const Polyhedron>(assemble_polyhedron(
      corners, {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}}));
}

}  // namespace repose
