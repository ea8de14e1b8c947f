// SPDX-License-Identifier: Apache-2.0
// A scene as plain data: everything that a run needs, and nothing that changes while it runs.
// Readers (MJCF, Rigid-IPC, our own JSON), built-in scenes and the builder make it; world/ runs it. SI units.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "repose/scene/joint.h"
#include "repose/scene/sensor.h"
#include "repose/shape/edge_normal.h"
#include "repose/shape/geometry.h"
#include "repose/shape/mass.h"

namespace repose {

struct Material {
  std::string name = "default";
  double friction = 0.5;     ///< μ ≥ 0
  double restitution = 0.0;  ///< Newton's law on the normal velocity, 0 … 1
};

/// How the μ of a pair follows from those of the two materials (restitution: the larger one).
enum class Combine { kGeometricMean, kMinimum, kMaximum, kAverage, kMultiply };

struct PairOverride {  ///< μ and restitution of a pair of materials, instead of the rule
  int material_a = 0, material_b = 0;
  double friction = 0.5, restitution = 0;
};

struct SceneShape {
  std::string name{};
  Geometry geometry{};
  Pose pose{};            ///< in the body's frame
  int material = 0;       ///< index into Scene::materials
  double density = 1000;  ///< kg/m³; used when the body's mass is not given
  std::uint32_t group = 1, mask = 0xffffffffu;
  std::optional<Vec3> colour{};  ///< red, green, blue in 0 … 1
};

enum class BodyKind { kStatic, kDynamic, kKinematic };

/// Prescribed motions of kinematic bodies: the pose of the body's frame as a function of time.
struct ConstantMotion {
  Vec3 velocity{}, angular_velocity{};  ///< m/s and rad/s, world axes; turns about the body frame's origin
};
/// Velocity grows from zero to its full value with 3s² − 2s³, s = time/duration.
struct RampMotion {
  Vec3 velocity{}, angular_velocity{};
  double duration = 1;  ///< s
};
/// Poses at given times, ascending; linear in position and along the shortest rotation between them, held outside.
struct TableMotion {
  std::vector<double> times;
  std::vector<Pose> poses;
};
/// From the programming interface only; cannot be stored in a file.
struct ScriptMotion {
  std::function<Pose(double time)> pose;
};
using Motion = std::variant<ConstantMotion, RampMotion, TableMotion, ScriptMotion>;

struct SceneBody {
  std::string name{};
  BodyKind kind = BodyKind::kDynamic;
  Pose pose{};                          ///< of the body's frame at t = 0 (its mass centre may lie elsewhere)
  Vec3 velocity{}, angular_velocity{};  ///< of the mass centre, world axes, m/s and rad/s
  std::vector<SceneShape> shapes{};
  std::optional<MassProperties> mass{};  ///< in the body's frame; from the shapes' densities when absent
  std::optional<Motion> motion{};        ///< kinematic bodies only
  Vec3 force{}, torque{};                ///< constant, at the mass centre, world axes, N and N m
  double gravity_scale = 1;
  /// Motions that a dynamic body cannot make: of the mass centre along world x, y, z, and rotations about them.
  std::array<bool, 6> fixed_dof{};
  bool present = true;  ///< false: waits for an Appear event
};

struct Appear {  ///< a body joins the run at its scene pose and velocity (a projectile)
  int body = 0;
};
struct Disappear {
  int body = 0;
};
struct SetVelocity {
  int body = 0;
  Vec3 velocity{}, angular_velocity{};
};
struct Push {  ///< an extra force and torque during `duration`
  int body = 0;
  Vec3 force{}, torque{};
  double duration = 0;  ///< s
};
using EventAction = std::variant<Appear, Disappear, SetVelocity, Push>;
struct Event {
  double time = 0;  ///< s; takes effect at the first step that starts at or after it
  EventAction action;
};

/// A fluid around the bodies. Drag acts on each as on a box with its mass and moments of inertia, in the principal
/// axes, with the velocities of the step's start: against v_i ½ ρ b_j b_k |v_i| and 3 π d η, against ω_i
/// ρ b_i (b_j⁴ + b_k⁴) |ω_i|/64 and π d³ η, with the box's edges b and their mean d.
struct Medium {
  double density = 0;    ///< ρ, kg/m³
  double viscosity = 0;  ///< η, Pa s
  Vec3 wind{};           ///< its velocity, m/s
  [[nodiscard]] bool acts() const { return density > 0 || viscosity > 0; }
};

struct Scene {
  std::string name = "scene";
  std::map<std::string, std::string> parameters;  ///< of the built-in scene, for the record
  double dt = 1.0 / 60;                           ///< s
  double duration = 10;                           ///< s, simulated by `repose run` unless given
  Vec3 gravity{0, 0, -9.81};
  Medium medium;
  double margin = 0.02;   ///< contacts are detected up to this gap, m; fast bodies: one step's travel
  double slop = 1e-4;     ///< overlap that is not corrected, m; a thousandth of the thinner body where that is more
  double recovery = 0.2;  ///< share β of the deeper overlap removed per step, 0 … 1
  /// Share of overlap beyond the slop that contacts ask a velocity for, 0 … 1: Baumgarte's stabilisation. Above 0
  /// nothing is displaced because of overlap; 0: overlap leaves by displacements, and velocities do not know of it.
  double baumgarte = 0;
  Combine combine = Combine::kGeometricMean;
  EdgeNormal edge_normal = EdgeNormal::kBisecting;  ///< of parallel edges that touch
  std::vector<Material> materials{Material{}};
  std::vector<PairOverride> overrides;
  std::vector<SceneBody> bodies;
  std::vector<std::pair<int, int>> excluded;  ///< bodies that do not collide with each other
  std::vector<SceneJoint> joints;
  std::vector<SceneActuator> actuators;
  std::vector<SceneSensor> sensors;
  std::vector<Event> events;
};

/// Sets the bodies of a coupling: those that its sum depends on, a the world when there is one, dynamic ones first
/// where there are more than two. A body does not count where its motion cancels: hinges with parallel axes on both
/// sides and equal factors. False when none is left.
bool couple(const Scene& scene, SceneJoint& coupling);

/// The joint by which a body hangs on its parent: the first in the list of which it is body b, apart from couplings,
/// distances and ropes. −1: none.
[[nodiscard]] int parent_joint(const Scene& scene, int body);

/// Throws InputError with one line (body or field, expected and actual value) when the scene is not valid.
void validate(const Scene& scene);

}  // namespace repose
