// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "repose/base/error.h"
#include "repose/shape/polyhedron.h"
#include "repose/world/motion.h"
#include "repose/world/setup_internal.h"

namespace repose {
namespace {

/// Impacts slower than this many steps of free fall do not bounce: a body at rest falls one step's worth every step.
constexpr double kBounceSteps = 2;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Distance from the origin that contains every bounded body, m.
double scene_size(const WorldSetup& setup, const WorldState& state) {
  double most = setup.scene.margin;
  for (std::size_t b = 0; b < setup.models.size(); ++b)
    most = std::max(most, norm(state.bodies[b].centre) + setup.models[b].size);
  return most;
}

/// Excluded pairs and bodies that a joint connects.
std::function<bool(int, int)> exclusion(const Scene& scene) {
  std::set<std::pair<int, int>> both;
  for (const auto& [a, b] : scene.excluded) both.insert({std::min(a, b), std::max(a, b)});
  for (const SceneJoint& j : scene.joints)
    if (!j.collide && j.body_a != kWorldBody && j.kind != JointKind::kCoupling)
      both.insert({std::min(j.body_a, j.body_b), std::max(j.body_a, j.body_b)});
  if (both.empty()) return {};
  return [both = std::move(both)](int a, int b) { return both.contains({std::min(a, b), std::max(a, b)}); };
}

}  // namespace

Pose WorldSetup::prescribed_pose(int body, double time) const {
  const SceneBody& made = scene.bodies[at(body)];
  const Pose pose = pose_at(*made.motion, {made.pose.position, normalized(made.pose.rotation)}, time);
  return {pose.position, normalized(pose.rotation)};
}

Pose WorldSetup::next_pose(const WorldState& state, int body, double share) const {
  if (!is_guided(body)) return prescribed_pose(body, (state.steps + share) * scene.dt);
  const Pose& end = state.guides[at(body)];
  if (share == 1) return end;
  const BodyState& now = state.bodies[at(body)];
  const Displacement way = displacement({now.centre, now.rotation}, end);
  return {now.centre + share * way.shift, normalized(exponential(share * way.angle) * now.rotation)};
}

WorldSetup make_setup(Scene scene, const WorldOptions& options) {
  validate(scene);
  require(options.threads >= 1, "threads: expected 1 or more, got ", options.threads);
  (void)make_solver(options.solver);  // throws on bad options
  WorldSetup setup;
  setup.scene = std::move(scene);
  setup.options = options;
  const Scene& s = setup.scene;
  setup.laws = PairLaws(s);
  setup.schedule = Schedule(s.events);
  setup.rule = {s.dt, kBounceSteps * norm(s.gravity) * s.dt, s.slop, s.recovery, s.baumgarte};
  setup.margins.assign(s.bodies.size(), 0.5 * s.margin);
  for (const SceneBody& body : s.bodies) {
    const int b = setup.bodies();
    setup.models.push_back(make_model(body));
    for (const SceneShape& shape : body.shapes) {
      setup.colliders.push_back({b, shape.material, setup.models.back().size});
      const Hull* hull = std::get_if<Hull>(&shape.geometry);
      setup.has_height_fields |= hull != nullptr && hull->polyhedron->cell != nullptr;
    }
  }
  setup.linked.assign(s.bodies.size(), 0);
  for (const SceneJoint& joint : s.joints) {
    setup.joints.push_back(make_joint(joint, s.bodies, setup.models, setup.joints));
    for (const int b : {joint.body_a, joint.body_b})
      if (b != kWorldBody) setup.linked[at(b)] = 1;
    for (const int b : joint.others) setup.linked[at(b)] = 1;
  }
  setup.joint_actuators.resize(s.joints.size());
  for (std::size_t k = 0; k < s.actuators.size(); ++k)
    setup.joint_actuators[at(s.actuators[k].joint)].push_back(static_cast<int>(k));
  setup.scale = scene_size(setup, initial_state(setup));
  return setup;
}

WorldState initial_state(const WorldSetup& setup) {
  WorldState state;
  for (int b = 0; b < setup.bodies(); ++b) {
    const SceneBody& body = setup.scene.bodies[at(b)];
    state.bodies.push_back(start_state(body, setup.models[at(b)]));
    state.present.push_back(body.present);
    state.guides.push_back({state.bodies.back().centre, state.bodies.back().rotation});
    if (!setup.has_prescribed_motion(b) || setup.is_guided(b)) continue;
    const Pose pose = setup.prescribed_pose(b, 0);
    state.bodies.back().centre = pose.position;
    state.bodies.back().rotation = pose.rotation;
  }
  state.pending.resize(state.bodies.size());
  state.applied_force.resize(state.bodies.size());
  state.applied_torque.resize(state.bodies.size());
  state.events.pushes.reserve(setup.scene.events.size());
  state.coordinates.resize(setup.joints.size());
  for (std::size_t j = 0; j < setup.joints.size(); ++j)
    for (std::size_t k = 0; k < kMostCoordinates; ++k) state.coordinates[j][k] = setup.joints[j].coordinates[k].start;
  for (const SceneActuator& actuator : setup.scene.actuators) {
    state.controls.push_back(actuator.control);
    state.activations.push_back(actuator.has_state() ? actuator.activation : 0.0);
  }
  return state;
}

Collision make_collision(const WorldSetup& setup, const WorldState& state) {
  const Scene& scene = setup.scene;
  std::vector<Collider> shapes;
  std::vector<char> movable;
  for (int b = 0; b < setup.bodies(); ++b) {
    movable.push_back(scene.bodies[at(b)].kind == BodyKind::kDynamic);
    for (const SceneShape& shape : scene.bodies[at(b)].shapes) {
      const Pose local{shape.pose.position - setup.models[at(b)].centre, normalized(shape.pose.rotation)};
      shapes.push_back({b, local, shape.geometry, shape.group, shape.mask});
    }
  }
  Collision collision;
  collision.bind(std::move(shapes), std::move(movable), exclusion(scene), scene.edge_normal);
  for (int b = 0; b < setup.bodies(); ++b)
    if (!state.present[at(b)]) collision.set_present(b, false);
  return collision;
}

}  // namespace repose
