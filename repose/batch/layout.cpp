// SPDX-License-Identifier: Apache-2.0
#include "repose/batch/layout_internal.h"

#include <algorithm>

#include "repose/batch/work_internal.h"

namespace repose::batch {
namespace {

/// Claims arrays one after the other, each at a multiple of eight bytes.
class Claim {
 public:
  template <class T>
  int take(int count) {
    const int at = bytes_;
    bytes_ += (count * static_cast<int>(sizeof(T)) + 7) / 8 * 8;
    return at;
  }
  /// Goes on no earlier than here.
  void reach(int bytes) { bytes_ = std::max(bytes_, bytes); }
  [[nodiscard]] int bytes() const { return bytes_; }

 private:
  int bytes_ = 0;
};

constexpr int kSums = 7;  // of one reduction

void claim_bodies(const Capacity& capacity, Claim& claim, WorkLayout& w) {
  const int n = capacity.bodies;
  // Sixes start at multiples of 16 bytes: two numbers are loaded at once.
  w.q = claim.take<double>(4 * n);
  for (int* six : {&w.velocity, &w.pending, &w.free, &w.inertia, &w.inverse_inertia, &w.y0, &w.y1, &w.y_trial,
                   &w.residual, &w.step})
    *six = claim.take<double>(6 * n);
  w.x = claim.take<double>(3 * n);
  w.travel = claim.take<double>(n + capacity.motions);
  w.joint_row = claim.take<JointRow>(capacity.joint_rows);
  w.coordinate = claim.take<double>(capacity.coordinates);
  w.motor = claim.take<double>(capacity.actuators);
  w.end = claim.take<double>(capacity.joints > 0 ? 7 * n : 0);
  w.drive = claim.take<Drive>(capacity.motions);
  w.presence = claim.take<unsigned>(capacity.presence);
  w.least = claim.take<double>(n);
  w.scales = claim.take<double>(2 * n);
  for (int* mask : {&w.adjacent, &w.pattern, &w.remaining}) *mask = claim.take<unsigned long long>(n);
  for (int* list : {&w.island, &w.neighbours_first, &w.row_first, &w.degree, &w.pivots, &w.level_first})
    *list = claim.take<short>(n + 1);
  w.lower_first = claim.take<int>(n + 1);
  w.update_first = claim.take<int>(n + 1);
}

}  // namespace

StateLayout make_state_layout(const Capacity& capacity, int contacts) {
  StateLayout s;
  Claim claim;
  static_cast<void>(claim.take<WorldHeader>(1));
  const int n = capacity.bodies;
  s.pairs = 2 * capacity.pairs;
  s.contacts = std::max(2 * capacity.contacts, contacts);
  s.x = claim.take<double>(3 * n);
  s.q = claim.take<double>(4 * n);
  s.velocity = claim.take<double>(6 * n);
  s.pending = claim.take<double>(6 * n);
  s.wrench = claim.take<double>(6 * n);
  s.presence = claim.take<unsigned>(capacity.presence);
  s.control = claim.take<double>(capacity.actuators);
  s.coordinate = claim.take<double>(capacity.coordinates);
  s.joint_lambda = claim.take<double>(3 * capacity.joint_blocks);
  s.joint_position = claim.take<double>(capacity.positions);
  s.joint_velocity = claim.take<double>(capacity.positions);
  s.push_room = capacity.presence > 0 ? capacity.events + kFreePushes : 0;
  s.pushes = claim.take<PushState>(s.push_room);
  s.candidate = claim.take<short>(s.pairs + 1);
  s.first = claim.take<short>(s.pairs + 1);
  s.normal = claim.take<double>(3 * s.pairs);
  s.memory = claim.take<collision::PairMemory>(2 * s.pairs);
  s.depth = claim.take<double>(2 * s.pairs);
  s.lambda = claim.take<double>(3 * s.contacts);
  s.feature = claim.take<std::uint32_t>(s.contacts);
  s.bytes = (claim.bytes() + 127) / 128 * 128;
  return s;
}

WorkLayout make_work_layout(const Capacity& capacity, int threads, int found) {
  WorkLayout w;
  Claim claim;
  const int p = std::max(capacity.pairs, 1), c = capacity.contacts;
  w.reduction = claim.take<double>(threads > 32 ? kSums * threads / 32 : 0);
  claim_bodies(capacity, claim, w);
  w.neighbours = claim.take<short>(2 * p);
  w.block_row = claim.take<unsigned char>(capacity.blocks);
  w.block_column = claim.take<unsigned char>(capacity.blocks);
  w.lowers = claim.take<int>(capacity.updates);
  w.updates = claim.take<int>(capacity.updates);
  for (int* list : {&w.candidate, &w.first, &w.node_a, &w.node_b, &w.last_candidate, &w.last_first})
    *list = claim.take<short>(p + 1);
  w.last_normal = claim.take<double>(3 * p);
  w.frame = claim.take<double>(9 * p);
  w.lambda = claim.take<double>(3 * c);
  w.feature = claim.take<std::uint32_t>(c);
  w.pair_of = claim.take<short>(c);

  // Only for collision; its memory then serves the exchange between contacts and bodies.
  Claim collision = claim;
  w.place = collision.take<double>(12 * capacity.places);
  w.found = collision.take<unsigned>((capacity.candidates + 31) / 32);
  w.last_slot = collision.take<short>(p + 1);
  w.pair_flags = collision.take<short>(p + 1);
  w.reach = collision.take<double>(p);
  w.exchange = claim.take<double>(15 * (c + capacity.joint_blocks));
  claim.reach(collision.bytes());

  claim.reach((claim.bytes() + 15) / 16 * 16);
  const int blocks = static_cast<int>(36 * sizeof(double)) * capacity.blocks;
  const int points = static_cast<int>(sizeof(FoundPoint)) * std::max(c + 8, found);
  w.points = std::max(blocks, points) / static_cast<int>(sizeof(FoundPoint));
  w.blocks = claim.take<double>(std::max(blocks, points) / 8);
  w.bytes = (claim.bytes() + 15) / 16 * 16;
  return w;
}

}  // namespace repose::batch
