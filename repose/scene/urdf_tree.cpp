// SPDX-License-Identifier: Apache-2.0
// Links and joints of URDF files, and the tree that they must be.
#include <algorithm>
#include <array>

#include "repose/scene/file_text_internal.h"
#include "repose/scene/urdf_model_internal.h"

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

constexpr std::array<std::pair<const char*, UrdfJointType>, 6> kTypes = {{{"revolute", UrdfJointType::kRevolute},
                                                                          {"continuous", UrdfJointType::kContinuous},
                                                                          {"prismatic", UrdfJointType::kPrismatic},
                                                                          {"fixed", UrdfJointType::kFixed},
                                                                          {"floating", UrdfJointType::kFloating},
                                                                          {"planar", UrdfJointType::kPlanar}}};

UrdfJointType type_of(const XmlElement& e) {
  const std::string allowed = "revolute, continuous, prismatic, fixed, floating or planar";
  const std::string& text = urdf_text(e, "type", allowed);
  for (const auto& [name, type] : kTypes)
    if (text == name) return type;
  e.refuse("type", in_quotes(text), allowed);
}

template <class Item>
void add_named(const XmlElement& e, std::vector<Item>& items, std::map<std::string, int>& names) {
  Item item;
  item.name = urdf_text(e, "name", "a name"), item.xml = &e;
  if (!names.emplace(item.name, static_cast<int>(items.size())).second)
    e.refuse("name", in_quotes(item.name) + " again", "each name once");
  items.push_back(std::move(item));
}

int link_of(const UrdfModel& model, const XmlElement& joint, const char* end) {
  const XmlElement& e = urdf_needed_child(joint, end);
  const std::string& name = urdf_text(e, "link", "the name of a link");
  const auto found = model.link_names.find(name);
  if (found == model.link_names.end()) e.refuse("link", in_quotes(name), "the name of a link");
  return found->second;
}

Vec3 axis_of(const UrdfJoint& joint) {
  const XmlElement* e = urdf_child(*joint.xml, "axis");
  if (e == nullptr || joint.type == UrdfJointType::kFixed || joint.type == UrdfJointType::kFloating) return {1, 0, 0};
  const Vec3 axis = urdf_vec3(*e, "xyz", Vec3{1, 0, 0});
  if (!(norm(axis) > 1e-10)) e->refuse("xyz", in_quotes(*e->find("xyz")), "a direction that is not zero");
  return normalized(axis);
}

/// Ranges of revolute and prismatic joints; a continuous one has only an effort.
void read_limit(UrdfModel& model, UrdfJoint& joint) {
  const XmlElement* e = urdf_child(*joint.xml, "limit");
  const bool ranged = joint.type == UrdfJointType::kRevolute || joint.type == UrdfJointType::kPrismatic;
  if (e == nullptr && ranged)
    joint.xml->refuse("", "no <limit>", "<limit lower=\"…\" upper=\"…\"> in it (or type=\"continuous\")");
  if (e == nullptr) return;
  if (!joint.has_coordinate())
    return static_cast<void>(model.ignored.insert("limit of fixed, floating and planar joints"));
  joint.effort = urdf_number(*e, "effort", JointCoordinate::kNoLimit);
  if (!(joint.effort >= 0)) e->refuse("effort", in_quotes(*e->find("effort")), "a number >= 0, N or N m");
  const double lower = urdf_number(*e, "lower", 0), upper = urdf_number(*e, "upper", 0);
  if (!ranged) {
    if (e->find("lower") != nullptr || e->find("upper") != nullptr)
      model.ignored.insert("limit lower and upper of continuous joints");
    return;
  }
  if (!(lower < upper))
    e->refuse("lower", "a range from " + std::to_string(lower) + " to " + std::to_string(upper),
              "lower < upper, 0 where not given (type=\"fixed\" for a joint that does not move)");
  joint.coordinate.lower = lower, joint.coordinate.upper = upper;
}

void read_dynamics(UrdfModel& model, UrdfJoint& joint) {
  const XmlElement* e = urdf_child(*joint.xml, "dynamics");
  if (e == nullptr) return;
  for (const auto& [attribute, value] :
       {std::pair("damping", &joint.coordinate.damping), std::pair("friction", &joint.coordinate.friction)}) {
    const double number = urdf_number(*e, attribute, 0);
    if (!(number >= 0)) e->refuse(attribute, in_quotes(*e->find(attribute)), "a number >= 0");
    if (joint.has_coordinate())
      *value = number;
    else if (number != 0)  // one number for angles and distances
      model.ignored.insert("dynamics of fixed, floating and planar joints");
  }
}

