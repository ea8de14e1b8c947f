// SPDX-License-Identifier: Apache-2.0
// Equalities and actuators of MJCF files. An equality is a joint or a coupling.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "repose/scene/file_text_internal.h"
#include "repose/scene/mjcf_model_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// A joint between two bodies of the file; the frames are in the world, where the file draws the bodies.
void add_connection(MjcfModel& model, const MjcfElement& e, JointKind kind, int first, int second, const Pose& frame_1,
                    const Pose& frame_2) {
  int a = first, b = second;
  Pose frame_a = frame_1, frame_b = frame_2;
  if (model.joint_end(b) == kWorldBody) std::swap(a, b), std::swap(frame_a, frame_b);
  if (model.joint_end(b) == kWorldBody || model.joint_end(a) == model.joint_end(b))
    e.xml().refuse("", "two bodies that do not move against each other", "a moving one");
  model.joint_ends[static_cast<int>(model.scene.joints.size())] = {a, b};
  model.add_joint({.name = e.text("name", ""),
                   .kind = kind,
                   .body_a = model.joint_end(a),
                   .body_b = model.joint_end(b),
                   .frame_a = model.joint_frame(a, frame_a),
                   .frame_b = model.joint_frame(b, frame_b),
                   .collide = true});
}

/// connect and weld.
void read_connection(MjcfModel& model, const MjcfElement& e, JointKind kind) {
  if (e.find("site1") != nullptr || e.find("site2") != nullptr) {
    const MjcfSite &one = model.find_site(e, "site1"), &two = model.find_site(e, "site2");
    return add_connection(model, e, kind, one.body, two.body, model.bodies[at(one.body)].start * one.pose,
                          model.bodies[at(two.body)].start * two.pose);
  }
  const int first = model.find_body(e, "body1"), second = e.find("body2") == nullptr ? 0 : model.find_body(e, "body2");
  const Pose one = model.bodies[at(first)].start, two = model.bodies[at(second)].start;
  if (kind == JointKind::kBall) {
    if (e.find("anchor") == nullptr) e.refuse("anchor", "3 numbers, m");
    const Pose frame{one * e.vec3("anchor", {}), {}};
    return add_connection(model, e, kind, first, second, frame, frame);
  }
  Pose relative = inverse(one) * two;  // of the second body in the first
  if (e.find("relpose") != nullptr) {
    const std::vector<double> n = e.numbers("relpose", 7, 7);
    const Quat q{n[3], n[4], n[5], n[6]};
    if (norm(q) > 1e-10) relative = {{n[0], n[1], n[2]}, normalized(q)};
  }
  add_connection(model, e, kind, first, second, one * relative, two);
}

/// Joins of coordinates that are equal to functions of each other; a circle would hold one twice.
class Circles {
 public:
  explicit Circles(std::size_t count) : root_(count) { std::iota(root_.begin(), root_.end(), 0); }
  /// False when the two are joined already.
  bool join(int a, int b) {
    const int x = find(a), y = find(b);
    root_[at(x)] = y;
    return x != y;
  }

 private:
  int find(int k) { return root_[at(k)] == k ? k : root_[at(k)] = find(root_[at(k)]); }
  std::vector<int> root_;
};

