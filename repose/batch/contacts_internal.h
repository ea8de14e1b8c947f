// SPDX-License-Identifier: Apache-2.0
// The contacts of one step: arms, friction, free velocities, impulses of the last step. Each contact belongs to one
// thread, which keeps it in registers (ContactSlots).
#pragma once

#include "repose/batch/collide_internal.h"
#include "repose/set/block_set.h"
#include "repose/set/lorentz.h"

namespace repose::batch {

/// How many contacts and blocks of joints are in one list: those of one thread; on the host of the whole world.
template <class Size>
inline constexpr int kSlotCount =
#if defined(__CUDA_ARCH__)
    Size::kSlots;
#else
    Size::kSlots* Size::kThreads;
#endif

/// What a block of a joint has besides; nothing where a model has no joints.
template <class Size, bool kHas = Size::kHasJoints>
struct JointSlots {};
template <class Size>
struct JointSlots<Size, true> {
  static constexpr int kCount = kSlotCount<Size>;
  bool is_box[kCount];                         ///< of a joint: its set is in `extra`
  signed char held[kCount], factored[kCount];  ///< bits of rows held by the position constraint; those of its factor
  SetExtra<double> extra[kCount];
  double stiffness[kCount];                 ///< of the rows that the position constraint holds, kg/s
  ContactVec scale[kCount];                 ///< factors of the rows
  ContactVec bias[kCount], target[kCount];  ///< part of v_free, m/s; of rows at the end of the step, m
  ContactVec error[kCount];                 ///< position error at the end of the step, m
  ContactVec before[kCount], wanted[kCount], impulse[kCount];  ///< of Newton's method on the position constraint
};
/// What a contact of the interior point has; joints do without it.
template <class Size, bool kHas = !Size::kHasJoints>
struct InteriorSlots {};
template <class Size>
struct InteriorSlots<Size, true> {
  static constexpr int kCount = kSlotCount<Size>;
  // Its point and direction, its dual residual, ∂z_N/∂v.
  ContactVec x[kCount], z[kCount], dx[kCount], dz[kCount], rd[kCount], slip[kCount];
  NesterovTodd<double> scaling[kCount];
};

/// The contacts of one thread, and blocks of joints; on the host of the whole world.
template <class Size>
struct ContactSlots : JointSlots<Size>, InteriorSlots<Size> {
  static constexpr int kCount = kSlotCount<Size>;
  double mu[kCount], inverse_rho[kCount];  ///< friction; ρ⁻¹, kg
  double gap[kCount], closing[kCount];     ///< m, m/s
  std::uint32_t feature[kCount];
  ContactVec v_free[kCount];
  ContactVec centre[kCount], best[kCount];  ///< impulses: the current ones, the best ones
  ContactVec v[kCount], dv[kCount];         ///< velocities and their change by a Newton step
  signed char mode[kCount];                 ///< that the factor was made with
};

/// Vectors in the frame (t1, t2, n) of a pair.
REPOSE_TEAM_HD ContactVec in_frame(const double* frame, Vec3 a) {
  return {dot(load(frame), a), dot(load(frame + 3), a), dot(load(frame + 6), a)};
}
REPOSE_TEAM_HD Vec3 in_space(const double* frame, ContactVec a) {
  return a.t1 * load(frame) + a.t2 * load(frame + 3) + a.n * load(frame + 6);
}

/// Component m of S v, S the inertia or its inverse with the mass.
REPOSE_TEAM_HD double times(double linear, const double* S, const double* v, int m) {
  if (m < 3) return linear * v[m];
  const double x = v[3], y = v[4], z = v[5];
  return m == 3   ? S[0] * x + S[1] * y + S[2] * z
         : m == 4 ? S[1] * x + S[3] * y + S[4] * z
                  : S[2] * x + S[4] * y + S[5] * z;
}

template <class Size>
struct Contacts {
  static constexpr int W = Size::kThreads;
  Work<W> work;
  Team<W> team;
  const Collide<Size>& collide;
  ContactSlots<Size>& c;
  int count = 0;   ///< contacts of this step; blocks of joints follow
  int levels = 0;  ///< of the factor

  /// Contacts and blocks of joints.
  REPOSE_TEAM_HD int total() const { return count + (Size::kHasJoints ? work.tables().capacity.joint_blocks : 0); }
  REPOSE_TEAM_HD bool is_joint(int i) const { return Size::kHasJoints && i >= count; }
  /// The set of an impulse.
  REPOSE_TEAM_HD SetRef<double> set(int k) const {
    if constexpr (Size::kHasJoints) return {c.mu[k], c.is_box[k] ? &c.extra[k] : nullptr};
    return {c.mu[k], nullptr};
  }

