// SPDX-License-Identifier: Apache-2.0
// An MJCF file while it is read: its bodies as a tree, its joints, and the scene that they become. Bodies without a
// joint are parts of the body above; bodies of the scene are those that remain.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "repose/scene/load.h"
#include "repose/scene/mjcf_contacts_internal.h"
#include "repose/scene/mjcf_element_internal.h"
#include "repose/shape/height_field.h"

namespace repose {

enum class MjcfJointType { kFree, kBall, kHinge, kSlide };

struct MjcfJoint {
  std::string name;
  MjcfJointType type = MjcfJointType::kHinge;
  int body = 0;          ///< index into MjcfModel::bodies
  Vec3 point{}, axis{};  ///< in the body's frame; the axis has length 1
  double reference = 0;  ///< value where the file draws the body, rad or m
  JointCoordinate coordinate{};
  double force_lower = -JointCoordinate::kNoLimit, force_upper = JointCoordinate::kNoLimit;  ///< of all actuators
  std::size_t qpos = 0, dof = 0;  ///< first place in qpos and qvel
  int joint = -1, index = 0;      ///< in the scene; -1: none, for a free joint
  const XmlElement* xml = nullptr;
};

struct MjcfBody {
  std::string name;
  int parent = -1;
  int scene = -1;       ///< body of the scene that takes its geoms; -1: none yet (the world)
  bool moves = false;   ///< whether that is a dynamic one
  bool guided = false;  ///< whether it is a mocap body, or a part of one
  Pose in_parent{}, in_scene{},
      start{};  ///< where the file draws it: in the body above, in that of the scene, in the world
  std::vector<int> joints{};
  std::optional<MassProperties> mass{};  ///< its own, in the frame of the scene's body
};

struct MjcfSite {
  int body = 0;
  Pose pose;  ///< in the body's frame
  SensorVolume volume{};
};

struct MjcfMesh {
  const XmlElement* xml = nullptr;
  std::shared_ptr<const Polyhedron> hull{};                ///< once it is needed
  std::vector<std::shared_ptr<const Polyhedron>> parts{};  ///< of a decomposition, once they are needed
};

struct MjcfHeightField {
  const XmlElement* xml = nullptr;
  std::shared_ptr<const HeightField> field{};  ///< once it is needed
};

struct MjcfModel {
  MjcfModel(std::string file_name, const LoadOptions& load_options)
      : file(std::move(file_name)), options(load_options) {}

  std::string file;
  const LoadOptions& options;
  LoadedScene out;
  Scene& scene = out.scene;
  MjcfDefaults defaults;
  MjcfCompiler compiler;
  MjcfGeoms geoms;
  std::vector<MjcfBody> bodies{{.name = "world"}};
  std::vector<MjcfJoint> joints;
  std::map<std::string, int> body_names{{"world", 0}}, joint_names;
  std::map<int, std::array<int, 2>> joint_ends;  ///< by joint of the scene between bodies of the file: those
  std::map<std::string, int> tendons;            ///< joint of the scene; -1: a path that no body moves
  std::set<std::string> named_tendons;           ///< those that actuators, sensors and equalities name
  std::map<std::string, MjcfSite> sites;
  std::map<std::string, MjcfMesh> meshes;
  std::map<std::string, MjcfHeightField> height_fields;
  std::set<std::string> paired;                       ///< geoms that a <pair> names
  std::vector<std::optional<MassProperties>> masses;  ///< of each body of the scene so far, in its frame
  std::set<int> explicit_masses;                      ///< bodies of the scene whose mass is not that of their shapes
  std::size_t qpos = 0, dofs = 0;
  std::set<std::string> simplified;

