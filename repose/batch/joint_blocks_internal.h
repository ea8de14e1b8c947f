// SPDX-License-Identifier: Apache-2.0
// The joints of one world at the start of a step, by one team: kinematics, motors, blocks with sets. The laws are those
// of repose/world/joint_step.cpp; docs/decisions/027 says what differs.
//
// Blocks follow the contacts: block b is item `count` + b of a team's contacts, and its numbers stay with its thread.
#pragma once

#include "repose/batch/contacts_internal.h"
#include "repose/batch/factor_internal.h"
#include "repose/batch/joint_rows_internal.h"

namespace repose::batch {

template <class Size>
struct JointBlocks {
  static constexpr int W = Size::kThreads, S = Size::kSlots;
  /// Smallest factor of a row of a limit that is out of reach.
  static constexpr double kLeastLimitScale = 1e-3;
  /// Stiffness of the rows of the position constraint beside that of their bodies.
  static constexpr double kStiffness = 1e5;

  Work<W> work;
  Team<W> team;
  const Collide<Size>& collide;
  const Contacts<Size>& contacts;
  ContactSlots<Size>& c;
  Factor<Size>& factor;

  REPOSE_TEAM_HD JointBlocks(const Work<W>& own_work, const Team<W>& own_team, const Collide<Size>& collision,
                             const Contacts<Size>& all, ContactSlots<Size>& slots, Factor<Size>& lu)
      : work(own_work), team(own_team), collide(collision), contacts(all), c(slots), factor(lu) {}

  /// Rows and coordinates at the start of the step, forces of motors.
  REPOSE_TEAM_HD void prepare() const {
    const Tables& t = work.tables();
    // Couplings read the coordinates of other joints, which come before them.
    team.each(t.capacity.joints, [&](int j) {
      if (t.joints[j].kind != JointKind::kCoupling) call_find_rows(*this, j);
    });
    team.each(t.capacity.joints, [&](int j) {
      if (t.joints[j].kind == JointKind::kCoupling) call_find_rows(*this, j);
    });
    team.each(t.capacity.actuators, [&](int k) { work.motor()[k] = motor_force(k); });
  }

  /// Fills the blocks: sets, rows' factors, free velocities, impulses of the last step.
  REPOSE_TEAM_HD void fill() const {
    for_blocks([&](int b, int k) { call_fill_block(*this, b, k); });
    team.sync();
  }

  /// Impulses and coordinates become those of the last step.
  REPOSE_TEAM_HD void commit() const {
    for_blocks([&](int b, int k) {
      // Along the coordinate: the factors of a limit's rows differ from step to step.
      double* to = collide.state.joint_lambda() + 3 * b;
      const bool limit = work.tables().blocks[b].role == BlockRole::kLimit;
      to[0] = c.centre[k].t1 * (limit ? c.scale[k].t1 : 1.0);
      to[1] = c.centre[k].t2;
      to[2] = c.centre[k].n * (limit ? c.scale[k].n : 1.0);
    });
  }

  /// Coordinates and their velocities at the present poses, for the caller.
  REPOSE_TEAM_HD void save() const {
    const Tables& t = work.tables();
    team.each(t.capacity.joints, [&](int j) {
      const JointTable& joint = t.joints[j];
      for (int k = 0; k < joint.coordinates && joint.kind != JointKind::kBall; ++k) {
        const int at = joint.first_coordinate + k;
        const Coordinate q = coordinate(j, k, [&](int node, const Pose& still) { return start_pose(node, still); });
        collide.state.joint_position()[at] =
            t.coordinates[at].is_angle ? unwrapped(q.value, work.coordinate()[at]) : q.value;
        collide.state.joint_velocity()[at] = along(joint, q.row, [&](int node, bool spin) {
          return node < 0 ? Vec3{} : load(work.velocity() + 6 * node + (spin ? 3 : 0));
        });
      }
    });
    team.each(t.capacity.coordinates, [&](int k) { collide.state.coordinate()[k] = work.coordinate()[k]; });
  }

  REPOSE_TEAM_CALL static void call_find_rows(JointBlocks j, int joint) { j.find_rows(joint); }
  REPOSE_TEAM_CALL static void call_fill_block(JointBlocks j, int b, int k) { j.fill_block(b, k); }