  /// y_trial ← M⁻¹ Jᵀ λ of c.centre.
  REPOSE_TEAM_HD void respond() const {
    team.template contacts<Size::kSlots>(total(), [&](int i, int k) { put_wrench(i, k, c.centre[k]); });
    respond_to_wrenches(work.y_trial());
  }
  /// out ← M⁻¹ Jᵀ λ for the impulses whose wrenches have been put.
  REPOSE_TEAM_HD void respond_to_wrenches(double* out) const {
    gather();
    team.each(6 * work.tables().capacity.bodies, [&](int it) {
      const int b = it / 6;
      out[it] =
          times(work.tables().bodies[b].inverse_mass, work.inverse_inertia() + 6 * b, work.residual() + 6 * b, it % 6);
    });
  }
  /// residual ← Jᵀ λ for the impulses whose wrenches have been put.
  REPOSE_TEAM_HD void gather() const { call_gather(work, team, count); }

  /// Takes the points of all pairs; impulses start from those of the last step.
  REPOSE_TEAM_HD void take(int found, int pairs, double friction) const {
    const int stride = collide.point_stride(pairs);
    Vec3 arm_a[kSlotCount<Size>], arm_b[kSlotCount<Size>];
    team.template contacts<Size::kSlots>(found, [&](int i, int k) {
      const Tables& t = work.tables();
      const int p = work.pair_of()[i], a = work.node_a()[p], b = work.node_b()[p];
      const FoundPoint point = work.points()[p * stride + i - work.first()[p]];
      const Vec3 centre_a = a < 0 ? Vec3{} : load(work.x() + 3 * a), centre_b = b < 0 ? Vec3{} : load(work.x() + 3 * b);
      const Arms arms =
          contact_arms(point.position, load(work.frame() + 9 * p + 6), point.gap, centre_a, centre_b, a >= 0 && b >= 0);
      arm_a[k] = a < 0 ? Vec3{} : arms.a;
      arm_b[k] = b < 0 ? Vec3{} : arms.b;
      c.mu[k] = friction * t.candidates[work.candidate()[p]].mu;
      c.inverse_rho[k] = 3.0 / (trace(a, arm_a[k]) + trace(b, arm_b[k]));
      c.gap[k] = point.gap;
      c.closing[k] = point.closing;
      c.feature[k] = point.feature;
      c.centre[k] = last_impulse(p, point.feature);
    });
    team.sync();  // the exchange shares memory with the lists of the collision
    team.template contacts<Size::kSlots>(found, [&](int i, int k) {
      store(arm_of(work, i, 0), arm_a[k]);
      store(arm_of(work, i, 1), arm_b[k]);
    });
    team.sync();
  }

  /// Velocities without contact impulses and the bias; impulses are projected onto their cones.
  REPOSE_TEAM_HD void start() const {
    team.template contacts<Size::kSlots>(count, [&](int i, int k) {
      const int p = work.pair_of()[i];
      c.v_free[k] = relative(i, k, work.free());
      if constexpr (Size::kIsScheduled) c.v_free[k] = c.v_free[k] + in_frame(work.frame() + 9 * p, driven(p, i));
      c.v_free[k].n += bias(p, i, k);
      c.centre[k] = project_onto_cone(c.centre[k], c.mu[k]);
      if constexpr (Size::kHasJoints) c.is_box[k] = false;
    });
  }

  /// Velocity at contact i for velocities of the bodies, 6 each.
  REPOSE_TEAM_HD ContactVec relative(int i, int k, const double* bodies) const {
    if constexpr (Size::kHasJoints) {
      if (i >= count) return row_velocities(i - count, k, bodies);
    }
    return call_relative(work, i, static_cast<int>(bodies - work.x()));
  }

  /// Term added to the normal velocity: gaps may close, impacts bounce.
  REPOSE_TEAM_HD double bias(int p, int i, int k) const {
    const Tables& t = work.tables();
    const double e = t.candidates[work.candidate()[p]].restitution;
    if (e <= 0) return c.closing[k];
    const int a = work.node_a()[p], b = work.node_b()[p];
    const Vec3 n = load(work.frame() + 9 * p + 6);
    const Vec3 arm_a = load(arm_of(work, i, 0)), arm_b = load(arm_of(work, i, 1));
    const double forced = Size::kIsScheduled ? dot(n, driven(p, i)) : 0.0;
    const auto velocity = [&](int body, Vec3 arm, bool free) {
      if (body < 0) return Vec3{};
      const double* v = (free ? work.free() : work.velocity()) + 6 * body;
      return point_velocity(free ? load(v) : collide.velocity_before(body), load(v + 3), arm);
    };
    const double before = dot(n, velocity(b, arm_b, false) - velocity(a, arm_a, false)) + forced;
    const double free = dot(n, velocity(b, arm_b, true) - velocity(a, arm_a, true)) + forced;
    return impact_bias(c.closing[k], e, before, free, t.bounce_speed);
  }

