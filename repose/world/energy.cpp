// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "repose/world/energy_internal.h"
#include "repose/world/joint_step_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Of the springs and rotors of joints, J.
double joint_energy(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints) {
  double total = 0;
  for (std::size_t j = 0; j < setup.joints.size(); ++j) {
    const JointModel& joint = setup.joints[j];
    for (int k = 0; k < coordinate_count(joint) && joint.kind != JointKind::kBall; ++k) {
      const JointCoordinate& c = joint.coordinates[at(k)];
      if (c.stiffness == 0 && c.armature == 0) continue;
      const double q = joints.position[j][at(k)],
                   v = row_velocity(joint, joints.row(static_cast<int>(j), k), joints.frames[j], state);
      const double stretch = q - c.reference - std::clamp(q - c.reference, 0.0, c.slack);
      total += 0.5 * c.stiffness * stretch * stretch + 0.5 * c.armature * v * v;
    }
  }
  return total;
}

/// Work of a servo, and of bodies with a prescribed motion through a joint, J.
double joint_work(const JointBlock& block, std::span<const StepBody> bodies) {
  if (block.role == JointRole::kServo) return block.lambda.n * block.v.n;
  const auto driven = [&](int body, const BodyJacobian& J) {
    if (body < 0 || !bodies[at(body)].driven) return 0.0;
    const StepBody& s = bodies[at(body)];
    const auto row = [&](int r) { return dot(J.linear[r], s.velocity) + dot(J.angular[r], s.spin); };
    return block.lambda.t1 * row(0) + block.lambda.t2 * row(1) + block.lambda.n * row(2);
  };
  double work = -driven(block.body_a, block.a) - driven(block.body_b, block.b);
  for (const JointEnd& end : block.others) work -= driven(end.body, end.rows);
  return work;
}

}  // namespace

double mechanical_energy(const WorldSetup& setup, const WorldState& state) {
  JointKinematics joints;
  std::uint64_t stamps = 0;
  if (!setup.joints.empty()) find_kinematics(setup, state, stamps, joints);
  return mechanical_energy(setup, state, joints);
}

double mechanical_energy(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints) {
  double total = 0;
  for (int b = 0; b < setup.bodies(); ++b) {
    if (!moves_freely(setup, state, b)) continue;
    const BodyModel& model = setup.models[at(b)];
    const BodyState& s = state.bodies[at(b)];
    total += 0.5 * model.mass * dot(s.velocity, s.velocity) + spin_energy(model.rotor, s.rotation, s.angular_velocity) -
             model.mass * model.gravity_scale * dot(setup.scene.gravity, s.centre);
  }
  if (!setup.joints.empty()) total += joint_energy(setup, state, joints);
  return total;
}

double external_work(const WorldSetup& setup, const StepData& step, const WorldState& state) {
  const double h = setup.scene.dt;
  double work = 0;
  for (std::size_t b = 0; b < step.bodies.size(); ++b)
    if (step.bodies[b].moves)
      work += h * (dot(step.loads.force[b], state.bodies[b].velocity) +
                   dot(step.loads.torque[b], state.bodies[b].angular_velocity));
  for (const Contact& c : step.found.contacts)
    if (step.bodies[at(c.body_a)].driven || step.bodies[at(c.body_b)].driven) work += driving_work(c, step.bodies, h);
  for (const JointBlock& block : step.found.joints.blocks) work += joint_work(block, step.bodies);
  return work;
}

}  // namespace repose