  REPOSE_TEAM_HD int total() const { return contacts.total(); }
  /// Calls f(block, place) for all blocks, each in its own thread. Does not wait.
  template <class F>
  REPOSE_TEAM_HD void for_blocks(F f) const {
    team.template contacts<S>(total(), [&](int i, int k) {
      if (i >= contacts.count) f(i - contacts.count, k);
    });
  }

  REPOSE_TEAM_HD Pose start_pose(int node, const Pose& still) const {
    if (node < kNoNode) return work.drive()[motion_of_node(node)].start;
    return node < 0 ? still : Pose{load(work.x() + 3 * node), load_quat(work.q() + 4 * node)};
  }
  REPOSE_TEAM_HD Pose end_pose(int node, const Pose& still) const {
    if (node < kNoNode) {
      const Drive& d = work.drive()[motion_of_node(node)];
      return {d.start.position + d.move.shift, normalized(d.move.turn * d.start.rotation)};
    }
    return node < 0 ? still : Pose{load(work.end() + 7 * node), load_quat(work.end() + 7 * node + 3)};
  }
  template <class PoseOf>
  REPOSE_TEAM_HD JointFrames frames_of(const JointTable& joint, PoseOf pose) const {
    return joint_frames(joint, pose(joint.node_a, joint.still_a), pose(joint.node_b, joint.still_b));
  }
  /// Coordinate k of a joint, with its row.
  template <class PoseOf>
  REPOSE_TEAM_HD Coordinate coordinate(int j, int k, PoseOf pose) const {
    const Tables& t = work.tables();
    const JointTable& joint = t.joints[j];
    if (joint.kind != JointKind::kCoupling) return coordinate_of(joint, k, frames_of(joint, pose));
    Coordinate sum;
    for (int n = 0; n < joint.terms; ++n) {
      const TermTable& term = t.terms[joint.first_term + n];
      const JointTable& member = t.joints[term.joint];
      const int at = member.first_coordinate + term.coordinate;
      const Coordinate q = coordinate_of(member, term.coordinate, frames_of(member, pose));
      const double value = t.coordinates[at].is_angle ? unwrapped(q.value, work.coordinate()[at]) : q.value;
      add_term(joint, member, term, value, q.row, sum);
    }
    return sum;
  }
  /// Whole turns of the angle of a screw.
  REPOSE_TEAM_HD double turns_of(const JointTable& joint, const JointFrames& frames) const {
    if (joint.kind != JointKind::kScrew) return 0;
    return std::round(unwrapped(angle_about_z(frames), work.coordinate()[joint.first_coordinate]) / kWholeTurn);
  }

  REPOSE_TEAM_HD void find_rows(int j) const {
    const Tables& t = work.tables();
    const JointTable& joint = t.joints[j];
    const auto pose = [&](int node, const Pose& still) { return start_pose(node, still); };
    const JointFrames frames = frames_of(joint, pose);
    for (int b = joint.first_block; b < joint.first_block + joint.blocks; ++b) {
      const BlockTable& block = t.blocks[b];
      if (block.role != BlockRole::kPosition || block.part == JointPart::kSum) continue;
      for (int r = 0; r < 3; ++r)
        if (block.row[r] >= 0) work.joint_row()[block.row[r]] = position_row(joint, block.part, r, frames);
    }
    for (int k = 0; k < joint.coordinates; ++k) {
      const CoordinateTable& own = t.coordinates[joint.first_coordinate + k];
      if (joint.kind == JointKind::kBall) {  // world axes
        for (int r = 0; r < 3 && own.row >= 0; ++r)
          work.joint_row()[own.row + r] = angular_row({r == 0 ? 1.0 : 0.0, r == 1 ? 1.0 : 0.0, r == 2 ? 1.0 : 0.0});
        continue;
      }
      const Coordinate q = coordinate(j, k, pose);
      double& known = work.coordinate()[joint.first_coordinate + k];
      known = own.is_angle ? unwrapped(q.value, known) : q.value;
      if (own.row >= 0) work.joint_row()[own.row] = q.row;
    }
  }

