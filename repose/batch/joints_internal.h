// SPDX-License-Identifier: Apache-2.0
// Newton's method on the position constraint of the joints of one world at the end of the step, g(x⁺) = 0, by one team.
// The constraint is that of repose/world/joint_projection_internal.h; docs/decisions/027 says what differs.
#pragma once

#include "repose/batch/joint_blocks_internal.h"

namespace repose::batch {

template <class Size>
struct Joints : JointBlocks<Size> {
  using Base = JointBlocks<Size>;
  using Base::Base;
  using Base::driven_velocity, Base::velocity_before;
  using Base::S, Base::work, Base::team, Base::collide, Base::contacts, Base::c, Base::factor;
  using Base::total, Base::for_blocks, Base::end_pose, Base::frames_of, Base::coordinate, Base::turns_of, Base::row_of;

  /// How often impulses of position rows are refined, because the rows are stiff and not rigid.
  static constexpr int kRefinements = 3;
  /// Position error, as a share of the mechanism's size: that is left before the first solve, and after a Newton step.
  static constexpr double kStartGoal = 4e-15, kRounding = 1e-14;
  static constexpr double kGoal = 1e-11;      ///< that Newton's method must reach
  static constexpr double kLateGoal = 5e-11;  ///< that is left after solves that hardly change it any more
  static constexpr int kNewtonSteps = 24;
  /// Largest velocity that the constraint adds to a row, as a share of that of the motion, and the shift that is small
  /// in any case: as in repose/world/joint_projection.cpp.
  static constexpr double kLargestShare = 0.4, kSmallShift = 1e-9;
  /// Of steps that raise energy: as there.
  static constexpr double kUnbalanced = 0.25, kUnnoticed = 1e-3, kWhip = 0.05;

  /// Changes the impulses of rows that are held until the poses at the end of the step satisfy them, unless the error
  /// is within `goal` already, and takes the velocities found as the problem's bias. `y_trial` is the response of
  /// c.centre before and after. Returns false where that fails; `changed`: whether the problem is another one.
  REPOSE_TEAM_HD bool hold(double goal, bool& changed, double& error) const {
    error = find_error();
    changed = false;
    if (error <= goal) return true;
    if (!(error < kHuge)) return false;
    for (int n = 0; n < kNewtonSteps && error > kRounding; ++n) {
      keep();
      newton_step(n == 0);
      contacts.respond();
      const double next = find_error();
      if (!(next < error)) {
        take_back();
        contacts.respond();
        error = find_error();
        break;
      }
      error = next;
    }
    changed = true;
    return error <= kGoal && set_bias();
  }

  /// The largest position error as a share of its mechanism's size, when velocities change by y_trial. Rows that carry
  /// no impulse and may open do not count.
  REPOSE_TEAM_HD double find_error() const {
    team.each(work.tables().capacity.bodies, [&](int b) { call_find_end(*this, b); });
    for_blocks([&](int b, int k) { call_find_block_error(*this, b, k); });
    return team.template largest<S>(total(), [&](int i, int k) {
      if (i < contacts.count) return 0.0;
      const BlockTable& block = work.tables().blocks[i - contacts.count];
      const double e = std::sqrt(squared_norm(c.error[k])) / work.tables().joints[block.joint].size;
      return e < kHuge ? e : kHuge;
    });
  }

  REPOSE_TEAM_CALL static void call_find_end(Joints j, int b) { j.find_end(b); }
  REPOSE_TEAM_CALL static void call_find_block_error(Joints j, int b, int k) { j.find_block_error(b, k); }

