// SPDX-License-Identifier: Apache-2.0
// Geoms and inertias of MJCF files.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "repose/math/scalar.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/mjcf_model_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

/// Points of an ellipsoid's hull: rings of latitude and two poles.
constexpr int kRings = 15, kPerRing = 24;
/// Of the largest moment: files have few digits.
constexpr double kMomentRounding = 1e-6;

Quat z_towards(Vec3 direction) {
  const Vec3 z = normalized(direction), axis = cross({0, 0, 1}, z);
  const double sine = norm(axis);
  return sine > 0 ? exponential(arc_tangent(sine, z.z) / sine * axis) : z.z > 0 ? Quat{} : Quat{0, 1, 0, 0};
}

std::shared_ptr<const Polyhedron> ellipsoid(Vec3 half) {
  std::vector<Vec3> points = {{0, 0, half.z}, {0, 0, -half.z}};
  for (int i = 1; i <= kRings; ++i) {
    const double polar = std::numbers::pi * i / (kRings + 1);
    for (int k = 0; k < kPerRing; ++k) {
      const double turn = 2 * std::numbers::pi * k / kPerRing;
      points.push_back(
          {half.x * sine(polar) * cosine(turn), half.y * sine(polar) * sine(turn), half.z * cosine(polar)});
    }
  }
  return convex_hull(points);
}

MassProperties ellipsoid_mass(Vec3 half, double density) {
  const double mass = density * 4 / 3 * std::numbers::pi * half.x * half.y * half.z;
  const auto moment = [&](double a, double b) { return mass / 5 * (a * a + b * b); };
  return {mass, {}, Mat3::diagonal(moment(half.y, half.z), moment(half.z, half.x), moment(half.x, half.y))};
}

class GeomReader {
 public:
  GeomReader(MjcfModel& model, const MjcfElement& e) : model_(model), e_(e) {}

  /// Reads the geometry; `pose` is that of the geom in its frame.
  void read_geometry(SceneShape& shape, Pose& pose) {
    const std::string type = this->type();
    if (e_.find("mesh") != nullptr && type != "mesh") e_.refuse("mesh", "type=\"mesh\" with it");
    if (e_.find("hfield") != nullptr && type != "hfield") e_.refuse("hfield", "type=\"hfield\" with it");
    if (type == "plane")
      shape.geometry = HalfSpace{};
    else if (type == "mesh")
      shape.geometry = Hull{mjcf_mesh(model_, e_)};
    else if (type == "sphere" || type == "capsule" || type == "cylinder" || type == "box" || type == "ellipsoid")
      read_primitive(type, shape, pose);
    else if (type != "hfield")
      e_.refuse("type", "plane, sphere, capsule, cylinder, ellipsoid, box, mesh or hfield");
  }

  [[nodiscard]] std::string type() const { return e_.text("type", e_.find("mesh") != nullptr ? "mesh" : "sphere"); }

  /// Mass in the geom's frame.
  [[nodiscard]] MassProperties mass(const Geometry& geometry, double density) const {
    return half_ ? ellipsoid_mass(*half_, density) : mass_properties(geometry, density);
  }
  [[nodiscard]] bool is_approximate() const { return half_.has_value(); }

  /// kg/m³; 0 when the mass is given otherwise.
  double density(const Geometry& geometry) const {
    if (e_.text("shellinertia", "false") != "false") e_.refuse("shellinertia", "false; bodies are solid");
    double density = e_.number("density", 1000);
    if (!(density >= 0)) e_.refuse("density", "a number >= 0, kg/m^3");
    if (e_.find("mass") != nullptr) {
      const double given = e_.number("mass", 0);
      if (!(given >= 0)) e_.refuse("mass", "a number >= 0, kg");
      density = given / mass(geometry, 1).mass;
    }
    const int group = e_.whole("group", 0);
    const MjcfCompiler& c = model_.compiler;
    return group < c.least_group || group > c.most_group ? 0.0 : density;
  }

