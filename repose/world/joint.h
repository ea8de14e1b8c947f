// SPDX-License-Identifier: Apache-2.0
// The kinematics of a joint: what its position constraint g(x) = 0 and its coordinates are at given poses, with their
// rows J, ġ = J v. A joint is one to three blocks of up to three rows. Rows of rotations are multiplied by a length of
// the joint, so that g is in m and all impulses in N·s. See docs/joints.md.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "repose/contact/point_contact.h"
#include "repose/scene/scene.h"
#include "repose/set/block_set.h"
#include "repose/world/body.h"

namespace repose {

/// Fixed during a run.
struct JointModel {
  JointKind kind = JointKind::kHinge;
  int body_a = kWorldBody, body_b = 0;
  std::vector<int> others;  ///< further bodies of a coupling
  Pose local_a, local_b;    ///< frames relative to the mass centres, body axes; a may be the world
  double length = 1;        ///< that rows of rotations are multiplied by, m
  double rest = 0;          ///< of a distance or a rope, m
  double pitch = 0;         ///< of a screw, m/rad
  double size = 0;          ///< of the two bodies and the arms, m: position errors are small beside it
  double coupling = 1;      ///< that the row of a coupling is multiplied by
  std::array<JointCoordinate, kMostCoordinates> coordinates;
  std::vector<JointAxis> axes;  ///< of a compound
  std::vector<CouplingTerm> terms;
  std::vector<PathPoint> path;       ///< points relative to the mass centres, body axes
  std::optional<SiteThrust> thrust;  ///< the same for its site
  std::optional<double> hold;

