// SPDX-License-Identifier: Apache-2.0
// MJCF elements with their default classes, and which attributes are used, ignored or refused.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "repose/math/pose.h"
#include "repose/scene/xml_tree_internal.h"

namespace repose {

/// What the reader does with an attribute.
struct MjcfAttributes {
  std::vector<std::string> used, ignored;
};
/// By element: "geom", "body", … Elements not in the table are unknown.
[[nodiscard]] const std::map<std::string, MjcfAttributes>& mjcf_attributes();
/// Elements that cannot change how bodies move; they are ignored with their content, at any place.
[[nodiscard]] const std::set<std::string>& mjcf_ignored_elements();

/// Kinds of actuators, and the attributes that all of them have.
[[nodiscard]] const std::set<std::string>& mjcf_actuators();
[[nodiscard]] const std::set<std::string>& mjcf_common_actuator_attributes();

/// <compiler>, as far as it is used.
struct MjcfCompiler {
  bool degrees = true;
  std::string euler_order = "xyz", mesh_folder;
  std::string inertia_from_geom = "auto";
  double least_group = -1e9, most_group = 1e9;  ///< of the geoms whose mass counts
  bool auto_limits = true, strip_path = false;
  double total_mass = -1;  ///< that all masses are scaled to, kg; not above 0: as they are
};

/// An element with the values of its default class filled in. Its own attributes take precedence.
class MjcfElement {
 public:
  MjcfElement(const XmlElement& xml, std::map<std::string, std::string> values)
      : xml_(&xml), values_(std::move(values)) {}

  [[nodiscard]] const XmlElement& xml() const { return *xml_; }
  [[nodiscard]] const std::string* find(const char* attribute) const;
  [[nodiscard]] std::string text(const char* attribute, const std::string& fallback) const;
  [[nodiscard]] double number(const char* attribute, double fallback) const;
  [[nodiscard]] int whole(const char* attribute, int fallback) const;
  [[nodiscard]] Vec3 vec3(const char* attribute, Vec3 fallback) const;
  [[nodiscard]] std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const;
  [[noreturn]] void refuse(const char* attribute, const std::string& allowed) const;  ///< shows the value found

  /// pos and one of quat, axisangle, euler, xyaxes, zaxis.
  [[nodiscard]] Pose pose(const MjcfCompiler& compiler) const;
  [[nodiscard]] Quat orientation(const MjcfCompiler& compiler) const;

 private:
  const XmlElement* xml_;
  std::map<std::string, std::string> values_;
};

/// Default classes, and the list of what was ignored.
class MjcfDefaults {
 public:
  /// A <default> of the top level.
  void add(const XmlElement& element);
  /// `scope`: the class of the nearest childclass, or "main".
  /// `kind`: the name in the table of attributes and in <default>, where it is not the element's own.
  [[nodiscard]] MjcfElement resolve(const XmlElement& element, const std::string& scope, const char* kind = nullptr);
  /// Throws unless each attribute is known; records the ignored ones.
  void check_attributes(const XmlElement& element, const char* kind = nullptr);
  void ignore(const std::string& what) { ignored_.insert(what); }
  [[nodiscard]] const std::set<std::string>& ignored() const { return ignored_; }
  void check_class(const XmlElement& element, const char* attribute, const std::string& name) const;

 private:
  using Values = std::map<std::string, std::string>;  // attribute → text
  using Class = std::map<std::string, Values>;        // element → values
  void add(const XmlElement& element, const std::string& name, Class inherited);
  std::map<std::string, Class> classes_{{"main", {}}};
  std::set<std::string> ignored_;
};

}  // namespace repose
