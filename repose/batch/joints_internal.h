// SPDX-License-Identifier: Apache-2.0
// The joints of one world in a step, by one team: kinematics, blocks with sets, and Newton's method on the position
// constraint at the end of the step, g(x⁺) = 0. The laws are those of repose/world/joint_step.cpp, the constraint that
// of repose/world/joint_projection_internal.h; docs/decisions/027 says what differs.
//
// Blocks follow the contacts: block b is item `count` + b of a team's contacts, and its numbers stay with its thread.
#pragma once

#include "repose/batch/contacts_internal.h"
#include "repose/batch/factor_internal.h"
#include "repose/batch/joint_rows_internal.h"

namespace repose::batch {

template <class Size>
struct Joints {
  static constexpr int W = Size::kThreads, S = Size::kSlots;
  /// Smallest factor of a row of a limit that is out of reach.
  static constexpr double kLeastLimitScale = 1e-3;
  /// Stiffness of the rows of the position constraint beside that of their bodies, and how often their impulses are
  /// refined, because the rows are stiff and not rigid.
  static constexpr double kStiffness = 1e5;
  static constexpr int kRefinements = 3;
  /// Position error, as a share of the mechanism's size: that is left before the first solve, and after a Newton step.
  static constexpr double kStartGoal = 4e-15, kRounding = 1e-14;
  static constexpr double kGoal = 1e-11;      ///< that Newton's method must reach
  static constexpr double kLateGoal = 5e-11;  ///< that is left after solves that hardly change it any more
  static constexpr int kNewtonSteps = 24;
  /// Largest velocity that the constraint adds to a row, as a share of that of the motion, and the shift that is small
  /// in any case: as in repose/world/joint_projection.cpp.
  static constexpr double kLargestShare = 0.4, kSmallShift = 1e-9, kUnbalanced = 0.25, kUnnoticed = 1e-3, kWhip = 0.05;

  Work<W> work;
  Team<W> team;
  const Collide<Size>& collide;
  const Contacts<Size>& contacts;
  ContactSlots<Size>& c;
  Factor<Size>& factor;

  // ---- start of the step

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

  // ---- position constraint

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

 private:
  REPOSE_TEAM_CALL static void call_find_rows(Joints j, int joint) { j.find_rows(joint); }
  REPOSE_TEAM_CALL static void call_fill_block(Joints j, int b, int k) { j.fill_block(b, k); }
  REPOSE_TEAM_CALL static void call_find_end(Joints j, int b) { j.find_end(b); }
  REPOSE_TEAM_CALL static void call_find_block_error(Joints j, int b, int k) { j.find_block_error(b, k); }

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

  // ---- position constraint

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
