// SPDX-License-Identifier: Apache-2.0
// From the state of a world to its pairs and contact points: free velocities, bounds, the pair functions of
// repose/collision, filtered gaps. docs/collision.md has the rules, repose/world the same phases for one large world.
#pragma once

#include "repose/batch/pair_functions_internal.h"
#include "repose/batch/work_internal.h"
#include "repose/math/tangents.h"
#include "repose/world/contact_terms.h"
#include "repose/world/gap_filter.h"

namespace repose::batch {

/// Largest rotation of a step that travels count, rad; see repose/world/collide_internal.h.
inline constexpr double kLargestTurn = 2.0;
/// Share that leaves room for rounding when a sum of lengths is compared instead of the length of a sum.
inline constexpr double kSurely = 0.999;

enum PairFlag : short {
  kExceeded = 1,  ///< a list of the pair function is too short
  kChanged = 2,   ///< the history of the pair is another one after the call
  kSunk = 4,      ///< overlap beyond what is left alone
  kDeep = 8,      ///< overlap that cannot wait
};
/// The number of points of a pair is stored above its flags.
inline constexpr int kCountShift = 4;

inline constexpr double kHuge = 1e300;

/// Displaces a body. The angular momentum in space is kept, with a held axis of rotation the spin.
REPOSE_TEAM_HD void displace(const BodyTable& body, Vec3 shift, Vec3 angle, Vec3& x, Quat& q, Vec3& w) {
  if (shift.x == 0 && shift.y == 0 && shift.z == 0 && angle.x == 0 && angle.y == 0 && angle.z == 0) return;
  x = x + shift;
  const Vec3 momentum = angular_momentum(body.rotor, q, w);
  q = normalized(exponential(angle) * q);
  if (body.turns_freely()) w = angular_velocity(body.rotor, q, momentum);
}

/// A number in [−1, 1) from a place in a sequence (SplitMix64).
REPOSE_TEAM_HD double random_number(unsigned long long place) {
  unsigned long long z = place + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  return static_cast<double>(static_cast<long long>(z >> 11)) * 0x1.0p-52 - 1.0;
}

/// The random velocity that a body gets at the start of a step.
REPOSE_TEAM_CALL Vec3 kick_of(const WorldHeader& world, long long steps, int body) {
  if (world.kick == 0) return {};
  const unsigned long long place =
      ((world.seed * 1000003ull + static_cast<unsigned long long>(steps)) * 64 + static_cast<unsigned>(body)) * 4;
  return world.kick * Vec3{random_number(place), random_number(place + 1), random_number(place + 2)};
}

template <class Size>
struct Collide {
  static constexpr int W = Size::kThreads;
  using Memory = collision::PairMemory;

  Work<W> work;
  Team<W> team;
  StateView state;
  long long steps;  ///< taken so far
  int flip;         ///< list of histories that is valid; the other one is written

  /// Whether a body of the scene, or that of a node, is there.
  REPOSE_TEAM_HD bool is_present(int body) const {
    return !Size::kIsScheduled || work.tables().capacity.presence == 0 || has_bit(work.presence(), body);
  }
  REPOSE_TEAM_HD bool moves(int b) const { return is_present(work.tables().bodies[b].body); }

  REPOSE_TEAM_HD Vec3 velocity_before(int b) const {
    return allowed(work.tables().bodies[b], 0, load(work.velocity() + 6 * b) + kick_of(state.header(), steps, b));
  }

  /// Inertias in space unless they are those of these poses already, velocities with gravity and forces, travels.
  REPOSE_TEAM_HD void free_motion(bool has_inertias) const {
    const Tables& t = work.tables();
    team.each(t.capacity.bodies, [&](int b) {
      const BodyTable& body = t.bodies[b];
      if (!has_inertias) inertias(body, b);
      if (!moves(b)) return stay(b);
      const double h = t.h;
      const Vec3 before = velocity_before(b), spin_before = load(work.velocity() + 6 * b + 3);
      const double* applied = state.wrench() + 6 * b;
      Vec3 force = body.force + load(applied), torque = body.torque + load(applied + 3);
      if constexpr (Size::kIsScheduled) add_pushes(b, force, torque);
      if constexpr (Size::kHasJoints) add_motors(b, force, torque);
      const Vec3 pull = body.gravity_scale * state.header().gravity + body.inverse_mass * force;
      const Vec3 v = before + h * allowed(body, 0, pull);
      const Vec3 spin = spin_before + h * symmetric_times(work.inverse_inertia() + 6 * b, torque);
      store(work.free() + 6 * b, v);
      store(work.free() + 6 * b + 3, spin);
      const double turn = min_of(h * max_of(norm(spin), norm(spin_before)), kLargestTurn);
      work.travel()[b] = h * max_of(norm(v), norm(before)) + body.spin_reach * turn;
    });
  }