  /// Velocity of a row; velocity(node, spin): of a body.
  template <class Velocity>
  REPOSE_TEAM_HD double along(const JointTable& joint, const JointRow& row, Velocity velocity) const {
    return dot(row.linear_a, velocity(joint.node_a, false)) + dot(row.angular_a, velocity(joint.node_a, true)) +
           dot(row.linear_b, velocity(joint.node_b, false)) + dot(row.angular_b, velocity(joint.node_b, true));
  }
  /// Velocity by the prescribed motion of a body that does not move freely.
  REPOSE_TEAM_HD Vec3 driven_velocity(int node, bool spin) const {
    if (node == kNoNode) return {};
    const Displacement& move = work.drive()[motion_of_node(node)].move;
    return (1 / work.tables().h) * (spin ? move.angle : move.shift);
  }
  REPOSE_TEAM_HD Vec3 before(int node, bool spin) const {
    if (node < 0) return driven_velocity(node, spin);
    return spin ? load(work.velocity() + 6 * node + 3) : collide.velocity_before(node);
  }
  REPOSE_TEAM_HD double velocity_before(const JointTable& joint, const JointRow& row) const {
    return along(joint, row, [&](int node, bool spin) { return before(node, spin); });
  }
  /// J̇ v of coordinate k; that of a coupling is the sum of its terms', and of their curvature.
  REPOSE_TEAM_HD double drift(const JointTable& joint, int k) const {
    const Tables& t = work.tables();
    const auto drift_of = [&](const JointTable& own, int n, const JointFrames& frames) {
      return coordinate_drift(
          own, n, frames,
          {before(own.node_a, false), before(own.node_a, true), before(own.node_b, false), before(own.node_b, true)});
    };
    const auto pose = [&](int node, const Pose& still) { return start_pose(node, still); };
    if (joint.kind != JointKind::kCoupling) return drift_of(joint, k, frames_of(joint, pose));
    double sum = 0;
    for (int n = 0; n < joint.terms; ++n) {
      const TermTable& term = t.terms[joint.first_term + n];
      const JointTable& member = t.joints[term.joint];
      const int at = member.first_coordinate + term.coordinate;
      const JointFrames frames = frames_of(member, pose);
      const Coordinate q = coordinate_of(member, term.coordinate, frames);
      const double x = t.coordinates[at].is_angle ? unwrapped(q.value, work.coordinate()[at]) : q.value;
      const double rate = velocity_before(member, q.row);
      const double* f = term.factors;
      const double slope = f[0] + x * (2 * f[1] + x * (3 * f[2] + x * 4 * f[3]));
      sum +=
          slope * drift_of(member, term.coordinate, frames) + (2 * f[1] + x * (6 * f[2] + x * 12 * f[3])) * rate * rate;
    }
    return sum;
  }
  REPOSE_TEAM_HD double free_velocity(const JointTable& joint, const JointRow& row) const {
    return along(joint, row, [&](int node, bool spin) {
      return node < 0 ? driven_velocity(node, spin) : load(work.free() + 6 * node + (spin ? 3 : 0));
    });
  }
  /// Velocity of a row from which a rotor is accelerated, where J̇ v is its drift: the free rotation changes spins
  /// within the step.
  REPOSE_TEAM_HD double rotor_velocity(const JointTable& joint, const JointRow& row, double drift) const {
    const auto turning = [&](int node) {
      if (node < 0 || !work.tables().bodies[node].turns_freely()) return Vec3{};
      const Rotor& rotor = work.tables().bodies[node].rotor;
      const Quat q = load_quat(work.q() + 4 * node);
      const Vec3 spin = load(work.velocity() + 6 * node + 3);
      return angular_velocity(rotor, q, cross(angular_momentum(rotor, q, spin), spin));
    };
    const double change = dot(row.angular_a, turning(joint.node_a)) + dot(row.angular_b, turning(joint.node_b));
    return velocity_before(joint, row) - work.tables().h * (change + drift);
  }

