// SPDX-License-Identifier: Apache-2.0
// Joints of MJCF bodies. Several joints of one body are one joint of the scene: a hinge and a slide along one axis are
// cylindrical, two perpendicular hinges that meet are universal, two perpendicular slides and a hinge across them are
// planar, and all others a compound.
#include <cmath>
#include <numbers>

#include "repose/math/scalar.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/mjcf_model_internal.h"

namespace repose {
namespace {

constexpr double kParallel = 1e-9;  // of axes of length 1; of points: beside the distance from the body's origin

std::size_t at(int k) { return static_cast<std::size_t>(k); }

MjcfJointType type_of(const MjcfElement& e) {
  const std::string type = e.xml().name == "freejoint" ? "free" : e.text("type", "hinge");
  if (type == "free") return MjcfJointType::kFree;
  if (type == "ball") return MjcfJointType::kBall;
  if (type == "hinge") return MjcfJointType::kHinge;
  if (type == "slide") return MjcfJointType::kSlide;
  e.refuse("type", "free, ball, hinge or slide");
}

JointCoordinate read_coordinate(const MjcfModel& model, const MjcfElement& e, MjcfJointType type) {
  JointCoordinate c;
  const bool angle = type == MjcfJointType::kHinge || type == MjcfJointType::kBall;
  const double unit = angle && model.compiler.degrees ? std::numbers::pi / 180 : 1;
  for (const auto& [attribute, value] :
       {std::pair("damping", &c.damping), std::pair("armature", &c.armature), std::pair("frictionloss", &c.friction),
        std::pair("stiffness", &c.stiffness)}) {
    *value = e.number(attribute, 0);
    if (!(*value >= 0)) e.refuse(attribute, "a number >= 0");
    if (*value != 0 && type == MjcfJointType::kFree) e.refuse(attribute, "0 on a free joint");
  }
  if (type == MjcfJointType::kFree) return c;
  if (e.find("springdamper") != nullptr) {
    const std::vector<double> n = e.numbers("springdamper", 2, 2);
    if (n[0] != 0 || n[1] != 0) e.refuse("springdamper", "0 0 (stiffness and damping instead)");
  }
  mjcf_range(model, e, "limited", "range", c.lower, c.upper, unit);
  if (type == MjcfJointType::kBall && c.is_limited()) e.refuse("range", "none on a ball joint");
  if (type == MjcfJointType::kBall && c.stiffness != 0) e.refuse("stiffness", "0 on a ball joint");
  c.reference = unit * e.number("springref", 0);
  return c;
}

/// A frame in the world: origin, x and z; x is made perpendicular to z.
Quat axes(Vec3 x, Vec3 z) {
  const Quat first = rotation_of_z_to(z);
  const Vec3 own = rotate_back(first, x);
  return first * exponential({0, 0, arc_tangent(own.y, own.x)});
}
Quat about_x(double angle) { return exponential({angle, 0, 0}); }
Quat about_z(double angle) { return exponential({0, 0, angle}); }

class Joiner {
 public:
  Joiner(MjcfModel& model, int body) : model_(model), body_(body), own_(model.bodies[at(body)]) {}

  void join() {
    const std::size_t count = own_.joints.size();
    if (count == 1) return single(own(0));
    if (count == 2 && cylindrical()) return;
    if (count == 2 && universal()) return;
    if (count == 3 && planar()) return;
    compound();
  }

 private:
  MjcfJoint& own(std::size_t k) { return model_.joints[at(own_.joints[k])]; }
  [[nodiscard]] Vec3 axis(const MjcfJoint& j) const { return rotate(own_.start.rotation, j.axis); }
  [[nodiscard]] Vec3 point(const MjcfJoint& j) const { return own_.start * j.point; }
  static bool is(const MjcfJoint& j, MjcfJointType type) { return j.type == type; }

