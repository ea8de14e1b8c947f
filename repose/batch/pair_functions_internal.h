// SPDX-License-Identifier: Apache-2.0
// The pair functions of repose/collision for one thread of a team, with one call site for each.
#pragma once

#include <memory>

#include "repose/batch/team_internal.h"
#include "repose/collision/pair_table_internal.h"

namespace repose::batch {

#if !defined(__CUDACC__)
/// Memory of the pair functions of a thread: too large for its stack.
template <class Room>
Room& pair_room() {
  static thread_local const std::unique_ptr<Room> room = std::make_unique<Room>();
  return *room;
}
#endif

/// The pair function of two kinds of shapes. Those with cylinders are half of the device code.
template <bool kWithCylinders>
REPOSE_TEAM_CALL collision::PairResult contacts_of_pair(const collision::HostedPair& pair) {
  using collision::Kind;
  switch (static_cast<int>(pair.host.kind) * collision::kKinds + static_cast<int>(pair.guest.kind)) {
#define REPOSE_PAIR(x, y)                                                         \
  case static_cast<int>(Kind::x) * collision::kKinds + static_cast<int>(Kind::y): \
    return collision::contacts_of<Kind::x, Kind::y>(pair);
    REPOSE_PAIR(kHalfSpace, kSphere)
    REPOSE_PAIR(kHalfSpace, kCapsule)
    REPOSE_PAIR(kHalfSpace, kPolyhedron)
    REPOSE_PAIR(kSphere, kSphere)
    REPOSE_PAIR(kCapsule, kSphere)
    REPOSE_PAIR(kCapsule, kCapsule)
    REPOSE_PAIR(kPolyhedron, kSphere)
    REPOSE_PAIR(kPolyhedron, kCapsule)
    REPOSE_PAIR(kPolyhedron, kPolyhedron)
    default: break;
  }
  if constexpr (kWithCylinders) {
    switch (static_cast<int>(pair.host.kind) * collision::kKinds + static_cast<int>(pair.guest.kind)) {
      REPOSE_PAIR(kHalfSpace, kCylinder)
      REPOSE_PAIR(kCylinder, kSphere)
      REPOSE_PAIR(kCylinder, kCapsule)
      REPOSE_PAIR(kCylinder, kCylinder)
      REPOSE_PAIR(kPolyhedron, kCylinder)
      default: break;
    }
  }
#undef REPOSE_PAIR
  return {};
}

/// The further points of a pair that may rock; a function of its own, so that its memory is claimed when it is called.
template <bool kWithCylinders>
REPOSE_TEAM_CALL void add_rocking(const collision::HostedPair& pair, Vec3 normal, double size) {
  collision::add_rocking_points(
      pair.place, normal, pair.margin, size,
      [&](const collision::Relative& turned, double reach, collision::Points& points) {
        return contacts_of_pair<kWithCylinders>(
            {pair.host, pair.guest, turned, reach, pair.edge_normal, pair.memory, pair.scratch, points});
      },
      pair.out);
}

/// collision::collide() for the shapes of batches, with one call site for each pair function.
template <bool kWithCylinders>
REPOSE_TEAM_HD collision::PairResult collide_shapes(const collision::ShapeView& a, const collision::Relative& place_a,
                                                    const collision::ShapeView& b, const collision::Relative& place_b,
                                                    double margin, EdgeNormal edge_normal,
                                                    collision::PairMemory& memory, collision::Scratch& scratch,
                                                    collision::Points& out) {
  const bool swap = collision::second_hosts(a.kind, b.kind);
  const collision::ShapeView &host = swap ? b : a, &guest = swap ? a : b;
  const collision::Relative place =
      swap ? collision::seen_from(place_b, place_a) : collision::seen_from(place_a, place_b);
  const collision::HostedPair pair{host, guest, place, margin, edge_normal, memory, scratch, out};
  collision::PairResult found = contacts_of_pair<kWithCylinders>(pair);
  if (found.touching && out.size() == 1 && collision::may_rock(host.kind, guest.kind))
    add_rocking<kWithCylinders>(pair, found.normal, min_of(a.size, b.size));
  if (swap) found.host_is_second = !found.host_is_second;
  return found;
}

}  // namespace repose::batch