  void read_surface(SceneShape& shape) {
    const double friction = e_.find("friction") == nullptr ? 1 : e_.numbers("friction", 1, 3)[0];
    if (!(friction >= 0)) e_.refuse("friction", "a number >= 0 first");
    const int condim = e_.whole("condim", 3);
    if (condim != 1 && condim != 3 && condim != 4 && condim != 6) e_.refuse("condim", "1 or 3 (4 and 6 are read as 3)");
    if (condim > 3) model_.defaults.ignore("geom condim above 3");
    shape.material = model_.geoms.material(model_.scene, {friction, condim == 1, e_.whole("priority", 0)});
    if (e_.find("rgba") == nullptr) return;
    const std::vector<double> n = e_.numbers("rgba", 3, 4);
    shape.colour = Vec3{std::clamp(n[0], 0.0, 1.0), std::clamp(n[1], 0.0, 1.0), std::clamp(n[2], 0.0, 1.0)};
  }

 private:
  void read_primitive(const std::string& type, SceneShape& shape, Pose& pose) {
    const std::size_t wanted = type == "sphere" ? 1 : type == "box" || type == "ellipsoid" ? 3 : 2;
    std::vector<double> size = e_.numbers("size", e_.find("fromto") != nullptr ? 1 : wanted, 3);
    if (e_.find("fromto") != nullptr) {
      if (type == "sphere") e_.refuse("fromto", "it on capsule, cylinder, ellipsoid and box only");
      const std::vector<double> n = e_.numbers("fromto", 6, 6);
      const Vec3 from{n[0], n[1], n[2]}, to{n[3], n[4], n[5]}, along = to - from;
      if (!(norm(along) > 0)) e_.refuse("fromto", "two different points");
      pose = {0.5 * (from + to), z_towards(along)};
      size = wanted == 3 ? std::vector<double>{size[0], size[0], norm(along) / 2}
                         : std::vector<double>{size[0], norm(along) / 2};
    }
    for (std::size_t i = 0; i < wanted; ++i)
      if (!(size[i] > 0)) e_.refuse("size", "numbers > 0, m");
    if (type == "sphere") shape.geometry = Sphere{size[0]};
    if (type == "capsule") shape.geometry = Capsule{size[0], size[1]};
    if (type == "cylinder") shape.geometry = Cylinder{size[0], size[1]};
    if (type == "box") shape.geometry = Box{{size[0], size[1], size[2]}};
    if (type != "ellipsoid") return;
    half_ = Vec3{size[0], size[1], size[2]};
    shape.geometry = Hull{ellipsoid(*half_)};
    model_.simplified.insert("geom ellipsoid: the convex hull of " + std::to_string(kRings * kPerRing + 2) +
                             " of its points");
  }

  MjcfModel& model_;
  const MjcfElement& e_;
  std::optional<Vec3> half_;  ///< of an ellipsoid
};

/// Refuses moments that no body has: each is at most the sum of the others.
void check_moments(const MjcfElement& e, const char* attribute, const Mat3& inertia) {
  const Vec3 m = principal_inertia(inertia).moments;  // ascending
  if (!(m.x > 0)) e.refuse(attribute, "moments > 0, kg m^2");
  if (!(m.z <= m.x + m.y + kMomentRounding * m.z))
    e.refuse(attribute, "moments of which none exceeds the sum of the others");
}

}  // namespace

