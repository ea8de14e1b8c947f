// SPDX-License-Identifier: Apache-2.0
// The contacts of one step: arms, friction, free velocities, impulses of the last step. Each contact belongs to one
// thread, which keeps it in registers (ContactSlots).
#pragma once

#include "repose/batch/collide_internal.h"
#include "repose/set/alart_curnier.h"
#include "repose/set/lorentz.h"

namespace repose::batch {

/// The contacts of one thread; on the host of the whole world.
template <class Size>
struct ContactSlots {
#if defined(__CUDA_ARCH__)
  static constexpr int kCount = Size::kSlots;
#else
  static constexpr int kCount = Size::kSlots * Size::kThreads;
#endif
  Vec3 arm_a[kCount], arm_b[kCount];
  double mu[kCount], inverse_rho[kCount];  ///< friction; ρ⁻¹, kg
  double gap[kCount], closing[kCount];     ///< m, m/s
  std::uint32_t feature[kCount];
  ContactVec v_free[kCount];
  ContactVec centre[kCount], best[kCount];  ///< impulses: the current ones, the best ones
  ContactVec v[kCount], dv[kCount];         ///< velocities and their change by a Newton step
  signed char mode[kCount];                 ///< that the factor was made with
  // Of the interior point: its point and direction, its dual residual, ∂z_N/∂v.
  ContactVec x[kCount], z[kCount], dx[kCount], dz[kCount], rd[kCount], slip[kCount];
  NesterovTodd<double> scaling[kCount];
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

  /// Takes the points of all pairs; impulses start from those of the last step.
  REPOSE_TEAM_HD void take(int count, int pairs, double friction) const {
    const int stride = collide.point_stride(pairs);
    team.template contacts<Size::kSlots>(count, [&](int i, int k) {
      const Tables& t = work.tables();
      const int p = work.pair_of()[i], a = work.node_a()[p], b = work.node_b()[p];
      const FoundPoint point = work.points()[p * stride + i - work.first()[p]];
      const Vec3 centre_a = a < 0 ? Vec3{} : load(work.x() + 3 * a), centre_b = b < 0 ? Vec3{} : load(work.x() + 3 * b);
      const Arms arms =
          contact_arms(point.position, load(work.frame() + 9 * p + 6), point.gap, centre_a, centre_b, a >= 0 && b >= 0);
      c.arm_a[k] = a < 0 ? Vec3{} : arms.a;
      c.arm_b[k] = b < 0 ? Vec3{} : arms.b;
      c.mu[k] = friction * t.candidates[work.candidate()[p]].mu;
      c.inverse_rho[k] = 3.0 / (trace(a, c.arm_a[k]) + trace(b, c.arm_b[k]));
      c.gap[k] = point.gap;
      c.closing[k] = point.closing;
      c.feature[k] = point.feature;
      c.centre[k] = last_impulse(p, point.feature);
    });
    team.sync();
  }

  /// Velocities without contact impulses and the bias; impulses are projected onto their cones.
  REPOSE_TEAM_HD void start(int count) const {
    team.template contacts<Size::kSlots>(count, [&](int i, int k) {
      const int p = work.pair_of()[i];
      c.v_free[k] = relative(i, k, work.free());
      if constexpr (Size::kIsScheduled) c.v_free[k] = c.v_free[k] + in_frame(work.frame() + 9 * p, driven(p, k));
      c.v_free[k].n += bias(p, k);
      c.centre[k] = project_onto_cone(c.centre[k], c.mu[k]);
      c.mode[k] = -1;
    });
  }

  /// Velocity at contact i for velocities of the bodies, 6 each.
  REPOSE_TEAM_HD ContactVec relative(int i, int k, const double* bodies) const {
    const int p = work.pair_of()[i], a = work.node_a()[p], b = work.node_b()[p];
    Vec3 v;
    if (b >= 0) v = point_velocity(load(bodies + 6 * b), load(bodies + 6 * b + 3), c.arm_b[k]);
    if (a >= 0) v = v - point_velocity(load(bodies + 6 * a), load(bodies + 6 * a + 3), c.arm_a[k]);
    return in_frame(work.frame() + 9 * p, v);
  }

  /// Term added to the normal velocity: gaps may close, impacts bounce.
  REPOSE_TEAM_HD double bias(int p, int k) const {
    const Tables& t = work.tables();
    const double e = t.candidates[work.candidate()[p]].restitution;
    if (e <= 0) return c.closing[k];
    const int a = work.node_a()[p], b = work.node_b()[p];
    const Vec3 n = load(work.frame() + 9 * p + 6);
    const double forced = Size::kIsScheduled ? dot(n, driven(p, k)) : 0.0;
    const auto velocity = [&](int body, Vec3 arm, bool free) {
      if (body < 0) return Vec3{};
      const double* v = (free ? work.free() : work.velocity()) + 6 * body;
      return point_velocity(free ? load(v) : collide.velocity_before(body), load(v + 3), arm);
    };
    const double before = dot(n, velocity(b, c.arm_b[k], false) - velocity(a, c.arm_a[k], false)) + forced;
    const double free = dot(n, velocity(b, c.arm_b[k], true) - velocity(a, c.arm_a[k], true)) + forced;
    return impact_bias(c.closing[k], e, before, free, t.bounce_speed);
  }

  /// Force and torques of an impulse, for gathered().
  REPOSE_TEAM_HD void put_wrench(int i, int k, ContactVec impulse) const {
    const Vec3 p = in_space(work.frame() + 9 * work.pair_of()[i], impulse);
    double* e = work.exchange() + 15 * i;
    store(e, p);
    store(e + 3, cross(c.arm_a[k], p));
    store(e + 6, cross(c.arm_b[k], p));
  }
  /// Component m of Jᵀ λ for body b.
  REPOSE_TEAM_HD double gathered(int b, int m) const {
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
    return sum;
  }
  /// exchange ← the slope of a contact in space and its arms, for Factor::assemble().
  REPOSE_TEAM_HD void put_slope(int i, int k, const ContactSlope<double>& D) const {
    const double* frame = work.frame() + 9 * work.pair_of()[i];
    const Vec3 t1 = load(frame), t2 = load(frame + 3), n = load(frame + 6);
    const Vec3 c1 = D.t1t1 * t1 + D.t2t1 * t2 + D.nt1 * n, c2 = D.t1t2 * t1 + D.t2t2 * t2 + D.nt2 * n,
               c3 = D.t1n * t1 + D.t2n * t2 + D.nn * n;
    double* e = work.exchange() + 15 * i;
    store(e, c1.x * t1 + c2.x * t2 + c3.x * n);
    store(e + 3, c1.y * t1 + c2.y * t2 + c3.y * n);
    store(e + 6, c1.z * t1 + c2.z * t2 + c3.z * n);
    store(e + 9, c.arm_a[k]);
    store(e + 12, c.arm_b[k]);
  }

 private:
  /// Velocity at a contact of pair p by the prescribed motion of one of its bodies, which takes the mass centre of the
  /// other one along.
  REPOSE_TEAM_HD Vec3 driven(int p, int k) const {
    const int a = work.node_a()[p], b = work.node_b()[p];
    const auto velocity = [&](int node, int other, Vec3 arm) {
      const Displacement& move = work.drive()[motion_of_node(node)].move;
      return (1 / work.tables().h) * (moved_by(move, load(work.x() + 3 * other)) + cross(move.angle, arm));
    };
    if (a < kNoNode) return -1.0 * velocity(a, b, c.arm_b[k]);
    return b < kNoNode ? velocity(b, a, c.arm_a[k]) : Vec3{};
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
