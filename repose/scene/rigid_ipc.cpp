// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/rigid_ipc.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numbers>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/json_lines_internal.h"
#include "repose/scene/json_readers_internal.h"
#include "repose/scene/scene_scales_internal.h"
#include "repose/scene/triangle_mesh_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

namespace fs = std::filesystem;

constexpr double kDegree = std::numbers::pi / 180;

const std::vector<std::string> kTop = {"scene_type",
                                       "solver",
                                       "timestep",
                                       "max_time",
                                       "ipc_solver",
                                       "friction_constraints",
                                       "distance_barrier_constraint",
                                       "rigid_body_problem"};
const std::vector<std::string> kProblem = {"gravity", "coefficient_friction", "coefficient_restitution",
                                           "rigid_bodies"};
const std::vector<std::string> kBody = {"mesh",    "position",     "rotation", "scale",           "dimensions",
                                        "density", "is_dof_fixed", "enabled",  "linear_velocity", "angular_velocity",
                                        "force",   "torque",       "type",     "group_id"};
const std::vector<std::string> kTypes = {"static", "dynamic", "kinematic"};

/// Keys that begin with # are comments.
Json without_comments(const Json& node) {
  if (!node.is_object()) return node;
  Json kept = Json::object();
  for (const auto& item : node.items())
    if (!item.key().starts_with('#')) kept[item.key()] = item.value();
  return kept;
}

struct Bounds {
  Vec3 low, high;
  [[nodiscard]] Vec3 size() const { return high - low; }
  [[nodiscard]] Vec3 middle() const { return 0.5 * (low + high); }
};

Bounds bounds_of(const std::vector<Vec3>& points) {
  Bounds b{points[0], points[0]};
  for (Vec3 p : points) {
    b.low = {std::min(b.low.x, p.x), std::min(b.low.y, p.y), std::min(b.low.z, p.z)};
    b.high = {std::max(b.high.x, p.x), std::max(b.high.y, p.y), std::max(b.high.z, p.z)};
  }
  return b;
}

