// SPDX-License-Identifier: Apache-2.0
// The pair function of each pair of kinds of shapes. A pair of kinds without an entry does not compile.
#pragma once

#include <utility>

#include "repose/collision/cylinder_internal.h"
#include "repose/collision/polyhedron_pair_internal.h"
#include "repose/collision/rocking_internal.h"
#include "repose/collision/round_pairs_internal.h"

namespace repose::collision {

/// A pair in the frame of its host, and the memory that the pair functions write to.
struct HostedPair {
  const ShapeView &host, &guest;
  Relative place;  ///< of the guest in the host's frame
  double margin;   ///< m
  EdgeNormal edge_normal;
  PairMemory& memory;
  Scratch& scratch;
  Points& out;
};

/// Returns whether b is the host. A half-space is always the host; otherwise the shape with more features is.
REPOSE_HD [[nodiscard]] constexpr bool second_hosts(Kind a, Kind b) {
  if (a == Kind::kHalfSpace) return false;
  return b == Kind::kHalfSpace || b > a;
}

/// The entry of the table for a host and a guest. The general template is deleted: a new kind of shape compiles only
/// with an entry for every other kind.
template <Kind host, Kind guest>
REPOSE_HD PairResult contacts_of(const HostedPair& pair) = delete;

// Half-spaces are unbounded: two of them have no contact patch, and bodies made of them do not move freely.
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kHalfSpace, Kind::kHalfSpace>(const HostedPair&) {
  return {};
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kHalfSpace, Kind::kSphere>(const HostedPair& p) {
  return halfspace_sphere(p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kHalfSpace, Kind::kCapsule>(const HostedPair& p) {
  return halfspace_capsule(p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kHalfSpace, Kind::kCylinder>(const HostedPair& p) {
  return halfspace_cylinder(p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kHalfSpace, Kind::kPolyhedron>(const HostedPair& p) {
  return halfspace_polyhedron(p.guest, p.place, p.margin, p.memory.hint_second, p.scratch, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kSphere, Kind::kSphere>(const HostedPair& p) {
  return sphere_sphere(p.host, p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kCapsule, Kind::kSphere>(const HostedPair& p) {
  return capsule_sphere(p.host, p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kCapsule, Kind::kCapsule>(const HostedPair& p) {
  return capsule_capsule(p.host, p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kCylinder, Kind::kSphere>(const HostedPair& p) {
  return cylinder_sphere(p.host, p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kCylinder, Kind::kCapsule>(const HostedPair& p) {
  return cylinder_capsule(p.host, p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kCylinder, Kind::kCylinder>(const HostedPair& p) {
  return cylinder_cylinder(p.host, p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kPolyhedron, Kind::kSphere>(const HostedPair& p) {
  return polyhedron_sphere(p.host, p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kPolyhedron, Kind::kCapsule>(const HostedPair& p) {
  return polyhedron_capsule(p.host, p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kPolyhedron, Kind::kCylinder>(const HostedPair& p) {
  return polyhedron_cylinder(p.host, p.guest, p.place, p.margin, p.out);
}
template <>
REPOSE_HD inline PairResult contacts_of<Kind::kPolyhedron, Kind::kPolyhedron>(const HostedPair& p) {
  return polyhedron_polyhedron(p.host, p.guest, p.place, p.margin, p.edge_normal, p.memory, p.scratch, p.out);
}

/// Calls the entry `code` = host · kKinds + guest of the table if it is the wanted one.
template <int code>
REPOSE_HD inline bool try_entry(int wanted, const HostedPair& pair, PairResult& result) {
  constexpr Kind host = static_cast<Kind>(code / kKinds), guest = static_cast<Kind>(code % kKinds);
  if constexpr (!second_hosts(host, guest)) {
    if (code != wanted) return false;
    result = contacts_of<host, guest>(pair);
    return true;
  } else {
    return false;
  }
}
template <int... code>
REPOSE_HD inline PairResult look_up(const HostedPair& pair, std::integer_sequence<int, code...>) {
  const int wanted = static_cast<int>(pair.host.kind) * kKinds + static_cast<int>(pair.guest.kind);
  PairResult result;
  // From the end: most pairs are polyhedra.
  static_cast<void>((try_entry<sizeof...(code) - 1 - code>(wanted, pair, result) || ...));
  return result;
}

/// Finds the contacts of two shapes placed in one frame; `out` is empty. The result is in the frame of its host. It is
/// valid only if neither `out` nor `scratch` was exceeded.
REPOSE_HD inline PairResult collide(const ShapeView& a, const Relative& place_a, const ShapeView& b,
                                    const Relative& place_b, double margin, EdgeNormal edge_normal, PairMemory& memory,
                                    Scratch& scratch, Points& out) {
  const bool swap = second_hosts(a.kind, b.kind);
  const HostedPair pair{swap ? b : a, swap ? a : b, swap ? seen_from(place_b, place_a) : seen_from(place_a, place_b),
                        margin,       edge_normal,  memory,
                        scratch,      out};
  constexpr auto table = std::make_integer_sequence<int, kKinds * kKinds>{};
  PairResult result = look_up(pair, table);
  if (result.touching && out.size() == 1 && may_rock(pair.host.kind, pair.guest.kind))
    add_rocking_points(
        pair.place, result.normal, margin, min_of(a.size, b.size),
        [&](const Relative& place, double reach, Points& points) {
          return look_up(HostedPair{pair.host, pair.guest, place, reach, edge_normal, memory, scratch, points}, table);
        },
        out);
  if (swap) result.host_is_second = !result.host_is_second;
  return result;
}

}  // namespace repose::collision
