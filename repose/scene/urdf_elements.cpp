// SPDX-License-Identifier: Apache-2.0
// The subset of URDF, as tables (docs/scenes/urdf.md shows them; a test compares the two), and the values of elements.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "repose/scene/file_text_internal.h"
#include "repose/scene/urdf_model_internal.h"

namespace repose {
namespace {

bool has(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void check_attributes(UrdfModel& model, const XmlElement& e, const UrdfElement& table) {
  for (const auto& [key, value] : e.attributes) {
    if (has(table.used, key) || key.starts_with("xmlns")) continue;
    if (!has(table.ignored, key) && !urdf_is_prefixed(key))
      e.refuse(excerpt(key), "an attribute that is not supported" + meant(key, table.used),
               table.used.empty() ? "none" : listed(table.used));
    model.ignored.insert(e.name + " " + key);
  }
}

void check_children(UrdfModel& model, const XmlElement& e, const UrdfElement& table) {
  for (const XmlElement& child : e.children) {
    if (child.name.starts_with("xacro:"))
      child.refuse("", "a macro", "a URDF file without macros (xacro robot.xacro > robot.urdf)");
    if (has(table.children, child.name)) {
      model.check(child);
    } else if (urdf_ignored_elements().contains(child.name) || urdf_is_prefixed(child.name)) {
      model.ignored.insert(child.name);
    } else {
      child.refuse("", "it in <" + e.name + ">" + meant(child.name, table.children),
                   table.children.empty() ? "no element" : listed(table.children));
    }
  }
}

}  // namespace

const std::map<std::string, UrdfElement>& urdf_elements() {
  static const std::map<std::string, UrdfElement> kTable = {
      {"robot", {{"name"}, {"version"}, {"link", "joint", "material"}}},
      {"link", {{"name"}, {"type"}, {"inertial", "collision", "visual"}}},
      {"inertial", {{}, {}, {"origin", "mass", "inertia"}}},
      {"mass", {{"value"}, {}, {}}},
      {"inertia", {{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}, {}}},
      {"origin", {{"xyz", "rpy"}, {}, {}}},
      {"collision", {{"name"}, {"group"}, {"origin", "geometry"}}},
      {"visual", {{"name"}, {}, {"origin", "geometry", "material"}}},
      {"geometry", {{}, {}, {"box", "cylinder", "capsule", "sphere", "mesh"}}},
      {"box", {{"size"}, {}, {}}},
      {"cylinder", {{"radius", "length"}, {}, {}}},
      {"capsule", {{"radius", "length"}, {}, {}}},
      {"sphere", {{"radius"}, {}, {}}},
      {"mesh", {{"filename", "scale"}, {}, {}}},
      {"material", {{"name"}, {}, {"color"}}},
      {"color", {{"rgba"}, {}, {}}},
      {"joint", {{"name", "type"}, {}, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}}},
      {"parent", {{"link"}, {}, {}}},
      {"child", {{"link"}, {}, {}}},
      {"axis", {{"xyz"}, {}, {}}},
      {"limit", {{"lower", "upper", "effort"}, {"velocity", "acceleration", "deceleration", "jerk"}, {}}},
      {"dynamics", {{"damping", "friction"}, {}, {}}},
      {"mimic", {{"joint", "multiplier", "offset"}, {}, {}}},
  };
  return kTable;
}

const std::set<std::string>& urdf_ignored_elements() {
  static const std::set<std::string> kElements = {
      "transmission",      "gazebo",  "ros2_control", "mujoco",  "sensor", "calibration",
      "safety_controller", "texture", "contact",      "verbose", "group"};
  return kElements;
}

void UrdfModel::check(const XmlElement& e) {
  const UrdfElement& table = urdf_elements().at(e.name);
  for (const auto& [key, value] : e.attributes)
    if (value.find("${") != std::string::npos)
      e.refuse(excerpt(key), in_quotes(value), "a URDF file without macros (xacro robot.xacro > robot.urdf)");
  check_attributes(*this, e, table);
  check_children(*this, e, table);
}

const XmlElement* urdf_child(const XmlElement& e, const std::string& name) {
  const XmlElement* found = nullptr;
  for (const XmlElement& child : e.children) {
    if (child.name != name) continue;
    if (found != nullptr) child.refuse("", "a second one", "one in <" + e.name + ">");
    found = &child;
  }
  return found;
}

const XmlElement& urdf_needed_child(const XmlElement& e, const std::string& name) {
  const XmlElement* found = urdf_child(e, name);
  if (found == nullptr) e.refuse("", "no <" + name + ">", "<" + name + "> in it");
  return *found;
}

const std::string& urdf_text(const XmlElement& e, const std::string& attribute, const std::string& allowed) {
  const std::string* text = e.find(attribute);
  if (text == nullptr || text->empty()) e.refuse(attribute, "none", allowed);
  return *text;
}

double urdf_number(const XmlElement& e, const std::string& attribute, std::optional<double> fallback) {
  const std::string* text = e.find(attribute);
  if (text == nullptr && fallback) return *fallback;
  return xml_numbers(e, attribute, text == nullptr ? "" : *text, 1, 1)[0];
}

double urdf_positive(const XmlElement& e, const std::string& attribute, const char* unit) {
  const double value = urdf_number(e, attribute);
  if (!(value > 0)) e.refuse(attribute, in_quotes(*e.find(attribute)), std::string("a number > 0, ") + unit);
  return value;
}

Vec3 urdf_vec3(const XmlElement& e, const std::string& attribute, std::optional<Vec3> fallback) {
  const std::string* text = e.find(attribute);
  if (text == nullptr && fallback) return *fallback;
  const std::vector<double> n = xml_numbers(e, attribute, text == nullptr ? "" : *text, 3, 3);
  return {n[0], n[1], n[2]};
}

Pose urdf_origin(const XmlElement& e) {
  const XmlElement* origin = urdf_child(e, "origin");
  if (origin == nullptr) return {};
  const Vec3 angles = urdf_vec3(*origin, "rpy", Vec3{});
  for (const double angle : {angles.x, angles.y, angles.z})  // larger ones are degrees taken for radians
    if (!(std::abs(angle) <= 4 * std::numbers::pi))
      origin->refuse("rpy", in_quotes(*origin->find("rpy")), "angles up to two turns, rad");
  // Roll, pitch and yaw turn about the fixed axes x, y and z, in this order.
  const Quat turn = exponential({0, 0, angles.z}) * exponential({0, angles.y, 0}) * exponential({angles.x, 0, 0});
  return {urdf_vec3(*origin, "xyz", Vec3{}), normalized(turn)};
}

}  // namespace repose
