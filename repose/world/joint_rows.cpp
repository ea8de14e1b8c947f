// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "repose/math/scalar.h"
#include "repose/world/compound_rows_internal.h"
#include "repose/world/coupling_rows_internal.h"
#include "repose/world/joint.h"

namespace repose {
namespace {

constexpr PositionPart kBallParts[] = {PositionPart::kPoint};
constexpr PositionPart kHingeParts[] = {PositionPart::kPoint, PositionPart::kAlignment};
constexpr PositionPart kSlideParts[] = {PositionPart::kOrientation, PositionPart::kLine};
constexpr PositionPart kFixedParts[] = {PositionPart::kPoint, PositionPart::kOrientation};
constexpr PositionPart kDistanceParts[] = {PositionPart::kLength};
constexpr PositionPart kUniversalParts[] = {PositionPart::kPoint, PositionPart::kPerpendicular};
constexpr PositionPart kCylindricalParts[] = {PositionPart::kAlignment, PositionPart::kLine};
constexpr PositionPart kPlanarParts[] = {PositionPart::kAlignment, PositionPart::kPlane};
constexpr PositionPart kSumParts[] = {PositionPart::kSum};
constexpr PositionPart kScrewParts[] = {PositionPart::kAlignment, PositionPart::kLine, PositionPart::kThread};
constexpr PositionPart kFiveParts[] = {PositionPart::kFirstThree, PositionPart::kNextTwo};
constexpr PositionPart kFourParts[] = {PositionPart::kFirstThree, PositionPart::kNextOne};
constexpr PositionPart kThreeParts[] = {PositionPart::kFirstThree};
constexpr PositionPart kTwoParts[] = {PositionPart::kFirstTwo};
constexpr PositionPart kOneParts[] = {PositionPart::kFirstOne};

/// By the number of rows that a compound keeps at zero.
std::span<const PositionPart> parts_of_compound(std::size_t rows) {
  switch (rows) {
    case 5: return kFiveParts;
    case 4: return kFourParts;
    case 3: return kThreeParts;
    case 2: return kTwoParts;
    case 1: return kOneParts;
    default: return {};
  }
}

/// The rows of a part of a compound in the order of `frames.compound`, and where the part has them: t1, t2 or n.
struct CompoundPart {
  std::size_t first;
  int count, place;
};
CompoundPart compound_part(const JointModel& joint, PositionPart part) {
  const bool next = part == PositionPart::kNextTwo || part == PositionPart::kNextOne;
  const int count = row_count(part);
  return {joint.axes.size() + (next ? 3 : 0), count, count == 1 ? 2 : 0};
}
double& row_of(ContactVec& v, int r) { return r == 0 ? v.t1 : r == 1 ? v.t2 : v.n; }

ContactVec compound_errors(const JointModel& joint, PositionPart part, const JointFrames& f) {
  const CompoundPart rows = compound_part(joint, part);
  ContactVec errors;
  for (int r = 0; r < rows.count; ++r)
    row_of(errors, rows.place + r) = f.compound[rows.first + static_cast<std::size_t>(r)].row.value;
  return errors;
}

JointRows compound_rows(const JointModel& joint, PositionPart part, const JointFrames& f) {
  const CompoundPart rows = compound_part(joint, part);
  JointRows J;
  for (int r = 0; r < rows.count; ++r) {
    const CoordinateRow& own = f.compound[rows.first + static_cast<std::size_t>(r)].row;
    const int place = rows.place + r;
    J.a.linear[place] = own.linear_a, J.a.angular[place] = own.angular_a;
    J.b.linear[place] = own.linear_b, J.b.angular[place] = own.angular_b;
  }
  return J;
}

/// Row r: the velocity of point p_b of b relative to point p_a of a along `axis`.
void set_linear(JointRows& rows, int r, const JointFrames& f, Vec3 p_a, Vec3 p_b, Vec3 axis) {
  rows.b.linear[r] = axis;
  rows.b.angular[r] = cross(p_b - f.centre_b, axis);
  rows.a.linear[r] = -1.0 * axis;
  rows.a.angular[r] = -1.0 * cross(p_a - f.centre_a, axis);
}

/// Row r: the angular velocity of b relative to a along `axis`.
void set_angular(JointRows& rows, int r, Vec3 axis) {
  rows.b.angular[r] = axis;
  rows.a.angular[r] = -1.0 * axis;
}

/// Rotation of frame b relative to frame a, in axes of a: twice the vector part, which is the angle near zero.
Vec3 small_rotation(const JointFrames& f) {
  const Quat q = conjugate(f.a.rotation) * f.b.rotation;
  const double twice = q.w < 0 ? -2 : 2;
  return {twice * q.x, twice * q.y, twice * q.z};
}

double angle_about_z(const JointFrames& f) {
  const Quat q = conjugate(f.a.rotation) * f.b.rotation;
  const double half = q.w < 0 ? arc_tangent(-q.z, -q.w) : arc_tangent(q.z, q.w);
  return 2 * half;
}

ContactVec as_errors(Vec3 e) { return {e.x, e.y, e.z}; }

Vec3 offset(const JointFrames& f) { return f.b.position - f.a.position; }

double plane_error(const JointFrames& f) { return dot(f.z_a, offset(f)); }

ContactVec alignment_errors(const JointFrames& f, double length) {
  const Vec3 e = length * cross(f.z_a, f.z_b);
  return {dot(f.x_a, e), dot(f.y_a, e), 0};
}

/// Of a rope: the slack, which stays >= 0.
double length_error(const JointModel& joint, const JointFrames& f) {
  return (joint.kind == JointKind::kRope ? -1 : 1) * (norm(offset(f)) - joint.rest);
}

JointRows point_rows(const JointFrames& f) {
  JointRows rows;
  set_linear(rows, 0, f, f.a.position, f.b.position, {1, 0, 0});
  set_linear(rows, 1, f, f.a.position, f.b.position, {0, 1, 0});
  set_linear(rows, 2, f, f.a.position, f.b.position, {0, 0, 1});
  return rows;
}

JointRows orientation_rows(const JointFrames& f, double length) {
  JointRows rows;
  set_angular(rows, 0, length * f.x_a);
  set_angular(rows, 1, length * f.y_a);
  set_angular(rows, 2, length * f.z_a);
  return rows;
}

JointRows alignment_rows(const JointFrames& f, double length) {
  JointRows rows;
  set_angular(rows, 0, length * f.x_a);
  set_angular(rows, 1, length * f.y_a);
  return rows;
}

/// Axes of a with both arms to origin b: the axes turn with a.
JointRows line_rows(const JointFrames& f) {
  JointRows rows;
  set_linear(rows, 0, f, f.b.position, f.b.position, f.x_a);
  set_linear(rows, 1, f, f.b.position, f.b.position, f.y_a);
  return rows;
}

JointRows plane_rows(const JointFrames& f) {
  JointRows rows;
  set_linear(rows, 2, f, f.b.position, f.b.position, f.z_a);
  return rows;
}

JointRows perpendicular_rows(const JointFrames& f, double length) {
  JointRows rows;
  set_angular(rows, 2, length * cross(f.x_b, f.z_a));
  return rows;
}

JointRows length_rows(const JointModel& joint, const JointFrames& f) {
  JointRows rows;
  const double distance = norm(offset(f));
  const Vec3 axis = distance > 0 ? (1 / distance) * offset(f) : Vec3{0, 0, 1};
  const double sign = joint.kind == JointKind::kRope ? -1 : 1;
  set_linear(rows, 2, f, f.a.position, f.b.position, sign * axis);
  return rows;
}

JointRows thread_rows(const JointModel& joint, const JointFrames& f) {
  JointRows rows = plane_rows(f);
  rows.b.angular[2] = rows.b.angular[2] - joint.pitch * f.z_a;
  rows.a.angular[2] = rows.a.angular[2] + joint.pitch * f.z_a;
  return rows;
}

JointRows sum_rows(const JointModel& joint, const CoordinateRow& sum) {
  JointRows rows;
  const double unit = joint.unit(0);
  rows.a.linear[2] = unit * sum.linear_a, rows.a.angular[2] = unit * sum.angular_a;
  rows.b.linear[2] = unit * sum.linear_b, rows.b.angular[2] = unit * sum.angular_b;
  return rows;
}

CoordinateRow angle_row(double value, Vec3 axis) { return {value, {}, -1.0 * axis, {}, axis}; }

CoordinateRow shift_row(const JointFrames& f, Vec3 axis) {
  const Vec3 p = f.b.position;
  return {dot(axis, p - f.a.position), -1.0 * axis, -1.0 * cross(p - f.centre_a, axis), axis,
          cross(p - f.centre_b, axis)};
}

double size_of(const SceneBody& body, const BodyModel& model, Vec3 arm) {
  return body.kind == BodyKind::kDynamic ? std::max(model.size, norm(arm)) : 0.0;
}

/// Mean inverse moment of a dynamic body.
double inverse_moment(const BodyModel& model) {
  const Vec3 i = model.rotor.inverse;
  return model.kind == BodyKind::kDynamic ? (i.x + i.y + i.z) / 3 : 0.0;
}

}  // namespace

std::span<const PositionPart> position_parts(const JointModel& joint) {
  switch (joint.kind) {
    case JointKind::kBall: return kBallParts;
    case JointKind::kHinge: return kHingeParts;
    case JointKind::kSlide: return kSlideParts;
    case JointKind::kFixed: return kFixedParts;
    case JointKind::kDistance:
    case JointKind::kRope: return kDistanceParts;
    case JointKind::kUniversal: return kUniversalParts;
    case JointKind::kCylindrical: return kCylindricalParts;
    case JointKind::kPlanar: return kPlanarParts;
    case JointKind::kScrew: return kScrewParts;
    case JointKind::kCoupling:
      return joint.hold ? std::span<const PositionPart>(kSumParts) : std::span<const PositionPart>();
    case JointKind::kCompound: return parts_of_compound(kMostCoordinates - joint.axes.size());
  }
  return {};
}

int row_count(PositionPart part) {
  switch (part) {
    case PositionPart::kPoint:
    case PositionPart::kOrientation:
    case PositionPart::kFirstThree: return 3;
    case PositionPart::kAlignment:
    case PositionPart::kLine:
    case PositionPart::kFirstTwo:
    case PositionPart::kNextTwo: return 2;
    default: return 1;
  }
}

void place_frames(const JointModel& joint, const Pose& a, const Pose& b, const JointValues& known, JointFrames& f) {
  const bool world = joint.body_a == kWorldBody;
  f.centre_a = world ? Vec3{} : a.position;
  f.centre_b = b.position;
  f.a = world ? joint.local_a : a * joint.local_a;
  f.b = b * joint.local_b;
  f.x_a = rotate(f.a.rotation, {1, 0, 0});
  f.y_a = rotate(f.a.rotation, {0, 1, 0});
  f.z_a = rotate(f.a.rotation, {0, 0, 1});
  f.x_b = rotate(f.b.rotation, {1, 0, 0});
  f.z_b = rotate(f.b.rotation, {0, 0, 1});
  f.compound.clear();
  if (joint.kind == JointKind::kCompound) place_compound(joint, known, f);
}

ContactVec position_errors(const JointModel& joint, PositionPart part, const JointFrames& f, int turns) {
  switch (part) {
    case PositionPart::kPoint: return as_errors(offset(f));
    case PositionPart::kOrientation: return as_errors(joint.length * small_rotation(f));
    case PositionPart::kAlignment: return alignment_errors(f, joint.length);
    case PositionPart::kLine: return {dot(f.x_a, offset(f)), dot(f.y_a, offset(f)), 0};
    case PositionPart::kPlane: return {0, 0, plane_error(f)};
    case PositionPart::kPerpendicular: return {0, 0, joint.length * dot(f.z_a, f.x_b)};
    case PositionPart::kLength: return {0, 0, length_error(joint, f)};
    case PositionPart::kThread:
      return {0, 0, plane_error(f) - joint.pitch * (angle_about_z(f) + 2 * std::numbers::pi * turns)};
    case PositionPart::kSum: return {0, 0, joint.unit(0) * (f.sum.value - joint.hold.value_or(0))};
    default: return compound_errors(joint, part, f);
  }
  return {};
}

namespace {

JointRows rows_alone(const JointModel& joint, PositionPart part, const JointFrames& f) {
  switch (part) {
    case PositionPart::kPoint: return point_rows(f);
    case PositionPart::kOrientation: return orientation_rows(f, joint.length);
    case PositionPart::kAlignment: return alignment_rows(f, joint.length);
    case PositionPart::kLine: return line_rows(f);
    case PositionPart::kPlane: return plane_rows(f);
    case PositionPart::kPerpendicular: return perpendicular_rows(f, joint.length);
    case PositionPart::kLength: return length_rows(joint, f);
    case PositionPart::kThread: return thread_rows(joint, f);
    case PositionPart::kSum: return sum_rows(joint, f.sum);
    default: return compound_rows(joint, part, f);
  }
  return {};
}

}  // namespace

JointRows position_rows(const JointModel& joint, PositionPart part, const JointFrames& f, int turns) {
  JointRows rows = rows_alone(joint, part, f);
  rows.error = position_errors(joint, part, f, turns);
  return rows;
}

CoordinateRow coordinate_row(const JointModel& joint, int coordinate, const JointFrames& f) {
  switch (joint.kind) {
    case JointKind::kSlide: return shift_row(f, f.z_a);
    case JointKind::kCoupling: return f.sum;
    case JointKind::kCompound: return f.compound[static_cast<std::size_t>(coordinate)].row;
    case JointKind::kUniversal:
      if (coordinate == 0) return angle_row(arc_tangent(dot(f.y_a, f.x_b), dot(f.x_a, f.x_b)), f.z_a);
      return angle_row(arc_tangent(dot(f.x_b, cross(f.z_a, f.z_b)), dot(f.z_a, f.z_b)), f.x_b);
    case JointKind::kCylindrical: return coordinate == 0 ? shift_row(f, f.z_a) : angle_row(angle_about_z(f), f.z_a);
    case JointKind::kPlanar:
      if (coordinate == 2) return angle_row(angle_about_z(f), f.z_a);
      return shift_row(f, coordinate == 0 ? f.x_a : f.y_a);
    default: return angle_row(angle_about_z(f), f.z_a);
  }
}

namespace {

/// Of the distance along an axis of a, from its origin to that of b.
double shift_drift(const JointFrames& f, Vec3 axis, const JointMotion& m) {
  const Vec3 arm_a = f.b.position - f.centre_a, arm_b = f.b.position - f.centre_b;
  const Vec3 of_point = m.velocity_b + cross(m.spin_b, arm_b);
  const Vec3 apart = of_point - m.velocity_a - cross(m.spin_a, arm_a);
  return dot(cross(m.spin_a, axis), apart) + dot(axis, cross(m.spin_b, cross(m.spin_b, arm_b))) -
         dot(axis, cross(m.spin_a, of_point - m.velocity_a));
}

}  // namespace

double coordinate_drift(const JointModel& joint, int coordinate, const JointFrames& f, const JointMotion& m) {
  switch (joint.kind) {
    case JointKind::kSlide: return shift_drift(f, f.z_a, m);
    case JointKind::kCylindrical: return coordinate == 0 ? shift_drift(f, f.z_a, m) : 0.0;
    case JointKind::kPlanar: return coordinate < 2 ? shift_drift(f, coordinate == 0 ? f.x_a : f.y_a, m) : 0.0;
    case JointKind::kUniversal:
      if (coordinate == 0) return dot(cross(m.spin_a, f.z_a), m.spin_b - m.spin_a);
      return dot(cross(m.spin_b, f.x_b), m.spin_b - m.spin_a);
    case JointKind::kCompound: return compound_drift(joint, coordinate, f, m);
    default: return 0;  // the axis of an angle turns about itself
  }
}

double unwrapped(double angle, double near) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle + kTurn * std::round((near - angle) / kTurn);
}