  /// Force of an actuator: constant + position · p + velocity · ṗ.
  struct Law {
    double constant, position, velocity;
    REPOSE_TEAM_HD bool is_servo() const { return position <= 0 && velocity <= 0 && (position < 0 || velocity < 0); }
  };
  REPOSE_TEAM_HD Law law_of(int actuator) const {
    const ActuatorTable& a = work.tables().actuators[actuator];
    const double u = clamped(collide.state.control()[actuator], a.control_lower, a.control_upper);
    return {a.gain[0] * u + a.bias[0], a.gain[1] * u + a.bias[1], a.gain[2] * u + a.bias[2]};
  }
  /// gear · force of an actuator that is a load; 0 where it is a servo.
  REPOSE_TEAM_HD double motor_force(int k) const {
    const Tables& t = work.tables();
    const ActuatorTable& a = t.actuators[k];
    const Law law = law_of(k);
    const JointTable& joint = t.joints[a.joint];
    if (law.is_servo() || !acts(joint)) return 0;
    const int at = joint.first_coordinate + a.coordinate;
    const double p = a.gear * work.coordinate()[at];
    const double rate = a.gear * velocity_before(joint, work.joint_row()[t.coordinates[at].row]);
    return a.gear * clamped(law.constant + law.position * p + law.velocity * rate, a.force_lower, a.force_upper);
  }
  /// Whether both bodies are there.
  REPOSE_TEAM_HD bool acts(const JointTable& joint) const {
    return (joint.node_a < 0 || collide.moves(joint.node_a)) && (joint.node_b < 0 || collide.moves(joint.node_b));
  }

  REPOSE_TEAM_HD static double& row_of(ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }
  REPOSE_TEAM_HD static double row_of(const ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }

  REPOSE_TEAM_HD void fill_block(int b, int k) const {
    const Tables& t = work.tables();
    const BlockTable& block = t.blocks[b];
    const JointTable& joint = t.joints[block.joint];
    SetExtra<double>& set = c.extra[k];
    set = {};
    set.box = true;
    c.is_box[k] = true;
    c.mu[k] = 0;
    c.scale[k] = {1, 1, 1};
    c.target[k] = c.bias[k] = c.error[k] = ContactVec{};
    c.held[k] = 0;
    c.mode[k] = -1;
    if (acts(joint)) make_set(block, joint, k);
    double trace = 0, rows = 0;
    for (int r = 0; r < 3; ++r) {
      if (block.row[r] < 0) continue;
      const JointRow row = times(row_of(c.scale[k], r), work.joint_row()[block.row[r]]);
      row_of(c.v_free[k], r) = free_velocity(joint, row) + row_of(c.bias[k], r);
      const double own =
          mobility(joint.node_a, row.linear_a, row.angular_a) + mobility(joint.node_b, row.linear_b, row.angular_b);
      trace += own;
      if (row_of(set.bounds.lower, r) < row_of(set.bounds.upper, r)) rows += 1;
    }
    for (int r = 0; r < 3; ++r)
      if (block.row[r] < 0) row_of(c.v_free[k], r) = 0;
    c.stiffness[k] = kStiffness / max_of(trace, 1e-300);
    const double soft = trace + set.compliance.t1 + set.compliance.t2 + set.compliance.n;
    c.inverse_rho[k] = soft > 0 ? (rows > 0 ? rows : 3.0) / soft : 0.0;
    const double* last = collide.state.joint_lambda() + 3 * b;
    ContactVec start{last[0], last[1], last[2]};
    if (block.role == BlockRole::kLimit) {
      start.t1 = c.scale[k].t1 != 0 ? start.t1 / c.scale[k].t1 : 0.0;
      start.n = c.scale[k].n != 0 ? start.n / c.scale[k].n : 0.0;
    }
    c.centre[k] = project(contacts.set(k), start);
  }
  /// Share of one body in the diagonal of W.
  REPOSE_TEAM_HD double mobility(int node, Vec3 linear, Vec3 angular) const {
    if (node < 0) return 0;
    const BodyTable& body = work.tables().bodies[node];
    const Vec3 own = allowed(body, 0, linear);
    return body.inverse_mass * dot(own, own) +
           dot(angular, symmetric_times(work.inverse_inertia() + 6 * node, angular));
  }