  /// Pose of a body at the end of the step with the velocities of y_trial.
  REPOSE_TEAM_HD void find_end(int b) const {
    const Tables& t = work.tables();
    const BodyTable& body = t.bodies[b];
    const double *free = work.free() + 6 * b, *change = work.y_trial() + 6 * b;
    Vec3 x = load(work.x() + 3 * b), w = load(free + 3) + load(change + 3);
    Quat q = load_quat(work.q() + 4 * b);
    const double* pending = work.pending() + 6 * b;
    displace(body, load(pending), load(pending + 3), x, q, w);
    x = x + t.h * (load(free) + load(change));
    // Beyond ten radians a step the constraint has no solution any more.
    if (!(t.h * norm(w) <= 10))
      x.x = kHuge;
    else if (body.turns_freely())
      rotate_freely(body.rotor, t.h, q, w);
    else
      q = normalized(exponential(t.h * w) * q);
    store(work.end() + 7 * b, x);
    store_quat(work.end() + 7 * b + 3, q);
  }

  /// Which rows of a block are held, and their errors at the end of the step.
  REPOSE_TEAM_HD void find_block_error(int b, int k) const {
    const Tables& t = work.tables();
    const BlockTable& block = t.blocks[b];
    c.error[k] = ContactVec{};
    c.held[k] = 0;
    const bool position = block.role == BlockRole::kPosition;
    if (!position && block.role != BlockRole::kLimit) return;
    const Bounds& bounds = c.extra[k].bounds;
    for (int r = 0; r < 3; ++r) {
      const double lower = row_of(bounds.lower, r), upper = row_of(bounds.upper, r);
      if (lower < upper && (lower < 0 || row_of(c.centre[k], r) > 0)) c.held[k] |= 1 << r;
    }
    if (c.held[k] == 0) return;
    const JointTable& joint = t.joints[block.joint];
    const auto pose = [&](int node, const Pose& still) { return end_pose(node, still); };
    ContactVec errors;
    if (position && block.part != JointPart::kSum) {
      const JointFrames frames = frames_of(joint, pose);
      errors = position_errors(joint, block.part, frames, turns_of(joint, frames));
    } else {
      const int at = joint.first_coordinate + block.coordinate;
      double q = coordinate(block.joint, block.coordinate, pose).value;
      if (t.coordinates[at].is_angle) q = unwrapped(q, work.coordinate()[at]);
      if (position)
        errors.n = joint.coupling * (q - joint.hold);
      else
        errors = {c.scale[k].t1 * (q - t.coordinates[at].upper), 0, c.scale[k].n * (q - t.coordinates[at].lower)};
    }
    for (int r = 0; r < 3; ++r)
      if (c.held[k] & 1 << r) row_of(c.error[k], r) = row_of(errors, r) - row_of(c.target[k], r);
  }

  REPOSE_TEAM_HD void keep() const {
    for_blocks([&](int, int k) { c.before[k] = c.centre[k]; });
  }
  REPOSE_TEAM_HD void take_back() const {
    for_blocks([&](int, int k) { c.centre[k] = c.before[k]; });
  }
  REPOSE_TEAM_HD ContactVec held_only(int k, ContactVec v) const {
    return {c.held[k] & 1 ? v.t1 : 0.0, c.held[k] & 2 ? v.t2 : 0.0, c.held[k] & 4 ? v.n : 0.0};
  }

  /// One step of Newton's method with the rows J of the step's start in the place of those of its end:
  ///   (M + s Jᵀ J) y = −s Jᵀ g/h,   then the smallest δλ with J M⁻¹ Jᵀ δλ = J y, refined.
  REPOSE_TEAM_HD void newton_step(bool first) const {
    if (factor_rows(first)) {
      factor.assemble();
      factor.factorise(factor_levels());
    }
    const double inverse_h = 1 / work.tables().h;
    for_blocks([&](int, int k) { c.wanted[k] = -inverse_h * c.error[k]; });
    push_wanted();
    take_row_velocities();
    for_blocks([&](int, int k) { c.wanted[k] = held_only(k, c.dv[k]); });
    for (int n = 0; n < kRefinements; ++n) {
      push_wanted();
      take_row_velocities();
      for_blocks([&](int, int k) {
        c.impulse[k] = c.stiffness[k] * (c.wanted[k] - held_only(k, c.dv[k]));
        c.centre[k] = c.centre[k] + c.impulse[k];
      });
      if (n + 1 == kRefinements) break;
      scatter([&](int k) { return c.impulse[k]; });
      team.each(6 * bodies(), [&](int it) {
        const int b = it / 6;
        work.step()[it] = times(work.tables().bodies[b].inverse_mass, work.inverse_inertia() + 6 * b,
                                work.residual() + 6 * b, it % 6);
      });
      take_row_velocities();
      for_blocks([&](int, int k) { c.wanted[k] = c.wanted[k] - held_only(k, c.dv[k]); });
    }
  }
  REPOSE_TEAM_HD int bodies() const { return work.tables().capacity.bodies; }
  REPOSE_TEAM_HD int factor_levels() const { return contacts.levels; }

