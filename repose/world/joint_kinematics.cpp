// SPDX-License-Identifier: Apache-2.0
// The kinematics of all joints in a state: frames, coordinates, their rows, and position errors.
#include <algorithm>

#include "repose/base/bits.h"
#include "repose/world/joint_step_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

Pose pose_of(const WorldState& state, int body) {
  if (body == kWorldBody) return {};
  return {state.bodies[at(body)].centre, state.bodies[at(body)].rotation};
}

}  // namespace

JointFrames frames_of(const WorldSetup& setup, std::size_t joint, const WorldState& state) {
  return joint_frames(setup.joints, joint, state.coordinates, [&](int body) { return pose_of(state, body); });
}

double row_velocity(const JointModel& joint, const CoordinateRow& row, const JointFrames& frames,
                    const WorldState& state) {
  const auto own = [&](int b) { return b == kWorldBody ? BodyState{} : state.bodies[at(b)]; };
  const BodyState a = own(joint.body_a), b = own(joint.body_b);
  double velocity = dot(row.linear_a, a.velocity) + dot(row.angular_a, a.angular_velocity) +
                    dot(row.linear_b, b.velocity) + dot(row.angular_b, b.angular_velocity);
  for (const BodyRow& other : frames.others)
    velocity += dot(other.linear, state.bodies[at(other.body)].velocity) +
                dot(other.angular, state.bodies[at(other.body)].angular_velocity);
  return velocity;
}

bool is_present(const WorldState& state, const JointModel& joint) {
  const auto present = [&](int body) { return body == kWorldBody || state.present[at(body)]; };
  return present(joint.body_a) && present(joint.body_b) &&
         std::all_of(joint.others.begin(), joint.others.end(), present);
}

namespace {

/// Frames from those of the joints before, where a coupling is a sum over their coordinates.
void find_frames_after(const WorldSetup& setup, std::size_t j, const WorldState& state, const JointKinematics& known,
                       JointFrames& frames) {
  const JointModel& joint = setup.joints[j];
  const auto is_known = [j](const CouplingTerm& term) { return at(term.joint) < j; };
  if (joint.kind != JointKind::kCoupling || !std::all_of(joint.terms.begin(), joint.terms.end(), is_known))
    return find_frames(
        setup.joints, j, state.coordinates, [&](int body) { return pose_of(state, body); }, frames);
  start_sum(joint, frames);
  for (const CouplingTerm& term : joint.terms) {
    const std::size_t member = at(term.joint), k = at(term.coordinate);
    add_term(joint, setup.joints[member], term, known.position[member][k], known.row(term.joint, term.coordinate),
             frames);
  }
  add_places(
      joint, [&](int body) { return pose_of(state, body); }, frames);
}

}  // namespace

bool is_current(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints) {
  if (joints.stamp == 0) return false;
  for (int b = 0; b < setup.bodies(); ++b)
    if (setup.linked[at(b)] && !same_bits(joints.poses[at(b)], pose_of(state, b))) return false;
  for (std::size_t j = 0; j < setup.joints.size(); ++j)
    if (setup.joints[j].kind != JointKind::kBall && !same_bits(joints.position[j], state.coordinates[j])) return false;
  return true;
}

namespace {

/// Whether the poses of a joint's bodies, and what angles go on from, are those that `known` was computed from.
bool stands_still(const WorldSetup& setup, const WorldState& state, const JointKinematics& known, std::size_t j) {
  const JointModel& joint = setup.joints[j];
  const auto still = [&](int b) { return b == kWorldBody || same_bits(known.poses[at(b)], pose_of(state, b)); };
  if (!still(joint.body_a) || !still(joint.body_b) || !std::all_of(joint.others.begin(), joint.others.end(), still))
    return false;
  if (joint.kind != JointKind::kCoupling)
    return joint.kind == JointKind::kBall || same_bits(known.position[j], state.coordinates[j]);
  return std::all_of(joint.terms.begin(), joint.terms.end(),
                     [&](const CouplingTerm& term) { return stands_still(setup, state, known, at(term.joint)); });
}

void take_joint(const JointKinematics& known, std::size_t j, JointKinematics& joints) {
  joints.frames[j] = known.frames[j];
  joints.rows[j] = known.rows[j];
  joints.position[j] = known.position[j];
  joints.error[j] = known.error[j];
  joints.stamps[j] = known.stamps[j];
}

}  // namespace

void find_kinematics(const WorldSetup& setup, const WorldState& state, std::uint64_t& stamps, JointKinematics& joints,
                     const JointKinematics* known) {
  if (is_current(setup, state, joints)) return;
  if (known && known->stamp == 0) known = nullptr;
  joints.stamp = 0;  // memory that runs out below leaves nothing that counts as computed
  joints.poses.resize(state.bodies.size());
  for (int b = 0; b < setup.bodies(); ++b) joints.poses[at(b)] = pose_of(state, b);
  joints.frames.resize(setup.joints.size());
  joints.rows.resize(setup.joints.size());
  joints.error.resize(setup.joints.size());
  joints.position = state.coordinates;
  joints.stamps.resize(setup.joints.size());
  for (std::size_t j = 0; j < setup.joints.size(); ++j) {
    const JointModel& model = setup.joints[j];
    if (known && stands_still(setup, state, *known, j)) {
      take_joint(*known, j, joints);
      continue;
    }
    joints.stamps[j] = ++stamps;
    find_frames_after(setup, j, state, joints, joints.frames[j]);
    for (int k = 0; k < coordinate_count(model) && model.kind != JointKind::kBall; ++k) {
      const CoordinateRow row = coordinate_row(model, k, joints.frames[j]);
      if (model.kind != JointKind::kCompound) joints.rows[j][at(k)] = row;
      joints.position[j][at(k)] = is_angle(model, k) ? unwrapped(row.value, state.coordinates[j][at(k)]) : row.value;
    }
    const int turns = model.kind == JointKind::kScrew ? whole_turns(joints.position[j][0]) : 0;
    joints.error[j] = position_error(model, joints.frames[j], turns);
  }
  joints.stamp = ++stamps;
}

double joint_error(const WorldSetup& setup, const WorldState& state, const JointKinematics& joints) {
  double worst = 0;
  for (std::size_t j = 0; j < setup.joints.size(); ++j) {
    const JointModel& joint = setup.joints[j];
    if (is_present(state, joint)) worst = std::max(worst, joints.error[j]);
  }
  return worst;
}

}  // namespace repose