int whole_turns(double unwrapped_angle) {
  return static_cast<int>(std::lround(unwrapped_angle / (2 * std::numbers::pi)));
}

double position_error(const JointModel& joint, const JointFrames& frames, int turns) {
  double worst = 0;
  for (const PositionPart part : position_parts(joint)) {
    const ContactVec g = position_errors(joint, part, frames, turns);
    const double length = std::sqrt(squared_norm(g));
    worst = std::max(worst, joint.kind == JointKind::kRope && g.n > 0 ? 0.0 : length);
  }
  return worst;
}

JointModel make_joint(const SceneJoint& joint, std::span<const SceneBody> bodies, std::span<const BodyModel> models,
                      std::span<const JointModel> before) {
  JointModel made;
  made.kind = joint.kind;
  made.body_a = joint.body_a, made.body_b = joint.body_b;
  made.others = joint.others;
  made.pitch = joint.pitch;
  made.coordinates = joint.coordinates;
  made.axes = joint.axes;
  for (JointAxis& own : made.axes) own.axis = normalized(own.axis);
  made.terms = joint.terms, made.path = joint.path, made.thrust = joint.thrust, made.hold = joint.hold;
  double inverse_mass = 0, moment = 0;
  const auto local = [&](int body, const Pose& frame) -> Pose {
    if (body == kWorldBody) return {frame.position, normalized(frame.rotation)};
    const BodyModel& model = models[static_cast<std::size_t>(body)];
    const Vec3 arm = frame.position - model.centre;
    inverse_mass += model.inverse_mass;
    moment += inverse_moment(model);
    made.size = std::max(made.size, size_of(bodies[static_cast<std::size_t>(body)], model, arm));
    return {arm, normalized(frame.rotation)};
  };
  made.local_a = local(joint.body_a, joint.frame_a);
  made.local_b = local(joint.body_b, joint.frame_b);
  // The length at which a rotation is as easy as a translation: the two bodies' common radius of gyration.
  made.length = std::sqrt(inverse_mass / moment);
  made.size = std::max(made.size, made.length);
  const auto frame = [&](int body, const Pose& own) {
    return body == kWorldBody ? own.position : bodies[static_cast<std::size_t>(body)].pose * own.position;
  };
  made.rest = joint.length.value_or(norm(frame(joint.body_b, joint.frame_b) - frame(joint.body_a, joint.frame_a)));
  if (joint.kind == JointKind::kCoupling) finish_coupling(bodies, models, before, made);
  return made;
}

}  // namespace repose