/// q1 − ref1 = Σ polycoef[n] (q2 − ref2)^n as a coupling.
void read_joint_equality(MjcfModel& model, const MjcfElement& e, Circles& circles) {
  const MjcfJoint& first = model.find_hinge_or_slide(e, "joint1");
  std::vector<double> p = {0, 1, 0, 0, 0};
  if (e.find("polycoef") != nullptr) {
    p = e.numbers("polycoef", 1, 5);
    p.resize(5, 0);
  }
  SceneJoint coupling{.name = e.text("name", ""), .kind = JointKind::kCoupling};
  coupling.terms.push_back(mjcf_term(first, {1, 0, 0, 0}));
  double hold = first.reference + p[0];
  if (e.find("joint2") != nullptr) {
    const MjcfJoint& second = model.find_hinge_or_slide(e, "joint2");
    if (&first == &second) e.refuse("joint2", "another joint than joint1");
    if (!circles.join(static_cast<int>(&first - model.joints.data()), static_cast<int>(&second - model.joints.data())))
      e.xml().refuse("joint2", in_quotes(second.name) + ", which follows joint1 already", "no circle of joints");
    // The polynomial about ref2, as one about zero.
    const double r = second.reference;
    const std::array<double, 4> f = {p[1] - 2 * r * p[2] + 3 * r * r * p[3] - 4 * r * r * r * p[4],
                                     p[2] - 3 * r * p[3] + 6 * r * r * p[4], p[3] - 4 * r * p[4], p[4]};
    coupling.terms.push_back(mjcf_term(second, {-f[0], -f[1], -f[2], -f[3]}));
    hold += r * (-p[1] + r * (p[2] + r * (-p[3] + r * p[4])));
  }
  coupling.hold = hold;
  if (!couple(model.scene, coupling)) e.xml().refuse("", kMjcfNoBody, kMjcfMoving);
  model.add_joint(coupling);
}

/// What the attributes of one actuator mean.
class ActuatorReader {
 public:
  ActuatorReader(MjcfModel& model, const MjcfElement& e) : model_(model), e_(e) {}

  SceneActuator read() {
    actuator_.name = e_.text("name", "");
    read_transmission();
    read_law();
    read_dynamics();
    mjcf_range(model_, e_, "ctrllimited", "ctrlrange", actuator_.control_lower, actuator_.control_upper);
    mjcf_range(model_, e_, "forcelimited", "forcerange", actuator_.force_lower, actuator_.force_upper);
    inherit_range();
    limit_joint_force();
    return actuator_;
  }

 private:
  void read_transmission() {
    if (e_.find("gear") != nullptr) actuator_.gear = e_.numbers("gear", 1, 6)[0];
    if (e_.find("tendon") != nullptr) {
      actuator_.joint = model_.find_tendon(e_, "tendon");
      return;
    }
    if (e_.find("site") != nullptr) return read_thrust();
    const char* attribute = e_.find("jointinparent") != nullptr ? "jointinparent" : "joint";
    if (e_.find(attribute) == nullptr) e_.refuse("joint", "the name of a joint, a tendon or a site");
    joint_ = &model_.find_hinge_or_slide(e_, attribute);
    actuator_.joint = joint_->joint, actuator_.coordinate = joint_->index;
  }

  /// A force and a torque at a site, in its axes: gear has both.
  void read_thrust() {
    if (e_.find("refsite") != nullptr) e_.refuse("refsite", "none; a site's forces are in its own axes");
    const MjcfSite& site = model_.find_site(e_, "site");
    std::vector<double> gear{1};
    if (e_.find("gear") != nullptr) gear = e_.numbers("gear", 1, 6);
    gear.resize(6, 0);
    const int body = model_.joint_end(site.body);
    if (body == kWorldBody) e_.refuse("site", "one on a body that moves");
    SceneJoint thrust{.name = actuator_.name.empty() ? "" : actuator_.name + " thrust", .kind = JointKind::kCoupling};
    thrust.thrust = SiteThrust{body,
                               model_.joint_frame(site.body, model_.bodies[at(site.body)].start * site.pose),
                               {gear[0], gear[1], gear[2]},
                               {gear[3], gear[4], gear[5]}};
    if (gear == std::vector<double>(6, 0.0)) e_.refuse("gear", "a force or a torque");
    (void)couple(model_.scene, thrust);
    actuator_.gear = 1;
    actuator_.joint = model_.add_joint(thrust);
  }

