// SPDX-License-Identifier: Apache-2.0
// Keyframes of MJCF files: poses and velocities of bodies from qpos and qvel, along the tree. The angular part of a
// free joint's or a ball's velocity is in the body's own axes.
#include <algorithm>

#include "repose/scene/mjcf_model_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

struct Moving {
  Pose pose;
  Vec3 velocity, spin;  ///< of the body's origin, world axes
};

constexpr std::size_t kMostNumbers = 1'000'000;

class KeyReader {
 public:
  KeyReader(MjcfModel& model, const MjcfElement& key) : model_(model), key_(key) {
    q_ = numbers("qpos", model.qpos, "4 for a ball, 7 for a free joint");
    v_ = numbers("qvel", model.dofs, "3 for a ball, 6 for a free joint");
    const auto guided = static_cast<std::size_t>(std::count_if(model.scene.bodies.begin(), model.scene.bodies.end(),
                                                               [](const SceneBody& b) { return is_guided(b); }));
    places_ = guide_numbers("mpos", 3 * guided), turns_ = guide_numbers("mquat", 4 * guided);
  }

  [[nodiscard]] SceneKey read() const {
    SceneKey key{.name = key_.text("name", "")};
    for (const SceneBody& body : model_.scene.bodies) key.poses.push_back(body.pose);
    key.velocity.resize(key.poses.size());
    key.angular_velocity.resize(key.poses.size());
    std::vector<Moving> all(model_.bodies.size());
    std::size_t next_guide = 0;
    for (std::size_t b = 1; b < all.size(); ++b) {
      const MjcfBody& body = model_.bodies[b];
      all[b] = moved(body, all[at(body.parent)]);
      if (body.guided && !model_.bodies[at(body.parent)].guided) {
        all[b].pose = guide(next_guide++, all[b].pose);
        key.poses[at(body.scene)] = all[b].pose;
      }
      if (body.joints.empty()) continue;  // a part of the body above, or static
      const std::size_t made = at(body.scene);
      key.poses[made] = {all[b].pose.position, normalized(all[b].pose.rotation)};
      const auto& mass = model_.masses[made];
      key.angular_velocity[made] = all[b].spin;
      key.velocity[made] =
          all[b].velocity + cross(all[b].spin, rotate(key.poses[made].rotation, mass ? mass->centre : Vec3{}));
    }
    const std::size_t n = model_.scene.actuators.size();
    key.activations = activations();
    key.controls = key_.find("ctrl") == nullptr ? std::vector<double>(n) : key_.numbers("ctrl", n, n);
    return key;
  }

  /// Makes the key the start of the scene.
  void apply(const SceneKey& key) {
    for (std::size_t b = 0; b < key.poses.size(); ++b) {
      SceneBody& body = model_.scene.bodies[b];
      if ((!q_.empty() && body.kind == BodyKind::kDynamic) || is_guided(body)) body.pose = key.poses[b];
      body.velocity = key.velocity[b], body.angular_velocity = key.angular_velocity[b];
    }
    for (const MjcfJoint& joint : model_.joints)
      if (!q_.empty() && (joint.type == MjcfJointType::kHinge || joint.type == MjcfJointType::kSlide))
        model_.scene.joints[at(joint.joint)].coordinates[at(joint.index)].start = q_[joint.qpos];
    for (std::size_t k = 0; k < key.controls.size(); ++k) {
      model_.scene.actuators[k].control = key.controls[k];
      model_.scene.actuators[k].activation = key.activations[k];
    }
  }