  /// Force and torques of an impulse, for gathered().
  REPOSE_TEAM_HD void put_wrench(int i, int k, ContactVec impulse) const {
    if constexpr (Size::kHasJoints) {
      if (i >= count) return put_joint_wrench(i, k, impulse);
    }
    call_put_wrench(work, i, impulse);
  }
  /// Component m of Jᵀ λ for body b. `count`: contacts.
  REPOSE_TEAM_HD static double gathered(Work<W> work, int count, int b, int m) {
    double sum = 0;
    if (work.tables().bodies[b].holds(m)) return sum;
    for (int k = work.neighbours_first()[b]; k < work.neighbours_first()[b + 1]; ++k) {
      const int pair = work.neighbours()[k] >> 1, side = work.neighbours()[k] & 1;
      const int at = m < 3 ? m : (side ? 3 + m : m);
      for (int i = work.first()[pair]; i < work.first()[pair + 1]; ++i) {
        const double e = work.exchange()[15 * i + at];
        sum += side ? e : -e;
      }
    }
    if constexpr (Size::kHasJoints) sum = with_joints(work, count, b, m, sum);
    return sum;
  }
  /// exchange ← the slope of a contact in space, for Factor::assemble(). The arms stand behind it.
  REPOSE_TEAM_HD void put_slope(int i, int k, const ContactSlope<double>& D) const {
    if constexpr (Size::kHasJoints) {
      if (i >= count) {
        double* e = work.exchange() + 15 * i;
        e[0] = D.t1t1 * c.scale[k].t1 * c.scale[k].t1, e[1] = D.t2t2 * c.scale[k].t2 * c.scale[k].t2;
        e[2] = D.nn * c.scale[k].n * c.scale[k].n;
        return;
      }
    }
    const double* frame = work.frame() + 9 * work.pair_of()[i];
    const Vec3 t1 = load(frame), t2 = load(frame + 3), n = load(frame + 6);
    const Vec3 c1 = D.t1t1 * t1 + D.t2t1 * t2 + D.nt1 * n, c2 = D.t1t2 * t1 + D.t2t2 * t2 + D.nt2 * n,
               c3 = D.t1n * t1 + D.t2n * t2 + D.nn * n;
    double* e = work.exchange() + 15 * i;
    store(e, c1.x * t1 + c2.x * t2 + c3.x * n);
    store(e + 3, c1.y * t1 + c2.y * t2 + c3.y * n);
    store(e + 6, c1.z * t1 + c2.z * t2 + c3.z * n);
  }

 private:
  REPOSE_TEAM_HD ContactVec row_velocities(int b, int k, const double* bodies) const {
    const Tables& t = work.tables();
    const BlockTable& block = t.blocks[b];
    const JointTable& joint = t.joints[block.joint];
    const auto velocity = [&](int r, double scale) {
      if (block.row[r] < 0) return 0.0;
      const JointRow& row = work.joint_row()[block.row[r]];
      double v = 0;
      if (joint.node_b >= 0)
        v = dot(row.linear_b, load(bodies + 6 * joint.node_b)) +
            dot(row.angular_b, load(bodies + 6 * joint.node_b + 3));
      if (joint.node_a >= 0)
        v += dot(row.linear_a, load(bodies + 6 * joint.node_a)) +
             dot(row.angular_a, load(bodies + 6 * joint.node_a + 3));
      return scale * v;
    };
    return {velocity(0, c.scale[k].t1), velocity(1, c.scale[k].t2), velocity(2, c.scale[k].n)};
  }
  /// Force and torque on both bodies.
  REPOSE_TEAM_HD void put_joint_wrench(int i, int k, ContactVec impulse) const {
    const BlockTable& block = work.tables().blocks[i - count];
    const double by_row[3] = {impulse.t1 * c.scale[k].t1, impulse.t2 * c.scale[k].t2, impulse.n * c.scale[k].n};
    JointRow sum;
    for (int r = 0; r < 3; ++r) {
      if (block.row[r] < 0) continue;
      const JointRow& row = work.joint_row()[block.row[r]];
      sum.linear_a = sum.linear_a + by_row[r] * row.linear_a, sum.angular_a = sum.angular_a + by_row[r] * row.angular_a;
      sum.linear_b = sum.linear_b + by_row[r] * row.linear_b, sum.angular_b = sum.angular_b + by_row[r] * row.angular_b;
    }
    double* e = work.exchange() + 15 * i;
    store(e, sum.linear_a);
    store(e + 3, sum.angular_a);
    store(e + 6, sum.linear_b);
    store(e + 9, sum.angular_b);
  }
  /// Adds the share of joints to component m of Jᵀ λ for body b.
  REPOSE_TEAM_HD static double with_joints(Work<W> work, int count, int b, int m, double sum) {
    const Tables& t = work.tables();
    const BodyTable& body = t.bodies[b];
    for (int k = body.first_link; k < body.first_link + body.links; ++k) {
      const LinkTable& link = t.links[k];
      const JointTable& joint = t.joints[link.joint];
      for (int n = joint.first_block; n < joint.first_block + joint.blocks; ++n)
        sum += work.exchange()[15 * (count + n) + 6 * link.side + m];
    }
    return sum;
  }