  /// Adds the joint; a and b are its frames in the world where the file draws the bodies.
  void add(JointKind kind, const Pose& a, const Pose& b, const std::vector<MjcfJoint*>& parts,
           std::vector<JointAxis> axes = {}) {
    SceneJoint joint{.kind = kind, .body_a = model_.joint_end(own_.parent), .body_b = own_.scene};
    joint.axes = std::move(axes);
    joint.frame_a = model_.joint_frame(own_.parent, a);
    joint.frame_b = model_.joint_frame(body_, b);
    int k = 0;
    for (MjcfJoint* part : parts) {
      part->joint = static_cast<int>(model_.scene.joints.size()), part->index = k;
      JointCoordinate& c = joint.coordinates[at(k++)] = part->coordinate;
      c.start = part->type == MjcfJointType::kBall ? 0 : part->reference;
      if (parts.size() > 1) c.name = part->name;
      if (!part->name.empty()) joint.name += (joint.name.empty() ? "" : "+") + part->name;
    }
    model_.joint_ends[static_cast<int>(model_.scene.joints.size())] = {own_.parent, body_};
    model_.scene.joints.push_back(std::move(joint));
  }

  void single(MjcfJoint& j) {
    if (is(j, MjcfJointType::kFree)) return;
    const Pose frame{point(j), is(j, MjcfJointType::kBall) ? Quat{} : rotation_of_z_to(axis(j))};
    if (is(j, MjcfJointType::kBall)) return add(JointKind::kBall, frame, frame, {&j});
    if (is(j, MjcfJointType::kHinge))
      return add(JointKind::kHinge, {frame.position, frame.rotation * about_z(-j.reference)}, frame, {&j});
    add(JointKind::kSlide, {frame.position - j.reference * axis(j), frame.rotation}, frame, {&j});
  }

  bool cylindrical() {
    const bool turned = is(own(1), MjcfJointType::kSlide);
    MjcfJoint &slide = own(turned ? 1 : 0), &hinge = own(turned ? 0 : 1);
    if (!is(slide, MjcfJointType::kSlide) || !is(hinge, MjcfJointType::kHinge)) return false;
    if (!(norm(slide.axis - hinge.axis) <= kParallel)) return false;
    const Quat turn = rotation_of_z_to(axis(hinge));
    add(JointKind::kCylindrical, {point(hinge) - slide.reference * axis(slide), turn * about_z(-hinge.reference)},
        {point(hinge), turn}, {&slide, &hinge});
    return true;
  }

  bool universal() {
    MjcfJoint &first = own(0), &second = own(1);
    if (!is(first, MjcfJointType::kHinge) || !is(second, MjcfJointType::kHinge)) return false;
    if (!(std::abs(dot(first.axis, second.axis)) <= kParallel)) return false;
    // Where the two lines are closest: on the first, at the second's point along its axis.
    const Vec3 between = second.point - first.point;
    const Vec3 centre = first.point + dot(between, first.axis) * first.axis;
    const Vec3 across = second.point + dot(centre - second.point, second.axis) * second.axis - centre;
    if (!(norm(across) <= kParallel * (norm(first.point) + norm(second.point)))) return false;
    const Pose frame{own_.start * centre, axes(axis(second), axis(first))};
    add(JointKind::kUniversal, {frame.position, frame.rotation * about_z(-first.reference)},
        {frame.position, frame.rotation * about_x(second.reference)}, {&first, &second});
    return true;
  }

  bool planar() {
    if (!is(own(0), MjcfJointType::kSlide) || !is(own(1), MjcfJointType::kSlide) || !is(own(2), MjcfJointType::kHinge))
      return false;
    const Vec3 z = own(2).axis;
    const bool turned = dot(cross(own(0).axis, own(1).axis), z) < 0;
    MjcfJoint &x = own(turned ? 1 : 0), &y = own(turned ? 0 : 1), &hinge = own(2);
    if (!(norm(cross(x.axis, y.axis) - z) <= kParallel)) return false;
    const Pose frame{point(hinge), axes(axis(x), axis(hinge))};
    const Vec3 origin = frame.position - x.reference * axis(x) - y.reference * axis(y);
    add(JointKind::kPlanar, {origin, frame.rotation}, {frame.position, frame.rotation * about_z(hinge.reference)},
        {&x, &y, &hinge});
    return true;
  }

