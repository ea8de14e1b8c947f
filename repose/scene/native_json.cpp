// SPDX-License-Identifier: Apache-2.0
#include "repose/scene/native_json.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/json_lines_internal.h"
#include "repose/scene/json_readers_internal.h"
#include "repose/scene/native_fields_internal.h"
#include "repose/scene/native_names_internal.h"
#include "repose/scene/native_read_internal.h"
#include "repose/shape/height_field.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

/// The object whose "type" chooses its kind: "shape_box" from {"type": "box"}. Returns the index of the type.
int type_index(const Json& node, const JsonPlace& place, std::span<const std::string> types) {
  if (!node.is_object()) place.refuse(node, "an object");
  if (!node.contains("type")) place.at("type").refuse(std::string("nothing"), listed(types));
  const std::string name = json_text(node["type"], place.at("type"));
  const auto found = std::find(types.begin(), types.end(), name);
  if (found == types.end()) place.at("type").refuse(in_quotes(name) + meant(name, types), listed(types));
  return static_cast<int>(found - types.begin());
}

/// Fixed axes, x first: R = Rz Ry Rx.
Quat from_degrees(Vec3 degrees) {
  const auto turn = [](double angle, Vec3 axis) { return exponential(angle * std::numbers::pi / 180 * axis); };
  return turn(degrees.z, {0, 0, 1}) * turn(degrees.y, {0, 1, 0}) * turn(degrees.x, {1, 0, 0});
}

}  // namespace

JsonObject object(const Json& node, const JsonPlace& place, const std::string& kind) {
  return {node, place, native_fields().at(kind)};
}

Pose read_pose(const JsonObject& o) {
  Pose pose;
  o.read("position", pose.position);
  o.read("rotation", pose.rotation);
  if (!o.has("rotation_degrees")) return pose;
  if (o.has("rotation")) o.place("rotation_degrees").refuse(std::string("it beside rotation"), "one of the two");
  Vec3 degrees;
  o.read("rotation_degrees", degrees);
  pose.rotation = from_degrees(degrees);
  return pose;
}

MassProperties read_mass(const JsonObject& o) {
  MassProperties mass;
  mass.mass = json_number(o["mass"], o.place("mass"));
  o.read("centre", mass.centre);
  const Json& rows = o["inertia"];
  if (!rows.is_array() || rows.size() != 3) o.place("inertia").refuse(rows, "3 lists of 3 numbers");
  for (std::size_t r = 0; r < 3; ++r) {
    const std::vector<double> row = json_numbers(rows[r], o.place("inertia").at(r), 3);
    std::copy(row.begin(), row.end(), mass.inertia.m[r]);
  }
  return mass;
}

namespace {

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Scene read(const Json& root) {
    const JsonObject o = object(root, {file_, ""}, "scene");
    if (json_whole(o["repose_scene"], o.place("repose_scene"), 0, 1'000'000) != kNativeSceneVersion)
      o.place("repose_scene").refuse(o["repose_scene"], "1, the only version there is");
    read_settings(o);
    read_materials(o);
    read_bodies(o);
    read_relations(o);
    return std::move(scene_);
  }

 private:
  void read_medium(const JsonObject& o) {
    o.read("density", scene_.medium.density);
    o.read("viscosity", scene_.medium.viscosity);
    o.read("wind", scene_.medium.wind);
  }

  void read_settings(const JsonObject& o) {
    o.read("name", scene_.name);
    o.read("dt", scene_.dt);
    o.read("duration", scene_.duration);
    o.read("gravity", scene_.gravity);
    if (o.has("medium")) read_medium(object(o["medium"], o.place("medium"), "medium"));
    o.read("margin", scene_.margin);
    o.read("slop", scene_.slop);
    o.read("recovery", scene_.recovery);
    o.read("baumgarte", scene_.baumgarte);
    scene_.combine = static_cast<Combine>(o.choice("combine", combine_names(), 0));
    scene_.edge_normal = static_cast<EdgeNormal>(o.choice("edge_normal", edge_normal_names(), 0));
    if (!o.has("parameters")) return;
    const Json& parameters = o["parameters"];
    if (!parameters.is_object()) o.place("parameters").refuse(parameters, "an object of texts");
    for (const auto& item : parameters.items())
      scene_.parameters[item.key()] = json_text(item.value(), o.place("parameters").at(item.key()));
  }