  /// Poses and displacements of bodies with a prescribed motion, `taken` steps after the world's own t = 0. Returns
  /// whether any of them moves in this step.
  REPOSE_TEAM_HD bool find_drives(long long taken) const {
    const Tables& t = work.tables();
    return team.any(t.capacity.motions, [&](int k) {
      const MotionTable& from = t.motions[k];
      const auto pose = [&](long long step) {
        const Pose p = pose_at(from.motion, from.start, static_cast<double>(step) * t.h);
        return Pose{p.position, normalized(p.rotation)};
      };
      Drive& drive = work.drive()[k];
      drive.start = pose(taken);
      drive.move = displacement(drive.start, pose(taken + 1));
      const double shift = norm(drive.move.shift), turn = norm(drive.move.angle);
      work.travel()[t.capacity.bodies + k] = shift + from.spin_reach * min_of(turn, kLargestTurn);
      return shift > 0 || turn > 0;
    });
  }

  /// Whether every pair keeps the margin of the scene.
  REPOSE_TEAM_HD bool all_slow() const {
    const Tables& t = work.tables();
    const int moved = t.capacity.bodies + (Size::kIsScheduled ? t.capacity.motions : 0);
    return !team.any(moved, [&](int b) { return !(2 * work.travel()[b] < kSurely * t.margin); });
  }

  /// Whether no body can be farther from the origin than this during the step.
  REPOSE_TEAM_HD bool all_near(double far) const {
    return !team.any(work.tables().capacity.bodies,
                     [&](int b) { return !(norm(load(work.x() + 3 * b)) + work.travel()[b] < far); });
  }

  REPOSE_TEAM_HD void place_colliders() const {
    const Tables& t = work.tables();
    team.each(t.capacity.colliders, [&](int k) {
      const ColliderTable& c = t.colliders[k];
      if (c.node == kNoNode) return;
      Pose pose;
      if (Size::kIsScheduled && c.node < kNoNode)
        pose = work.drive()[motion_of_node(c.node)].start;
      else
        pose = {load(work.x() + 3 * c.node), load_quat(work.q() + 4 * c.node)};
      if (c.turned) pose = pose * c.local;
      const Mat3 R = to_matrix(pose.rotation);
      double* to = work.place() + 12 * c.place;
      for (int r = 0; r < 3; ++r) to[3 * r] = R.m[r][0], to[3 * r + 1] = R.m[r][1], to[3 * r + 2] = R.m[r][2];
      store(to + 9, pose.position);
    });
  }

  /// Lists the candidates whose bounds overlap. Returns their number, −1 if there are too many.
  REPOSE_TEAM_HD int find_pairs(int last_pairs) const {
    const Tables& t = work.tables();
    const int words = (t.capacity.candidates + 31) / 32;
    team.each(words, [&](int w) { work.found()[w] = 0; });
    team.each(t.capacity.candidates, [&](int k) {
      if (are_present(t.candidates[k]) && bounds_overlap(t.candidates[k], -1)) team.set_bit(work.found(), k);
    });
    int pairs = 0;
    for (int w = 0; w < words; ++w) pairs += count_bits(work.found()[w]);
    if (pairs > t.capacity.pairs) return -1;
    team.each(words, [&](int w) {
      int place = 0;
      for (int v = 0; v < w; ++v) place += count_bits(work.found()[v]);
      for (unsigned bits = work.found()[w]; bits; bits &= bits - 1)
        work.candidate()[place++] = static_cast<short>(32 * w + lowest_bit(bits));
    });
    team.each(pairs, [&](int k) { start_pair(k, last_pairs); });
    return pairs;
  }

  /// Runs the pair functions. Afterwards pair_flags has the flags and the number of points of each pair.
  REPOSE_TEAM_HD void find_points(int pairs) const {
    const int stride = point_stride(pairs);
    team.each(pairs, [&](int k) { call_collide_pair(*this, k, stride); });
  }
  /// Points of pair k start at k times this in the list of points.
  REPOSE_TEAM_HD int point_stride(int pairs) const { return pairs > 0 ? work.tables().work.points / pairs : 0; }

