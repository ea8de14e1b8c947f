// SPDX-License-Identifier: Apache-2.0
// A URDF file while it is read: its elements checked against a table, its links and joints as a tree, and the scene
// that they become. Links on fixed joints are parts of the link above; bodies of the scene are those that remain.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "repose/scene/load.h"
#include "repose/scene/xml_tree_internal.h"

namespace repose {

/// What an element may have.
struct UrdfElement {
  std::vector<std::string> used, ignored;  ///< attributes
  std::vector<std::string> children;
};
/// By element: "robot", "link", … Elements not in the table are unknown.
[[nodiscard]] const std::map<std::string, UrdfElement>& urdf_elements();
/// Elements that cannot change how bodies move; they are ignored with their content, at any place.
[[nodiscard]] const std::set<std::string>& urdf_ignored_elements();

enum class UrdfJointType { kRevolute, kContinuous, kPrismatic, kFixed, kFloating, kPlanar };

struct UrdfMimic {
  int joint = 0;
  double multiplier = 1, offset = 0;
  const XmlElement* xml = nullptr;
};

struct UrdfJoint {
  std::string name;
  UrdfJointType type = UrdfJointType::kFixed;
  int parent = 0, child = 0;  ///< links
  Pose origin{};              ///< of the child's frame in the parent's
  Vec3 axis{1, 0, 0};         ///< in the child's frame, of length 1
  JointCoordinate coordinate{};
  double effort = JointCoordinate::kNoLimit;  ///< N or N m; 0: the joint has no motor
  std::optional<UrdfMimic> mimic{};
  double start = 0;  ///< value at the start of a run, rad or m
  int joint = -1;    ///< in the scene; -1: none
  const XmlElement* xml = nullptr;
  /// Whether it has one coordinate, an angle or a distance.
  [[nodiscard]] bool has_coordinate() const {
    return type == UrdfJointType::kRevolute || type == UrdfJointType::kContinuous || type == UrdfJointType::kPrismatic;
  }
};

struct UrdfLink {
  std::string name;
  int above = -1;            ///< joint
  std::vector<int> below{};  ///< joints
  int scene = 0;             ///< body of the scene that takes its shapes
  Pose in_scene{}, start{};  ///< where the file draws it: in that body, in the world
  const XmlElement* xml = nullptr;
};

struct UrdfModel {
  UrdfModel(std::string file_name, const LoadOptions& load_options)
      : file(std::move(file_name)), options(load_options) {}

  std::string file;
  const LoadOptions& options;
  LoadedScene out;
  Scene& scene = out.scene;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::map<std::string, int> link_names, joint_names;
  std::map<std::string, std::optional<Vec3>> colours;  ///< of the <material> elements with a name
  std::map<std::string, std::vector<std::shared_ptr<const Polyhedron>>> hulls;  ///< by mesh file and scale
  std::vector<std::optional<MassProperties>> masses;  ///< of each body of the scene so far, in its frame
  std::set<std::string> ignored, simplified;

  /// Throws unless the element, its attributes and its children are known; records the ignored ones.
  void check(const XmlElement& e);
};

[[nodiscard]] inline bool urdf_is_prefixed(const std::string& name) { return name.find(':') != std::string::npos; }
/// The only child of that name, or none; refuses a second one.
[[nodiscard]] const XmlElement* urdf_child(const XmlElement& e, const std::string& name);
[[nodiscard]] const XmlElement& urdf_needed_child(const XmlElement& e, const std::string& name);
[[nodiscard]] const std::string& urdf_text(const XmlElement& e, const std::string& attribute,
                                           const std::string& allowed);
[[nodiscard]] double urdf_number(const XmlElement& e, const std::string& attribute,
                                 std::optional<double> fallback = {});
[[nodiscard]] double urdf_positive(const XmlElement& e, const std::string& attribute, const char* unit);
[[nodiscard]] Vec3 urdf_vec3(const XmlElement& e, const std::string& attribute, std::optional<Vec3> fallback = {});
/// <origin> of an element.
[[nodiscard]] Pose urdf_origin(const XmlElement& e);

/// Reads the links and joints of <robot>, without what is in the links, and checks that they are a tree. Returns the
/// root.
int read_urdf_tree(UrdfModel& model, const XmlElement& robot);

/// Adds the mass and the shapes of a link to its body of the scene.
void read_urdf_link(UrdfModel& model, const UrdfLink& link);
void read_urdf_colours(UrdfModel& model, const XmlElement& robot);

/// The path of a mesh file; package:// is resolved.
[[nodiscard]] std::string urdf_mesh_path(const UrdfModel& model, const XmlElement& mesh);

}  // namespace repose