  /// exchange ← stiffness of the rows that are held. Returns whether other rows are held than in the factor.
  REPOSE_TEAM_HD bool factor_rows(bool first) const {
    const bool other = team.template any_contact<S>(total(), [&](int i, int k) {
      ContactSlope<double> D;
      if (i >= contacts.count) {
        const double s = c.stiffness[k];
        D.t1t1 = c.held[k] & 1 ? s : 0.0, D.t2t2 = c.held[k] & 2 ? s : 0.0, D.nn = c.held[k] & 4 ? s : 0.0;
      }
      contacts.put_slope(i, k, D);
      const bool changed = first || (i >= contacts.count && c.factored[k] != c.held[k]);
      if (i >= contacts.count) c.factored[k] = c.held[k];
      return changed;
    });
    team.sync();
    return other;
  }
  /// residual ← Jᵀ of impulses of the blocks.
  template <class Impulse>
  REPOSE_TEAM_HD void scatter(Impulse impulse) const {
    team.template contacts<S>(
        total(), [&](int i, int k) { contacts.put_wrench(i, k, i < contacts.count ? ContactVec{} : impulse(k)); });
    contacts.gather();
  }
  /// step ← (M + s Jᵀ J)⁻¹ s Jᵀ of the velocities wanted.
  REPOSE_TEAM_HD void push_wanted() const {
    scatter([&](int k) { return c.stiffness[k] * c.wanted[k]; });
    team.each(6 * bodies(), [&](int it) { work.step()[it] = work.residual()[it]; });
    factor.solve(factor_levels(), 0);
  }
  /// c.dv ← velocities of the rows for `step`.
  REPOSE_TEAM_HD void take_row_velocities() const {
    team.template contacts<S>(total(), [&](int i, int k) {
      if (i >= contacts.count) c.dv[k] = contacts.relative(i, k, work.step());
    });
  }