  /// Velocity at a contact of pair p by the prescribed motion of one of its bodies, which takes the mass centre of the
  /// other one along.
  REPOSE_TEAM_HD Vec3 driven(int p, int i) const {
    const int a = work.node_a()[p], b = work.node_b()[p];
    const auto velocity = [&](int node, int other, Vec3 arm) {
      const Displacement& move = work.drive()[motion_of_node(node)].move;
      return (1 / work.tables().h) * (moved_by(move, load(work.x() + 3 * other)) + cross(move.angle, arm));
    };
    if (a < kNoNode) return -1.0 * velocity(a, b, load(arm_of(work, i, 1)));
    return b < kNoNode ? velocity(b, a, load(arm_of(work, i, 0))) : Vec3{};
  }

  /// Arm of a contact at the first or the second body. It stays in the exchange as long as the contacts do.
  REPOSE_TEAM_HD static double* arm_of(Work<W> work, int i, int side) {
    return work.exchange() + 15 * i + 9 + 3 * side;
  }

  // One copy of each in device code: instructions that are not in the cache cost more than calls.
  /// `bodies`: place of the velocities, counted from x.
  REPOSE_TEAM_CALL static ContactVec call_relative(Work<W> work, int i, int bodies) {
    const double* from = work.x() + bodies;
    const int p = work.pair_of()[i], a = work.node_a()[p], b = work.node_b()[p];
    Vec3 v;
    if (b >= 0) v = point_velocity(load(from + 6 * b), load(from + 6 * b + 3), load(arm_of(work, i, 1)));
    if (a >= 0) v = v - point_velocity(load(from + 6 * a), load(from + 6 * a + 3), load(arm_of(work, i, 0)));
    return in_frame(work.frame() + 9 * p, v);
  }
  REPOSE_TEAM_CALL static void call_put_wrench(Work<W> work, int i, ContactVec impulse) {
    const Vec3 p = in_space(work.frame() + 9 * work.pair_of()[i], impulse);
    double* e = work.exchange() + 15 * i;
    store(e, p);
    store(e + 3, cross(load(arm_of(work, i, 0)), p));
    store(e + 6, cross(load(arm_of(work, i, 1)), p));
  }
  REPOSE_TEAM_CALL static void call_gather(Work<W> work, Team<W> team, int count) {
    team.sync();
    team.each(6 * work.tables().capacity.bodies,
              [&](int it) { work.residual()[it] = gathered(work, count, it / 6, it % 6); });
  }

  /// Share of one body in tr W_ii.
  REPOSE_TEAM_HD double trace(int body, Vec3 arm) const {
    if (body < 0) return 0;
    const double* J = work.inverse_inertia() + 6 * body;
    const int held = work.tables().bodies[body].held & 7;
    return (3 - count_bits(static_cast<unsigned>(held))) * work.tables().bodies[body].inverse_mass +
           dot(arm, arm) * (J[0] + J[3] + J[5]) - dot(arm, symmetric_times(J, arm));
  }

  /// The impulse that this feature had in the last step, in the frame of now.
  REPOSE_TEAM_HD ContactVec last_impulse(int p, std::uint32_t feature) const {
    const int last = work.last_slot()[p];
    if (last < 0) return {};
    for (int i = work.last_first()[last]; i < work.last_first()[last + 1]; ++i) {
      if (work.feature()[i] != feature) continue;
      const double* l = work.lambda() + 3 * i;
      const ContactVec impulse{l[0], l[1], l[2]};
      const Vec3 then = load(work.last_normal() + 3 * last), now = load(work.frame() + 9 * p + 6);
      if (then.x == now.x && then.y == now.y && then.z == now.z) return impulse;
      // Tangents jump where a normal crosses the horizontal; the vector in space does not.
      const TangentPair t = tangent_pair(then);
      return in_frame(work.frame() + 9 * p, impulse.t1 * t.t1 + impulse.t2 * t.t2 + impulse.n * then);
    }
    return {};
  }
};

}  // namespace repose::batch
