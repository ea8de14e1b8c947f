// SPDX-License-Identifier: Apache-2.0
// Tendons of MJCF files. A fixed one is a coupling of joints, a spatial one a coupling along a path of sites, or a rope
// where only its length between two sites is limited.
#include "repose/scene/file_text_internal.h"
#include "repose/scene/mjcf_model_internal.h"

namespace repose {
namespace {

constexpr const char* kNoEnds = "points between which no body moves";

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// A tendon of an equality, and its length where the file draws the bodies.
const SceneJoint& find_length(const MjcfModel& model, const MjcfElement& e, const char* attribute, double& length) {
  const SceneJoint& tendon = model.scene.joints[at(model.find_tendon(e, attribute))];
  length = model.start_length(tendon);
  return tendon;
}

/// Adds the parts of a tendon's sum, times a factor, to those of a coupling.
void add_parts(const SceneJoint& tendon, double factor, SceneJoint& coupling) {
  for (CouplingTerm term : tendon.terms) {
    term.factors[0] *= factor;
    coupling.terms.push_back(term);
  }
  if (!coupling.path.empty()) coupling.path.back().factor = 0;
  for (PathPoint point : tendon.path) {
    point.factor *= factor;
    coupling.path.push_back(point);
  }
}

/// L1 − L1₀ = p0 + p1 (L2 − L2₀) as a coupling of all their joints and paths.
void read_tendon_equality(MjcfModel& model, const MjcfElement& e) {
  std::vector<double> p = {0, 1, 0, 0, 0};
  if (e.find("polycoef") != nullptr) {
    p = e.numbers("polycoef", 1, 5);
    p.resize(5, 0);
  }
  if (p[2] != 0 || p[3] != 0 || p[4] != 0) e.refuse("polycoef", "a straight line between tendons");
  SceneJoint coupling{.name = e.text("name", ""), .kind = JointKind::kCoupling};
  double length = 0;
  add_parts(find_length(model, e, "tendon1", length), 1, coupling);
  coupling.hold = length + p[0];
  if (e.find("tendon2") != nullptr) {
    add_parts(find_length(model, e, "tendon2", length), -p[1], coupling);
    *coupling.hold -= p[1] * length;
  }
  if (!couple(model.scene, coupling)) e.xml().refuse("", kMjcfNoBody, kMjcfMoving);
  model.add_joint(coupling);
}

/// What acts along a tendon: limits, friction, damping, rotor, and a spring about `length`, or about springlength: two
/// lengths between which it is loose, or one.
void read_coordinate(const MjcfModel& model, const MjcfElement& e, double length, JointCoordinate& c) {
  mjcf_range(model, e, "limited", "range", c.lower, c.upper);
  c.friction = e.number("frictionloss", 0), c.damping = e.number("damping", 0);
  c.stiffness = e.number("stiffness", 0), c.armature = e.number("armature", 0);
  c.reference = length;
  if (e.find("springlength") == nullptr) return;
  const std::vector<double> n = e.numbers("springlength", 1, 2);
  if (n[0] == -1) return;
  if (n.size() == 2 && n[1] < n[0]) e.refuse("springlength", "the smaller length first");
  c.reference = n[0];
  if (n.size() == 2 && c.stiffness > 0) c.slack = n[1] - n[0];
}

/// The sum of a fixed tendon with every joint at its springref: MuJoCo's spring is at rest there.
double rest_length(const MjcfModel& model, const SceneJoint& tendon) {
  double length = 0;
  for (const CouplingTerm& term : tendon.terms)
    for (const MjcfJoint& joint : model.joints)
      if (joint.joint == term.joint && joint.index == term.coordinate)
        length += term.factors[0] * joint.coordinate.reference;
  return length;
}

void read_fixed_tendon(MjcfModel& model, const XmlElement& xml, const MjcfElement& e, SceneJoint& coupling) {
  coupling.kind = JointKind::kCoupling;
  for (const XmlElement& child : xml.children) {
    if (child.name != "joint") child.refuse("", "it in <fixed>", "<joint>");
    const MjcfElement part = model.defaults.resolve(child, "main", "fixed joint");
    const MjcfJoint& joint = model.find_hinge_or_slide(part, "joint");
    const double factor = part.number("coef", 0);
    if (part.find("coef") == nullptr || factor == 0) part.refuse("coef", "a number that is not 0");
    coupling.terms.push_back(mjcf_term(joint, {factor, 0, 0, 0}));
  }
  if (coupling.terms.empty()) xml.refuse("", "no <joint> in it", "one or more");
  read_coordinate(model, e, rest_length(model, coupling), coupling.coordinates[0]);
  if (!couple(model.scene, coupling)) xml.refuse("", kMjcfNoBody, kMjcfMoving);
  model.tendons[coupling.name] = model.add_joint(coupling);
}

/// The points of <site>s; <pulley> begins a branch whose lengths are divided by its divisor. `bodies`: those of the
/// file.
std::vector<PathPoint> read_path(MjcfModel& model, const XmlElement& xml, std::vector<int>& bodies) {
  std::vector<PathPoint> path;
  double factor = 1;
  for (const XmlElement& child : xml.children) {
    if (child.name == "pulley") {
      const MjcfElement pulley = model.defaults.resolve(child, "main", "spatial pulley");
      const double divisor = pulley.number("divisor", 0);
      if (!(divisor > 0)) pulley.refuse("divisor", "a number > 0");
      factor = 1 / divisor;
      if (!path.empty()) path.back().factor = 0;
      continue;
    }
    if (child.name != "site")
      child.refuse("", "it in <spatial>", "<site> or <pulley>; tendons do not wrap around geoms");
    const MjcfSite& site = model.find_site(model.defaults.resolve(child, "main", "spatial site"), "site");
    const Pose place = model.joint_frame(site.body, model.bodies[at(site.body)].start * site.pose);
    path.push_back({model.joint_end(site.body), place.position, factor});
    bodies.push_back(site.body);
  }
  return path;
}

/// Refuses branches of one point.
void check_branches(const XmlElement& xml, const std::vector<PathPoint>& path) {
  if (path.size() < 2)
    xml.refuse("", std::to_string(path.size()) + (path.size() == 1 ? " site" : " sites"), "two or more");
  for (std::size_t k = 0; k < path.size(); ++k) {
    const bool first = k == 0 || path[k - 1].factor == 0, last = k + 1 == path.size() || path[k].factor == 0;
    if (first && last) xml.refuse("", "a branch of one site beside a <pulley>", "two or more sites in each");
  }
}

/// A tendon of which only the length is limited from above.
bool is_rope(const MjcfModel& model, const SceneJoint& tendon) {
  JointCoordinate limit;
  limit.upper = tendon.coordinates[0].upper, limit.reference = tendon.coordinates[0].reference;
  JointCoordinate own = tendon.coordinates[0];
  if (own.lower <= 0) own.lower = limit.lower;
  return tendon.path.size() == 2 && limit.is_limited() && own == limit && !model.named_tendons.contains(tendon.name);
}

void read_spatial_tendon(MjcfModel& model, const XmlElement& xml, const MjcfElement& e, SceneJoint& tendon) {
  tendon.kind = JointKind::kCoupling;
  std::vector<int> bodies;
  tendon.path = read_path(model, xml, bodies);
  check_branches(xml, tendon.path);
  read_coordinate(model, e, model.start_length(tendon), tendon.coordinates[0]);
  model.tendons[tendon.name] = -1;
  if (!couple(model.scene, tendon)) {
    if (model.named_tendons.contains(tendon.name)) xml.refuse("", kNoEnds, "a path that a body moves");
    return;
  }
  if (is_rope(model, tendon)) {
    PathPoint a = tendon.path[0], b = tendon.path[1];
    if (b.body == kWorldBody) std::swap(a, b), std::swap(bodies[0], bodies[1]);
    model.joint_ends[static_cast<int>(model.scene.joints.size())] = {bodies[0], bodies[1]};
    SceneJoint rope{.name = tendon.name, .kind = JointKind::kRope, .body_a = a.body, .body_b = b.body};
    rope.frame_a.position = a.point, rope.frame_b.position = b.point;
    rope.length = tendon.coordinates[0].upper, rope.collide = true;
    tendon = rope;
  }
  model.tendons[tendon.name] = model.add_joint(tendon);
}

}  // namespace

void read_mjcf_tendon_equality(MjcfModel& model, const XmlElement& section) {
  for (const XmlElement& xml : section.children) {
    if (xml.name != "tendon") continue;
    const MjcfElement e = model.defaults.resolve(xml, "main", "equality tendon");
    if (e.text("active", "true") == "false")
      model.defaults.ignore("equality that is not active");
    else
      read_tendon_equality(model, e);
  }
}

void read_mjcf_tendons(MjcfModel& model, const XmlElement& section) {
  for (const XmlElement& xml : section.children) {
    if (xml.name != "fixed" && xml.name != "spatial") xml.refuse("", "it in <tendon>", "<fixed> and <spatial>");
    const MjcfElement e = model.defaults.resolve(xml, "main", "tendon");
    SceneJoint joint{.name = e.text("name", "")};
    if (model.tendons.contains(joint.name) && !joint.name.empty())
      xml.refuse("name", in_quotes(joint.name) + " again", "each name once");
    if (xml.name == "fixed")
      read_fixed_tendon(model, xml, e, joint);
    else
      read_spatial_tendon(model, xml, e, joint);
  }
}

}  // namespace repose
