// SPDX-License-Identifier: Apache-2.0
// URDF's conventions: z up, full sizes, a joint's frame is that of its child, roll, pitch and yaw about fixed axes.
// What a file does not say is as in MJCF files: time step 0.002 s, friction 1, the larger friction of a pair counts.
#include "repose/scene/urdf.h"

#include <cmath>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/json_readers_internal.h"
#include "repose/scene/scene_scales_internal.h"
#include "repose/scene/urdf_model_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Group of a robot whose parts do not collide with each other.
constexpr std::uint32_t kRobot = 2;

class Reader {
 public:
  Reader(const std::string& file, const LoadOptions& options) : model_(file, options) { model_.out.format = "urdf"; }

  LoadedScene read() {
    root_ = read_xml(model_.file);
    if (root_.name != "robot") root_.refuse("", "this root element", "<robot>");
    model_.check(root_);
    scene_.name = urdf_text(root_, "name", "the robot's name");
    scene_.dt = 0.002;
    scene_.combine = Combine::kMaximum;
    scene_.materials = {{.name = "default", .friction = 1}};
    read_urdf_colours(model_, root_);
    place(read_urdf_tree(model_, root_), -1);
    for (const UrdfJoint& joint : model_.joints)
      if (joint.mimic) mimic(joint);
    for (UrdfJoint& joint : model_.joints) add_motor(joint);
    finish();
    return std::move(model_.out);
  }

 private:
  /// A link and what hangs on it. `above`: the joint; -1 for the root.
  void place(int link_index, int above) {
    UrdfLink& link = model_.links[at(link_index)];
    if (above < 0) {
      link.scene = add_body(link, model_.options.free_base ? BodyKind::kDynamic : BodyKind::kStatic);
    } else {
      UrdfJoint& joint = model_.joints[at(above)];
      const UrdfLink& parent = model_.links[at(joint.parent)];
      link.start = parent.start * joint.origin;
      link.scene = parent.scene, link.in_scene = parent.in_scene * joint.origin;
      if (joint.type != UrdfJointType::kFixed) {
        const Pose frame = link.start;
        link.in_scene = {}, link.start = frame * motion_of(joint);
        link.scene = add_body(link, BodyKind::kDynamic);
        join(joint, parent.scene, frame);
      }
    }
    read_urdf_link(model_, link);
    for (const int joint : link.below) place(model_.joints[at(joint)].child, joint);
  }

  int add_body(const UrdfLink& link, BodyKind kind) {
    scene_.bodies.push_back(
        {.name = link.name, .kind = kind, .pose = {link.start.position, normalized(link.start.rotation)}});
    model_.masses.emplace_back();
    places_.push_back(link.xml);
    return static_cast<int>(scene_.bodies.size()) - 1;
  }

  /// Where a joint at its start has moved the link.
  static Pose motion_of(const UrdfJoint& joint) {
    if (joint.type == UrdfJointType::kPrismatic) return {joint.start * joint.axis, {}};
    return {{}, exponential(joint.start * joint.axis)};
  }

  /// The joint of the scene between the body above and the last one. `frame`: of the joint, in the world.
  void join(UrdfJoint& joint, int parent, const Pose& frame) {
    if (joint.type == UrdfJointType::kFloating) return;
    const SceneBody& above = scene_.bodies[at(parent)];
    const bool fixed = above.kind == BodyKind::kStatic;
    const Quat turn = rotation_of_z_to(joint.axis);
    const Pose world{frame.position, normalized(frame.rotation * turn)};
    SceneJoint made{.name = joint.name, .kind = JointKind::kHinge, .body_a = fixed ? kWorldBody : parent};
    if (joint.type == UrdfJointType::kPrismatic) made.kind = JointKind::kSlide;
    if (joint.type == UrdfJointType::kPlanar) made.kind = JointKind::kPlanar;
    made.body_b = static_cast<int>(scene_.bodies.size()) - 1;
    made.frame_a = fixed ? world : inverse(above.pose) * world;
    made.frame_a.rotation = normalized(made.frame_a.rotation);
    made.frame_b = {{}, turn};
    made.coordinates[0] = joint.coordinate;
    made.coordinates[0].start = joint.start;
    if (fixed) scene_.excluded.emplace_back(parent, made.body_b);  // a base is part of the robot
    joint.joint = static_cast<int>(scene_.joints.size());
    scene_.joints.push_back(std::move(made));
  }

  /// q = multiplier · q of the other + offset, as a coupling.
  void mimic(const UrdfJoint& joint) {
    const UrdfMimic& m = *joint.mimic;
    SceneJoint coupling{.name = joint.name + " mimic", .kind = JointKind::kCoupling};
    coupling.terms = {{.joint = joint.joint},
                      {.joint = model_.joints[at(m.joint)].joint, .factors = {-m.multiplier, 0, 0, 0}}};
    coupling.hold = m.offset;
    if (!couple(scene_, coupling))
      m.xml->refuse("", "a sum that no body moves", "joints whose sum depends on the motion of a body");
    scene_.joints.push_back(std::move(coupling));
  }

  /// A motor with the joint's name, whose force the effort limits.
  void add_motor(const UrdfJoint& joint) {
    if (!joint.has_coordinate() || joint.mimic || joint.effort == 0) return;
    scene_.actuators.push_back(
        {.name = joint.name, .joint = joint.joint, .force_lower = -joint.effort, .force_upper = joint.effort});
  }

  /// A body without <inertial> has the mass of its collision shapes.
  void set_mass(std::size_t b) {
    SceneBody& body = scene_.bodies[b];
    if (body.kind != BodyKind::kDynamic) return;
    if (model_.masses[b]) {
      body.mass = model_.masses[b];
      for (SceneShape& shape : body.shapes) shape.density = 0;
      const Vec3 m = principal_inertia(body.mass->inertia).moments;
      if (!(m.x > 0)) places_[b]->refuse("", "a body that has no inertia about one of its axes", "moments > 0, kg m^2");
      return;
    }
    bool dense = false;
    for (const SceneShape& shape : body.shapes) dense = dense || shape.density > 0;
    if (!dense) places_[b]->refuse("", "no mass", "an <inertial> with mass > 0 in a link that moves");
    model_.simplified.insert("link '" + body.name +
                             "': without <inertial>, the mass of its collision shapes at 1000 kg/m^3");
  }

  void finish() {
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) set_mass(b);
    if (!model_.options.self_collision)
      for (SceneBody& body : scene_.bodies)
        for (SceneShape& shape : body.shapes)
          if (shape.mask != 0) shape.group = kRobot, shape.mask = ~kRobot;
    set_scales(scene_);
    validate_file(model_.file, scene_);
    model_.out.ignored.assign(model_.ignored.begin(), model_.ignored.end());
    model_.out.simplified.assign(model_.simplified.begin(), model_.simplified.end());
  }

  XmlElement root_;
  UrdfModel model_;
  Scene& scene_ = model_.scene;
  std::vector<const XmlElement*> places_;  // elements of the bodies of the scene
};

}  // namespace

LoadedScene read_urdf_scene(const std::string& path, const LoadOptions& options) {
  return Reader(path, options).read();
}

}  // namespace repose