  /// Where the file draws the bodies, axis k is at its reference r: the pose of the body's frame seen from the one
  /// above is Π exp(S (q − r)) = Π exp(S' q) D, with S' the axis moved by exp(−S r) of those before, and D the product
  /// of all.
  void compound() {
    std::vector<MjcfJoint*> parts;
    Pose frame;  // on the last hinge: what turns about it leaves the origin there
    for (std::size_t k = 0; k < own_.joints.size(); ++k) {
      MjcfJoint& j = own(k);
      if (is(j, MjcfJointType::kBall))
        j.xml->refuse("", "a ball joint beside joint '" + own(k == 0 ? 1 : 0).name + "' in one body",
                      "a ball joint alone in its body");
      if (is(j, MjcfJointType::kHinge)) frame.position = point(j);
      parts.push_back(&j);
    }
    std::vector<JointAxis> axes;
    Pose moved;
    for (const MjcfJoint* j : parts) {
      const bool slides = is(*j, MjcfJointType::kSlide);
      const Vec3 along = axis(*j), place = slides ? Vec3{} : point(*j) - frame.position;
      axes.push_back({slides, rotate(moved.rotation, along), slides ? Vec3{} : moved * place});
      const Quat back = exponential(-j->reference * along);
      moved = moved * (slides ? Pose{-j->reference * along, {}} : Pose{place - rotate(back, place), back});
    }
    if (parts.size() > kMostCoordinates || !are_independent(axes))
      parts.back()->xml->refuse("", "motions that repeat each other in body '" + own_.name + "'",
                                "hinges and slides of which none can be left out");
    add(JointKind::kCompound, frame, frame * inverse(moved), parts, std::move(axes));
  }

  MjcfModel& model_;
  int body_;
  const MjcfBody& own_;
};

}  // namespace

void read_mjcf_joint(MjcfModel& model, const XmlElement& xml, const std::string& style, int body) {
  const MjcfElement e = model.defaults.resolve(xml, style);
  MjcfBody& own = model.bodies[at(body)];
  MjcfJoint joint{.name = e.text("name", ""), .type = type_of(e), .body = body, .xml = &xml};
  const bool free = joint.type == MjcfJointType::kFree;
  if (free && own.parent != 0)
    xml.refuse("", "a free joint inside body '" + model.bodies[at(own.parent)].name + "'", "it on bodies of the world");
  if (!own.joints.empty() && (free || model.joints[at(own.joints[0])].type == MjcfJointType::kFree))
    xml.refuse("", "a second joint", "a free joint alone in its body");
  joint.coordinate = read_coordinate(model, e, joint.type);
  joint.point = e.vec3("pos", {});
  const Vec3 axis = e.vec3("axis", {0, 0, 1});
  if (!(norm(axis) > 1e-10)) e.refuse("axis", "a direction that is not zero");
  joint.axis = normalized(axis);
  const bool angle = joint.type == MjcfJointType::kHinge;
  joint.reference = e.number("ref", 0) * (angle && model.compiler.degrees ? std::numbers::pi / 180 : 1);
  mjcf_range(model, e, "actuatorfrclimited", "actuatorfrcrange", joint.force_lower, joint.force_upper);
  if (e.text("actuatorgravcomp", "false") != "false") e.refuse("actuatorgravcomp", "false");
  if (!joint.name.empty() && !model.joint_names.emplace(joint.name, static_cast<int>(model.joints.size())).second)
    xml.refuse("name", in_quotes(joint.name) + " again", "each name once");
  joint.qpos = model.qpos, joint.dof = model.dofs;
  model.qpos += free ? 7 : joint.type == MjcfJointType::kBall ? 4 : 1;
  model.dofs += free ? 6 : joint.type == MjcfJointType::kBall ? 3 : 1;
  own.joints.push_back(static_cast<int>(model.joints.size()));
  model.joints.push_back(std::move(joint));
}

void join_mjcf_body(MjcfModel& model, int body) { Joiner(model, body).join(); }

}  // namespace repose