 private:
  static bool is_guided(const SceneBody& body) { return body.kind == BodyKind::kKinematic && !body.motion; }
  [[nodiscard]] std::vector<double> guide_numbers(const char* attribute, std::size_t count) const {
    if (key_.find(attribute) == nullptr) return {};
    if (count == 0) key_.refuse(attribute, "none: no body is a mocap body");
    return key_.numbers(attribute, count, count);
  }
  /// The pose of a mocap body, which the file draws at `drawn`.
  [[nodiscard]] Pose guide(std::size_t k, Pose drawn) const {
    if (!places_.empty()) drawn.position = {places_[3 * k], places_[3 * k + 1], places_[3 * k + 2]};
    if (turns_.empty()) return drawn;
    const Quat q{turns_[4 * k], turns_[4 * k + 1], turns_[4 * k + 2], turns_[4 * k + 3]};
    if (!(norm(q) > 1e-10)) key_.refuse("mquat", "quaternions that are not zero");
    drawn.rotation = normalized(q);
    return drawn;
  }
  /// By actuator; the file has those of actuators with a state.
  [[nodiscard]] std::vector<double> activations() const {
    const std::vector<SceneActuator>& all = model_.scene.actuators;
    std::vector<double> found(all.size());
    const auto count = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const SceneActuator& a) { return a.has_state(); }));
    if (key_.find("act") == nullptr) return found;
    if (count == 0) key_.refuse("act", "none: no actuator has an activation");
    const std::vector<double> given = key_.numbers("act", count, count);
    std::size_t next = 0;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k].has_state()) found[k] = given[next++];
    return found;
  }
  [[nodiscard]] std::vector<double> numbers(const char* attribute, std::size_t count, const char* others) const {
    if (key_.find(attribute) == nullptr) return {};
    const std::vector<double> found = key_.numbers(attribute, 1, kMostNumbers);
    if (found.size() != count)
      key_.refuse(attribute, std::to_string(count) + " numbers: one for each hinge and slide, " + others);
    return found;
  }

  [[nodiscard]] Moving moved(const MjcfBody& body, const Moving& parent) const {
    Moving m;
    m.pose = parent.pose * body.in_parent;
    m.spin = parent.spin;
    m.velocity = parent.velocity + cross(parent.spin, m.pose.position - parent.pose.position);
    for (const int j : body.joints) move(model_.joints[at(j)], m);
    return m;
  }

  [[nodiscard]] Quat quaternion(std::size_t first) const {
    const Quat q{q_[first], q_[first + 1], q_[first + 2], q_[first + 3]};
    if (!(norm(q) > 1e-10)) key_.refuse("qpos", "quaternions that are not zero");
    return normalized(q);
  }

  void turn(const MjcfJoint& joint, Quat by, Moving& m) const {
    const Vec3 anchor = m.pose * joint.point;
    m.pose.rotation = normalized(m.pose.rotation * by);
    const Vec3 arm_before = m.pose.position - anchor;
    m.pose.position = anchor - rotate(m.pose.rotation, joint.point);
    m.velocity = m.velocity + cross(m.spin, m.pose.position - anchor - arm_before);  // of the parent, at the new place
  }

  void move(const MjcfJoint& joint, Moving& m) const {
    const double q = q_.empty() || joint.type == MjcfJointType::kFree || joint.type == MjcfJointType::kBall
                         ? 0
                         : q_[joint.qpos] - joint.reference;
    const auto rate = [&](std::size_t k) { return v_.empty() ? 0.0 : v_[joint.dof + k]; };
    if (joint.type == MjcfJointType::kFree) {
      const std::size_t i = joint.qpos;
      if (!q_.empty()) m.pose = {{q_[i], q_[i + 1], q_[i + 2]}, quaternion(i + 3)};
      m.velocity = {rate(0), rate(1), rate(2)};
      m.spin = rotate(m.pose.rotation, {rate(3), rate(4), rate(5)});
    } else if (joint.type == MjcfJointType::kSlide) {
      const Vec3 axis = rotate(m.pose.rotation, joint.axis);
      m.velocity = m.velocity + cross(m.spin, q * axis) + rate(0) * axis;
      m.pose.position = m.pose.position + q * axis;
    } else {
      const bool ball = joint.type == MjcfJointType::kBall;
      turn(joint, !ball ? exponential(q * joint.axis) : q_.empty() ? Quat{} : quaternion(joint.qpos), m);
      const Vec3 spin = rotate(m.pose.rotation, ball ? Vec3{rate(0), rate(1), rate(2)} : rate(0) * joint.axis);
      m.velocity = m.velocity + cross(spin, -1.0 * rotate(m.pose.rotation, joint.point));
      m.spin = m.spin + spin;
    }
  }

  MjcfModel& model_;
  const MjcfElement& key_;
  std::vector<double> q_, v_;           ///< empty: as the file draws the bodies, at rest
  std::vector<double> places_, turns_;  ///< of mocap bodies
};

}  // namespace

void read_mjcf_keys(MjcfModel& model, const XmlElement& section) {
  for (const XmlElement& xml : section.children) {
    const MjcfElement e = model.defaults.resolve(xml, "main");
    if (xml.name != "key") xml.refuse("", "it in <keyframe>", "<key>");
    KeyReader reader(model, e);
    model.out.keys.push_back(reader.read());
    if (model.out.keys.size() == 1) reader.apply(model.out.keys[0]);
  }
}

}  // namespace repose
