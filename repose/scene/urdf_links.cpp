// SPDX-License-Identifier: Apache-2.0
// Masses, shapes and colours of URDF links.
#include <algorithm>
#include <cmath>

#include "repose/scene/convex_parts_internal.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/urdf_model_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

/// Of the largest moment: files have few digits.
constexpr double kMomentRounding = 1e-6;
/// kg/m³, of links without a mass.
constexpr double kDensity = 1000;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

std::string in_words(Vec3 m) {
  return std::to_string(m.x) + ", " + std::to_string(m.y) + " and " + std::to_string(m.z) + " kg m^2";
}

Mat3 inertia_of(const XmlElement& e) {
  const double xx = urdf_number(e, "ixx"), yy = urdf_number(e, "iyy"), zz = urdf_number(e, "izz");
  const double xy = urdf_number(e, "ixy", 0), xz = urdf_number(e, "ixz", 0), yz = urdf_number(e, "iyz", 0);
  const Mat3 inertia{{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
  const Vec3 m = principal_inertia(inertia).moments;  // ascending
  if (!(m.x >= -kMomentRounding * m.z && m.z >= 0)) e.refuse("", "principal moments " + in_words(m), "moments >= 0");
  if (!(m.z <= m.x + m.y + kMomentRounding * m.z))
    e.refuse("", "principal moments " + in_words(m), "moments of which none exceeds the sum of the others");
  return inertia;
}

void read_inertial(UrdfModel& model, const UrdfLink& link) {
  const XmlElement* e = urdf_child(*link.xml, "inertial");
  if (e == nullptr || model.scene.bodies[at(link.scene)].kind != BodyKind::kDynamic) return;
  const XmlElement& mass = urdf_needed_child(*e, "mass");
  const double value = urdf_number(mass, "value");
  if (!(value >= 0)) mass.refuse("value", in_quotes(*mass.find("value")), "a number >= 0, kg");
  const Mat3 inertia = inertia_of(urdf_needed_child(*e, "inertia"));
  if (value == 0) return;  // frames of a file that have no body
  const MassProperties own = moved(moved({value, {}, inertia}, urdf_origin(*e)), link.in_scene);
  auto& total = model.masses[at(link.scene)];
  total = total ? joined(*total, own) : own;
}

using Hulls = std::vector<std::shared_ptr<const Polyhedron>>;

const Hulls& hulls_of(UrdfModel& model, const XmlElement& e) {
  const std::string path = urdf_mesh_path(model, e);
  const Vec3 scale = urdf_vec3(e, "scale", Vec3{1, 1, 1});
  if (scale.x * scale.y * scale.z == 0) e.refuse("scale", in_quotes(*e.find("scale")), "three numbers that are not 0");
  Hulls& hulls = model.hulls[path + " " + (e.find("scale") == nullptr ? "" : *e.find("scale"))];
  if (!hulls.empty()) return hulls;
  if (!model.options.decompose) model.simplified.insert("collision mesh: the convex hull of its vertices");
  try {
    return hulls = convex_parts(path, scale, model.options, model.simplified);
  } catch (const InputError& error) {
    e.refuse("filename", error);
  }
}

/// One, or one for each part of a mesh.
std::vector<Geometry> geometries_of(UrdfModel& model, const XmlElement& e) {
  if (e.name == "sphere") return {Sphere{urdf_positive(e, "radius", "m")}};
  if (e.name == "cylinder") return {Cylinder{urdf_positive(e, "radius", "m"), urdf_positive(e, "length", "m") / 2}};
  if (e.name == "capsule") return {Capsule{urdf_positive(e, "radius", "m"), urdf_positive(e, "length", "m") / 2}};
  if (e.name == "mesh") {
    std::vector<Geometry> parts;
    for (const auto& hull : hulls_of(model, e)) parts.emplace_back(Hull{hull});
    return parts;
  }
  const Vec3 size = urdf_vec3(e, "size");
  if (!(size.x > 0 && size.y > 0 && size.z > 0)) e.refuse("size", in_quotes(*e.find("size")), "three numbers > 0, m");
  return {Box{0.5 * size}};
}

/// The only element in <geometry>.
const XmlElement& shape_element(const XmlElement& owner) {
  const XmlElement& geometry = urdf_needed_child(owner, "geometry");
  if (geometry.children.size() != 1)
    geometry.refuse("", std::to_string(geometry.children.size()) + " elements",
                    "one: box, cylinder, capsule, sphere or mesh");
  return geometry.children[0];
}

std::optional<Vec3> colour_of(const XmlElement& material) {
  const XmlElement* e = urdf_child(material, "color");
  if (e == nullptr) return {};
  const std::vector<double> n = xml_numbers(*e, "rgba", urdf_text(*e, "rgba", "4 numbers"), 3, 4);
  return Vec3{std::clamp(n[0], 0.0, 1.0), std::clamp(n[1], 0.0, 1.0), std::clamp(n[2], 0.0, 1.0)};
}

std::optional<Vec3> colour_of_visual(const UrdfModel& model, const XmlElement& visual) {
  const XmlElement* e = urdf_child(visual, "material");
  if (e == nullptr) return {};
  if (const auto own = colour_of(*e)) return own;
  const std::string* name = e->find("name");
  const auto found = name == nullptr ? model.colours.end() : model.colours.find(*name);
  return found == model.colours.end() ? std::nullopt : found->second;
}

void add_shape(UrdfModel& model, const UrdfLink& link, const XmlElement& e, SceneShape shape) {
  const std::string* name = e.find("name");
  shape.name = name != nullptr && !name->empty() ? *name : link.name;
  const Pose pose = link.in_scene * urdf_origin(e);
  shape.pose = {pose.position, normalized(pose.rotation)};
  for (Geometry& geometry : geometries_of(model, shape_element(e))) {
    shape.geometry = std::move(geometry);
    model.scene.bodies[at(link.scene)].shapes.push_back(shape);
  }
}

}  // namespace

void read_urdf_colours(UrdfModel& model, const XmlElement& robot) {
  for (const XmlElement& e : robot.children) {
    if (e.name == "material") model.colours[urdf_text(e, "name", "a name")] = colour_of(e);
    if (e.name != "link") continue;
    for (const XmlElement& visual : e.children) {
      const XmlElement* material = visual.name == "visual" ? urdf_child(visual, "material") : nullptr;
      if (material == nullptr || material->find("name") == nullptr) continue;
      if (const auto colour = colour_of(*material)) model.colours.try_emplace(*material->find("name"), colour);
    }
  }
}

void read_urdf_link(UrdfModel& model, const UrdfLink& link) {
  read_inertial(model, link);
  const bool dynamic = model.scene.bodies[at(link.scene)].kind == BodyKind::kDynamic;
  std::optional<Vec3> colour;
  bool collides = false;
  for (const XmlElement& e : link.xml->children) {
    if (e.name == "collision") collides = true;
    if (e.name == "visual" && !colour) colour = colour_of_visual(model, e);
  }
  for (const XmlElement& e : link.xml->children) {
    if (e.name == "collision") add_shape(model, link, e, {.density = dynamic ? kDensity : 0, .colour = colour});
    if (e.name != "visual") continue;
    const bool mesh = shape_element(e).name == "mesh";
    if (mesh || collides) {
      model.ignored.insert(mesh ? "visual mesh" : "visual beside collision");
      continue;
    }
    add_shape(model, link, e, {.density = 0, .group = 0, .mask = 0, .colour = colour_of_visual(model, e)});
  }
}

}  // namespace repose
