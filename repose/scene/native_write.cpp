// SPDX-License-Identifier: Apache-2.0
// Fields at their default are left out, so that a written file shows what was chosen.
#include <fstream>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/json_object_internal.h"
#include "repose/scene/native_json.h"
#include "repose/scene/native_names_internal.h"
#include "repose/scene/native_read_internal.h"
#include "repose/shape/height_field.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

Json list_of(Vec3 v) { return {v.x, v.y, v.z}; }
Json list_of(Quat q) { return {q.w, q.x, q.y, q.z}; }

bool same(double a, double b) { return a == b; }
bool same(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
bool same(Quat a, Quat b) { return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z; }

void put(Json& o, const char* key, double value, double fallback) {
  if (!same(value, fallback)) o[key] = value;
}
template <class Value>
void put(Json& o, const char* key, Value value, Value fallback) {
  if (!same(value, fallback)) o[key] = list_of(value);
}

void put_pose(Json& o, const Pose& pose) {
  put(o, "position", pose.position, Vec3{});
  put(o, "rotation", pose.rotation, Quat{});
}

/// Returns the name of item `index`, or the index when it has none.
template <class Named>
Json reference(const std::vector<Named>& all, int index) {
  const std::string& name = all[static_cast<std::size_t>(index)].name;
  return name.empty() ? Json(index) : Json(name);
}

struct PutGeometry {
  Json& o;
  void operator()(const HalfSpace&) const {}
  void operator()(const Sphere& s) const { o["radius"] = s.radius; }
  void operator()(const Box& b) const { o["half"] = list_of(b.half); }
  void operator()(const Capsule& c) const { o["radius"] = c.radius, o["half_length"] = c.half_length; }
  void operator()(const Cylinder& c) const { o["radius"] = c.radius, o["half_length"] = c.half_length; }
  void operator()(const Hull& h) const {
    o["vertices"] = Json::array();
    for (Vec3 v : h.polyhedron->vertices) o["vertices"].push_back(list_of(v));
  }
};

const HeightCell* cell_of(const SceneShape& shape) {
  const auto* hull = std::get_if<Hull>(&shape.geometry);
  return hull == nullptr ? nullptr : hull->polyhedron->cell.get();
}

/// The prisms of a height field are one shape of a file: that of the first one.
bool is_first(const HeightCell& cell) { return cell.corners[1][0] == 0 && cell.corners[1][1] == 1; }

void put_field(Json& o, const HeightField& field) {
  o["half"] = {field.half_x, field.half_y};
  o["base"] = field.base;
  o["heights"] = Json::array();
  for (auto row = field.heights.begin(); row != field.heights.end(); row += field.columns)
    o["heights"].push_back(Json(std::vector<double>(row, row + field.columns)));
}

Json shape_json(const Scene& scene, const SceneShape& shape) {
  const SceneShape usual;
  const HeightCell* cell = cell_of(shape);
  Json o{{"type", cell == nullptr ? shape_types()[shape.geometry.index()] : "heightfield"}};
  if (!shape.name.empty()) o["name"] = shape.name;
  cell == nullptr ? std::visit(PutGeometry{o}, shape.geometry) : put_field(o, *cell->field);
  put_pose(o, shape.pose);
  if (shape.material != 0) o["material"] = reference(scene.materials, shape.material);
  put(o, "density", shape.density, usual.density);
  if (shape.group != usual.group) o["group"] = shape.group;
  if (shape.mask != usual.mask) o["mask"] = shape.mask;
  if (shape.colour) o["colour"] = list_of(*shape.colour);
  return o;
}

struct PutMotion {
  Json& o;
  void operator()(const ConstantMotion& m) const {
    put(o, "velocity", m.velocity, Vec3{});
    put(o, "angular_velocity", m.angular_velocity, Vec3{});
  }
  void operator()(const RampMotion& m) const {
    (*this)(ConstantMotion{m.velocity, m.angular_velocity});
    o["duration"] = m.duration;
  }
  void operator()(const TableMotion& m) const {
    o["poses"] = Json::array();
    for (std::size_t i = 0; i < m.times.size(); ++i) {
      Json pose{{"time", m.times[i]}};
      put_pose(pose, m.poses[i]);
      o["poses"].push_back(pose);
    }
  }
  void operator()(const ScriptMotion&) const {
    fail("motion: expected constant, ramp and table in a scene file, got a script");
  }
};

Json motion_json(const Motion& motion) {
  Json o = Json::object();
  if (motion.index() < motion_types().size()) o["type"] = motion_types()[motion.index()];
  std::visit(PutMotion{o}, motion);
  return o;
}

}  // namespace