  /// Numbers the contacts. Returns how many there are.
  REPOSE_TEAM_HD int number_contacts(int pairs) const {
    // Every thread sums up to its own pairs: short sums in parallel instead of a scan with barriers.
    team.each(pairs + 1, [&](int k) {
      int sum = 0;
      for (int p = 0; p < k; ++p) sum += work.pair_flags()[p] >> kCountShift;
      work.first()[k] = static_cast<short>(sum);
    });
    team.each(pairs, [&](int k) {
      for (int i = work.first()[k]; i < work.first()[k + 1] && i < work.tables().capacity.contacts; ++i)
        work.pair_of()[i] = static_cast<short>(k);
    });
    return work.first()[pairs];
  }
  /// Whether a pair has this flag.
  REPOSE_TEAM_HD bool flagged(int pairs, PairFlag flag) const {
    return team.any(pairs, [&](int k) { return (work.pair_flags()[k] & flag) != 0; });
  }

  /// Whether a body that contacts have struck may cross one that it has no contact with, beyond the pair's reach.
  /// `change`: of the velocities, 6 per body.
  REPOSE_TEAM_HD bool reaches_further(int pairs, const double* change) const {
    const Tables& t = work.tables();
    const int moved = t.capacity.bodies + (Size::kIsScheduled ? t.capacity.motions : 0);
    const bool slow = !team.any(moved, [&](int b) { return !(2 * new_travel(b, change) < kSurely * t.margin); });
    if (slow) return false;
    place_colliders();
    return team.any(t.capacity.candidates, [&](int k) { return pair_reaches_further(k, pairs, change); });
  }