void read_joint(UrdfModel& model, UrdfJoint& joint) {
  const XmlElement& e = *joint.xml;
  joint.type = type_of(e);
  joint.parent = link_of(model, e, "parent"), joint.child = link_of(model, e, "child");
  if (joint.parent == joint.child) e.refuse("child", in_quotes(model.links[at(joint.child)].name), "another link");
  joint.origin = urdf_origin(e);
  joint.axis = axis_of(joint);
  read_limit(model, joint);
  read_dynamics(model, joint);
}

/// Adds joint k to the links at its ends.
void hang(UrdfModel& model, int k) {
  const UrdfJoint& joint = model.joints[at(k)];
  UrdfLink& child = model.links[at(joint.child)];
  if (child.above >= 0)
    urdf_needed_child(*joint.xml, "child")
        .refuse("link",
                in_quotes(child.name) + ", which joint '" + model.joints[at(child.above)].name + "' has already",
                "a link that is the child of no other joint");
  child.above = k;
  model.links[at(joint.parent)].below.push_back(k);
}

/// Refuses links that are above themselves.
void check_cycles(const UrdfModel& model) {
  std::vector<char> rooted(model.links.size(), 0);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    std::vector<int> path;
    int k = static_cast<int>(i);
    while (!rooted[at(k)] && model.links[at(k)].above >= 0 && path.size() <= model.links.size()) {
      path.push_back(k);
      k = model.joints[at(model.links[at(k)].above)].parent;
    }
    if (path.size() > model.links.size())
      model.joints[at(model.links[i].above)].xml->refuse("", "a circle of links through '" + model.links[i].name + "'",
                                                         "links that are a tree");
    for (const int link : path) rooted[at(link)] = 1;
  }
}

int root_of(const UrdfModel& model, const XmlElement& robot) {
  int root = -1;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (model.links[i].above >= 0) continue;
    if (root >= 0)
      model.links[i].xml->refuse(
          "", "no joint to '" + model.links[i].name + "' beside '" + model.links[at(root)].name + "'",
          "one link without a joint above it");
    root = static_cast<int>(i);
  }
  if (root < 0) robot.refuse("", "no <link>", "one or more");
  return root;
}

void read_mimic(UrdfModel& model, int k) {
  UrdfJoint& joint = model.joints[at(k)];
  const XmlElement* e = urdf_child(*joint.xml, "mimic");
  if (e == nullptr) return;
  if (!joint.has_coordinate())
    e->refuse("", "it in a joint without a single coordinate", "it in a revolute, continuous or prismatic joint");
  const std::string& name = urdf_text(*e, "joint", "the name of a joint");
  const auto found = model.joint_names.find(name);
  if (found == model.joint_names.end() || !model.joints[at(found->second)].has_coordinate())
    e->refuse("joint", in_quotes(name), "the name of a revolute, continuous or prismatic joint");
  joint.mimic = UrdfMimic{found->second, urdf_number(*e, "multiplier", 1), urdf_number(*e, "offset", 0), e};
}

/// Refuses joints that mimic themselves, directly or not.
void check_mimics(const UrdfModel& model) {
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    std::size_t steps = 0;
    for (const UrdfJoint* j = &model.joints[k]; j->mimic; j = &model.joints[at(j->mimic->joint)])
      if (++steps > model.joints.size())
        model.joints[k].mimic->xml->refuse(
            "joint", in_quotes(model.joints[at(model.joints[k].mimic->joint)].name) + ", a circle",
            "a joint that does not follow this one");
  }
}

/// Zero, or the end of the range that is nearest to it; where it is a mimic, what it has to be.
double start_of(const UrdfModel& model, const UrdfJoint& joint) {
  if (!joint.mimic) return std::clamp(0.0, joint.coordinate.lower, joint.coordinate.upper);
  return joint.mimic->multiplier * start_of(model, model.joints[at(joint.mimic->joint)]) + joint.mimic->offset;
}

}  // namespace

int read_urdf_tree(UrdfModel& model, const XmlElement& robot) {
  for (const XmlElement& e : robot.children) {
    if (e.name == "link") add_named(e, model.links, model.link_names);
    if (e.name == "joint") add_named(e, model.joints, model.joint_names);
  }
  for (UrdfJoint& joint : model.joints) read_joint(model, joint);
  const int joints = static_cast<int>(model.joints.size());
  for (int k = 0; k < joints; ++k) hang(model, k);
  check_cycles(model);
  for (int k = 0; k < joints; ++k) read_mimic(model, k);
  check_mimics(model);
  for (UrdfJoint& joint : model.joints) joint.start = start_of(model, joint);
  return root_of(model, robot);
}

}  // namespace repose
