// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/mjcf_model_internal.h"

#include "repose/scene/file_text_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

template <class Value>
const Value& find_named(const std::map<std::string, Value>& names, const MjcfElement& e, const char* attribute,
                        const std::string& allowed) {
  const std::string name = e.text(attribute, "");
  const auto found = names.find(name);
  if (found != names.end()) return found->second;
  if (e.find(attribute) == nullptr) e.refuse(attribute, allowed);
  std::vector<std::string> known;
  for (const auto& one : names) known.push_back(one.first);
  e.xml().refuse(attribute, in_quotes(name) + meant(name, known), allowed);
}

}  // namespace

int MjcfModel::add_body(SceneBody body) {
  scene.bodies.push_back(std::move(body));
  masses.emplace_back();
  return static_cast<int>(scene.bodies.size()) - 1;
}

int MjcfModel::scene_body(int body) {
  MjcfBody& b = bodies[at(body)];
  if (b.scene < 0) b.scene = add_body({.name = b.name, .kind = BodyKind::kStatic});  // the world, with its first geom
  return b.scene;
}

Pose MjcfModel::joint_frame(int body, const Pose& world) const {
  const int end = joint_end(body);
  const Pose local = end == kWorldBody ? world : inverse(scene.bodies[at(end)].pose) * world;
  return {local.position, normalized(local.rotation)};
}

void MjcfModel::add_mass(int body, const MassProperties& mass) {
  for (auto* total : {&masses[at(bodies[at(body)].scene)], &bodies[at(body)].mass})
    *total = *total ? joined(**total, mass) : mass;
}

int MjcfModel::find_body(const MjcfElement& e, const char* attribute) const {
  return find_named(body_names, e, attribute, "the name of a body");
}

int MjcfModel::find_joint(const MjcfElement& e, const char* attribute) const {
  return find_named(joint_names, e, attribute, "the name of a joint");
}

void MjcfModel::scale_masses() {
  if (!(compiler.total_mass > 0)) return;
  double total = 0;
  for (const auto& mass : masses) total += mass ? mass->mass : 0.0;
  if (bodies[0].scene >= 0 && masses[at(bodies[0].scene)])
    total -= masses[at(bodies[0].scene)]->mass;  // the world has none
  if (!(total > 0)) return;
  const auto scale = [factor = compiler.total_mass / total](std::optional<MassProperties>& mass) {
    if (mass) mass->mass *= factor, mass->inertia = factor * mass->inertia;
  };
  for (std::size_t b = 0; b < masses.size(); ++b) {
    scale(masses[b]);
    if (scene.bodies[b].kind == BodyKind::kDynamic) explicit_masses.insert(static_cast<int>(b));
  }
  for (MjcfBody& body : bodies) scale(body.mass);
}

const MjcfJoint& MjcfModel::find_hinge_or_slide(const MjcfElement& e, const char* attribute) const {
  const MjcfJoint& joint = joints[at(find_joint(e, attribute))];
  if (joint.type != MjcfJointType::kHinge && joint.type != MjcfJointType::kSlide)
    e.refuse(attribute, "the name of a hinge or a slide");
  return joint;
}

const MjcfSite& MjcfModel::find_site(const MjcfElement& e, const char* attribute) const {
  return find_named(sites, e, attribute, "the name of a site");
}

int MjcfModel::find_tendon(const MjcfElement& e, const char* attribute) const {
  return find_named(tendons, e, attribute, "the name of a tendon");
}

double MjcfModel::start_length(const SceneJoint& tendon) const {
  double length = 0;
  for (const CouplingTerm& term : tendon.terms)
    for (const MjcfJoint& joint : joints)
      if (joint.joint == term.joint && joint.index == term.coordinate) length += term.factors[0] * joint.reference;
  const auto place = [&](const PathPoint& p) {
    return p.body == kWorldBody ? p.point : scene.bodies[at(p.body)].pose * p.point;
  };
  for (std::size_t k = 0; k + 1 < tendon.path.size(); ++k)
    length += tendon.path[k].factor * norm(place(tendon.path[k + 1]) - place(tendon.path[k]));
  return length;
}

int MjcfModel::add_joint(SceneJoint joint) {
  scene.joints.push_back(std::move(joint));
  return static_cast<int>(scene.joints.size()) - 1;
}

bool mjcf_limited(const MjcfModel& model, const MjcfElement& e, const char* attribute, const char* range) {
  const std::string limited = e.text(attribute, "auto");
  if (limited != "auto" && limited != "true" && limited != "false") e.refuse(attribute, "true, false or auto");
  if (limited == "auto" && e.find(range) != nullptr && !model.compiler.auto_limits)
    e.refuse(attribute, "true or false beside a range, without autolimits");
  return limited == "true" || (limited == "auto" && e.find(range) != nullptr);
}

void mjcf_range(const MjcfModel& model, const MjcfElement& e, const char* limited, const char* range, double& lower,
                double& upper, double unit) {
  if (!mjcf_limited(model, e, limited, range)) return;
  const std::vector<double> n = e.numbers(range, 2, 2);
  if (!(n[0] < n[1])) e.refuse(range, "two numbers, the smaller one first");
  lower = unit * n[0], upper = unit * n[1];
}

}  // namespace repose
