// SPDX-License-Identifier: Apache-2.0
// Sensors of a scene as plain data: what is measured, and where. A sensor reads one, three or four numbers after every
// step (docs/joints.md#sensors says which). SI units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repose/math/pose.h"
#include "repose/scene/joint.h"
#include "repose/shape/mass.h"

namespace repose {

enum class SensorKind {
  kJointPosition,         ///< coordinate of a joint or a coupling, rad or m
  kJointVelocity,         ///< rad/s or m/s
  kJointActuatorForce,    ///< of all actuators along a coordinate, N m or N
  kJointLimitForce,       ///< of a coordinate's limits, either end positive, N m or N
  kActuatorPosition,      ///< gear times the coordinate
  kActuatorVelocity,      ///< gear times its velocity
  kActuatorForce,         ///< before the gear, N m or N
  kTouch,                 ///< sum of the normal contact forces on the site's body within its volume, N
  kForce,                 ///< what holds the site's body, from its parent, site axes, N
  kTorque,                ///< the same about the site's origin, N m
  kGyro,                  ///< angular velocity, site axes, rad/s
  kAccelerometer,         ///< acceleration of the site's origin minus gravity, site axes, m/s²
  kVelocimeter,           ///< velocity of the site's origin, site axes, m/s
  kFramePosition,         ///< m
  kFrameQuaternion,       ///< w, x, y, z
  kFrameXAxis,            ///< direction
  kFrameYAxis,            ///< direction
  kFrameZAxis,            ///< direction
  kFrameVelocity,         ///< m/s
  kFrameAngularVelocity,  ///< rad/s
  kContactForce,          ///< sum of the contact forces on the site's body, world axes, N
};
/// What a kind refers to.
[[nodiscard]] inline bool is_of_joint(SensorKind kind) { return kind <= SensorKind::kJointLimitForce; }
[[nodiscard]] inline bool is_of_actuator(SensorKind kind) {
  return kind >= SensorKind::kActuatorPosition && kind <= SensorKind::kActuatorForce;
}
[[nodiscard]] inline bool is_of_frame(SensorKind kind) {
  return kind >= SensorKind::kFramePosition && kind <= SensorKind::kFrameAngularVelocity;
}
/// Numbers that a sensor of this kind reads.
[[nodiscard]] std::size_t sensor_size(SensorKind kind);

/// A frame fixed in a body, or in the world.
struct SensorFrame {
  int body = kWorldBody;  ///< index into Scene::bodies
  Pose pose{};            ///< in the body's frame
};

/// The volume of a site, about its origin. `half`: half edges of a box, half axes of an ellipsoid; of a cylinder or a
/// capsule along z the radius twice and the half length (without caps), m.
struct SensorVolume {
  enum class Kind { kBox, kEllipsoid, kCylinder, kCapsule };
  Kind kind = Kind::kBox;
  Vec3 half{};
};

/// The part of a rigid body beyond a cut through it.
struct SensorPart {
  MassProperties mass{};      ///< in the body's frame
  std::vector<int> joints{};  ///< joints of the body that are attached to the part
};

struct SceneSensor {
  std::string name{};
  SensorKind kind = SensorKind::kJointPosition;
  int object = 0;      ///< index into Scene::joints or Scene::actuators, for kinds of those
  int coordinate = 0;  ///< of the joint
  SensorFrame site{};  ///< for all other kinds
  /// Of a frame_… kind: the frame that it is seen from; absent: the world.
  std::optional<SensorFrame> reference{};
  std::optional<SensorVolume> volume{};  ///< of touch; absent: everywhere
  /// Of touch, contact force, force and torque: the shapes of the site's body whose contacts count; absent: all.
  std::optional<std::vector<int>> shapes{};
  std::optional<SensorPart> part{};  ///< of force and torque: what is held; absent: the whole body
  double cutoff = 0;                 ///< numbers are clamped to ± this; 0: they are not
};

}  // namespace repose
