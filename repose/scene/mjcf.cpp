// SPDX-License-Identifier: Apache-2.0
// MuJoCo's conventions: z up, w x y z, half sizes, density 1000, friction 1, the larger friction of a pair counts,
// a body without a joint is part of its parent.
#include "repose/scene/mjcf.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/json_readers_internal.h"
#include "repose/scene/mjcf_contacts_internal.h"
#include "repose/scene/mjcf_element_internal.h"
#include "repose/scene/scene_scales_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

namespace fs = std::filesystem;

using Mesh = std::shared_ptr<const Polyhedron>;

/// The current place in the body tree.
struct Scope {
  int body = -1;            ///< scene body that takes the geoms; -1: none yet, fixed to the world
  Pose local;               ///< of the element's frame in that body's frame (in the world's if there is none)
  std::string name, style;  ///< of the MJCF body; its default class
};

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) { out_.format = "mjcf"; }

  LoadedScene read() {
    const XmlElement root = read_xml(file_);
    if (root.name != "mujoco") root.refuse("", "this root element", "<mujoco>");
    defaults_.check_attributes(root);
    scene_.name = root.find("model") ? *root.find("model") : fs::path(file_).stem().string();
    scene_.dt = 0.002;
    scene_.combine = Combine::kMaximum;
    scene_.materials.clear();
    for (const XmlElement& e : root.children)
      if (e.name == "compiler") read_compiler(e);
    for (const XmlElement& e : root.children)
      if (e.name == "default") defaults_.add(e);
    for (const char* name : {"option", "asset", "worldbody", "contact", "keyframe"})
      for (const XmlElement& e : root.children)
        if (e.name == name) read_section(e);
    for (const XmlElement& e : root.children) check_section(e);
    finish();
    return std::move(out_);
  }

 private:
  void check_section(const XmlElement& e) {
    static const std::set<std::string> kRead = {"compiler",  "default", "option",  "asset",
                                                "worldbody", "contact", "keyframe"};
    if (kRead.contains(e.name)) return;
    if (!mjcf_ignored_elements().contains(e.name))
      e.refuse("", "an element that is not supported", "those of docs/scenes/mjcf.md");
    defaults_.ignore(e.name);
  }

  void read_section(const XmlElement& e) {
    if (e.name == "option") return read_option(e);
    defaults_.check_attributes(e);
    if (e.name == "asset") return read_assets(e);
    if (e.name == "worldbody") return read_children(e, {.body = -1, .local = {}, .name = "world", .style = "main"});
    if (e.name == "contact") return read_contacts(e);
    for (const XmlElement& key : e.children) read_key(key);
  }

  /// True when the element has no meaning here.
  bool skip(const XmlElement& e) {
    if (!mjcf_ignored_elements().contains(e.name)) return false;
    defaults_.ignore(e.name);
    return true;
  }

  void read_compiler(const XmlElement& xml) {
    const MjcfElement e = defaults_.resolve(xml, "main");
    const std::string angle = e.text("angle", compiler_.degrees ? "degree" : "radian");
    if (angle != "degree" && angle != "radian") e.refuse("angle", "degree or radian");
    compiler_.degrees = angle == "degree";
    compiler_.euler_order = e.text("eulerseq", compiler_.euler_order);
    const std::string& order = compiler_.euler_order;
    if (order.size() != 3 || order.find_first_not_of("xyzXYZ") != order.npos)
      e.refuse("eulerseq", "3 letters of xyzXYZ");
    compiler_.mesh_folder = e.text("meshdir", e.text("assetdir", compiler_.mesh_folder));
    compiler_.inertia_from_geom = e.text("inertiafromgeom", compiler_.inertia_from_geom);
    const std::string& from = compiler_.inertia_from_geom;
    if (from != "auto" && from != "true" && from != "false") e.refuse("inertiafromgeom", "auto, true or false");
    if (e.text("coordinate", "local") != "local") e.refuse("coordinate", "local");
    for (const char* flag : {"strippath", "balanceinertia"})
      if (e.text(flag, "false") != "false") e.refuse(flag, "false");
    for (const char* bound : {"boundmass", "boundinertia"})
      if (e.number(bound, 0) != 0) e.refuse(bound, "0");
  }

  void read_option(const XmlElement& xml) {
    const MjcfElement e = defaults_.resolve(xml, "main");
    scene_.dt = e.number("timestep", scene_.dt);
    scene_.gravity = e.vec3("gravity", scene_.gravity);
    for (const char* medium : {"density", "viscosity"})
      if (e.number(medium, 0) != 0) e.refuse(medium, "0; there is no medium here");
    if (norm(e.vec3("wind", {})) != 0) e.refuse("wind", "0 0 0; there is no medium here");
    for (const XmlElement& child : xml.children) {
      const MjcfElement flag = defaults_.resolve(child, "main");
      if (child.name != "flag") child.refuse("", "it in <option>", "<flag>");
      if (flag.text("gravity", "enable") == "disable") scene_.gravity = {};
      for (const char* needed : {"contact", "constraint"})
        if (flag.text(needed, "enable") != "enable") flag.refuse(needed, "enable");
    }
  }

  void read_assets(const XmlElement& assets) {
    for (const XmlElement& xml : assets.children) {
      if (skip(xml)) continue;
      if (xml.name != "mesh") xml.refuse("", "it in <asset>", "<mesh>");
      const MjcfElement e = defaults_.resolve(xml, "main");
      const std::string name = e.text("name", fs::path(e.text("file", "")).stem().string());
      if (name.empty()) e.refuse("name", "a name");
      if (!meshes_.emplace(name, &xml).second) xml.refuse("name", in_quotes(name) + " again", "each name once");
      points_[name] = read_mesh(e);
    }
  }

  std::vector<Vec3> read_mesh(const MjcfElement& e) {
    std::vector<Vec3> points;
    if (e.text("inertia", "convex") == "shell") e.refuse("inertia", "convex (legacy and exact are read as that)");
    if (e.find("vertex") != nullptr) {
      const std::vector<double> n = e.numbers("vertex", 12, static_cast<std::size_t>(-1));
      if (n.size() % 3 != 0) e.refuse("vertex", "three numbers a vertex");
      for (std::size_t i = 0; i + 2 < n.size(); i += 3) points.push_back({n[i], n[i + 1], n[i + 2]});
    } else {
      if (e.find("file") == nullptr) e.refuse("file", "a mesh file (or vertex with the points)");
      const std::string path = beside(file_, (fs::path(compiler_.mesh_folder) / *e.find("file")).string());
      if (!is_file(path)) e.xml().refuse("file", in_quotes(path, kPathLength) + ", which is not there", "a mesh file");
      try {
        points = read_mesh_vertices(path);
      } catch (const InputError& error) {
        e.xml().refuse("file", error);
      }
    }
    const Vec3 scale = e.vec3("scale", {1, 1, 1}), offset = e.vec3("refpos", {});
    Quat turn;
    if (e.find("refquat") != nullptr) {
      const std::vector<double> n = e.numbers("refquat", 4, 4);
      turn = {n[0], n[1], n[2], n[3]};
      if (!(norm(turn) > 1e-10)) e.refuse("refquat", "a quaternion that is not zero");
      turn = normalized(turn);
    }
    for (Vec3& p : points) {
      p = rotate_back(turn, p - offset);
      p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
    }
    return points;
  }

  void read_children(const XmlElement& parent, const Scope& scope) {
    const MjcfElement* inertial = nullptr;
    std::optional<MjcfElement> kept;
    for (const XmlElement& xml : parent.children)
      if (xml.name == "inertial") kept = defaults_.resolve(xml, scope.style), inertial = &*kept;
    if (inertial != nullptr) read_inertial(*inertial, scope);
    const bool given = inertial != nullptr && compiler_.inertia_from_geom != "true";
    for (const XmlElement& xml : parent.children) {
      if (skip(xml) || xml.name == "inertial" || xml.name == "freejoint" || xml.name == "joint") continue;
      if (xml.name == "geom")
        read_geom(xml, scope, given);
      else if (xml.name == "body")
        read_body(xml, scope);
      else if (xml.name == "frame")
        read_frame(xml, scope);
      else
        xml.refuse("", "an element that is not supported here", "geom, body, frame, inertial, freejoint and joint");
    }
  }

  [[nodiscard]] std::string child_class(const MjcfElement& e, const std::string& outer) const {
    const std::string* name = e.find("childclass");
    if (name != nullptr) defaults_.check_class(e.xml(), "childclass", *name);
    return name == nullptr ? outer : *name;
  }

  void read_frame(const XmlElement& xml, Scope scope) {
    const MjcfElement e = defaults_.resolve(xml, scope.style);
    scope.style = child_class(e, scope.style);
    scope.local = scope.local * e.pose(compiler_);
    for (const XmlElement& child : xml.children)
      if (child.name == "inertial" || child.name == "joint" || child.name == "freejoint")
        child.refuse("", "it in a <frame>", "it in a <body>");
    read_children(xml, scope);
  }

  /// Whether the body has a joint. Only free joints, on children of the world, are allowed.
  bool is_free(const XmlElement& xml, const std::string& style, const std::string& outer) {
    int joints = 0;
    for (const XmlElement& child : xml.children) {
      if (child.name != "joint" && child.name != "freejoint") continue;
      const MjcfElement joint = defaults_.resolve(child, style);
      if (child.name == "joint") check_joint(joint);
      if (outer != "world") child.refuse("", "a free joint inside body '" + outer + "'", "it on bodies of the world");
      if (++joints > 1) child.refuse("", "a second joint", "one free joint a body");
    }
    return joints > 0;
  }

  static void check_joint(const MjcfElement& joint) {
    if (joint.text("type", "hinge") != "free") {
      const std::string type = joint.text("type", "hinge (the default)");
      joint.xml().refuse("type", in_quotes(type), "free; other joints are not supported");
    }
    for (const char* name : {"damping", "armature", "frictionloss", "stiffness"})
      if (joint.number(name, 0) != 0) joint.refuse(name, "0 on a free joint");
  }

  void read_body(const XmlElement& xml, const Scope& outer) {
    const MjcfElement e = defaults_.resolve(xml, outer.style);
    if (e.text("mocap", "false") != "false") e.refuse("mocap", "false");
    Scope scope = outer;
    scope.style = child_class(e, outer.style);
    scope.name = e.text("name", "body-" + std::to_string(++unnamed_));
    scope.local = outer.local * e.pose(compiler_);
    const bool moves = is_free(xml, scope.style, outer.name);
    if (!owners_.emplace(scope.name, outer.body).second)
      xml.refuse("name", in_quotes(scope.name) + " again", "each name once");
    if (moves || outer.body < 0) {  // a body of its own; otherwise a part of the moving body above
      SceneBody body{.name = scope.name, .kind = moves ? BodyKind::kDynamic : BodyKind::kStatic};
      body.pose = {scope.local.position, normalized(scope.local.rotation)};
      body.gravity_scale = 1 - e.number("gravcomp", 0);
      scene_.bodies.push_back(body);
      masses_.emplace_back();
      owners_[scope.name] = last_body();
    }
    if (moves) {
      scope.body = last_body(), scope.local = {};
      free_.push_back(scope.body);
      places_.push_back(&xml);
    }
    read_children(xml, scope);
  }

  [[nodiscard]] int last_body() const { return static_cast<int>(scene_.bodies.size()) - 1; }

  /// Returns the scene body that takes the content of this scope, and the frame of the scope in it.
  std::pair<int, Pose> target(const Scope& scope) {
    if (scope.body >= 0) return {scope.body, scope.local};
    int& body = owners_.at(scope.name);
    if (body < 0) {  // the world itself, with its first geom
      scene_.bodies.push_back({.name = "world", .kind = BodyKind::kStatic});
      masses_.emplace_back();
      body = last_body();
    }
    return {body, inverse(scene_.bodies[static_cast<std::size_t>(body)].pose) * scope.local};
  }

  void add_mass(int body, const MassProperties& mass) {
    auto& total = masses_[static_cast<std::size_t>(body)];
    total = total ? joined(*total, mass) : mass;
  }

  void read_inertial(const MjcfElement& e, const Scope& scope) {
    if (scope.name == "world") e.xml().refuse("", "it in <worldbody>", "it in a <body>");
    const auto [body, frame] = target(scope);
    if (compiler_.inertia_from_geom == "true" ||
        scene_.bodies[static_cast<std::size_t>(body)].kind != BodyKind::kDynamic)
      return;
    if (e.find("mass") == nullptr || !(e.number("mass", 0) > 0)) e.refuse("mass", "a number > 0, kg");
    MassProperties mass{.mass = e.number("mass", 0), .centre = {}, .inertia = {}};
    if (e.find("fullinertia") != nullptr) {
      const std::vector<double> n = e.numbers("fullinertia", 6, 6);
      mass.inertia = {{{n[0], n[3], n[4]}, {n[3], n[1], n[5]}, {n[4], n[5], n[2]}}};
    } else {
      if (e.find("diaginertia") == nullptr) e.refuse("diaginertia", "3 numbers > 0, kg m^2 (or fullinertia)");
      const Vec3 d = e.vec3("diaginertia", {});
      if (!(d.x > 0 && d.y > 0 && d.z > 0)) e.refuse("diaginertia", "3 numbers > 0, kg m^2");
      mass.inertia = Mat3::diagonal(d.x, d.y, d.z);
    }
    add_mass(body, moved(moved(mass, e.pose(compiler_)), frame));
    explicit_.insert(body);
  }

  void read_geom(const XmlElement& xml, const Scope& scope, bool mass_given) {
    const MjcfElement e = defaults_.resolve(xml, scope.style);
    const auto [index, frame] = target(scope);
    SceneShape shape{.name = e.text("name", "")};
    if (!shape.name.empty() && !geoms_.names.emplace(shape.name, geoms_.list.size()).second)
      xml.refuse("name", in_quotes(shape.name) + " again", "each name once");
    Pose local = read_geometry(e, shape);
    local = frame * local;
    shape.pose = {local.position, normalized(local.rotation)};
    read_surface(e, shape);
    SceneBody& body = scene_.bodies[static_cast<std::size_t>(index)];
    if (std::holds_alternative<HalfSpace>(shape.geometry) && body.kind == BodyKind::kDynamic)
      e.xml().refuse("type", "a plane in a moving body", "planes in fixed bodies");
    if (body.kind == BodyKind::kDynamic) read_geom_mass(e, shape, index, mass_given);
    geoms_.list.push_back(
        {index, static_cast<int>(body.shapes.size()), e.whole("contype", 1), e.whole("conaffinity", 1), &xml});
    body.shapes.push_back(std::move(shape));
  }

  void read_geom_mass(const MjcfElement& e, SceneShape& shape, int body, bool mass_given) {
    if (e.text("shellinertia", "false") != "false") e.refuse("shellinertia", "false; bodies are solid");
    shape.density = e.number("density", 1000);
    if (!(shape.density >= 0)) e.refuse("density", "a number >= 0, kg/m^3");
    if (e.find("mass") != nullptr) {
      const double mass = e.number("mass", 0);
      if (!(mass >= 0)) e.refuse("mass", "a number >= 0, kg");
      shape.density = mass / mass_properties(shape.geometry, 1).mass;
    }
    if (mass_given || compiler_.inertia_from_geom == "false") shape.density = 0;
    if (shape.density > 0) add_mass(body, moved(mass_properties(shape.geometry, shape.density), shape.pose));
  }

  void read_surface(const MjcfElement& e, SceneShape& shape) {
    const double friction = e.find("friction") == nullptr ? 1 : e.numbers("friction", 1, 3)[0];
    if (!(friction >= 0)) e.refuse("friction", "a number >= 0 first");
    shape.material = material(friction);
    const int condim = e.whole("condim", 3);
    if (condim != 3 && condim != 4 && condim != 6) e.refuse("condim", "3 (4 and 6 are read as 3)");
    if (condim != 3) defaults_.ignore("geom condim above 3");
    if (e.whole("priority", 0) != 0) e.refuse("priority", "0");
    if (e.find("rgba") == nullptr) return;
    const std::vector<double> n = e.numbers("rgba", 3, 4);
    shape.colour = Vec3{std::clamp(n[0], 0.0, 1.0), std::clamp(n[1], 0.0, 1.0), std::clamp(n[2], 0.0, 1.0)};
  }

  /// Returns one material per friction coefficient.
  int material(double friction) {
    for (std::size_t i = 0; i < scene_.materials.size(); ++i)
      if (scene_.materials[i].friction == friction) return static_cast<int>(i);
    scene_.materials.push_back({.name = "material-" + std::to_string(scene_.materials.size()), .friction = friction});
    return static_cast<int>(scene_.materials.size()) - 1;
  }

  /// Sets shape.geometry and returns the geom's pose in its body.
  Pose read_geometry(const MjcfElement& e, SceneShape& shape) {
    const std::string type = e.text("type", e.find("mesh") != nullptr ? "mesh" : "sphere");
    Pose pose = e.pose(compiler_);
    if (e.find("mesh") != nullptr && type != "mesh") e.refuse("mesh", "type=\"mesh\" with it");
    if (type == "plane")
      shape.geometry = HalfSpace{};
    else if (type == "mesh")
      shape.geometry = Hull{mesh(e)};
    else if (type == "sphere" || type == "capsule" || type == "cylinder" || type == "box")
      read_primitive(e, type, shape, pose);
    else
      e.refuse("type", "plane, sphere, capsule, cylinder, box or mesh");
    return pose;
  }

  static void read_primitive(const MjcfElement& e, const std::string& type, SceneShape& shape, Pose& pose) {
    const std::size_t wanted = type == "sphere" ? 1 : type == "box" ? 3 : 2;
    std::vector<double> size = e.numbers("size", e.find("fromto") != nullptr ? 1 : wanted, 3);
    if (e.find("fromto") != nullptr) {
      if (type == "sphere") e.refuse("fromto", "it on capsule, cylinder and box only");
      const std::vector<double> n = e.numbers("fromto", 6, 6);
      const Vec3 from{n[0], n[1], n[2]}, to{n[3], n[4], n[5]}, along = to - from;
      if (!(norm(along) > 0)) e.refuse("fromto", "two different points");
      pose = {0.5 * (from + to), z_towards(along)};
      size = type == "box" ? std::vector<double>{size[0], size[0], norm(along) / 2}
                           : std::vector<double>{size[0], norm(along) / 2};
    }
    for (std::size_t i = 0; i < wanted; ++i)
      if (!(size[i] > 0)) e.refuse("size", "numbers > 0, m");
    if (type == "sphere") shape.geometry = Sphere{size[0]};
    if (type == "capsule") shape.geometry = Capsule{size[0], size[1]};
    if (type == "cylinder") shape.geometry = Cylinder{size[0], size[1]};
    if (type == "box") shape.geometry = Box{{size[0], size[1], size[2]}};
  }

  static Quat z_towards(Vec3 direction) {
    const Vec3 z = normalized(direction), axis = cross({0, 0, 1}, z);
    const double sine = norm(axis);
    return sine > 0 ? exponential(std::atan2(sine, z.z) / sine * axis) : z.z > 0 ? Quat{} : Quat{0, 1, 0, 0};
  }

  Mesh mesh(const MjcfElement& e) {
    const std::string name = e.text("mesh", "");
    const auto found = points_.find(name);
    if (found == points_.end()) e.refuse("mesh", "the name of a <mesh> in <asset>");
    Mesh& hull = hulls_[name];
    if (hull != nullptr) return hull;
    try {
      return hull = convex_hull(found->second);
    } catch (const InputError& error) {
      meshes_.at(name)->refuse("", error);
    }
  }

  void read_contacts(const XmlElement& section) {
    for (const XmlElement& xml : section.children) {
      const MjcfElement e = defaults_.resolve(xml, "main");
      if (xml.name == "exclude")
        read_exclude(e);
      else if (xml.name == "pair")
        geoms_.read_pair(e);
      else
        xml.refuse("", "it in <contact>", "<pair> and <exclude>");
    }
  }

  void read_exclude(const MjcfElement& e) {
    int bodies[2];
    for (int i = 0; i < 2; ++i) {
      const char* attribute = i == 0 ? "body1" : "body2";
      const auto found = owners_.find(e.text(attribute, ""));
      if (found == owners_.end()) e.refuse(attribute, "the name of a body");
      bodies[i] = found->second;  // -1: the world, when it has no geoms
    }
    if (bodies[0] != bodies[1] && std::min(bodies[0], bodies[1]) >= 0)
      scene_.excluded.emplace_back(bodies[0], bodies[1]);
  }

  void read_key(const XmlElement& xml) {
    const MjcfElement e = defaults_.resolve(xml, "main");
    if (xml.name != "key") xml.refuse("", "it in <keyframe>", "<key>");
    if (!key_)
      key_ = e;
    else
      defaults_.ignore("key after the first");
  }

  /// Sets the start from the first key: position and quaternion of every free body, velocity, and spin in its own axes.
  void apply_key() {
    const std::size_t n = free_.size();
    const bool qpos = key_->find("qpos") != nullptr, qvel = key_->find("qvel") != nullptr;
    const std::vector<double> q = qpos ? key_->numbers("qpos", 7 * n, 7 * n) : std::vector<double>();
    const std::vector<double> v = qvel ? key_->numbers("qvel", 6 * n, 6 * n) : std::vector<double>();
    for (std::size_t i = 0; i < n; ++i) {
      SceneBody& body = scene_.bodies[static_cast<std::size_t>(free_[i])];
      if (qpos) {
        const Quat turn{q[7 * i + 3], q[7 * i + 4], q[7 * i + 5], q[7 * i + 6]};
        if (!(norm(turn) > 1e-10)) key_->refuse("qpos", "quaternions that are not zero");
        body.pose = {{q[7 * i], q[7 * i + 1], q[7 * i + 2]}, normalized(turn)};
      }
      if (!qvel) continue;
      const auto& mass = masses_[static_cast<std::size_t>(free_[i])];
      const Vec3 arm = rotate(body.pose.rotation, mass ? mass->centre : Vec3{});
      body.angular_velocity = rotate(body.pose.rotation, {v[6 * i + 3], v[6 * i + 4], v[6 * i + 5]});
      body.velocity = Vec3{v[6 * i], v[6 * i + 1], v[6 * i + 2]} + cross(body.angular_velocity, arm);
    }
  }

  void finish() {
    if (scene_.materials.empty()) scene_.materials.push_back({.name = "material-0", .friction = 1});
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const auto body = static_cast<std::size_t>(free_[i]);
      if (!masses_[body]) places_[i]->refuse("", "no mass", "an <inertial> or a geom with mass or density");
      if (explicit_.contains(free_[i])) scene_.bodies[body].mass = masses_[body];
    }
    if (key_) apply_key();
    geoms_.set_filters(scene_);
    set_scales(scene_);
    validate_file(file_, scene_);
    out_.ignored.assign(defaults_.ignored().begin(), defaults_.ignored().end());
  }

  std::string file_;
  LoadedScene out_;
  Scene& scene_ = out_.scene;
  MjcfDefaults defaults_;
  MjcfCompiler compiler_;
  MjcfGeoms geoms_;
  std::map<std::string, const XmlElement*> meshes_;
  std::map<std::string, std::vector<Vec3>> points_;
  std::map<std::string, Mesh> hulls_;
  std::map<std::string, int> owners_{{"world", -1}};   // MJCF body → scene body
  std::vector<std::optional<MassProperties>> masses_;  // of each scene body so far, in its frame
  std::set<int> explicit_;                             // bodies with an <inertial>
  std::vector<int> free_;                              // in the order of qpos
  std::vector<const XmlElement*> places_;              // their elements
  std::optional<MjcfElement> key_;
  int unnamed_ = 0;
};

}  // namespace

LoadedScene read_mjcf_scene(const std::string& path) { return Reader(path).read(); }

}  // namespace repose