  /// Set, factors of the rows, bias.
  REPOSE_TEAM_HD void make_set(const BlockTable& block, const JointTable& joint, int k) const {
    const Tables& t = work.tables();
    const int at = joint.first_coordinate + block.coordinate;
    switch (block.role) {
      case BlockRole::kPosition: return make_position(block, joint, k);
      case BlockRole::kLimit: return make_limit(joint, at, k);
      case BlockRole::kFriction: {
        const double unit = t.coordinates[at].unit, most = t.h * t.coordinates[at].friction / unit;
        for (int r = 0; r < 3; ++r)
          if (block.row[r] >= 0) bound(k, r, -most, most), row_of(c.scale[k], r) = unit;
        return;
      }
      case BlockRole::kCompliance: {
        const CoordinateTable& own = t.coordinates[at];
        const double G = own.armature + t.h * own.damping + t.h * t.h * own.stiffness;
        const double turn = own.armature > 0 ? drift(joint, at - joint.first_coordinate) : 0.0;
        for (int r = 0; r < 3; ++r) {
          if (block.row[r] < 0) continue;
          const double v = own.armature > 0 ? rotor_velocity(joint, work.joint_row()[block.row[r]], turn) : 0.0;
          const double spring = own.stiffness > 0 ? work.coordinate()[at] - own.reference : 0.0;
          make_soft(k, r, own.unit, G, t.h * own.stiffness * spring - own.armature * v);
        }
        return;
      }
      case BlockRole::kServo: return make_servo(block, at, k);
    }
  }
  REPOSE_TEAM_HD void bound(int k, int r, double lower, double upper) const {
    row_of(c.extra[k].bounds.lower, r) = lower;
    row_of(c.extra[k].bounds.upper, r) = upper;
  }
  REPOSE_TEAM_HD void make_position(const BlockTable& block, const JointTable& joint, int k) const {
    const bool rope = joint.kind == JointKind::kRope;
    if (block.part == JointPart::kSum) c.scale[k].n = joint.coupling;
    for (int r = 0; r < 3; ++r)
      if (block.row[r] >= 0) bound(k, r, rope ? 0.0 : -kUnbounded, kUnbounded);
    if (!rope) return;
    const auto pose = [&](int node, const Pose& still) { return start_pose(node, still); };
    const double slack = position_errors(joint, block.part, frames_of(joint, pose), 0).n;
    c.target[k].n = rest_of(slack);
    c.bias[k].n = (slack - c.target[k].n) / work.tables().h;
  }
  /// The part of a gap that is left at the end of the step: overlap is removed by its share per step.
  REPOSE_TEAM_HD double rest_of(double gap) const { return gap < 0 ? (1 - work.tables().recovery) * gap : 0.0; }

  /// Row n: the lower end, row t1: the upper one. The rows of ends that are out of reach are small, so that their large
  /// biases do not enter the scales by which residuals are judged.
  REPOSE_TEAM_HD void make_limit(const JointTable& joint, int at, int k) const {
    const Tables& t = work.tables();
    const CoordinateTable& own = t.coordinates[at];
    const JointRow& row = work.joint_row()[own.row];
    const double free = std::abs(free_velocity(joint, row)), before = std::abs(velocity_before(joint, row));
    const double reach = own.unit * t.h * max_of(free, before), q = work.coordinate()[at];
    c.scale[k] = ContactVec{};
    const auto take = [&](double sign, double gap, int r) {
      const double full = own.unit * gap, share = full > 2 * reach ? max_of(2 * reach / full, kLeastLimitScale) : 1.0;
      row_of(c.scale[k], r) = sign * own.unit * share;
      row_of(c.target[k], r) = share * rest_of(full);
      row_of(c.bias[k], r) = (share * full - row_of(c.target[k], r)) / t.h;
      bound(k, r, 0, kUnbounded);
    };
    if (own.lower > -kUnbounded) take(1, q - own.lower, 2);
    if (own.upper < kUnbounded) take(-1, own.upper - q, 0);
  }
  /// λ = −(G v + g₀) along a row.
  REPOSE_TEAM_HD void make_soft(int k, int r, double unit, double G, double g0) const {
    row_of(c.scale[k], r) = unit;
    row_of(c.bias[k], r) = unit * g0 / G;
    row_of(c.extra[k].compliance, r) = unit * unit / G;
    bound(k, r, -kUnbounded, kUnbounded);
  }
  REPOSE_TEAM_HD void make_servo(const BlockTable& block, int at, int k) const {
    const Tables& t = work.tables();
    const ActuatorTable& a = t.actuators[block.actuator];
    const Law law = law_of(block.actuator);
    if (!law.is_servo()) return;
    const double G = -a.gear * a.gear * (t.h * law.velocity + t.h * t.h * law.position);
    if (!(G > 0)) return;
    const double unit = t.coordinates[at].unit, scale = t.h / unit;
    make_soft(k, 2, unit, G, -t.h * a.gear * (law.constant + law.position * a.gear * work.coordinate()[at]));
    const double x = scale * a.gear * a.force_lower, y = scale * a.gear * a.force_upper;
    bound(k, 2, min_of(x, y), max_of(x, y));
  }
};

}  // namespace repose::batch
