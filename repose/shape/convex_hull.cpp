// SPDX-License-Identifier: Apache-2.0
// Convex hulls with Qhull. Its facets are merged into flat faces by a rule of our own, because the collision code
// relies on three properties: a flat side of the body is one face, its plane is exact for its polygon, and the order of
// features depends on the points alone.
#include <libqhull_r/libqhull_r.h>
#include <libqhull_r/poly_r.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "repose/base/error.h"
#include "repose/shape/polyhedron.h"
#include "repose/shape/polyhedron_internal.h"

namespace repose {
namespace {

// Facets whose vertices all lie within this share of the hull's size of one plane form one face. Mesh files have six or
// seven digits, so their flat sides are rough at the level of 1e-7.
constexpr double kCoplanar = 1e-6;
constexpr double kRounding = 1e-12;  // of the size: what the plane of a flat face leaves

using Loops = std::vector<std::vector<int>>;

std::vector<Vec3> sorted_unique(std::span<const Vec3> points) {
  std::vector<Vec3> sorted;
  for (const Vec3 p : points) {
    require(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z),
            "convex hull: points: expected finite coordinates, got ", p.x, " ", p.y, " ", p.z);
    sorted.push_back({p.x + 0.0, p.y + 0.0, p.z + 0.0});  // −0 and 0 must sort as the same number
  }
  const auto key = [](Vec3 v) { return std::tuple(v.x, v.y, v.z); };
  std::sort(sorted.begin(), sorted.end(), [&](Vec3 a, Vec3 b) { return key(a) < key(b); });
  sorted.erase(std::unique(sorted.begin(), sorted.end(), [&](Vec3 a, Vec3 b) { return key(a) == key(b); }),
               sorted.end());
  return sorted;
}

double extent(const std::vector<Vec3>& points) {
  Vec3 low = points.front(), high = low;
  for (const Vec3 v : points) {
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
  }
  return std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

// Owns one Qhull run: its memory and the stream that catches its messages.
class QhullRun {
 public:
  explicit QhullRun(const std::vector<Vec3>& points, double size) {
    for (const Vec3 p :
         points)  // unit size about the first point: Qhull's constants apply to the same numbers in mm and m
      for (const double c : {p.x - points[0].x, p.y - points[0].y, p.z - points[0].z}) coordinates_.push_back(c / size);
    messages_ = open_memstream(&text_, &length_);
    qh_zero(&qh_, messages_);
    char command[] = "qhull Pp";
    code_ =
        qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), coordinates_.data(), False, command, nullptr, messages_);
  }
  ~QhullRun() {
    int kept = 0, total = 0;
    qh_freeqhull(&qh_, !qh_ALL);
    qh_memfreeshort(&qh_, &kept, &total);
    std::fclose(messages_);
    std::free(text_);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  [[nodiscard]] bool succeeded() const { return code_ == 0; }

  /// Facets as loops of point indices, counter-clockwise from outside.
  [[nodiscard]] Loops facets(const std::vector<Vec3>& points) {
    Loops loops;
    qhT* qh = &qh_;  // the name that Qhull's loop macros expect
    for (facetT* facet = qh->facet_list; facet && facet->next; facet = facet->next) {
      setT* ring = qh_facet3vertex(qh, facet);
      std::vector<int> loop;
      for (int i = 0; i < qh_setsize(qh, ring); ++i)
        loop.push_back(qh_pointid(qh, static_cast<vertexT*>(element(ring, i))->point));
      qh_settempfree(qh, &ring);
      const Vec3 outward{facet->normal[0], facet->normal[1], facet->normal[2]};
      if (dot(newell(points, loop), outward) < 0) std::reverse(loop.begin(), loop.end());
      loops.push_back(std::move(loop));
    }
    return loops;
  }

 private:
  static void* element(setT* set, int i) { return set->e[i].p; }

  qhT qh_;
  std::vector<double> coordinates_;
  FILE* messages_ = nullptr;
  char* text_ = nullptr;
  std::size_t length_ = 0;
  int code_ = 0;
};

struct Plane {
  Vec3 normal;
  Vec3 point;
};

Plane plane_of(const std::vector<Vec3>& points, const std::vector<int>& loop) {
  Vec3 middle;
  for (const int v : loop) middle = middle + (1.0 / static_cast<double>(loop.size())) * points[v];
  return {normalized(newell(points, loop)), middle};
}

bool lies_in(const Plane& plane, const std::vector<Vec3>& points, const std::vector<int>& loop, double tolerance) {
  return std::all_of(loop.begin(), loop.end(),
                     [&](int v) { return std::abs(dot(plane.normal, points[v] - plane.point)) <= tolerance; });
}

// The outline of several facets that share edges: directed edges whose reverse is not in the group, chained.
// Empty when it is not one simple cycle.
std::vector<int> outline(const Loops& facets, const std::vector<int>& group) {
  std::set<std::pair<int, int>> directed;
  for (const int f : group)
    for (std::size_t i = 0; i < facets[f].size(); ++i)
      directed.insert({facets[f][i], facets[f][(i + 1) % facets[f].size()]});
  std::map<int, int> next;
  for (const auto& [a, b] : directed)
    if (!directed.count({b, a}) && !next.emplace(a, b).second) return {};
  std::vector<int> cycle;
  if (next.empty()) return {};
  int v = next.begin()->first;
  do {
    cycle.push_back(v);
    const auto step = next.find(v);
    if (step == next.end()) return {};
    v = step->second;
  } while (v != cycle.front() && cycle.size() <= next.size());
  return cycle.size() == next.size() ? cycle : std::vector<int>{};
}

std::vector<std::vector<int>> neighbours_of(const Loops& facets) {
  std::map<std::pair<int, int>, int> owner;
  for (int f = 0; f < static_cast<int>(facets.size()); ++f)
    for (std::size_t i = 0; i < facets[f].size(); ++i) owner[{facets[f][i], facets[f][(i + 1) % facets[f].size()]}] = f;
  std::vector<std::vector<int>> neighbours(facets.size());
  for (const auto& [ends, f] : owner)
    if (const auto other = owner.find({ends.second, ends.first}); other != owner.end())
      neighbours[f].push_back(other->second);
  return neighbours;
}

// Grows each face from its largest facet, whose plane is the most accurate, over all neighbours in that plane.
Loops merge_coplanar(const std::vector<Vec3>& points, const Loops& facets, double tolerance) {
  const auto neighbours = neighbours_of(facets);
  std::vector<int> by_area(facets.size());
  for (std::size_t f = 0; f < facets.size(); ++f) by_area[f] = static_cast<int>(f);
  std::vector<double> area;
  for (const auto& loop : facets) area.push_back(norm(newell(points, loop)));
  std::sort(by_area.begin(), by_area.end(),
            [&](int a, int b) { return std::tie(area[b], facets[a]) < std::tie(area[a], facets[b]); });
  std::vector<char> taken(facets.size(), 0);
  Loops faces;
  for (const int seed : by_area) {
    if (taken[seed]) continue;
    const Plane plane = plane_of(points, facets[seed]);
    std::vector<int> group{seed};
    taken[seed] = 1;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (const int f : neighbours[group[i]])
        if (!taken[f] && lies_in(plane, points, facets[f], tolerance) &&
            dot(newell(points, facets[f]), plane.normal) >= 0) {
          taken[f] = 1;
          group.push_back(f);
        }
    if (std::vector<int> cycle = outline(facets, group); cycle.size() >= 3)
      faces.push_back(std::move(cycle));
    else
      for (const int f : group) faces.push_back(facets[f]);
  }
  return faces;
}

// A vertex with only two faces is inside a straight edge and is removed from both loops.
void drop_vertices_inside_edges(Loops& faces) {
  std::map<int, int> uses;
  for (const auto& loop : faces)
    for (const int v : loop) ++uses[v];
  for (auto& loop : faces) std::erase_if(loop, [&](int v) { return uses[v] < 3; });
}

// The largest distance of a corner from the plane of a face that it belongs to, m.
double roughness_of(const Polyhedron& poly) {
  double most = 0;
  for (const PolyhedronFace& face : poly.faces)
    for (int i = 0; i < face.count; ++i)
      most = std::max(most, std::abs(dot(face.normal, poly.vertices[poly.loop[face.first + i]]) - face.offset));
  return most;
}

// Planes of the facets, none of them merged. Each supports all vertices, because the normal of a thin triangle is not
// exact.
std::vector<PolyhedronFace> facets_of(const std::vector<Vec3>& vertices, double size) {
  QhullRun run(vertices, size);
  std::vector<PolyhedronFace> facets;
  if (!run.succeeded()) return facets;
  for (const std::vector<int>& loop : run.facets(vertices)) {
    PolyhedronFace facet{plane_of(vertices, loop).normal, -std::numeric_limits<double>::infinity()};
    for (const Vec3& v : vertices) facet.offset = std::max(facet.offset, dot(facet.normal, v));
    facets.push_back(facet);
  }
  return facets;
}

}  // namespace

std::shared_ptr<const Polyhedron> convex_hull(std::span<const Vec3> points) {
  const std::vector<Vec3> cloud = sorted_unique(points);
  require(cloud.size() >= 4, "convex hull: points: expected 4 or more different ones, got ", cloud.size());
  const double size = extent(cloud);
  QhullRun run(cloud, size);
  require(run.succeeded(), "convex hull: points: expected ones that span a volume, got ", cloud.size(), " in a plane");
  Loops faces = merge_coplanar(cloud, run.facets(cloud), kCoplanar * size);
  drop_vertices_inside_edges(faces);
  std::erase_if(faces, [](const auto& loop) { return loop.size() < 3; });
  require(faces.size() >= 4, "convex hull: points: expected ones that span a volume, got ", cloud.size(),
          " that are flat within ", kCoplanar, " of their size");
  Polyhedron hull = assemble_polyhedron(cloud, std::move(faces));
  if (const double rough = roughness_of(hull); rough > kRounding * size)
    hull.facets = facets_of(hull.vertices, size), hull.roughness = rough;
  return std::make_shared<const Polyhedron>(std::move(hull));
}

}  // namespace repose