  void read_law() {
    const std::string& kind = e_.xml().name;
    if (kind == "motor") return;
    if (kind == "general") return read_general();
    if (kind == "cylinder") return read_cylinder();
    const bool to_place = kind == "position" || kind == "intvelocity";
    const double kv = e_.number("kv", to_place ? 0 : 1);
    if (!(kv >= 0)) e_.refuse("kv", "a number >= 0");
    if (kind == "velocity") actuator_.gain = {kv, 0, 0}, actuator_.bias = {0, 0, -kv};
    if (kind == "damper") actuator_.gain = {0, 0, -kv};
    if (!to_place) return;
    const double kp = e_.number("kp", 1);
    if (!(kp >= 0)) e_.refuse("kp", "a number >= 0");
    if (e_.number("dampratio", 0) != 0) e_.refuse("dampratio", "0");
    actuator_.gain = {kp, 0, 0}, actuator_.bias = {0, -kp, -kv};
    actuator_.time = e_.number("timeconst", 0);
    if (!(actuator_.time >= 0)) e_.refuse("timeconst", "a number >= 0, s");
    if (actuator_.time > 0) actuator_.dynamics = ActuatorDynamics::kFilterExact;
  }

  /// The input of the force follows the control: an integrator or a filter, or none.
  void read_dynamics() {
    const std::string& kind = e_.xml().name;
    if (kind == "general") {
      const std::string type = e_.text("dyntype", "none");
      const std::vector<std::string> known = {"none", "integrator", "filter", "filterexact"};
      const auto found = std::find(known.begin(), known.end(), type);
      if (found == known.end()) e_.refuse("dyntype", "none, integrator, filter or filterexact");
      actuator_.dynamics = static_cast<ActuatorDynamics>(found - known.begin());
      if (e_.find("dynprm") != nullptr) actuator_.time = e_.numbers("dynprm", 1, 10)[0];
      actuator_.early = e_.text("actearly", "false") == "true";
    } else if (kind == "intvelocity") {
      actuator_.dynamics = ActuatorDynamics::kIntegrator;
    }
    mjcf_range(model_, e_, "actlimited", "actrange", actuator_.activation_lower, actuator_.activation_upper);
    const bool filters =
        actuator_.dynamics == ActuatorDynamics::kFilter || actuator_.dynamics == ActuatorDynamics::kFilterExact;
    if (filters && !(actuator_.time > 0)) e_.refuse(kind == "general" ? "dynprm" : "timeconst", "a time above 0, s");
    if (!filters) actuator_.time = 1;
    if (!actuator_.has_state() && std::isfinite(actuator_.activation_lower))
      e_.refuse("actrange", "none without an activation");
  }

  /// A pneumatic or hydraulic cylinder: its pressure follows the control.
  void read_cylinder() {
    double area = e_.number("area", 1);
    const double diameter = e_.number("diameter", 0);
    if (e_.find("diameter") != nullptr) area = 0.25 * std::numbers::pi * diameter * diameter;
    actuator_.gain = {area, 0, 0};
    if (e_.find("bias") != nullptr) {
      const std::vector<double> n = e_.numbers("bias", 3, 3);
      std::copy(n.begin(), n.end(), actuator_.bias.begin());
    }
    actuator_.time = e_.number("timeconst", 1);
    actuator_.dynamics = ActuatorDynamics::kFilter;
  }

  void read_general() {
    const std::string gain = e_.text("gaintype", "fixed"), bias = e_.text("biastype", "none");
    if (gain != "fixed" && gain != "affine") e_.refuse("gaintype", "fixed or affine");
    if (bias != "none" && bias != "affine") e_.refuse("biastype", "none or affine");
    actuator_.gain = first_three("gainprm", 1);
    if (gain == "fixed") actuator_.gain[1] = actuator_.gain[2] = 0;
    if (bias == "affine") actuator_.bias = first_three("biasprm", 0);
  }