  /// v_f of the rows that are held is such that their velocity is zero; impulses of limits stay in their set. Returns
  /// whether the velocities that the constraint adds to the rows are small beside those of the motion.
  REPOSE_TEAM_HD bool set_bias() const {
    for_blocks([&](int b, int k) {
      const ContactVec v = contacts.relative(contacts.count + b, k, work.y_trial());
      const ContactVec free = c.v_free[k] - c.bias[k];
      c.wanted[k] = ContactVec{};
      for (int r = 0; r < 3; ++r) {
        if (!(c.held[k] & 1 << r)) continue;
        row_of(c.wanted[k], r) = row_of(v, r) + row_of(free, r);
        row_of(c.bias[k], r) = -row_of(v, r) - row_of(free, r);
        row_of(c.v_free[k], r) = -row_of(v, r);
      }
      c.centre[k] = project(contacts.set(k), c.centre[k]);
    });
    const bool large = team.template any_contact<S>(
        total(), [&](int i, int k) { return i >= contacts.count && !is_small(i - contacts.count, k); });
    return !large && !raises_energy();
  }
  /// Whether position rows of an island do work that no later step gives back, with c.wanted for J v⁺: as in
  /// repose/world/joint_projection.cpp. The host takes such a step at velocity level.
  REPOSE_TEAM_HD bool raises_energy() const {
    bool raises = false;
    REPOSE_KEEP_LOOP
    for (int b = 0; b < bodies(); ++b)
      if (work.island()[b] == b && factor.is_touched(b)) raises = raises_energy(b) || raises;
    return raises;
  }
  REPOSE_TEAM_HD bool raises_energy(int island) const {
    const Tables& t = work.tables();
    const auto spin_of = [&](int b, int with) {
      return load(work.free() + 6 * b + 3) + static_cast<double>(with) * load(work.y_trial() + 6 * b + 3);
    };
    const bool whips = team.any(bodies(), [&](int b) {
      return work.island()[b] == island && collide.moves(b) && t.h * norm(spin_of(b, 1)) > kWhip;
    });
    if (!whips) return false;
    double rows[2], energy[1];  // work and Σ |λ J v⁺|
    team.template sum_contacts<S>(
        total(),
        [&](int i, int k, double* sums) {
          if (i < contacts.count) return;
          const BlockTable& block = t.blocks[i - contacts.count];
          const JointTable& joint = t.joints[block.joint];
          const int node = joint.node_b >= 0 ? joint.node_b : joint.node_a;
          if (block.role != BlockRole::kPosition || node < 0 || work.island()[node] != island) return;
          for (int r = 0; r < 3; ++r) {
            if (!(c.held[k] & 1 << r)) continue;
            const double impulse = row_of(c.centre[k], r), after = row_of(c.wanted[k], r);
            const JointRow row = times(row_of(c.scale[k], r), work.joint_row()[block.row[r]]);
            sums[0] += 0.5 * impulse * (velocity_before(joint, row) + after);
            sums[1] += std::abs(impulse * after);
          }
        },
        rows);
    if (rows[0] <= kUnbalanced * rows[1]) return false;
    team.template sum<1>(
        bodies(),
        [&](int b, double* sum) {
          if (!collide.moves(b) || work.island()[b] != island) return;
          const BodyTable& body = t.bodies[b];
          const Quat q = load_quat(work.q() + 4 * b);
          const double *free = work.free() + 6 * b, *change = work.y_trial() + 6 * b;
          for (int with = 0; with < 2; ++with) {
            const Vec3 v = load(free) + static_cast<double>(with) * load(change);
            sum[0] += 0.5 * body.mass * dot(v, v) + spin_energy(body.rotor, q, spin_of(b, with));
          }
        },
        energy);
    return rows[0] > kUnnoticed * energy[0];
  }
  REPOSE_TEAM_HD bool is_small(int b, int k) const {
    const Tables& t = work.tables();
    const BlockTable& block = t.blocks[b];
    if (block.role != BlockRole::kPosition) return true;
    const JointTable& joint = t.joints[block.joint];
    const auto motion = [&](int node, bool spin) {
      if (node < 0) return driven_velocity(node, spin);
      const int at = 6 * node + (spin ? 3 : 0);
      return load(work.free() + at) + load(work.y_trial() + at);
    };
    const double turning = norm(motion(joint.node_a, true)) + norm(motion(joint.node_b, true));
    const double sliding = norm(motion(joint.node_b, false) - motion(joint.node_a, false));
    const double least = kSmallShift * joint.size / t.h;
    for (int r = 0; r < 3; ++r) {
      if (!(c.held[k] & 1 << r)) continue;
      const JointRow& row = work.joint_row()[block.row[r]];
      const double arm = max_of(norm(row.angular_a), norm(row.angular_b));
      const double moving = norm(row.linear_b) > 0 ? sliding : 0.0;
      if (!(std::abs(row_of(c.wanted[k], r)) <= kLargestShare * (turning * arm + moving) + least)) return false;
    }
    return true;
  }
};

}  // namespace repose::batch