void read_mjcf_geom(MjcfModel& model, const XmlElement& xml, const std::string& style, int body, const Pose& frame,
                    bool mass_given) {
  const MjcfElement e = model.defaults.resolve(xml, style);
  GeomReader reader(model, e);
  const int index = model.scene_body(body);
  const bool dynamic = model.bodies[static_cast<std::size_t>(body)].moves;
  SceneShape shape{.name = e.text("name", "")};
  const int contype = e.whole("contype", 1), conaffinity = e.whole("conaffinity", 1);
  const bool weightless = mass_given || model.compiler.inertia_from_geom == "false" || !dynamic;
  const bool shown_only = contype == 0 && conaffinity == 0 && !model.paired.contains(shape.name);
  if (shown_only && weightless && reader.type() == "mesh") return;
  Pose pose = e.pose(model.compiler);
  reader.read_geometry(shape, pose);
  pose = model.bodies[static_cast<std::size_t>(body)].in_scene * frame * pose;
  shape.pose = {pose.position, normalized(pose.rotation)};
  if (std::holds_alternative<HalfSpace>(shape.geometry) && dynamic)
    xml.refuse("type", "a plane in a moving body", "planes in fixed bodies");
  const bool is_field = reader.type() == "hfield";
  if (is_field && dynamic) xml.refuse("type", "a height field in a moving body", "height fields in fixed bodies");
  if (is_field && model.paired.contains(shape.name)) xml.refuse("type", "a height field in a <pair>", "another type");
  if (dynamic) shape.density = weightless ? 0.0 : reader.density(shape.geometry);
  if (dynamic && shape.density > 0) model.add_mass(body, moved(reader.mass(shape.geometry, shape.density), shape.pose));
  if (dynamic && reader.is_approximate()) model.explicit_masses.insert(index);
  if (shown_only && reader.type() == "mesh") {  // needed for its mass alone
    model.explicit_masses.insert(index);
    return;
  }
  if (reader.type() == "mesh" && !model.options.decompose)
    model.simplified.insert("geom mesh: the convex hull of its vertices");
  if (!shape.name.empty() && !model.geoms.names.emplace(shape.name, model.geoms.list.size()).second)
    xml.refuse("name", in_quotes(shape.name) + " again", "each name once");
  reader.read_surface(shape);
  auto& shapes = model.scene.bodies[static_cast<std::size_t>(index)].shapes;
  const auto add = [&] {
    model.geoms.list.push_back({index, static_cast<int>(shapes.size()), body, contype, conaffinity, &xml});
    shapes.push_back(shape);
  };
  if (reader.type() == "mesh") {
    const auto& parts = mjcf_mesh_parts(model, e);
    if (parts.size() > 1 && model.paired.contains(shape.name))
      xml.refuse("mesh", "a mesh of " + std::to_string(parts.size()) + " parts in a <pair>", "one part, or no <pair>");
    if (dynamic && parts.size() > 1) model.explicit_masses.insert(index);  // of the hull
    for (const auto& part : parts) shape.geometry = Hull{part}, add();
    return;
  }
  if (!is_field) return add();
  for (const auto& prism : height_field_prisms(mjcf_height_field(model, e))) shape.geometry = Hull{prism}, add();
}

void read_mjcf_inertial(MjcfModel& model, const MjcfElement& e, int body) {
  if (body == 0) e.xml().refuse("", "it in <worldbody>", "it in a <body>");
  const MjcfBody& own = model.bodies[static_cast<std::size_t>(body)];
  if (model.compiler.inertia_from_geom == "true" || !own.moves) return;
  if (e.find("mass") == nullptr || !(e.number("mass", 0) > 0)) e.refuse("mass", "a number > 0, kg");
  MassProperties mass{.mass = e.number("mass", 0), .centre = {}, .inertia = {}};
  if (e.find("fullinertia") != nullptr) {
    const std::vector<double> n = e.numbers("fullinertia", 6, 6);
    mass.inertia = {{{n[0], n[3], n[4]}, {n[3], n[1], n[5]}, {n[4], n[5], n[2]}}};
    check_moments(e, "fullinertia", mass.inertia);
  } else {
    if (e.find("diaginertia") == nullptr) e.refuse("diaginertia", "3 numbers > 0, kg m^2 (or fullinertia)");
    const Vec3 d = e.vec3("diaginertia", {});
    if (!(d.x > 0 && d.y > 0 && d.z > 0)) e.refuse("diaginertia", "3 numbers > 0, kg m^2");
    mass.inertia = Mat3::diagonal(d.x, d.y, d.z);
    check_moments(e, "diaginertia", mass.inertia);
  }
  model.add_mass(body, moved(moved(mass, e.pose(model.compiler)), own.in_scene));
  model.explicit_masses.insert(own.scene);
}

}  // namespace repose
