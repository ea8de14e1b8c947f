// SPDX-License-Identifier: Apache-2.0
// Further contact points of two bodies that touch at one point and would touch at others after a small turn: a cylinder
// on the cap of another one, capsules that cross at a small angle.
//
// The closest points of such a pair jump from one end to the other when the bodies turn by less than a step turns them.
// With one point at a time the bodies rock for ever. The pair is therefore collided again with the guest turned a
// little about the point, to four sides; the points found there are moved back with the guest. Their gaps along the
// pair's normal are at least that of the closest point. Polyhedra are not turned: their patches are
// complete, and crossing edges have the points of the faces beside them.
#pragma once

#include "repose/collision/pair_internal.h"
#include "repose/math/scalar.h"

namespace repose::collision {

/// Largest turn, rad.
inline constexpr double kLargestRock = 0.1;
/// Share of the size by which two points of a pair differ at least.
inline constexpr double kRockApart = 0.05;

/// Returns whether the pair may rock: a guest with a straight or flat part that is round otherwise.
REPOSE_HD [[nodiscard]] inline bool may_rock(Kind host, Kind guest) {
  return (guest == Kind::kCylinder || (guest == Kind::kCapsule && host != Kind::kHalfSpace)) && host != Kind::kSphere;
}

/// Returns the rotation by `angle` about the unit vector `axis`.
REPOSE_HD [[nodiscard]] inline Mat3 turned_about(Vec3 axis, double angle) {
  const double c = cosine(angle), s = sine(angle), k = 1 - c;
  const auto [x, y, z] = axis;
  return {{{c + k * x * x, k * x * y - s * z, k * x * z + s * y},
           {k * x * y + s * z, c + k * y * y, k * y * z - s * x},
           {k * x * z - s * y, k * y * z + s * x, c + k * z * z}}};
}

REPOSE_HD [[nodiscard]] inline bool is_apart(const Points& points, Vec3 x, double distance) {
  for (const ContactPoint& p : points)
    if (norm(p.position - x) < distance) return false;
  return true;
}

/// Adds the points of the turned guest to the one point of `out`, in the host's frame. `size`: of the smaller shape;
/// `collide(place, margin, points)` collides the host with the guest at another place.
template <class Collide>
REPOSE_HD void add_rocking_points(const Relative& place, Vec3 normal, double margin, double size,
                                  const Collide& collide, Points& out) {
  constexpr int kMost = 32;
  EmptyPlaces<ContactPoint, kMost> memory, spare;
  const Vec3 pivot = out[0].position, axis{place.R.m[0][2], place.R.m[1][2], place.R.m[2][2]};
  const Vec3 side{place.R.m[0][0], place.R.m[1][0], place.R.m[2][0]}, across = cross(normal, axis);
  const Vec3 first = normalized(dot(across, across) > 0.01 ? across : cross(normal, side));
  const double angle = min_of(kLargestRock, margin / size);
  for (std::uint32_t k = 0; k < 4; ++k) {
    const Mat3 turn = turned_about(k < 2 ? first : cross(normal, first), k % 2 ? -angle : angle);
    Points turned;
    turned.data = memory.data(), turned.capacity = kMost, turned.spare = spare.data();
    const PairResult found =
        collide(Relative{turn * place.R, pivot + turn * (place.p - pivot)}, margin + angle * size, turned);
    if (!found.touching || turned.exceeded) continue;
    const ContactPoint* lowest = &turned[0];
    for (const ContactPoint& p : turned)
      if (p.gap < lowest->gap) lowest = &p;
    const Vec3 on_host = lowest->position - 0.5 * lowest->gap * found.normal;
    const Vec3 on_guest = pivot + turn_back(turn, lowest->position + 0.5 * lowest->gap * found.normal - pivot);
    const Vec3 middle = 0.5 * (on_host + on_guest);
    const double gap = dot(normal, on_guest - on_host);
    if (gap <= margin && is_apart(out, middle, kRockApart * size))
      out.push_back({middle, gap, feature_name(Name::kCorner, 0x3ffffff0u + k)});
  }
}

}  // namespace repose::collision