  void read_materials(const JsonObject& o) {
    const Json& list = o.list("materials");
    if (o.has("materials")) scene_.materials.clear();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonObject m = object(list[i], o.place("materials").at(i), "material");
      Material material{.name = ""};
      m.read("name", material.name);
      m.read("friction", material.friction);
      m.read("restitution", material.restitution);
      scene_.materials.push_back(material);
    }
    const Json& pairs = o.list("material_pairs");
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const JsonObject p = object(pairs[i], o.place("material_pairs").at(i), "material_pair");
      PairOverride pair;
      const auto [a, b] = read_pair(p["materials"], p.place("materials"), scene_.materials, "material");
      pair.material_a = a, pair.material_b = b;
      p.read("friction", pair.friction);
      p.read("restitution", pair.restitution);
      scene_.overrides.push_back(pair);
    }
  }

  void read_bodies(const JsonObject& o) {
    const Json& list = o.list("bodies");
    for (std::size_t i = 0; i < list.size(); ++i)
      scene_.bodies.push_back(read_body(object(list[i], o.place("bodies").at(i), "body")));
  }

  void read_relations(const JsonObject& o) {
    const Json& pairs = o.list("exclude");
    for (std::size_t i = 0; i < pairs.size(); ++i)
      scene_.excluded.push_back(read_pair(pairs[i], o.place("exclude").at(i), scene_.bodies, "body"));
    read_joints(o, scene_);
    read_sensors(o, scene_);
    const Json& events = o.list("events");
    for (std::size_t i = 0; i < events.size(); ++i)
      scene_.events.push_back(read_event(events[i], o.place("events").at(i)));
  }

  template <class Named>
  std::pair<int, int> read_pair(const Json& value, const JsonPlace& place, const std::vector<Named>& all,
                                const char* what) {
    if (!value.is_array() || value.size() != 2) place.refuse(value, "a list of 2 names or indices");
    return {read_reference(value[0], place.at(0), all, what), read_reference(value[1], place.at(1), all, what)};
  }

  SceneBody read_body(const JsonObject& o) {
    SceneBody body;
    o.read("name", body.name);
    body.kind = static_cast<BodyKind>(o.choice("kind", kind_names(), static_cast<int>(BodyKind::kDynamic)));
    body.pose = read_pose(o);
    o.read("velocity", body.velocity);
    o.read("angular_velocity", body.angular_velocity);
    const Json& shapes = o.list("shapes");
    for (std::size_t i = 0; i < shapes.size(); ++i) read_shape(shapes[i], o.place("shapes").at(i), body.shapes);
    if (o.has("mass")) body.mass = read_mass(object(o["mass"], o.place("mass"), "mass"));
    if (o.has("motion")) body.motion = read_motion(o["motion"], o.place("motion"));
    o.read("force", body.force);
    o.read("torque", body.torque);
    o.read("gravity_scale", body.gravity_scale);
    o.read("present", body.present);
    read_fixed(o, body);
    return body;
  }

  static void read_fixed(const JsonObject& o, SceneBody& body) {
    const Json& list = o.list("fixed");
    const auto names = axis_names();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonPlace place = o.place("fixed").at(i);
      const std::string axis = json_text(list[i], place);
      const auto found = std::find(names.begin(), names.end(), axis);
      if (found == names.end()) place.refuse(in_quotes(axis), listed(names));
      body.fixed_dof[static_cast<std::size_t>(found - names.begin())] = true;
    }
  }

  /// Adds the shape, or those of a height field.
  void read_shape(const Json& node, const JsonPlace& place, std::vector<SceneShape>& shapes) {
    const std::string type = shape_types()[static_cast<std::size_t>(type_index(node, place, shape_types()))];
    const JsonObject o = object(node, place, "shape_" + type);
    SceneShape shape;
    const bool is_field = type == "heightfield";
    if (!is_field) shape.geometry = read_geometry(type, o);
    shape.pose = read_pose(o);
    o.read("name", shape.name);
    o.read("density", shape.density);
    o.read("group", shape.group);
    o.read("mask", shape.mask);
    if (o.has("material"))
      shape.material = read_reference(o["material"], o.place("material"), scene_.materials, "material");
    if (o.has("colour")) shape.colour = json_vec3(o["colour"], o.place("colour"));
    if (!is_field) return shapes.push_back(std::move(shape));
    for (const auto& prism : height_field_prisms(read_field(o))) shape.geometry = Hull{prism}, shapes.push_back(shape);
  }

  Geometry read_geometry(const std::string& type, const JsonObject& o) {
    const auto number = [&](const char* key) { return json_number(o[key], o.place(key)); };
    if (type == "plane") return HalfSpace{};
    if (type == "sphere") return Sphere{number("radius")};
    if (type == "box") return Box{json_vec3(o["half"], o.place("half"))};
    if (type == "capsule") return Capsule{number("radius"), number("half_length")};
    if (type == "cylinder") return Cylinder{number("radius"), number("half_length")};
    return type == "hull" ? read_hull(o) : read_mesh(o);
  }

  Geometry make_hull(const std::vector<Vec3>& points, const JsonPlace& place) {
    for (Vec3 p : points)  // the hull of such points would be rounding noise
      if (!(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= 1e15))
        place.refuse(std::string("a coordinate beyond 1e15"), "finite numbers up to 1e15 in size");
    try {
      return Hull{convex_hull(points)};
    } catch (const InputError& error) {
      place.refuse(error);
    }
  }

  static std::shared_ptr<const HeightField> read_field(const JsonObject& o) {
    HeightField field;
    const std::vector<double> half = json_numbers(o["half"], o.place("half"), 2);
    field.half_x = half[0], field.half_y = half[1];
    field.base = json_number(o["base"], o.place("base"));
    const Json& rows = o["heights"];
    const JsonPlace place = o.place("heights");
    if (!rows.is_array() || rows.size() < 2 || !rows[0].is_array()) place.refuse(rows, "2 or more lists of numbers");
    field.rows = static_cast<int>(rows.size()), field.columns = static_cast<int>(rows[0].size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::vector<double> row = json_numbers(rows[r], place.at(r), rows[0].size());
      field.heights.insert(field.heights.end(), row.begin(), row.end());
    }
    if (const std::string fault = height_field_fault(field); !fault.empty()) place.refuse(InputError(fault));
    return std::make_shared<const HeightField>(std::move(field));
  }

  Geometry read_hull(const JsonObject& o) {
    const Json& list = o["vertices"];
    const JsonPlace place = o.place("vertices");
    if (!list.is_array() || list.size() < 4) place.refuse(list, "4 or more points");
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < list.size(); ++i) points.push_back(json_vec3(list[i], place.at(i)));
    return make_hull(points, place);
  }

  Geometry read_mesh(const JsonObject& o) {
    const JsonPlace place = o.place("file");
    const std::string path = beside(file_, json_text(o["file"], place));
    if (!is_file(path)) place.refuse(in_quotes(path, kPathLength) + ", which is not there", "a mesh file");
    Vec3 scale{1, 1, 1};
    if (o.has("scale") && o["scale"].is_number())
      scale = json_number(o["scale"], o.place("scale")) * scale;
    else
      o.read("scale", scale);
    std::vector<Vec3> points;
    try {
      points = read_mesh_vertices(path);
    } catch (const InputError& error) {
      place.refuse(error);
    }
    for (Vec3& p : points) p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
    return make_hull(points, place);
  }

  static Motion read_motion(const Json& node, const JsonPlace& place) {
    const std::string type = motion_types()[static_cast<std::size_t>(type_index(node, place, motion_types()))];
    const JsonObject o = object(node, place, "motion_" + type);
    if (type == "table") return read_table(o);
    RampMotion motion;
    o.read("velocity", motion.velocity);
    o.read("angular_velocity", motion.angular_velocity);
    if (type == "constant") return ConstantMotion{motion.velocity, motion.angular_velocity};
    motion.duration = json_number(o["duration"], o.place("duration"));
    return motion;
  }

  static TableMotion read_table(const JsonObject& o) {
    TableMotion motion;
    const Json& list = o.list("poses");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonObject pose = object(list[i], o.place("poses").at(i), "table_pose");
      motion.times.push_back(json_number(pose["time"], pose.place("time")));
      motion.poses.push_back(read_pose(pose));
    }
    return motion;
  }

  Event read_event(const Json& node, const JsonPlace& place) {
    const std::string type = event_types()[static_cast<std::size_t>(type_index(node, place, event_types()))];
    const JsonObject o = object(node, place, "event_" + type);
    const int body = read_reference(o["body"], o.place("body"), scene_.bodies, "body");
    Event event{.time = json_number(o["time"], o.place("time")), .action = {}};
    if (type == "appear") event.action = Appear{body};
    if (type == "disappear") event.action = Disappear{body};
    if (type == "set_velocity") {
      SetVelocity set{.body = body};
      o.read("velocity", set.velocity);
      o.read("angular_velocity", set.angular_velocity);
      event.action = set;
    }
    if (type == "push") {
      Push push{.body = body, .duration = json_number(o["duration"], o.place("duration"))};
      o.read("force", push.force);
      o.read("torque", push.torque);
      event.action = push;
    }
    return event;
  }

  std::string file_;
  Scene scene_;
};

}  // namespace

Scene native_from_json(const Json& root, const std::string& file) {
  Scene scene = Reader(file).read(root);
  validate_file(file, scene);
  return scene;
}

Scene parse_native_scene(const std::string& text, const std::string& file) {
  return with_lines(file, text, [&] { return native_from_json(parse_json(file, text), file); });
}

Scene read_native_scene(const std::string& path) { return parse_native_scene(read_scene_text(path), path); }

}  // namespace repose
