// SPDX-License-Identifier: Apache-2.0
// Memory that a pair function writes to: the pair's contact points and its working lists. All have a fixed capacity and
// belong to the caller.
//
// A pair function allocates nothing. Entries beyond the capacity are dropped and the list is marked as exceeded. The
// points and the pair's memory are then invalid: the caller restores the memory and repeats the call with a larger
// capacity. Collision doubles it (PairRoom); a device leaves the pair to the host. So no result depends on a capacity.
#pragma once

#include <cstdint>

#include "repose/base/view.h"
#include "repose/collision/contact_point.h"
#include "repose/math/scalar.h"

namespace repose::collision {

/// The contact points of one pair. `spare` has the same capacity.
struct Points : Buffer<ContactPoint> {
  ContactPoint* spare = nullptr;
};

/// A vertex of the polygon that is clipped (clip_kernel_internal.h).
struct ClipVertex {
  Vec3 x;                 ///< on the incident face, reference frame
  std::uint32_t feature;  ///< name
  int out;      ///< the polygon's edge after this vertex is part of incident edge `out`, or of side −1 − out
  double side;  ///< distance outside the current side plane, m
};

/// One edge of a polyhedron in the frame of the pair's first shape.
struct EdgeView {
  Vec3 tail, head, direction;  ///< direction: unit
  Vec3 left, right;            ///< normals of the two faces
  int left_face, right_face;   ///< as face_code() has them
};

/// Working lists of one pair function.
struct Scratch {
  Buffer<Vec3> vertices;       ///< of the second shape in the frame of the first
  Buffer<EdgeView> edges;      ///< the same
  Buffer<ClipVertex> polygon;  ///< being clipped
  Buffer<ClipVertex> cut;      ///< the result of one clip
  Buffer<int> stack, faces;    ///< of a traversal of the surface of a large hull
  int* spare_faces = nullptr;  ///< of the capacity of `faces`
  View<unsigned> seen;         ///< by vertex: number of the last traversal that reached it; zero at first
  unsigned walk = 0;
  bool walk_exceeded = false;  ///< `seen` is shorter than the number of vertices of some hull

  REPOSE_HD [[nodiscard]] bool exceeded() const {
    return vertices.exceeded || edges.exceeded || polygon.exceeded || cut.exceeded || stack.exceeded ||
           faces.exceeded || walk_exceeded;
  }
};

/// Memory of N elements without values. Default values would be written, by a device to slow memory, whenever a room is
/// made.
template <class T, int N>
struct EmptyPlaces {
  alignas(T) unsigned char bytes[N * sizeof(T)];
  REPOSE_HD T* data() { return reinterpret_cast<T*>(bytes); }
};

/// Memory of fixed capacity for small shapes in one block, for devices: up to `kVertices` vertices, `kEdges` edges and
/// `kPoints` points, counted before repeated ones are dropped.
/// `kWalk`: vertices of the largest hull whose surface can be walked over.
template <int kPoints, int kVertices, int kEdges, int kWalk = kVertices>
struct FixedRoom {
  EmptyPlaces<ContactPoint, kPoints> points, spare;
  EmptyPlaces<Vec3, kVertices> vertices;
  EmptyPlaces<EdgeView, kEdges> edges;
  EmptyPlaces<ClipVertex, 2 * kVertices> polygon, cut;
  int stack[kWalk], faces[2 * kEdges], spare_faces[2 * kEdges];
  unsigned seen[kWalk];

  REPOSE_HD [[nodiscard]] Points empty_points() {
    Points list;
    list.data = points.data(), list.capacity = kPoints, list.spare = spare.data();
    return list;
  }
  /// For shapes of up to so many vertices.
  REPOSE_HD [[nodiscard]] Scratch empty_scratch(int most_vertices = kWalk) {
    for (int k = 0; k < min_of(most_vertices, kWalk); ++k) seen[k] = 0;
    Scratch lists;
    lists.vertices = {vertices.data(), kVertices};
    lists.edges = {edges.data(), kEdges};
    lists.polygon = {polygon.data(), 2 * kVertices};
    lists.cut = {cut.data(), 2 * kVertices};
    lists.stack = {stack, kWalk};
    lists.faces = {faces, 2 * kEdges};
    lists.spare_faces = spare_faces;
    lists.seen = {seen, kWalk};
    return lists;
  }
};

// ---- order --------------------------------------------------------------------------------------------------------

/// Merges the sorted runs [low, middle) and [middle, high) of `from` into `to`; of equals the first run's come first.
template <class T, class Before>
REPOSE_HD void merge_runs(const T* from, T* to, int low, int middle, int high, const Before& before) {
  int left = low, right = middle;
  for (int i = low; i < high; ++i) {
    const bool take_right = left == middle || (right < high && before(from[right], from[left]));
    to[i] = take_right ? from[right++] : from[left++];
  }
}

/// Sorts without changing the order of equals: runs by insertion, then merged between `data` and `spare`.
template <class T, class Before>
REPOSE_HD void stable_sort(T* data, T* spare, int count, const Before& before) {
  constexpr int kRun = 16;
  for (int low = 0; low < count; low += kRun)
    for (int i = low + 1; i < min_of(low + kRun, count); ++i) {
      const T moving = data[i];
      int place = i;
      for (; place > low && before(moving, data[place - 1]); --place) data[place] = data[place - 1];
      data[place] = moving;
    }
  T *from = data, *to = spare;
  for (int run = kRun; run < count; run *= 2) {
    for (int low = 0; low < count; low += 2 * run)
      merge_runs(from, to, low, min_of(low + run, count), min_of(low + 2 * run, count), before);
    exchange(from, to);
  }
  if (from != data)
    for (int i = 0; i < count; ++i) data[i] = from[i];
}

/// Sorts the points by feature. Of several with the same feature the first one found is kept.
REPOSE_HD inline void sort_features(Points& points) {
  stable_sort(points.data, points.spare, points.count,
              [](const ContactPoint& a, const ContactPoint& b) { return a.feature < b.feature; });
  int kept = 0;
  for (int i = 0; i < points.count; ++i)
    if (kept == 0 || points[kept - 1].feature != points[i].feature) points[kept++] = points[i];
  points.count = kept;
}

REPOSE_HD inline double smallest_gap(const Points& points) {
  double gap = 1e300;
  for (const ContactPoint& p : points) gap = min_of(gap, p.gap);
  return gap;
}

}  // namespace repose::collision
