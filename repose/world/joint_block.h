// SPDX-License-Identifier: Apache-2.0
// One block of a joint in a step: rows, set, and the solution.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "repose/contact/point_contact.h"
#include "repose/set/block_set.h"
#include "repose/world/islands.h"

namespace repose {

/// The values are those of recordings.
enum class JointRole { kPosition = 0, kLimit = 1, kFriction = 2, kCompliance = 3, kServo = 4 };

/// The rows of a coupling's block against a body beside a and b.
struct JointEnd {
  int body = 0;  ///< index into Scene::bodies
  BodyJacobian rows;
};

/// Velocities are those of b relative to a, impulses act on b (and reversed on a).
struct JointBlock {
  int joint = 0;  ///< index into Scene::joints
  JointRole role = JointRole::kPosition;
  int part = 0;                ///< of the position constraint; the coordinate; the actuator
  int coordinate = 0;          ///< of the joint; of a position 0
  int body_a = 0, body_b = 0;  ///< indices into Scene::bodies; −1: the world
  BodyJacobian a, b;           ///< rows, (t1, t2, n)
  std::vector<JointEnd> others;
  BlockSet set = BlockSet::bilateral();
  ContactVec bias;                ///< added to the free velocity, m/s
  ContactVec scale;               ///< factors of the coordinate's row; of a position 0
  ContactVec target;              ///< of the rows of a position or a limit at the end of the step, m
  std::array<bool, 3> bounces{};  ///< rows of a limit that leave it again: they hold a velocity, no position
  ContactVec start, lambda;       ///< impulse that the solve started from and found, N·s
  ContactVec v;                   ///< velocity of the rows after the step's impulses, m/s (bias not included)

  [[nodiscard]] auto key() const { return std::tuple(joint, role, part); }
};

/// The blocks of all joints of a step, ascending by key. The blocks of a joint are consecutive: one link.
struct JointSet {
  std::vector<JointBlock> blocks;
  std::vector<Patch> links;
  std::uint64_t layout = 0;               ///< of the list of blocks and links: which there are; 0: none
  std::vector<std::uint64_t> stamps;      ///< by link, of rows and sets: the same to the bit while it does not change
  std::vector<std::uint64_t> kinematics;  ///< by link: stamp of the frames that the rows were made from
  std::vector<JointBlock> fresh;          ///< of one joint, while they are made
  std::vector<double> makeup;  ///< what else decides which blocks there are: joints that act, gains of servos
};

/// Adds the link of a joint: its blocks are [first, first + count). One that has more than two bodies connects those
/// that move by further links, without blocks.
template <class Moves>
void add_links(int body_a, int body_b, std::span<const int> others, int first, int count, const Moves& moves,
               std::vector<Patch>& links) {
  if (others.empty()) {
    links.push_back({body_a, body_b, first, count});
    return;
  }
  const std::size_t main = links.size();
  int found = 0;
  const auto take = [&](int body) {
    if (body < 0 || !moves(body)) return;
    if (found == 0) links.push_back({-1, body, first, count});
    if (found == 1) links[main].body_a = body;
    if (found > 1) links.push_back({links[main].body_b, body, first, 0});
    ++found;
  };
  take(body_a), take(body_b);
  for (const int body : others) take(body);
}

}  // namespace repose
