// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "repose/base/error.h"
#include "repose/math/scalar.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/mjcf_element_internal.h"

namespace repose {
namespace {

Quat about_axis(Vec3 axis, double angle) { return exponential(angle * axis); }

Quat from_euler(Vec3 angles, const std::string& order) {
  const double values[3] = {angles.x, angles.y, angles.z};
  Quat q;
  for (std::size_t i = 0; i < 3; ++i) {
    const char axis = static_cast<char>(order[i] | 0x20);  // lower case: about the moving axes, upper: the fixed ones
    const Quat turn =
        about_axis({axis == 'x' ? 1.0 : 0.0, axis == 'y' ? 1.0 : 0.0, axis == 'z' ? 1.0 : 0.0}, values[i]);
    q = order[i] == axis ? q * turn : turn * q;
  }
  return q;
}

/// Returns the shortest rotation from +z to the direction.
Quat from_z_axis(Vec3 z) {
  const Vec3 axis = cross({0, 0, 1}, z);
  const double sine = norm(axis);
  if (sine < 1e-300) return z.z > 0 ? Quat{} : Quat{0, 1, 0, 0};
  return about_axis(1 / sine * axis, arc_tangent(sine, z.z));
}

}  // namespace

const std::string* MjcfElement::find(const char* attribute) const {
  const auto found = values_.find(attribute);
  return found == values_.end() ? nullptr : &found->second;
}

std::string MjcfElement::text(const char* attribute, const std::string& fallback) const {
  const std::string* value = find(attribute);
  return value == nullptr ? fallback : *value;
}

std::vector<double> MjcfElement::numbers(const char* attribute, std::size_t least, std::size_t most) const {
  const std::string* value = find(attribute);
  return xml_numbers(*xml_, attribute, value == nullptr ? "" : *value, least, most);
}

double MjcfElement::number(const char* attribute, double fallback) const {
  return find(attribute) == nullptr ? fallback : numbers(attribute, 1, 1)[0];
}

int MjcfElement::whole(const char* attribute, int fallback) const {
  const double value = number(attribute, fallback);
  if (value != std::floor(value) || std::abs(value) > 2147483647.0) refuse(attribute, "a whole number");
  return static_cast<int>(value);
}

Vec3 MjcfElement::vec3(const char* attribute, Vec3 fallback) const {
  if (find(attribute) == nullptr) return fallback;
  const std::vector<double> n = numbers(attribute, 3, 3);
  return {n[0], n[1], n[2]};
}

void MjcfElement::refuse(const char* attribute, const std::string& allowed) const {
  const std::string* value = find(attribute);
  xml_->refuse(attribute, value == nullptr ? "none" : in_quotes(*value), allowed);
}

Quat MjcfElement::orientation(const MjcfCompiler& compiler) const {
  const double unit = compiler.degrees ? std::numbers::pi / 180 : 1;
  const char* given = nullptr;
  for (const char* name : {"quat", "axisangle", "euler", "xyaxes", "zaxis"}) {
    if (find(name) == nullptr) continue;
    if (given != nullptr) refuse(name, std::string("one orientation; ") + given + " is given as well");
    given = name;
  }
  if (given == nullptr) return {};
  const std::string kind = given;
  const auto direction = [&](Vec3 v) {
    if (!(norm(v) > 1e-10)) refuse(given, "a direction that is not zero");
    return normalized(v);
  };
  if (kind == "quat") {
    const std::vector<double> n = numbers(given, 4, 4);
    const Quat q{n[0], n[1], n[2], n[3]};
    if (!(norm(q) > 1e-10)) refuse(given, "a quaternion w x y z that is not zero");
    return normalized(q);
  }
  const auto check_angle = [&](double angle) {  // larger angles are degrees taken for radians
    if (!(std::abs(angle) <= 4 * std::numbers::pi))
      refuse(given, std::string("angles up to two turns in ") + (compiler.degrees ? "degrees" : "radians"));
    return angle;
  };
  if (kind == "euler") {
    const Vec3 angles = unit * vec3(given, {});
    for (double angle : {angles.x, angles.y, angles.z}) check_angle(angle);
    return from_euler(angles, compiler.euler_order);
  }
  if (kind == "zaxis") return from_z_axis(direction(vec3(given, {})));
  if (kind == "axisangle") {
    const std::vector<double> n = numbers(given, 4, 4);
    return about_axis(direction({n[0], n[1], n[2]}), check_angle(unit * n[3]));
  }
  const std::vector<double> n = numbers(given, 6, 6);
  const Vec3 x = direction({n[0], n[1], n[2]}), along{n[3], n[4], n[5]};
  const Vec3 y = direction(along - dot(along, x) * x);
  return from_axes(x, y, cross(x, y));
}

Pose MjcfElement::pose(const MjcfCompiler& compiler) const { return {vec3("pos", {}), orientation(compiler)}; }

void MjcfDefaults::check_attributes(const XmlElement& e, const char* kind) {
  const auto known = mjcf_attributes().find(kind == nullptr ? e.name : kind);
  if (known == mjcf_attributes().end())
    e.refuse("", "an element that is not supported", "those of docs/scenes/mjcf.md");
  const MjcfAttributes& table = known->second;
  for (const auto& [key, value] : e.attributes) {
    if (std::find(table.used.begin(), table.used.end(), key) != table.used.end()) continue;
    if (std::find(table.ignored.begin(), table.ignored.end(), key) == table.ignored.end())
      e.refuse(excerpt(key), "an attribute that is not supported" + meant(key, table.used), listed(table.used));
    ignore(e.name + " " + key);
  }
}

void MjcfDefaults::check_class(const XmlElement& e, const char* attribute, const std::string& name) const {
  if (!classes_.contains(name)) e.refuse(attribute, in_quotes(name), "a class of <default>");
}

void MjcfDefaults::add(const XmlElement& e) {
  check_attributes(e);
  add(e, "main", classes_["main"]);  // the outermost class is the global one, whatever its name
  if (const std::string* name = e.find("class"); name != nullptr) classes_[*name] = classes_["main"];
}

void MjcfDefaults::add(const XmlElement& e, const std::string& name, Class values) {
  for (const XmlElement& child : e.children) {
    if (child.name == "default" || mjcf_ignored_elements().contains(child.name)) continue;
    if (!mjcf_attributes().contains(child.name)) {
      ignore("default " + child.name);  // of elements that would be refused themselves
      continue;
    }
    check_attributes(child);
    for (const auto& [key, value] : child.attributes) values[child.name][key] = value;
  }
  classes_[name] = values;
  for (const XmlElement& child : e.children) {
    if (child.name != "default") continue;
    check_attributes(child);
    const std::string* inner = child.find("class");
    if (inner == nullptr) child.refuse("class", "none", "the name of the class");
    if (classes_.contains(*inner)) child.refuse("class", in_quotes(*inner) + " again", "each class once");
    add(child, *inner, values);
  }
}

MjcfElement MjcfDefaults::resolve(const XmlElement& e, const std::string& scope, const char* kind) {
  check_attributes(e, kind);
  const std::string* own = e.find("class");
  if (own != nullptr) check_class(e, "class", *own);
  Class& defaults = classes_.at(own == nullptr ? scope : *own);
  Values values;
  if (mjcf_actuators().contains(e.name))  // all kinds of actuators share the defaults that all have
    for (const std::string& other : mjcf_actuators())
      for (const auto& [key, value] : defaults[other])
        if (mjcf_common_actuator_attributes().contains(key)) values[key] = value;
  for (const auto& [key, value] : defaults[kind == nullptr ? e.name : kind]) values[key] = value;
  // An orientation of its own replaces any orientation of the class.
  static const std::set<std::string> kTurns = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  for (const auto& [key, value] : e.attributes)
    if (kTurns.contains(key))
      for (const std::string& turn : kTurns) values.erase(turn);
  for (const auto& [key, value] : e.attributes) values[key] = value;
  return {e, std::move(values)};
}

}  // namespace repose