Json mass_json(const MassProperties& mass) {
  Json o{{"mass", mass.mass}};
  put(o, "centre", mass.centre, Vec3{});
  for (const auto& row : mass.inertia.m) o["inertia"].push_back({row[0], row[1], row[2]});
  return o;
}

namespace {

Json body_json(const Scene& scene, const SceneBody& body) {
  Json o = Json::object();
  if (!body.name.empty()) o["name"] = body.name;
  if (body.kind != BodyKind::kDynamic) o["kind"] = kind_names()[static_cast<std::size_t>(body.kind)];
  put_pose(o, body.pose);
  put(o, "velocity", body.velocity, Vec3{});
  put(o, "angular_velocity", body.angular_velocity, Vec3{});
  for (const SceneShape& shape : body.shapes)
    if (const HeightCell* cell = cell_of(shape); cell == nullptr || is_first(*cell))
      o["shapes"].push_back(shape_json(scene, shape));
  if (body.mass) o["mass"] = mass_json(*body.mass);
  if (body.motion) o["motion"] = motion_json(*body.motion);
  put(o, "force", body.force, Vec3{});
  put(o, "torque", body.torque, Vec3{});
  put(o, "gravity_scale", body.gravity_scale, 1.0);
  for (std::size_t i = 0; i < body.fixed_dof.size(); ++i)
    if (body.fixed_dof[i]) o["fixed"].push_back(axis_names()[i]);
  if (!body.present) o["present"] = false;
  return o;
}

struct PutAction {
  Json& o;
  void operator()(const Appear&) const {}
  void operator()(const Disappear&) const {}
  void operator()(const SetVelocity& a) const {
    put(o, "velocity", a.velocity, Vec3{});
    put(o, "angular_velocity", a.angular_velocity, Vec3{});
  }
  void operator()(const Push& a) const {
    put(o, "force", a.force, Vec3{});
    put(o, "torque", a.torque, Vec3{});
    o["duration"] = a.duration;
  }
};

Json event_json(const Scene& scene, const Event& event) {
  const int body = std::visit([](const auto& a) { return a.body; }, event.action);
  Json o{{"time", event.time}, {"type", event_types()[event.action.index()]}, {"body", reference(scene.bodies, body)}};
  std::visit(PutAction{o}, event.action);
  return o;
}

Json scene_json(const Scene& s) {
  Json o{{"repose_scene", kNativeSceneVersion}, {"name", s.name}};
  for (const auto& [key, value] : s.parameters) o["parameters"][key] = value;
  o["dt"] = s.dt, o["duration"] = s.duration, o["gravity"] = list_of(s.gravity);
  if (s.medium.acts())
    o["medium"] = {{"density", s.medium.density}, {"viscosity", s.medium.viscosity}, {"wind", list_of(s.medium.wind)}};
  o["margin"] = s.margin, o["slop"] = s.slop, o["recovery"] = s.recovery;
  put(o, "baumgarte", s.baumgarte, 0.0);
  o["combine"] = combine_names()[static_cast<std::size_t>(s.combine)];
  o["edge_normal"] = edge_normal_names()[static_cast<std::size_t>(s.edge_normal)];
  for (const Material& m : s.materials) {
    Json material = Json::object();
    if (!m.name.empty()) material["name"] = m.name;
    material["friction"] = m.friction, material["restitution"] = m.restitution;
    o["materials"].push_back(material);
  }
  for (const PairOverride& p : s.overrides)
    o["material_pairs"].push_back(
        {{"materials", {reference(s.materials, p.material_a), reference(s.materials, p.material_b)}},
         {"friction", p.friction},
         {"restitution", p.restitution}});
  o["bodies"] = Json::array();
  for (const SceneBody& body : s.bodies) o["bodies"].push_back(body_json(s, body));
  for (const auto& [a, b] : s.excluded) o["exclude"].push_back({reference(s.bodies, a), reference(s.bodies, b)});
  put_joints(s, o);
  put_sensors(s, o);
  for (const Event& event : s.events) o["events"].push_back(event_json(s, event));
  return o;
}

}  // namespace

std::string native_scene_text(const Scene& scene) {
  validate(scene);
  try {
    return scene_json(scene).dump(1) + "\n";
  } catch (const Json::exception&) {
    fail("scene '", excerpt(scene.name), "': name: expected UTF-8 text, got bytes that are not UTF-8");
  }
}

void write_native_scene(const std::string& path, const Scene& scene) {
  const std::string text = native_scene_text(scene);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  require(static_cast<bool>(out), path, ": file: expected a file in a folder, got one that cannot be written");
}

}  // namespace repose
