// SPDX-License-Identifier: Apache-2.0
// Removal of overlap at the start of a step, by one team (BatchOptions::quick_removal): the poses are those of the end
// of the step before, where a World removes it (repose/world/correction_internal.h). Unlike a World it does not
// remember contacts that an earlier round closed.
//
//   minimise ½ dᵀ M d   such that   gap_i + J_i d ≥ −allowed_i
//
// J_i is the normal row of contact i. One thread sweeps over the contacts; the step then collides again.
#pragma once

#include "repose/batch/contacts_internal.h"

namespace repose::batch {

template <class Size>
struct Overlap {
  static constexpr int W = Size::kThreads;
  static constexpr double kAim = 0.5;     ///< share of what is left alone that deeper overlap shrinks to
  static constexpr double kSlack = 1.05;  ///< of the depth that a step may leave: deeper pairs are displaced again
  static constexpr int kRounds = 8, kSweeps = 60;
  static constexpr double kConverged = 0.01;  ///< of the largest violation

  Work<W> work;
  Team<W> team;
  const Collide<Size>& collide;

  /// Displaces the bodies of pairs that are too deep. Returns whether there are any. `round`: collisions before this
  /// one.
  REPOSE_TEAM_HD bool remove(int pairs, int round) const {
    if (work.tables().recovery == 0) return false;
    if (!team.any(pairs, [&](int p) { return depth(p) > allowed(p, round); })) return false;
    team.each(6 * bodies(), [&](int k) { work.step()[k] = 0; });
    team.each(1, [&](int) { call_sweep(*this, pairs, round); });
    team.each(bodies(), [&](int b) {
      Vec3 x = load(work.x() + 3 * b), w = load(work.velocity() + 6 * b + 3);
      Quat q = load_quat(work.q() + 4 * b);
      displace(work.tables().bodies[b], load(work.step() + 6 * b), load(work.step() + 6 * b + 3), x, q, w);
      store(work.x() + 3 * b, x);
      store_quat(work.q() + 4 * b, q);
      store(work.velocity() + 6 * b + 3, w);
    });
    return true;
  }

 private:
  REPOSE_TEAM_CALL static void call_sweep(Overlap o, int pairs, int round) { o.sweep(pairs, round); }
  REPOSE_TEAM_HD int bodies() const { return work.tables().capacity.bodies; }
  REPOSE_TEAM_HD double depth(int p) const { return collide.state.depth(1 - collide.flip)[p]; }

  /// Depth that this round may leave of a pair: overlap_to_keep() first; then only what is beyond it counts.
  REPOSE_TEAM_HD double allowed(int p, int round) const {
    const Tables& t = work.tables();
    const CandidateTable& pair = t.candidates[work.candidate()[p]];
    const double now = depth(p), aim = kAim * pair.slop;
    const auto shrunk = [&](double from) {
      const double next = aim + (1 - t.recovery) * (from - aim);
      return next > pair.slop ? next : aim;
    };
    if (now <= pair.slop) return now;
    const int last = work.last_slot()[p];
    const double before = last < 0 ? 0.0 : collide.state.depth(collide.flip)[last];
    const double most = max_of(pair.limit, shrunk(max_of(before, pair.slop)));
    if (round == 0) return min_of(shrunk(now), most);
    return now > kSlack * most ? most : now;
  }

  /// Projected Gauss–Seidel. `step` has the displacements, FoundPoint::closing the multipliers: the pairs are collided
  /// again afterwards.
  REPOSE_TEAM_HD void sweep(int pairs, int round) const {
    const int stride = collide.point_stride(pairs);
    double deepest = 0;
    for (int p = 0; p < pairs; ++p) {
      deepest = max_of(deepest, depth(p) - allowed(p, round));
      for (int i = 0; i < work.first()[p + 1] - work.first()[p]; ++i) work.points()[p * stride + i].closing = 0;
    }
    for (int n = 0; n < kSweeps; ++n) {
      double change = 0;
      for (int p = 0; p < pairs; ++p) {
        const int count = work.first()[p + 1] - work.first()[p];
        const double keeps = count > 0 ? allowed(p, round) : 0.0;
        for (int i = 0; i < count; ++i) change = max_of(change, relax(p, work.points()[p * stride + i], keeps));
      }
      if (change <= kConverged * deepest) return;
    }
  }
  /// One row. Returns by how much its gap changes.
  REPOSE_TEAM_HD double relax(int p, FoundPoint& point, double keeps) const {
    const int a = work.node_a()[p], b = work.node_b()[p];
    const Vec3 n = load(work.frame() + 9 * p + 6);
    const auto arm = [&](int node) { return point.position - load(work.x() + 3 * node); };
    double mobility = 0, opened = 0;
    const auto add = [&](int node, double sign) {
      if (node < 0) return;
      const Vec3 turn = cross(arm(node), n), push = allowed_push(node, n);
      const double* d = work.step() + 6 * node;
      mobility += dot(n, push) + dot(turn, symmetric_times(work.inverse_inertia() + 6 * node, turn));
      opened += sign * (dot(n, load(d)) + dot(turn, load(d + 3)));
    };
    add(a, -1);
    add(b, 1);
    if (!(mobility > 0)) return 0;
    // A point shallower than the pair may be may not get deeper than it is.
    const double room = point.gap + min_of(max_of(-point.gap, 0.0), keeps);
    const double next = max_of(0.0, point.closing - (room + opened) / mobility), change = next - point.closing;
    if (change == 0) return 0;
    point.closing = next;
    const auto move = [&](int node, double by) {
      if (node < 0) return;
      double* d = work.step() + 6 * node;
      store(d, load(d) + by * allowed_push(node, n));
      store(d + 3, load(d + 3) + by * symmetric_times(work.inverse_inertia() + 6 * node, cross(arm(node), n)));
    };
    move(a, -change);
    move(b, change);
    return std::abs(change) * mobility;
  }
  REPOSE_TEAM_HD Vec3 allowed_push(int node, Vec3 n) const {
    const BodyTable& body = work.tables().bodies[node];
    return body.inverse_mass * batch::allowed(body, 0, n);
  }
};

}  // namespace repose::batch
