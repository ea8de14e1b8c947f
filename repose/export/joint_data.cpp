// SPDX-License-Identifier: Apache-2.0
#include "repose/export/joint_data_internal.h"

#include <algorithm>
#include <cmath>

#include "repose/scene/native_names_internal.h"

namespace repose::exporter {
namespace {

std::size_t place(int k) { return static_cast<std::size_t>(k); }

int shown_coordinates(const SceneJoint& joint) { return value_count(joint); }

Json frame_record(const Pose& frame) {
  const Vec3 p = frame.position;
  const Quat q = frame.rotation;
  return {{"position", {p.x, p.y, p.z}}, {"quaternion", {q.w, q.x, q.y, q.z}}};
}

Json joint_record(const SceneJoint& joint) {
  Json coordinates = Json::array();
  for (int k = 0; k < shown_coordinates(joint); ++k) {
    const JointCoordinate& c = joint.coordinates[place(k)];
    Json one{{"name", !c.name.empty()                ? c.name
                      : shown_coordinates(joint) > 1 ? joint.name + "." + std::to_string(k)
                                                     : joint.name},
             {"angle", is_angle(joint, k)}};
    if (std::isfinite(c.lower)) one["lower"] = c.lower;
    if (std::isfinite(c.upper)) one["upper"] = c.upper;
    coordinates.push_back(std::move(one));
  }
  Json record{{"name", joint.name},
              {"type", joint_types()[static_cast<std::size_t>(joint.kind)]},
              {"body_a", joint.body_a},
              {"body_b", joint.body_b},
              {"frame_a", frame_record(joint.frame_a)},
              {"frame_b", frame_record(joint.frame_b)},
              {"coordinates", std::move(coordinates)}};
  for (const JointAxis& own : joint.axes)
    record["axes"].push_back({{"slides", own.slides},
                              {"axis", {own.axis.x, own.axis.y, own.axis.z}},
                              {"point", {own.point.x, own.point.y, own.point.z}}});
  for (const PathPoint& p : joint.path)
    record["path"].push_back({{"body", p.body}, {"point", {p.point.x, p.point.y, p.point.z}}, {"factor", p.factor}});
  if (joint.thrust) {
    const Vec3 along = rotate(joint.thrust->site.rotation, joint.thrust->along);
    record["thrust"] = {{"frame", frame_record(joint.thrust->site)}, {"along", {along.x, along.y, along.z}}};
  }
  return record;
}

Json actuator_record(const Scene& scene, const SceneActuator& actuator) {
  const SceneJoint& joint = scene.joints[place(actuator.joint)];
  Json record{{"name", actuator.name},
              {"joint", actuator.joint},
              {"coordinate", actuator.coordinate},
              {"angle", is_angle(joint, actuator.coordinate)},
              {"control", actuator.control}};
  if (std::isfinite(actuator.control_lower)) record["lower"] = actuator.control_lower;
  if (std::isfinite(actuator.control_upper)) record["upper"] = actuator.control_upper;
  return record;
}

/// Velocity of a coordinate in a recorded state.
double recorded_rate(const std::vector<JointModel>& joints, const RecordedState& state, int joint, int coordinate) {
  const auto body = [&](int b) { return b == kWorldBody ? BodyState{} : state.bodies[place(b)]; };
  const auto pose = [&](int b) { return Pose{body(b).centre, body(b).rotation}; };
  const JointModel& model = joints[place(joint)];
  const JointFrames frames = joint_frames(joints, place(joint), state.joint_positions, pose);
  const CoordinateRow row = coordinate_row(model, coordinate, frames);
  const BodyState a = body(model.body_a), b = body(model.body_b);
  double rate = dot(row.linear_a, a.velocity) + dot(row.angular_a, a.angular_velocity) + dot(row.linear_b, b.velocity) +
                dot(row.angular_b, b.angular_velocity);
  for (const BodyRow& other : frames.others)
    rate += dot(other.linear, body(other.body).velocity) + dot(other.angular, body(other.body).angular_velocity);
  return rate;
}

/// The force of an actuator in a step: that of its block, or the law where it is a load.
double recorded_force(const Recording& recording, const Scene& scene, const RecordedState& state,
                      const RecordedStep& step, int index) {
  const SceneActuator& own = scene.actuators[place(index)];
  for (const JointBlock& block : step.joint_blocks)
    if (block.joint == own.joint && block.role == JointRole::kServo && block.part == index)
      return recording.joints()[place(own.joint)].unit(own.coordinate) * block.lambda.n / (scene.dt * own.gear);
  const double u = own.has_state() && !step.inputs.empty()
                       ? step.inputs[place(index)]
                       : std::clamp(step.controls[place(index)], own.control_lower, own.control_upper);
  const double p = own.gear * state.joint_positions[place(own.joint)][place(own.coordinate)];
  const double rate = own.gear * recorded_rate(recording.joints(), state, own.joint, own.coordinate);
  const auto law = [&](const std::array<double, 3>& terms) { return terms[0] + terms[1] * p + terms[2] * rate; };
  return std::clamp(law(own.gain) * u + law(own.bias), own.force_lower, own.force_upper);
}

}  // namespace

void put_joints(Json& header, const Scene& scene) {
  for (const SceneJoint& joint : scene.joints) header["joints"].push_back(joint_record(joint));
  for (const SceneActuator& actuator : scene.actuators) header["actuators"].push_back(actuator_record(scene, actuator));
}

void put_joints(ChunkWriter& out, const JointMoment& moment) {
  for (const double q : moment.coordinates) out.put(static_cast<float>(q));
  for (std::size_t k = 0; k < moment.controls.size(); ++k)
    out.put(static_cast<float>(moment.controls[k])), out.put(static_cast<float>(moment.forces[k]));
}

std::vector<double> joint_coordinates(const World& world) {
  std::vector<double> all;
  const std::vector<SceneJoint>& joints = world.scene().joints;
  for (int j = 0; j < static_cast<int>(joints.size()); ++j)
    for (int k = 0; k < shown_coordinates(joints[place(j)]); ++k) all.push_back(world.joint_position(j, k));
  return all;
}

std::vector<JointMoment> recorded_joints(const Recording& recording, const Scene& scene, int first,
                                         const std::vector<RecordedState>& states) {
  std::vector<JointMoment> moments(states.size());
  if (scene.joints.size() != recording.joints().size()) return moments;
  const std::size_t actuators = scene.actuators.size();
  for (std::size_t t = 0; t < states.size(); ++t) {
    JointMoment& moment = moments[t];
    for (std::size_t j = 0; j < scene.joints.size(); ++j)
      for (int k = 0; k < shown_coordinates(scene.joints[j]); ++k)
        moment.coordinates.push_back(states[t].joint_positions[j][place(k)]);
    moment.controls.resize(actuators), moment.forces.resize(actuators);
    const int k = first + static_cast<int>(t);
    if (actuators == 0 || k >= recording.steps()) continue;
    const RecordedStep step = recording.step(k);
    moment.controls = step.controls;
    for (std::size_t a = 0; a < actuators; ++a)
      moment.forces[a] = recorded_force(recording, scene, states[t], step, static_cast<int>(a));
  }
  return moments;
}

}  // namespace repose::exporter
