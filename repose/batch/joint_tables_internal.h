// SPDX-License-Identifier: Apache-2.0
// The joints of a model as plain data; see tables_internal.h. docs/joints.md has the laws, docs/decisions/027 how
// batches solve them.
#pragma once

#include "repose/math/pose.h"
#include "repose/scene/joint.h"

namespace repose::batch {

/// What a block of position rows keeps at zero: PositionPart of repose/world/joint.h.
enum class JointPart : int {
  kPoint,          ///< three rows: the origins coincide
  kOrientation,    ///< three: the axes coincide
  kAlignment,      ///< two: the z axes coincide
  kLine,           ///< two: origin b is on the z axis of a
  kPlane,          ///< one: origin b is in the x-y plane of a
  kPerpendicular,  ///< one: z of a and x of b are perpendicular
  kLength,         ///< one: the distance of the origins
  kThread,         ///< one: distance along z − pitch · angle
  kSum,            ///< one: the sum of a coupling
};

/// JointRole of repose/world/joint_block.h.
enum class BlockRole : int { kPosition, kLimit, kFriction, kCompliance, kServo };

/// What acts along a coordinate: JointCoordinate.
struct CoordinateTable {
  double lower = 0, upper = 0, friction = 0, damping = 0, stiffness = 0, reference = 0, armature = 0;
  double unit = 1;  ///< factor of its row: all rows are in m/s
  int is_angle = 0;
  int row = -1;  ///< of its joint's rows; −1: nothing acts along it
};

struct JointTable {
  JointKind kind = JointKind::kHinge;
  int node_a = -1, node_b = -1;
  Pose still_a, still_b;                                           ///< poses of mass centres that do not move
  Pose local_a, local_b;                                           ///< frames relative to the mass centres
  double length = 1, rest = 0, pitch = 0, coupling = 1, hold = 0;  ///< as in JointModel
  double size = 0;                                                 ///< the largest of the joints connected with it, m
  int coordinates = 0, first_coordinate = 0;                       ///< also their places in the state
  int terms = 0, first_term = 0;
  int blocks = 0, first_block = 0;
  int rows = 0, first_row = 0;
};

/// A coordinate in the sum of a coupling.
struct TermTable {
  int joint = 0, coordinate = 0;
  double factors[4] = {};
};

struct ActuatorTable {
  int joint = 0, coordinate = 0;
  double gear = 1, gain[3] = {}, bias[3] = {};
  double force_lower = 0, force_upper = 0, control_lower = 0, control_upper = 0;
};

/// A block of a joint: up to three rows with factors, and a box for the impulse.
struct BlockTable {
  BlockRole role = BlockRole::kPosition;
  int joint = 0, coordinate = 0, actuator = -1;  ///< the coordinate is one of the joint's
  JointPart part = JointPart::kPoint;
  int place = 0;              ///< of a position: among the joint's
  int row[3] = {-1, -1, -1};  ///< of all rows; t1, t2, n; −1: none
};

/// An end of a joint at a body.
struct LinkTable {
  int joint = 0, side = 0;  ///< 0: a, 1: b
};

/// A row against the bodies a and b: v = linear_a · v_a + angular_a · ω_a + linear_b · v_b + angular_b · ω_b.
struct JointRow {
  Vec3 linear_a, angular_a, linear_b, angular_b;
};

}  // namespace repose::batch
