// SPDX-License-Identifier: Apache-2.0
// The kinematics of a joint at given poses: frames, rows, position errors, coordinates. The equations are those of
// repose/world/joint_rows.cpp.
#pragma once

#include <cmath>

#include "repose/batch/joint_tables_internal.h"
#include "repose/batch/team_internal.h"
#include "repose/math/scalar.h"
#include "repose/set/contact_vec.h"

namespace repose::batch {

inline constexpr double kWholeTurn = 6.28318530717958647693;

struct JointFrames {
  Vec3 centre_a, centre_b;  ///< mass centres
  Pose a, b;
  Vec3 x_a, y_a, z_a, x_b, z_b;
};

/// A coordinate, rad or m, and its row without any factor. Angles are in (−π, π].
struct Coordinate {
  double value = 0;
  JointRow row;
};

REPOSE_TEAM_HD JointFrames joint_frames(const JointTable& joint, const Pose& a, const Pose& b) {
  JointFrames f;
  f.centre_a = a.position, f.centre_b = b.position;
  f.a = a * joint.local_a, f.b = b * joint.local_b;
  f.x_a = rotate(f.a.rotation, {1, 0, 0});
  f.y_a = rotate(f.a.rotation, {0, 1, 0});
  f.z_a = rotate(f.a.rotation, {0, 0, 1});
  f.x_b = rotate(f.b.rotation, {1, 0, 0});
  f.z_b = rotate(f.b.rotation, {0, 0, 1});
  return f;
}

REPOSE_TEAM_HD JointRow linear_row(const JointFrames& f, Vec3 p_a, Vec3 p_b, Vec3 axis) {
  return {-1.0 * axis, -1.0 * cross(p_a - f.centre_a, axis), axis, cross(p_b - f.centre_b, axis)};
}
REPOSE_TEAM_HD JointRow angular_row(Vec3 axis) { return {{}, -1.0 * axis, {}, axis}; }
REPOSE_TEAM_HD JointRow times(double s, const JointRow& r) {
  return {s * r.linear_a, s * r.angular_a, s * r.linear_b, s * r.angular_b};
}

REPOSE_TEAM_HD double angle_about_z(const JointFrames& f) {
  const Quat q = conjugate(f.a.rotation) * f.b.rotation;
  const double half = q.w < 0 ? arc_tangent(-q.z, -q.w) : arc_tangent(q.z, q.w);
  return 2 * half;
}
REPOSE_TEAM_HD Vec3 offset(const JointFrames& f) { return f.b.position - f.a.position; }

/// Row r of a part other than kSum: of three t1, t2, n, of two t1, t2, of one n.
REPOSE_TEAM_HD JointRow position_row(const JointTable& joint, JointPart part, int r, const JointFrames& f) {
  const Vec3 axis_a = r == 0 ? f.x_a : r == 1 ? f.y_a : f.z_a;
  const Vec3 p_a = f.a.position, p_b = f.b.position;
  switch (part) {
    case JointPart::kPoint:
      return linear_row(f, p_a, p_b, {r == 0 ? 1.0 : 0.0, r == 1 ? 1.0 : 0.0, r == 2 ? 1.0 : 0.0});
    case JointPart::kOrientation:
    case JointPart::kAlignment: return angular_row(joint.length * axis_a);
    case JointPart::kLine: return linear_row(f, p_b, p_b, axis_a);  // the axes turn with a
    case JointPart::kPlane: return linear_row(f, p_b, p_b, f.z_a);
    case JointPart::kPerpendicular: return angular_row(joint.length * cross(f.x_b, f.z_a));
    case JointPart::kThread: {
      JointRow row = linear_row(f, p_b, p_b, f.z_a);
      row.angular_b = row.angular_b - joint.pitch * f.z_a;
      row.angular_a = row.angular_a + joint.pitch * f.z_a;
      return row;
    }
    case JointPart::kLength: {
      const double distance = norm(offset(f));
      const Vec3 axis = distance > 0 ? (1 / distance) * offset(f) : Vec3{0, 0, 1};
      return linear_row(f, p_a, p_b, (joint.kind == JointKind::kRope ? -1.0 : 1.0) * axis);
    }
    case JointPart::kSum: break;
  }
  return {};
}

/// g of a part other than kSum, m. `turns`: whole turns that the angle of a screw has made.
REPOSE_TEAM_HD ContactVec position_errors(const JointTable& joint, JointPart part, const JointFrames& f, double turns) {
  const Vec3 d = offset(f);
  switch (part) {
    case JointPart::kPoint: return {d.x, d.y, d.z};
    case JointPart::kOrientation: {
      const Quat q = conjugate(f.a.rotation) * f.b.rotation;
      const double twice = joint.length * (q.w < 0 ? -2 : 2);
      return {twice * q.x, twice * q.y, twice * q.z};
    }
    case JointPart::kAlignment: {
      const Vec3 e = joint.length * cross(f.z_a, f.z_b);
      return {dot(f.x_a, e), dot(f.y_a, e), 0};
    }
    case JointPart::kLine: return {dot(f.x_a, d), dot(f.y_a, d), 0};
    case JointPart::kPlane: return {0, 0, dot(f.z_a, d)};
    case JointPart::kPerpendicular: return {0, 0, joint.length * dot(f.z_a, f.x_b)};
    case JointPart::kThread: return {0, 0, dot(f.z_a, d) - joint.pitch * (angle_about_z(f) + kWholeTurn * turns)};
    case JointPart::kLength: return {0, 0, (joint.kind == JointKind::kRope ? -1.0 : 1.0) * (norm(d) - joint.rest)};
    case JointPart::kSum: break;
  }
  return {};
}

REPOSE_TEAM_HD Coordinate angle_of(double value, Vec3 axis) { return {value, angular_row(axis)}; }
REPOSE_TEAM_HD Coordinate shift_of(const JointFrames& f, Vec3 axis) {
  return {dot(axis, offset(f)), linear_row(f, f.b.position, f.b.position, axis)};
}

/// Coordinate k of a joint other than a coupling.
REPOSE_TEAM_HD Coordinate coordinate_of(const JointTable& joint, int k, const JointFrames& f) {
  switch (joint.kind) {
    case JointKind::kSlide: return shift_of(f, f.z_a);
    case JointKind::kUniversal:
      if (k == 0) return angle_of(arc_tangent(dot(f.y_a, f.x_b), dot(f.x_a, f.x_b)), f.z_a);
      return angle_of(arc_tangent(dot(f.x_b, cross(f.z_a, f.z_b)), dot(f.z_a, f.z_b)), f.x_b);
    case JointKind::kCylindrical: return k == 0 ? shift_of(f, f.z_a) : angle_of(angle_about_z(f), f.z_a);
    case JointKind::kPlanar: return k == 2 ? angle_of(angle_about_z(f), f.z_a) : shift_of(f, k == 0 ? f.x_a : f.y_a);
    default: return angle_of(angle_about_z(f), f.z_a);
  }
}

/// The motion of both bodies of a joint, of mass centres.
struct JointMotion {
  Vec3 velocity_a, spin_a, velocity_b, spin_b;
};

REPOSE_TEAM_HD double shift_drift(const JointFrames& f, Vec3 axis, const JointMotion& m) {
  const Vec3 arm_a = f.b.position - f.centre_a, arm_b = f.b.position - f.centre_b;
  const Vec3 of_point = m.velocity_b + cross(m.spin_b, arm_b);
  const Vec3 apart = of_point - m.velocity_a - cross(m.spin_a, arm_a);
  return dot(cross(m.spin_a, axis), apart) + dot(axis, cross(m.spin_b, cross(m.spin_b, arm_b))) -
         dot(axis, cross(m.spin_a, of_point - m.velocity_a));
}
/// J̇ v of coordinate k of a joint other than a coupling, rad/s² or m/s².
REPOSE_TEAM_HD double coordinate_drift(const JointTable& joint, int k, const JointFrames& f, const JointMotion& m) {
  switch (joint.kind) {
    case JointKind::kSlide: return shift_drift(f, f.z_a, m);
    case JointKind::kCylindrical: return k == 0 ? shift_drift(f, f.z_a, m) : 0.0;
    case JointKind::kPlanar: return k < 2 ? shift_drift(f, k == 0 ? f.x_a : f.y_a, m) : 0.0;
    case JointKind::kUniversal:
      if (k == 0) return dot(cross(m.spin_a, f.z_a), m.spin_b - m.spin_a);
      return dot(cross(m.spin_b, f.x_b), m.spin_b - m.spin_a);
    default: return 0;  // the axis of an angle turns about itself
  }
}

/// The angle that differs from `angle` by whole turns and from `near` by at most half a turn.
REPOSE_TEAM_HD double unwrapped(double angle, double near) {
  return angle + kWholeTurn * std::round((near - angle) / kWholeTurn);
}

/// Adds q's part of the sum of a coupling between these nodes: the motion of other bodies cancels.
REPOSE_TEAM_HD void add_term(const JointTable& coupling, const JointTable& member, const TermTable& term, double q,
                             const JointRow& row, Coordinate& sum) {
  const double* f = term.factors;
  sum.value += q * (f[0] + q * (f[1] + q * (f[2] + q * f[3])));
  const double slope = f[0] + q * (2 * f[1] + q * (3 * f[2] + q * 4 * f[3]));
  const auto add = [&](int node, Vec3 linear, Vec3 angular) {
    if (node == -1) return;
    if (node == coupling.node_a) {
      sum.row.linear_a = sum.row.linear_a + slope * linear, sum.row.angular_a = sum.row.angular_a + slope * angular;
    } else if (node == coupling.node_b) {
      sum.row.linear_b = sum.row.linear_b + slope * linear, sum.row.angular_b = sum.row.angular_b + slope * angular;
    }
  };
  add(member.node_a, row.linear_a, row.angular_a);
  add(member.node_b, row.linear_b, row.angular_b);
}

}  // namespace repose::batch