Vec3 times(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

/// R = Rz Ry Rx.
Quat from_degrees(Vec3 d) {
  return exponential({0, 0, kDegree * d.z}) * exponential({0, kDegree * d.y, 0}) * exponential({kDegree * d.x, 0, 0});
}

/// The loader of these files treats a mesh with fewer than four triangles as a plate without thickness.
bool is_plate(const TriangleMesh& mesh) { return mesh.triangles.size() < 4; }

/// A hull whose vertices are the corners of its bounding box.
bool is_box(const Polyhedron& hull, const Bounds& b) {
  if (hull.vertices.size() != 8) return false;
  const double close = 1e-12 * norm(b.size());
  for (Vec3 v : hull.vertices)
    for (auto axis : {&Vec3::x, &Vec3::y, &Vec3::z})
      if (std::min(std::abs(v.*axis - b.low.*axis), std::abs(v.*axis - b.high.*axis)) > close) return false;
  return true;
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) { out_.format = "rigid-ipc"; }

  LoadedScene read(const Json& commented) {
    const Json root = without_comments(commented);
    const JsonObject o(root, {file_, ""}, kTop);
    for (const char* key :
         {"scene_type", "solver", "ipc_solver", "friction_constraints", "distance_barrier_constraint"})
      if (o.has(key)) out_.ignored.emplace_back(key);
    scene_.name = fs::path(file_).stem().string();
    scene_.dt = 0.01;
    o.read("timestep", scene_.dt);
    o.read("max_time", scene_.duration);
    read_problem(o);
    set_scales(scene_);
    name_bodies();
    validate_file(file_, scene_);
    return std::move(out_);
  }

 private:
  void read_problem(const JsonObject& o) {
    const Json node = without_comments(o["rigid_body_problem"]);
    const JsonObject p(node, o.place("rigid_body_problem"), kProblem);
    scene_.gravity = {};
    p.read("gravity", scene_.gravity);
    Material material{.name = "default", .friction = 0};
    p.read("coefficient_friction", material.friction);
    scene_.materials = {material};
    if (p.has("coefficient_restitution")) out_.ignored.emplace_back("coefficient_restitution");
    const Json& list = p["rigid_bodies"];
    if (!list.is_array()) p.place("rigid_bodies").refuse(list, "a list of bodies");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json body = without_comments(list[i]);
      read_body(JsonObject(body, p.place("rigid_bodies").at(i), kBody));
    }
  }

  void read_body(const JsonObject& o) {
    bool enabled = true;
    o.read("enabled", enabled);
    if (!enabled) return;
    SceneBody body;
    read_motion(o, body);
    Vec3 degrees;
    o.read("rotation", degrees);
    body.pose.rotation = from_degrees(degrees);
    o.read("position", body.pose.position);
    add_solid(o, body);
    scene_.bodies.push_back(std::move(body));
  }

  void read_motion(const JsonObject& o, SceneBody& body) {
    body.kind = static_cast<BodyKind>(o.choice("type", kTypes, static_cast<int>(BodyKind::kDynamic)));
    read_fixed(o, body);
    o.read("linear_velocity", body.velocity);
    o.read("angular_velocity", body.angular_velocity);
    body.angular_velocity = kDegree * body.angular_velocity;
    o.read("force", body.force);
    o.read("torque", body.torque);
    body.torque = kDegree * body.torque;  // as their loader does
    if (body.kind == BodyKind::kKinematic) body.motion = ConstantMotion{body.velocity, body.angular_velocity};
    if (body.kind != BodyKind::kDynamic) body.velocity = body.angular_velocity = {};
  }

  static void read_fixed(const JsonObject& o, SceneBody& body) {
    if (!o.has("is_dof_fixed")) return;
    const Json& fixed = o["is_dof_fixed"];
    const JsonPlace place = o.place("is_dof_fixed");
    if (fixed.is_boolean()) {
      body.fixed_dof.fill(fixed.get<bool>());
    } else {
      if (!fixed.is_array() || fixed.size() != 6) place.refuse(fixed, "true, false or a list of 6 of them");
      for (std::size_t i = 0; i < 6; ++i) body.fixed_dof[i] = json_flag(fixed[i], place.at(i));
    }
    if (std::count(body.fixed_dof.begin(), body.fixed_dof.end(), true) == 6) body.kind = BodyKind::kStatic;
    if (body.kind != BodyKind::kDynamic) body.fixed_dof.fill(false);
  }

  [[nodiscard]] std::string find_mesh(const JsonObject& o) const {
    const std::string name = json_text(o["mesh"], o.place("mesh"));
    std::error_code ignored;
    const fs::path folder = fs::absolute(file_, ignored).parent_path();
    if (is_file((folder / name).string())) return (folder / name).string();
    for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
      if (is_file((at / "meshes" / name).string())) return (at / "meshes" / name).string();
      if (at == at.parent_path()) break;
    }
    o.place("mesh").refuse(in_quotes(name) + ", which is nowhere",
                           "a mesh file beside the scene or in a folder 'meshes' there or above");
  }

  static void scale_mesh(const JsonObject& o, TriangleMesh& mesh) {
    Vec3 scale{1, 1, 1};
    if (o.has("scale") && o["scale"].is_number()) {
      const double s = json_number(o["scale"], o.place("scale"));
      scale = {s, s, s};
    } else {
      o.read("scale", scale);
    }
    if (o.has("dimensions")) {
      const Vec3 wanted = json_vec3(o["dimensions"], o.place("dimensions")), size = bounds_of(mesh.vertices).size();
      for (auto axis : {&Vec3::x, &Vec3::y, &Vec3::z}) scale.*axis = wanted.*axis / (size.*axis > 0 ? size.*axis : 1);
    }
    for (Vec3& v : mesh.vertices) v = times(scale, v);
  }

  /// Sets shape, mass and mass centre. `body.pose` places the mesh on entry and the mass centre on return.
  void add_solid(const JsonObject& o, SceneBody& body) {
    const std::string path = find_mesh(o);
    stems_.push_back(fs::path(path).stem().string());
    TriangleMesh mesh = read_obj_triangles(path);
    scale_mesh(o, mesh);
    for (Vec3 v : mesh.vertices)
      if (!(std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) <= 1e15))
        o.place().refuse(std::string("a scaled mesh beyond 1e15 m"), "finite sizes up to 1e15 m");
    SceneShape shape;
    o.read("density", shape.density);
    if (!(shape.density >= 0)) o.place("density").refuse(o["density"], "a number >= 0, kg/m^3 (kg/m^2 for plates)");
    set_group(o, shape);
    if (is_plate(mesh)) {
      make_plate(mesh, o, body, shape);
    } else {
      make_solid(mesh, o, body, shape);
    }
    body.shapes.push_back(std::move(shape));
  }

  /// Bodies of one group do not collide with each other.
  void set_group(const JsonObject& o, SceneShape& shape) {
    if (!o.has("group_id")) return;
    const long long id = json_whole(o["group_id"], o.place("group_id"), -1'000'000'000, 1'000'000'000);
    const auto number = groups_.emplace(id, groups_.size() + 1).first->second;
    if (number > 31) o.place("group_id").refuse(o["group_id"], "at most 31 different groups");
    shape.group = std::uint32_t{1} << number;
    shape.mask = ~shape.group;
  }

  void make_plate(const TriangleMesh& mesh, const JsonObject& o, SceneBody& body, SceneShape& shape) {
    const Bounds b = bounds_of(mesh.vertices);
    const Vec3 size = b.size();
    double Vec3::*axes[] = {&Vec3::x, &Vec3::y, &Vec3::z};
    std::sort(std::begin(axes), std::end(axes), [&](auto p, auto q) { return size.*p < size.*q; });
    double Vec3::*const thin = axes[0];
    const double shorter = size.*axes[1], longer = size.*axes[2];
    if (!(size.*thin == 0 && shorter > 0))
      o.place("mesh").refuse(std::string("an open mesh that is not a flat axis-parallel rectangle"),
                             "a closed mesh or a flat rectangle");
    Vec3 half = 0.5 * size;
    const bool dynamic = body.kind == BodyKind::kDynamic;
    const double thickness = dynamic ? kCardThickness * longer : kGroundThickness * shorter;
    half.*thin = thickness / 2;
    shape.geometry = Box{half};
    Vec3 normal;
    normal.*thin = 1;
    const double up = -dot(rotate(body.pose.rotation, normal), scene_.gravity);
    const double behind = dynamic || up == 0 ? 0 : std::copysign(thickness / 2, -up);
    body.pose.position = body.pose * (b.middle() + behind * normal);
    shape.density /= thickness;  // given per area
  }

  void make_solid(const TriangleMesh& mesh, const JsonObject& o, SceneBody& body, SceneShape& shape) {
    const Bounds b = bounds_of(mesh.vertices);
    MassProperties mass = solid_mass(mesh, shape.density);
    try {
      const auto hull = convex_hull(mesh.vertices);
      if (is_box(*hull, b)) {
        shape.geometry = Box{0.5 * b.size()};
        body.pose.position = body.pose * b.middle();
        return;
      }
      require(mass.mass > 0 || shape.density == 0, "volume: expected a closed mesh, got one without volume");
      const Vec3 centre = mass.mass > 0 ? mass.centre : Vec3{};
      std::vector<Vec3> points = hull->vertices;
      for (Vec3& p : points) p = p - centre;
      shape.geometry = Hull{convex_hull(points)};
      body.pose.position = body.pose * centre;
      mass.centre = {};
      if (body.kind == BodyKind::kDynamic) body.mass = mass;
    } catch (const InputError& error) {
      o.place("mesh").refuse(error);
    }
  }

  /// Named after the mesh; with a number when a mesh is used more than once.
  void name_bodies() {
    std::map<std::string, int> uses, used;
    for (const std::string& stem : stems_) ++uses[stem];
    for (std::size_t i = 0; i < stems_.size(); ++i) {
      const std::string& stem = stems_[i];
      scene_.bodies[i].name = uses[stem] == 1 ? stem : stem + "#" + std::to_string(++used[stem]);
    }
  }

  std::string file_;
  LoadedScene out_;
  Scene& scene_ = out_.scene;
  std::vector<std::string> stems_;
  std::map<long long, std::size_t> groups_;
};

}  // namespace

LoadedScene rigid_ipc_from_json(const Json& root, const std::string& file) { return Reader(file).read(root); }

LoadedScene read_rigid_ipc_scene(const std::string& path) {
  const std::string text = read_scene_text(path);
  return with_lines(path, text, [&] { return rigid_ipc_from_json(parse_json(path, text), path); });
}

}  // namespace repose
