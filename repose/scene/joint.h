// SPDX-License-Identifier: Apache-2.0
// Joints and actuators of a scene as plain data.
//
// A joint connects a frame of body a, or of the world, with a frame of body b. The z axis of the frames is the joint's
// axis: a hinge turns about it, a slide moves along it. Where both frames coincide, all coordinates of the joint are 0.
// The coordinates are those of frame b seen from frame a; a torque or force on a coordinate acts on b, and reversed
// on a. SI units.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "repose/math/pose.h"

namespace repose {

/// The body index of a joint's end that is fixed in space.
inline constexpr int kWorldBody = -1;

enum class JointKind {
  kBall,         ///< the two origins coincide
  kHinge,        ///< rotation about z; coordinate: the angle
  kSlide,        ///< motion along z; coordinate: the distance
  kFixed,        ///< none
  kDistance,     ///< the origins keep a distance
  kRope,         ///< the origins are at most a length apart
  kUniversal,    ///< rotations about z of frame a and x of frame b, which stay perpendicular; coordinates: both angles
  kCylindrical,  ///< rotation about and motion along z; coordinates: distance, angle
  kPlanar,       ///< motion in the plane of x and y, rotation about z; coordinates: x, y, angle
  kScrew,        ///< rotation about z with a motion of `pitch` per radian along it; coordinate: the angle
  kCoupling,     ///< a sum of functions of other joints' coordinates and of lengths; coordinate: the sum
  kCompound,     ///< hinges and slides one after the other; coordinates: theirs
};

/// Most coordinates of a joint.
inline constexpr int kMostCoordinates = 6;
/// One number for each coordinate of a joint; 0 beyond them.
using JointValues = std::array<double, kMostCoordinates>;

/// One hinge or slide of a compound, in the joint's frame a where all coordinates are 0: the axes before it carry it.
struct JointAxis {
  bool slides = false;
  Vec3 axis{0, 0, 1};  ///< of length 1
  Vec3 point{};        ///< on the axis of a hinge
};

/// The shortest rotation of the z axis to a direction of length 1.
[[nodiscard]] Quat rotation_of_z_to(Vec3 direction);

/// What acts along a coordinate q: limits, dry friction and λ = −h (stiffness (q⁺ − reference) + damping q̇⁺) −
/// armature Δq̇, taken at the end of the step. For a ball friction, damping and armature act on each axis of the
/// relative rotation, and it has no limits and no spring.
struct JointCoordinate {
  double lower = -std::numeric_limits<double>::infinity();  ///< rad or m; lower < upper
  double upper = std::numeric_limits<double>::infinity();
  double friction = 0;     ///< largest torque or force of dry friction, N m or N, ≥ 0
  double damping = 0;      ///< N m s or N s/m, ≥ 0
  double stiffness = 0;    ///< N m/rad or N/m, ≥ 0
  double reference = 0;    ///< of the spring, rad or m
  double slack = 0;        ///< the spring is loose from reference to reference + slack, rad or m, ≥ 0
  double armature = 0;     ///< inertia of a rotor, kg m² or kg, ≥ 0
  double restitution = 0;  ///< of its limits, 0 to 1
  double start = 0;        ///< of an angle, rad: at the start of a run the one that is nearest to it is taken
  std::string name{};      ///< in joints of several coordinates
  bool operator==(const JointCoordinate&) const = default;
  [[nodiscard]] bool is_limited() const { return lower > -kNoLimit || upper < kNoLimit; }
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
};

/// One coordinate q of a coupling: Σ factors[n] q^(n+1) is its part of the sum.
struct CouplingTerm {
  int joint = 0, coordinate = 0;  ///< of a joint before the coupling that is none itself
  std::array<double, 4> factors{1, 0, 0, 0};
  bool operator==(const CouplingTerm&) const = default;
};

/// A point of the path of a coupling: factor times the distance from here to the next point is its part of the sum.
struct PathPoint {
  int body = kWorldBody;
  Vec3 point{};       ///< in the body's frame, or in the world
  double factor = 1;  ///< 0: nothing between the two points, as where another branch begins. That of the last is unused
};

/// A place on a body along which actuators of a coupling push: the rate of its coordinate is
/// along·v + about·ω with the velocities of the site in its own axes, the coordinate itself stays 0.
struct SiteThrust {
  int body = 0;
  Pose site{};            ///< in the body's frame
  Vec3 along{}, about{};  ///< force, and torque in m, per unit of gear · actuator force
};

struct SceneJoint {
  std::string name{};
  JointKind kind = JointKind::kHinge;
  int body_a = kWorldBody, body_b = 0;  ///< indices into Scene::bodies; a may be the world
  Pose frame_a{}, frame_b{};            ///< in the body's frame, or in the world
  std::array<JointCoordinate, kMostCoordinates> coordinates{};
  /// Of a distance or a rope, m; absent: the distance at the start of the run.
  std::optional<double> length{};
  double pitch = 0;               ///< of a screw, m/rad
  bool collide = false;           ///< whether the two bodies collide with each other
  std::vector<JointAxis> axes{};  ///< of a compound, from body a to body b
  // Of a coupling. Its bodies are those of its terms, its path and its thrust: couple() finds them.
  std::vector<CouplingTerm> terms{};
  std::vector<PathPoint> path{};
  std::optional<SiteThrust> thrust{};  ///< stands alone: without terms, path, hold, limits and springs
  std::optional<double> hold{};        ///< keeps the sum at this value
  std::vector<int> others{};           ///< bodies beside a and b that its sum depends on
};

/// Number of coordinates of a joint (SceneJoint or JointModel); a ball's rotation counts as one, see JointCoordinate.
[[nodiscard]] int coordinate_count(JointKind kind, std::size_t axes);
template <class Joint>
[[nodiscard]] int coordinate_count(const Joint& joint) {
  return coordinate_count(joint.kind, joint.axes.size());
}
/// Those that have a value: a ball has none.
template <class Joint>
[[nodiscard]] int value_count(const Joint& joint) {
  return joint.kind == JointKind::kBall ? 0 : coordinate_count(joint);
}
/// Whether a coordinate is an angle (rad) and not a distance (m).
[[nodiscard]] bool is_angle(JointKind kind, int coordinate);
template <class Joint>
[[nodiscard]] bool is_angle(const Joint& joint, int coordinate) {
  return joint.kind == JointKind::kCompound ? !joint.axes[static_cast<std::size_t>(coordinate)].slides
                                            : is_angle(joint.kind, coordinate);
}
/// Whether no axis of a compound can be left out: their motions do not depend on each other.
[[nodiscard]] bool are_independent(const std::vector<JointAxis>& axes);

/// How the input of an actuator follows its control u. An activation is the state of an actuator.
enum class ActuatorDynamics {
  kNone,         ///< the input is u
  kIntegrator,   ///< the input is the activation a, ȧ = u
  kFilter,       ///< ȧ = (u − a)/time, by Euler's method
  kFilterExact,  ///< the same, exactly for a control that is constant over the step
};

/// A force along one coordinate of a joint. With the actuator's position p = gear · q, velocity ṗ = gear · q̇ and its
/// input, the control u or what the dynamics make of it, its force is
///
///   f = clamp(gain·(1, p, ṗ) input + bias·(1, p, ṗ), force_range)
///
/// and gear · f acts on the coordinate. Terms that hold or brake (factors of p and ṗ below zero) take p and ṗ at the
/// end of the step, so that any gain is stable; the clamp is exact.
struct SceneActuator {
  std::string name{};
  int joint = 0;       ///< index into Scene::joints
  int coordinate = 0;  ///< of that joint
  double gear = 1;
  std::array<double, 3> gain{1, 0, 0}, bias{};
  double force_lower = -JointCoordinate::kNoLimit, force_upper = JointCoordinate::kNoLimit;      ///< N or N m
  double control_lower = -JointCoordinate::kNoLimit, control_upper = JointCoordinate::kNoLimit;  ///< u is clamped
  double control = 0;                                                                            ///< at the start
  ActuatorDynamics dynamics = ActuatorDynamics::kNone;
  double time = 1;        ///< of a filter, s
  bool early = false;     ///< the input is the activation at the end of the step, not that of its start
  double activation = 0;  ///< at the start
  double activation_lower = -JointCoordinate::kNoLimit, activation_upper = JointCoordinate::kNoLimit;
  [[nodiscard]] bool has_state() const { return dynamics != ActuatorDynamics::kNone; }
};

}  // namespace repose