  [[nodiscard]] std::array<double, 3> first_three(const char* attribute, double first) const {
    std::array<double, 3> all{first, 0, 0};
    if (e_.find(attribute) == nullptr) return all;
    const std::vector<double> n = e_.numbers(attribute, 1, 10);
    for (std::size_t k = 0; k < std::min<std::size_t>(3, n.size()); ++k) all[k] = n[k];
    return all;
  }

  /// The control range of a position servo as a multiple of the joint's range.
  void inherit_range() {
    const double share = e_.number("inheritrange", 0);
    if (share == 0) return;
    const JointCoordinate* c =
        joint_ != nullptr ? &joint_->coordinate : &model_.scene.joints[at(actuator_.joint)].coordinates[0];
    if (!(share > 0) || !std::isfinite(c->lower) || !std::isfinite(c->upper))
      e_.refuse("inheritrange", "a number >= 0, on a joint with a range");
    const double mean = 0.5 * (c->lower + c->upper), half = 0.5 * share * (c->upper - c->lower);
    if (e_.xml().name == "intvelocity")
      actuator_.activation_lower = mean - half, actuator_.activation_upper = mean + half;
    else
      actuator_.control_lower = mean - half, actuator_.control_upper = mean + half;
  }

  /// The range of a joint's actuator forces is that of its only actuator.
  void limit_joint_force() {
    if (joint_ == nullptr ||
        (joint_->force_lower == -JointCoordinate::kNoLimit && joint_->force_upper == JointCoordinate::kNoLimit) ||
        actuator_.gear == 0)
      return;
    for (const SceneActuator& other : model_.scene.actuators)
      if (other.joint == actuator_.joint && other.coordinate == actuator_.coordinate)
        joint_->xml->refuse("actuatorfrcrange", "it on a joint with two actuators", "one actuator");
    const double x = joint_->force_lower / actuator_.gear, y = joint_->force_upper / actuator_.gear;
    actuator_.force_lower = std::max(actuator_.force_lower, std::min(x, y));
    actuator_.force_upper = std::min(actuator_.force_upper, std::max(x, y));
    if (!(actuator_.force_lower < actuator_.force_upper)) e_.refuse("forcerange", "one that meets actuatorfrcrange");
  }

  MjcfModel& model_;
  const MjcfElement& e_;
  const MjcfJoint* joint_ = nullptr;
  SceneActuator actuator_;
};

}  // namespace

void read_mjcf_equality(MjcfModel& model, const XmlElement& section) {
  Circles circles(model.joints.size());
  for (const XmlElement& xml : section.children) {
    if (xml.name == "tendon") continue;  // when the tendons are known
    if (xml.name != "connect" && xml.name != "weld" && xml.name != "joint")
      xml.refuse("", "it in <equality>", "<connect>, <weld>, <joint> and <tendon>");
    const MjcfElement e = model.defaults.resolve(xml, "main", ("equality " + xml.name).c_str());
    if (e.text("active", "true") == "false") {
      model.defaults.ignore("equality that is not active");
      continue;
    }
    if (xml.name == "joint")
      read_joint_equality(model, e, circles);
    else
      read_connection(model, e, xml.name == "weld" ? JointKind::kFixed : JointKind::kBall);
  }
}

void read_mjcf_actuators(MjcfModel& model, const XmlElement& section) {
  for (const XmlElement& xml : section.children) {
    if (!mjcf_actuators().contains(xml.name))
      xml.refuse("", "it, which is not simulated",
                 "<motor>, <position>, <velocity>, <intvelocity>, <damper>, <cylinder> or <general>");
    const MjcfElement e = model.defaults.resolve(xml, "main");
    for (const SceneActuator& other : model.scene.actuators)
      if (!other.name.empty() && other.name == e.text("name", ""))
        xml.refuse("name", in_quotes(other.name) + " again", "each name once");
    model.scene.actuators.push_back(ActuatorReader(model, e).read());
  }
}

}  // namespace repose