  /// Factor of a coordinate's row: all rows are in m/s.
  [[nodiscard]] double unit(int coordinate) const {
    if (kind == JointKind::kCoupling) return coupling;
    return is_angle(*this, coordinate) ? length : 1.0;
  }
};

/// What a block of position rows keeps at zero.
enum class PositionPart {
  kPoint,          ///< three: the origins coincide
  kOrientation,    ///< three: the axes coincide
  kAlignment,      ///< two: the z axes coincide
  kLine,           ///< two: origin b is on the z axis of a
  kPlane,          ///< one: origin b is in the x-y plane of a
  kPerpendicular,  ///< one: z of a and x of b are perpendicular
  kLength,         ///< one: the distance of the origins
  kThread,         ///< one: distance along z − pitch · angle
  kSum,            ///< one: the sum of a coupling
  kFirstThree,     ///< of a compound, of the rows across its axes: the first three,
  kFirstTwo,       ///< or the first two, where there are no more,
  kFirstOne,       ///< or one;
  kNextTwo,        ///< the two after the first three,
  kNextOne,        ///< or the one
};
/// The blocks of a joint's position constraint.
[[nodiscard]] std::span<const PositionPart> position_parts(const JointModel& joint);
[[nodiscard]] int row_count(PositionPart part);

/// A coordinate, rad or m, and its row without any factor. Angles are in (−π, π].
struct CoordinateRow {
  double value = 0;
  Vec3 linear_a, angular_a, linear_b, angular_b;
};

/// The row of a coupling's coordinate against a body beside a and b.
struct BodyRow {
  int body = 0;
  Vec3 linear, angular;
};

/// A row of a compound: of a coordinate with its axis, or of what is kept at 0 (m).
struct CompoundRow {
  CoordinateRow row;
  Vec3 axis, point;  ///< in the world
};

/// Joint frames in the world.
struct JointFrames {
  Vec3 centre_a, centre_b;  ///< mass centres
  Pose a, b;
  Vec3 x_a, y_a, z_a;
  Vec3 x_b, z_b;
  CoordinateRow sum;                  ///< of a coupling, instead of all others
  std::vector<BodyRow> others;        ///< the same, for JointModel::others
  std::vector<CompoundRow> compound;  ///< its coordinates, then what is kept at 0: six in all
};
/// `a` and `b`: poses of the mass centres; that of the world is ignored. `known`: coordinates of a compound that are
/// near those looked for.
void place_frames(const JointModel& joint, const Pose& a, const Pose& b, const JointValues& known, JointFrames& frames);
[[nodiscard]] inline JointFrames joint_frames(const JointModel& joint, const Pose& a, const Pose& b,
                                              const JointValues& known = {}) {
  JointFrames frames;
  place_frames(joint, a, b, known, frames);
  return frames;
}
/// Starts the sum of a coupling.
void start_sum(const JointModel& coupling, JointFrames& frames);
/// Adds a term of a coupling: `row` is that of coordinate q of `member`.
void add_term(const JointModel& coupling, const JointModel& member, const CouplingTerm& term, double q,
              const CoordinateRow& row, JointFrames& frames);

/// Adds a row against `body` to the sum of a coupling; rows of bodies whose motion cancels, or which do not move, are
/// left out.
void add_to_sum(const JointModel& coupling, int body, Vec3 linear, Vec3 angular, JointFrames& frames);

/// An end of a straight piece of a path; those in the world do not move.
struct PieceEnd {
  Vec3 arm, place;             ///< from the mass centre, and in the world
  Vec3 velocity, centripetal;  ///< of the point: v + ω × arm, and ω × (ω × arm)
};
[[nodiscard]] PieceEnd place_end(const PathPoint& point, const Pose& body);
/// Adds the piece from one point of a path to the next.
void add_piece(const JointModel& coupling, const PathPoint& from, const PathPoint& to, const PieceEnd& a,
               const PieceEnd& b, JointFrames& frames);
void add_thrust(const JointModel& coupling, const Pose& body, JointFrames& frames);
/// J̇ v of a piece's length, m/s².
[[nodiscard]] double piece_drift(const PieceEnd& a, const PieceEnd& b);
/// Adds the path and the thrust of a coupling; pose(body): of a mass centre.
template <class PoseOf>
void add_places(const JointModel& coupling, const PoseOf& pose, JointFrames& frames) {
  for (std::size_t k = 0; k + 1 < coupling.path.size(); ++k) {
    const PathPoint &from = coupling.path[k], &to = coupling.path[k + 1];
    if (from.factor != 0)
      add_piece(coupling, from, to, place_end(from, pose(from.body)), place_end(to, pose(to.body)), frames);
  }
  if (coupling.thrust) add_thrust(coupling, pose(coupling.thrust->body), frames);
}

/// Up to three rows (t1, t2, n) against both bodies. A block of one row uses n, of two t1 and t2.
struct JointRows {
  BodyJacobian a, b;
  ContactVec error;  ///< g, m
};
/// `turns`: whole turns that the angle of a screw has made.
[[nodiscard]] JointRows position_rows(const JointModel& joint, PositionPart part, const JointFrames& frames,
                                      int turns = 0);

/// Rows (t1, t2, n) of a coupling against a further body: its coordinate's row times a factor for each.
[[nodiscard]] BodyJacobian times(const ContactVec& factors, const BodyRow& row);
/// The factors of the row of a coupling that is held.
[[nodiscard]] inline ContactVec sum_factors(const JointModel& coupling) { return {0, 0, coupling.unit(0)}; }
/// The errors alone.
[[nodiscard]] ContactVec position_errors(const JointModel& joint, PositionPart part, const JointFrames& frames,
                                         int turns = 0);

[[nodiscard]] CoordinateRow coordinate_row(const JointModel& joint, int coordinate, const JointFrames& frames);
/// Velocities of the bodies of a joint; those of the world are zero.
struct JointMotion {
  Vec3 velocity_a, spin_a, velocity_b, spin_b;
};
/// The acceleration of a coordinate without any of its bodies, J̇ v, rad/s² or m/s²: rows turn with their axes, and arms
/// with their bodies. Of a coupling 0.
[[nodiscard]] double coordinate_drift(const JointModel& joint, int coordinate, const JointFrames& frames,
                                      const JointMotion& motion);
/// The angle that differs from `angle` by whole turns and from `near` by at most half a turn.
[[nodiscard]] double unwrapped(double angle, double near);
/// Whole turns that an unwrapped angle has made.
[[nodiscard]] int whole_turns(double unwrapped_angle);

/// The largest length of a row of g, m.
[[nodiscard]] double position_error(const JointModel& joint, const JointFrames& frames, int turns = 0);

/// Frames of joint j of all, in memory that is kept. `known`: coordinates of all joints that angles go on from;
/// pose(body): of a mass centre.
template <class PoseOf>
void find_frames(std::span<const JointModel> joints, std::size_t j, std::span<const JointValues> known,
                 const PoseOf& pose, JointFrames& frames) {
  const JointModel& joint = joints[j];
  if (joint.kind != JointKind::kCoupling) {
    frames.others.clear();
    return place_frames(joint, pose(joint.body_a), pose(joint.body_b), known[j], frames);
  }
  start_sum(joint, frames);
  for (const CouplingTerm& term : joint.terms) {
    const auto member = static_cast<std::size_t>(term.joint), k = static_cast<std::size_t>(term.coordinate);
    const JointModel& other = joints[member];
    const CoordinateRow row = coordinate_row(
        other, term.coordinate, joint_frames(other, pose(other.body_a), pose(other.body_b), known[member]));
    const double q = is_angle(other, term.coordinate) ? unwrapped(row.value, known[member][k]) : row.value;
    add_term(joint, other, term, q, row, frames);
  }
  add_places(joint, pose, frames);
}
template <class PoseOf>
[[nodiscard]] JointFrames joint_frames(std::span<const JointModel> joints, std::size_t j,
                                       std::span<const JointValues> known, const PoseOf& pose) {
  JointFrames frames;
  find_frames(joints, j, known, pose, frames);
  return frames;
}

/// `before`: the models of the joints before it.
[[nodiscard]] JointModel make_joint(const SceneJoint& joint, std::span<const SceneBody> bodies,
                                    std::span<const BodyModel> models, std::span<const JointModel> before);

}  // namespace repose
