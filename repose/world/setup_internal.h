// SPDX-License-Identifier: Apache-2.0
// The data of a world: what is fixed during a run, and the state that a step changes.
#pragma once

#include <array>
#include <vector>

#include "repose/world/assemble.h"
#include "repose/world/body.h"
#include "repose/world/joint.h"
#include "repose/world/schedule.h"
#include "repose/world/world.h"

namespace repose {

struct WorldState;

/// Fixed during a run.
struct WorldSetup {
  Scene scene;
  WorldOptions options;
  std::vector<BodyModel> models;         ///< by body
  std::vector<ColliderFacts> colliders;  ///< by shape, counted over the whole scene
  PairLaws laws;
  BiasRule rule;
  Schedule schedule;
  std::vector<double> margins;                    ///< by body, m
  bool has_height_fields = false;                 ///< whose pairs may touch without a contact of their own
  std::vector<JointModel> joints;                 ///< as in the scene
  std::vector<char> linked;                       ///< by body: a joint holds it
  std::vector<std::vector<int>> joint_actuators;  ///< by joint
  double scale = 0;                               ///< size of the scene, m

  [[nodiscard]] int bodies() const { return static_cast<int>(models.size()); }
  /// Returns whether the pose of a body is prescribed: a function of time, or that which World::guide() gives.
  [[nodiscard]] bool has_prescribed_motion(int body) const {
    return models[static_cast<std::size_t>(body)].kind == BodyKind::kKinematic;
  }
  /// Whether it is World::guide() that says where a body goes.
  [[nodiscard]] bool is_guided(int body) const {
    return has_prescribed_motion(body) && !scene.bodies[static_cast<std::size_t>(body)].motion;
  }
  /// Pose at a time of a body whose motion is a function of time.
  [[nodiscard]] Pose prescribed_pose(int body, double time) const;
  /// Pose of a body with prescribed motion after a share of the next step.
  [[nodiscard]] Pose next_pose(const WorldState& state, int body, double share = 1) const;
};

/// Motion of a body that its pose does not show yet: at most 1e-11 of the smallest body of its island. [decision 008]
struct PendingMotion {
  Vec3 shift, angle;  ///< m, rad
};
[[nodiscard]] inline bool is_zero(const PendingMotion& m) {
  return m.shift.x == 0 && m.shift.y == 0 && m.shift.z == 0 && m.angle.x == 0 && m.angle.y == 0 && m.angle.z == 0;
}

/// Everything that a step starts from, apart from the impulses and features of the step before.
struct WorldState {
  int steps = 0;                                    ///< taken since t = 0
  std::vector<BodyState> bodies;                    ///< at one address for the world's life
  std::vector<PendingMotion> pending;               ///< by body; zero unless it rests
  std::vector<char> present;                        ///< by body
  std::vector<Vec3> applied_force, applied_torque;  ///< for the next step only, N and N m
  ScheduleProgress events;
  std::vector<JointValues> coordinates;  ///< of joints when last asked: angles go on from there, rad or m
  std::vector<double> controls;          ///< by actuator
  std::vector<double> activations;       ///< the same; 0 for those without
  std::vector<Pose> guides;              ///< by body: where guided ones go in the next step
};

/// Throws InputError when the scene or the options are not valid.
[[nodiscard]] WorldSetup make_setup(Scene scene, const WorldOptions& options);
[[nodiscard]] WorldState initial_state(const WorldSetup& setup);
/// Collision detection for the scene's shapes, with the bodies of `state` that are present.
[[nodiscard]] Collision make_collision(const WorldSetup& setup, const WorldState& state);

/// Dynamic and present: moved by forces and contacts.
[[nodiscard]] inline bool moves_freely(const WorldSetup& setup, const WorldState& state, int body) {
  const auto b = static_cast<std::size_t>(body);
  return state.present[b] && setup.models[b].kind == BodyKind::kDynamic;
}

}  // namespace repose