 private:
  /// Of a body with its velocity at the end of the step.
  REPOSE_TEAM_HD double new_travel(int b, const double* change) const {
    const Tables& t = work.tables();
    if (Size::kIsScheduled && b >= t.capacity.bodies) return work.travel()[b];
    const double *free = work.free() + 6 * b, *d = change + 6 * b;
    return t.h * norm(load(free) + load(d)) + new_turn(b, change);
  }
  REPOSE_TEAM_HD double new_turn(int b, const double* change) const {
    const double *spin = work.free() + 6 * b + 3, *d = change + 6 * b + 3;
    return work.tables().bodies[b].spin_reach * min_of(work.tables().h * norm(load(spin) + load(d)), kLargestTurn);
  }
  REPOSE_TEAM_HD bool pair_reaches_further(int k, int pairs, const double* change) const {
    const Tables& t = work.tables();
    const ColliderTable &a = t.colliders[t.candidates[k].a], &b = t.colliders[t.candidates[k].b];
    if (!are_present(t.candidates[k])) return false;
    Vec3 motion;
    double turns = 0;
    const auto add = [&](int node, double sign) {
      if (Size::kIsScheduled && node < kNoNode) {
        motion = motion + sign * work.drive()[motion_of_node(node)].move.shift;
        turns += drive_turn(node);
      }
      if (node < 0) return;
      motion = motion + (sign * t.h) * (load(work.free() + 6 * node) + load(change + 6 * node));
      turns += new_turn(node, change);
    };
    add(a.node, -1.0);
    add(b.node, 1.0);
    // What sinks in by less is there at the start of the next step, which removes the overlap.
    const double reach = norm(motion) + turns - t.candidates[k].sunken;
    if (reach <= t.margin) return false;
    const int slot = place_in(work.candidate(), pairs, static_cast<short>(k));
    if (slot < 0) return bounds_overlap(t.candidates[k], reach);
    return work.first()[slot] == work.first()[slot + 1] && reach > pair_reach(a, b);
  }
  /// Place of a pair in an ascending list, −1 where it is not there.
  REPOSE_TEAM_HD static int place_in(const short* list, int count, short wanted) {
    int low = 0, high = count;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (list[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low < count && list[low] == wanted ? low : -1;
  }

  REPOSE_TEAM_HD void inertias(const BodyTable& body, int b) const {
    const Mat3 A = to_matrix(load_quat(work.q() + 4 * b) * body.rotor.axes);
    const Vec3 I = body.rotor.moments, J = body.rotor.inverse;
    int k = 6 * b;
    REPOSE_UNROLL
    for (int r = 0; r < 3; ++r) REPOSE_UNROLL
    for (int c = r; c < 3; ++c, ++k) {
      const double xx = A.m[r][0] * A.m[c][0], yy = A.m[r][1] * A.m[c][1], zz = A.m[r][2] * A.m[c][2];
      work.inertia()[k] = xx * I.x + yy * I.y + zz * I.z;
      work.inverse_inertia()[k] = xx * J.x + yy * J.y + zz * J.z;
    }
    if (!body.turns_freely()) hold_rotations(body, b);
  }
  /// Leaves the inertia of the axes that may turn, and its inverse.
  REPOSE_TEAM_HD void hold_rotations(const BodyTable& body, int b) const {
    double *I = work.inertia() + 6 * b, *J = work.inverse_inertia() + 6 * b;
    constexpr int kDiagonal[3] = {0, 3, 5};
    for (int k = 0; k < 6; ++k) J[k] = 0;
    for (int a = 0; a < 3; ++a)
      for (int c = a + 1; c < 3; ++c) {
        const int between = a == 0 ? c : 4, other = 3 - a - c;
        if (body.holds(3 + a) || body.holds(3 + c)) {
          I[between] = 0;
        } else if (body.holds(3 + other)) {
          const double inverse = 1 / (I[kDiagonal[a]] * I[kDiagonal[c]] - I[between] * I[between]);
          J[kDiagonal[a]] = I[kDiagonal[c]] * inverse, J[kDiagonal[c]] = I[kDiagonal[a]] * inverse;
          J[between] = -I[between] * inverse;
        }
      }
    for (int a = 0; a < 3; ++a)
      if (!body.holds(3 + a) && J[kDiagonal[a]] == 0) J[kDiagonal[a]] = 1 / I[kDiagonal[a]];
  }

  REPOSE_TEAM_HD collision::Relative place_of(const ColliderTable& c) const {
    if (c.node == kNoNode) return c.fixed;
    const double* from = work.place() + 12 * c.place;
    collision::Relative place;
    for (int r = 0; r < 3; ++r)
      place.R.m[r][0] = from[3 * r], place.R.m[r][1] = from[3 * r + 1], place.R.m[r][2] = from[3 * r + 2];
    place.p = load(from + 9);
    return place;
  }
  REPOSE_TEAM_HD double travel_of(const ColliderTable& c) const {
    if (Size::kIsScheduled && c.node < kNoNode)
      return work.travel()[work.tables().capacity.bodies + motion_of_node(c.node)];
    return c.node < 0 ? 0.0 : work.travel()[c.node];
  }
  REPOSE_TEAM_HD bool are_present(const CandidateTable& pair) const {
    const Tables& t = work.tables();
    return !Size::kIsScheduled || (is_present(t.colliders[pair.a].body) && is_present(t.colliders[pair.b].body));
  }

  /// A body that is not there keeps its pose and its velocity.
  REPOSE_TEAM_HD void stay(int b) const {
    store(work.free() + 6 * b, Vec3{});
    store(work.free() + 6 * b + 3, Vec3{});
    work.travel()[b] = 0;
  }
  /// Forces of actuators that are loads.
  REPOSE_TEAM_HD void add_motors(int b, Vec3& force, Vec3& torque) const {
    const Tables& t = work.tables();
    for (int k = 0; k < t.capacity.actuators; ++k) {
      const ActuatorTable& a = t.actuators[k];
      const JointTable& joint = t.joints[a.joint];
      if ((joint.node_a != b && joint.node_b != b) || work.motor()[k] == 0) continue;
      const JointRow& row = work.joint_row()[t.coordinates[joint.first_coordinate + a.coordinate].row];
      force = force + work.motor()[k] * (joint.node_b == b ? row.linear_b : row.linear_a);
      torque = torque + work.motor()[k] * (joint.node_b == b ? row.angular_b : row.angular_a);
    }
  }
  /// Mean force and torque over the step of the pushes that act, as apply_pushes().
  REPOSE_TEAM_HD void add_pushes(int b, Vec3& force, Vec3& torque) const {
    for (int k = 0; k < state.header().pushes; ++k) {
      const PushState& p = state.pushes()[k];
      if (p.node != b) continue;
      const double share = min_of(1.0, p.left / work.tables().h);
      force = force + share * p.force;
      torque = torque + share * p.torque;
    }
  }

  /// Half edges of the bounding box in space.
  REPOSE_TEAM_HD static Vec3 extent(const Mat3& R, Vec3 half) {
    const auto row = [&](int r) {
      return std::abs(R.m[r][0]) * half.x + std::abs(R.m[r][1]) * half.y + std::abs(R.m[r][2]) * half.z;
    };
    return {row(0), row(1), row(2)};
  }
  /// `reach`: distance that counts, m; below zero: that of a step's start.
  REPOSE_TEAM_HD bool bounds_overlap(const CandidateTable& pair, double reach) const {
    const Tables& t = work.tables();
    const ColliderTable &a = t.colliders[pair.a], &b = t.colliders[pair.b];
    if (reach < 0) reach = max_of(t.margin, travel_of(a) + travel_of(b));
    const collision::Relative pa = place_of(a), pb = place_of(b);
    if (a.shape.kind == collision::Kind::kHalfSpace) return near_plane(pa, b, pb, reach);
    if (b.shape.kind == collision::Kind::kHalfSpace) return near_plane(pb, a, pa, reach);
    const Vec3 d = (pb * b.centre) - (pa * a.centre), size = extent(pa.R, a.half) + extent(pb.R, b.half);
    return std::abs(d.x) <= size.x + reach && std::abs(d.y) <= size.y + reach && std::abs(d.z) <= size.z + reach;
  }
  REPOSE_TEAM_HD static bool near_plane(const collision::Relative& plane, const ColliderTable& c,
                                        const collision::Relative& place, double reach) {
    const Vec3 n{plane.R.m[0][2], plane.R.m[1][2], plane.R.m[2][2]};
    const Vec3 m = collision::turn_back(place.R, n);
    const double size = std::abs(m.x) * c.half.x + std::abs(m.y) * c.half.y + std::abs(m.z) * c.half.z;
    return dot(n, place * c.centre - plane.p) - size <= reach;
  }

  /// Distance up to which a pair has contacts; see Collision.
  REPOSE_TEAM_HD double pair_reach(const ColliderTable& a, const ColliderTable& b) const {
    const Tables& t = work.tables();
    if (travel_of(a) + travel_of(b) < kSurely * t.margin) return t.margin;
    const Vec3 free_a = a.node < 0 ? drive_shift(a.node) : t.h * load(work.free() + 6 * a.node);
    const Vec3 free_b = b.node < 0 ? drive_shift(b.node) : t.h * load(work.free() + 6 * b.node);
    const Vec3 before_a = a.node < 0 ? free_a : t.h * velocity_before(a.node);
    const Vec3 before_b = b.node < 0 ? free_b : t.h * velocity_before(b.node);
    const double closed = max_of(max_of(norm(free_a - free_b), norm(before_a - before_b)),
                                 max_of(norm(free_a - before_b), norm(before_a - free_b)));
    return max_of(t.margin, closed + turn_of(a) + turn_of(b));
  }
  REPOSE_TEAM_HD double turn_of(const ColliderTable& c) const {
    if (c.node < 0) return drive_turn(c.node);
    const Tables& t = work.tables();
    const double spin = norm(load(work.free() + 6 * c.node + 3)), before = norm(load(work.velocity() + 6 * c.node + 3));
    return t.bodies[c.node].spin_reach * min_of(t.h * max_of(spin, before), kLargestTurn);
  }

  REPOSE_TEAM_HD Vec3 drive_shift(int node) const {
    return Size::kIsScheduled && node < kNoNode ? work.drive()[motion_of_node(node)].move.shift : Vec3{};
  }
  REPOSE_TEAM_HD double drive_turn(int node) const {
    if (!Size::kIsScheduled || node == kNoNode) return 0;
    const int k = motion_of_node(node);
    return work.tables().motions[k].spin_reach * min_of(norm(work.drive()[k].move.angle), kLargestTurn);
  }

  /// Nodes, reach and the place of the pair in the last step's list, −1 if it was not there.
  REPOSE_TEAM_HD void start_pair(int k, int last_pairs) const {
    const Tables& t = work.tables();
    const short wanted = work.candidate()[k];
    const ColliderTable &a = t.colliders[t.candidates[wanted].a], &b = t.colliders[t.candidates[wanted].b];
    work.node_a()[k] = static_cast<short>(a.node);
    work.node_b()[k] = static_cast<short>(b.node);
    work.reach()[k] = pair_reach(a, b);
    work.last_slot()[k] = static_cast<short>(place_in(work.last_candidate(), last_pairs, wanted));
  }

  REPOSE_TEAM_HD static bool same(const Memory& a, const Memory& b) {
    bool equal = a.choice == b.choice && a.first == b.first && a.second == b.second && a.face == b.face &&
                 a.hint_first == b.hint_first && a.hint_second == b.hint_second && a.best == b.best &&
                 a.chosen == b.chosen && a.anchor.p.x == b.anchor.p.x && a.anchor.p.y == b.anchor.p.y &&
                 a.anchor.p.z == b.anchor.p.z;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) equal = equal && a.anchor.R.m[r][c] == b.anchor.R.m[r][c];
    return equal;
  }

  /// Size of a patch; of a single point the size of the smaller body.
  REPOSE_TEAM_HD static double patch_size(const collision::Points& points, double size_a, double size_b) {
    double most = 0;
    for (const ContactPoint& p : points) most = max_of(most, norm(p.position - points[0].position));
    if (most > 0) return most;
    return size_a > 0 && size_b > 0 ? min_of(size_a, size_b) : max_of(size_a, size_b);
  }

  REPOSE_TEAM_HD static int vertices_of(const ColliderTable& c) {
    return c.shape.polyhedron ? c.shape.polyhedron->vertices.size() : 0;
  }
  REPOSE_TEAM_CALL static void call_collide_pair(Collide self, int k, int stride) { self.collide_pair(k, stride); }
  REPOSE_TEAM_HD void collide_pair(int k, int stride) const {
    const Tables& t = work.tables();
    const CandidateTable& pair = t.candidates[work.candidate()[k]];
    const ColliderTable &a = t.colliders[pair.a], &b = t.colliders[pair.b];
    const int last = work.last_slot()[k];
    const Memory before = last < 0 ? Memory{} : state.pair_memory(flip)[last];
    Memory memory = before;
#if defined(__CUDACC__)
    typename Size::Room room;
#else
    typename Size::Room& room = pair_room<typename Size::Room>();
#endif
    collision::Points points = room.empty_points();
    collision::Scratch scratch = room.empty_scratch(max_of(vertices_of(a), vertices_of(b)));
    const collision::Relative pa = place_of(a), pb = place_of(b);
    const collision::PairResult found = collide_shapes<Size::kHasCylinders>(a.shape, pa, b.shape, pb, work.reach()[k],
                                                                            t.edge_normal, memory, scratch, points);
    const int count = found.touching ? points.count : 0;
    const bool exceeded = points.exceeded || scratch.exceeded() || count > stride;
    int flags = exceeded ? kExceeded : count << kCountShift;
    if (!same(before, memory)) flags |= kChanged;
    state.pair_memory(1 - flip)[k] = memory;
    state.depth(1 - flip)[k] = 0;
    if (!exceeded && count > 0) {
      const collision::Relative& host = found.host_is_second ? pb : pa;
      const Vec3 n = host.R * found.normal, normal = found.host_is_second ? -1.0 * n : n;
      write_frame(k, normal);
      for (ContactPoint& p : points) p.position = host * p.position;
      const double size = patch_size(points, a.size, b.size);
      const double depth = write_points(points, normal, size, work.points() + k * stride);
      state.depth(1 - flip)[k] = depth;
      flags |= depth > pair.limit ? kDeep : depth > pair.slop ? kSunk : 0;
    }
    if (flags >> kCountShift == 0) store(work.frame() + 9 * k + 6, Vec3{});  // so that the state has defined bits
    work.pair_flags()[k] = static_cast<short>(flags);
  }

  REPOSE_TEAM_HD void write_frame(int k, Vec3 normal) const {
    const TangentPair tangents = tangent_pair(normal);
    double* frame = work.frame() + 9 * k;
    store(frame, tangents.t1);
    store(frame + 3, tangents.t2);
    store(frame + 6, normal);
  }

  /// Returns the deepest overlap, m.
  REPOSE_TEAM_HD double write_points(const collision::Points& points, Vec3 normal, double size, FoundPoint* out) const {
    const Tables& t = work.tables();
    double gaps[Size::kPoints];
    filter_gaps(View<const ContactPoint>{points.data, points.count}, normal, kGapNoise * size,
                View<double>{gaps, points.count});
    double depth = 0;
    for (int i = 0; i < points.count; ++i) {
      const ContactPoint& p = points[i];
      out[i] = {p.position, p.gap, closing_bias(gaps[i], t.h), p.feature};
      depth = max_of(depth, -p.gap);
    }
    return depth;
  }
};

}  // namespace repose::batch