  /// The body of the scene that takes what is in MJCF body `body`; made for the world when it is first asked for.
  int scene_body(int body);
  /// The end of a joint: body of the scene, or the world for one that does not move.
  [[nodiscard]] int joint_end(int body) const {
    const MjcfBody& b = bodies[static_cast<std::size_t>(body)];
    return b.moves || b.guided ? b.scene : kWorldBody;
  }
  /// A frame in the world, where the file draws the bodies, as that of a joint's end.
  [[nodiscard]] Pose joint_frame(int body, const Pose& world) const;
  int add_body(SceneBody body);
  /// Adds mass to a body of the file, in the frame of the scene's.
  void add_mass(int body, const MassProperties& mass);
  /// Scales the masses of all bodies to that of <compiler settotalmass>.
  void scale_masses();
  [[nodiscard]] int find_body(const MjcfElement& e, const char* attribute) const;
  [[nodiscard]] int find_joint(const MjcfElement& e, const char* attribute) const;
  /// A joint with one coordinate in the scene.
  [[nodiscard]] const MjcfJoint& find_hinge_or_slide(const MjcfElement& e, const char* attribute) const;
  [[nodiscard]] const MjcfSite& find_site(const MjcfElement& e, const char* attribute) const;
  /// A tendon that is a coupling of the scene: its joint.
  [[nodiscard]] int find_tendon(const MjcfElement& e, const char* attribute) const;
  /// The sum of a tendon where the file draws the bodies.
  [[nodiscard]] double start_length(const SceneJoint& tendon) const;
  int add_joint(SceneJoint joint);
};

/// A coordinate of a joint of the file in a coupling.
[[nodiscard]] inline CouplingTerm mjcf_term(const MjcfJoint& joint, std::array<double, 4> factors) {
  return {joint.joint, joint.index, factors};
}
inline constexpr const char* kMjcfNoBody = "a sum that no body moves";
inline constexpr const char* kMjcfMoving = "joints whose sum depends on the motion of a body";

/// Whether a range acts: by `attribute` (true, false or auto), and where that is auto when there is a range.
[[nodiscard]] bool mjcf_limited(const MjcfModel& model, const MjcfElement& e, const char* attribute, const char* range);
/// The range, or an infinite one; refuses one that is upside down.
void mjcf_range(const MjcfModel& model, const MjcfElement& e, const char* limited, const char* range, double& lower,
                double& upper, double unit = 1);

// <compiler>, <option>, <asset>
void read_mjcf_compiler(MjcfModel& model, const XmlElement& xml);
void read_mjcf_option(MjcfModel& model, const XmlElement& xml);
void read_mjcf_assets(MjcfModel& model, const XmlElement& xml);
[[nodiscard]] std::shared_ptr<const Polyhedron> mjcf_mesh(MjcfModel& model, const MjcfElement& geom);
/// The shapes that collide for it: its hull, or the parts of a decomposition.
[[nodiscard]] const std::vector<std::shared_ptr<const Polyhedron>>& mjcf_mesh_parts(MjcfModel& model,
                                                                                    const MjcfElement& geom);

[[nodiscard]] std::shared_ptr<const HeightField> mjcf_height_field(MjcfModel& model, const MjcfElement& geom);

/// A <geom> in MJCF body `body`; `frame`: of the element around it in that body.
void read_mjcf_geom(MjcfModel& model, const XmlElement& xml, const std::string& style, int body, const Pose& frame,
                    bool mass_given);
void read_mjcf_inertial(MjcfModel& model, const MjcfElement& e, int body);

/// Adds the joints of MJCF body `body`, without those of the scene. `frame`: of the element around it in that body.
void read_mjcf_joint(MjcfModel& model, const XmlElement& xml, const std::string& style, int body);
/// Makes the joint of the scene that the joints of a body are together.
void join_mjcf_body(MjcfModel& model, int body);

void read_mjcf_equality(MjcfModel& model, const XmlElement& section);
void read_mjcf_tendons(MjcfModel& model, const XmlElement& section);
void read_mjcf_tendon_equality(MjcfModel& model, const XmlElement& section);
void read_mjcf_actuators(MjcfModel& model, const XmlElement& section);
void read_mjcf_sensors(MjcfModel& model, const XmlElement& section);
[[nodiscard]] SensorVolume mjcf_site_volume(const MjcfElement& site);
void read_mjcf_keys(MjcfModel& model, const XmlElement& section);

}  // namespace repose
