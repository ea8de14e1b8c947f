// SPDX-License-Identifier: Apache-2.0
// <compiler>, <option> and <asset> of MJCF files.
#include <filesystem>

#include "repose/scene/convex_parts_internal.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/mjcf_model_internal.h"
#include "repose/shape/polyhedron.h"

namespace repose {
namespace {

namespace fs = std::filesystem;

bool flag(const MjcfElement& e, const char* attribute, bool fallback) {
  const std::string text = e.text(attribute, fallback ? "true" : "false");
  if (text != "true" && text != "false") e.refuse(attribute, "true or false");
  return text == "true";
}

std::string mesh_path(const MjcfModel& model, const MjcfElement& e) {
  if (e.find("file") == nullptr) e.refuse("file", "a mesh file (or vertex with the points)");
  const fs::path file = *e.find("file");
  const MjcfCompiler& c = model.compiler;
  return beside(model.file, (fs::path(c.mesh_folder) / (c.strip_path ? file.filename() : file)).string());
}

std::vector<Vec3> mesh_points(const MjcfModel& model, const MjcfElement& e) {
  if (e.find("vertex") != nullptr) {
    std::vector<Vec3> points;
    const std::vector<double> n = e.numbers("vertex", 12, static_cast<std::size_t>(-1));
    if (n.size() % 3 != 0) e.refuse("vertex", "three numbers a vertex");
    for (std::size_t i = 0; i + 2 < n.size(); i += 3) points.push_back({n[i], n[i + 1], n[i + 2]});
    return points;
  }
  const std::string path = mesh_path(model, e);
  if (!is_file(path)) e.xml().refuse("file", in_quotes(path, kPathLength) + ", which is not there", "a mesh file");
  try {
    return read_mesh_vertices(path);
  } catch (const InputError& error) {
    e.xml().refuse("file", error);
  }
}

/// Points of a file, placed in the mesh's frame.
std::vector<Vec3> placed(const MjcfElement& e, std::vector<Vec3> points) {
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

void read_flags(MjcfModel& model, const XmlElement& xml) {
  const MjcfElement e = model.defaults.resolve(xml, "main");
  if (xml.name != "flag") xml.refuse("", "it in <option>", "<flag>");
  if (e.text("gravity", "enable") == "disable") model.scene.gravity = {};
  for (const char* needed : {"contact", "constraint", "equality", "frictionloss", "limit", "passive", "spring",
                             "damper", "actuation", "clampctrl", "filterparent"})
    if (e.text(needed, "enable") != "enable") e.refuse(needed, "enable");
}

}  // namespace

void read_mjcf_compiler(MjcfModel& model, const XmlElement& xml) {
  MjcfCompiler& c = model.compiler;
  const MjcfElement e = model.defaults.resolve(xml, "main");
  const std::string angle = e.text("angle", c.degrees ? "degree" : "radian");
  if (angle != "degree" && angle != "radian") e.refuse("angle", "degree or radian");
  c.degrees = angle == "degree";
  c.euler_order = e.text("eulerseq", c.euler_order);
  if (c.euler_order.size() != 3 || c.euler_order.find_first_not_of("xyzXYZ") != std::string::npos)
    e.refuse("eulerseq", "3 letters of xyzXYZ");
  c.mesh_folder = e.text("meshdir", e.text("assetdir", c.mesh_folder));
  c.inertia_from_geom = e.text("inertiafromgeom", c.inertia_from_geom);
  const std::string& from = c.inertia_from_geom;
  if (from != "auto" && from != "true" && from != "false") e.refuse("inertiafromgeom", "auto, true or false");
  if (e.find("inertiagrouprange") != nullptr) {
    const std::vector<double> n = e.numbers("inertiagrouprange", 2, 2);
    c.least_group = n[0], c.most_group = n[1];
  }
  c.auto_limits = flag(e, "autolimits", c.auto_limits);
  c.strip_path = flag(e, "strippath", c.strip_path);
  if (e.text("coordinate", "local") != "local") e.refuse("coordinate", "local");
  if (flag(e, "balanceinertia", false)) e.refuse("balanceinertia", "false");
  for (const char* bound : {"boundmass", "boundinertia"})
    if (e.number(bound, 0) != 0) e.refuse(bound, "0");
  c.total_mass = e.number("settotalmass", c.total_mass);
}

void read_mjcf_option(MjcfModel& model, const XmlElement& xml) {
  const MjcfElement e = model.defaults.resolve(xml, "main");
  model.scene.dt = e.number("timestep", model.scene.dt);
  model.scene.gravity = e.vec3("gravity", model.scene.gravity);
  Medium& medium = model.scene.medium;
  for (const auto& [attribute, value] :
       {std::pair("density", &medium.density), std::pair("viscosity", &medium.viscosity)}) {
    *value = e.number(attribute, *value);
    if (!(*value >= 0)) e.refuse(attribute, "a number >= 0");
  }
  medium.wind = e.vec3("wind", medium.wind);
  for (const XmlElement& child : xml.children) read_flags(model, child);
}

void read_mjcf_assets(MjcfModel& model, const XmlElement& assets) {
  for (const XmlElement& xml : assets.children) {
    if (mjcf_ignored_elements().contains(xml.name)) {
      model.defaults.ignore(xml.name);
      continue;
    }
    const bool mesh = xml.name == "mesh";
    if (!mesh && xml.name != "hfield") xml.refuse("", "it in <asset>", "<mesh> and <hfield>");
    const MjcfElement e = model.defaults.resolve(xml, "main");
    const std::string name = e.text("name", fs::path(e.text("file", "")).stem().string());
    if (name.empty()) e.refuse("name", "a name");
    if (!(mesh ? model.meshes.emplace(name, MjcfMesh{&xml}).second
               : model.height_fields.emplace(name, MjcfHeightField{&xml}).second))
      xml.refuse("name", in_quotes(name) + " again", "each name once");
  }
}

std::shared_ptr<const Polyhedron> mjcf_mesh(MjcfModel& model, const MjcfElement& geom) {
  const auto found = model.meshes.find(geom.text("mesh", ""));
  if (found == model.meshes.end()) geom.refuse("mesh", "the name of a <mesh> in <asset>");
  MjcfMesh& mesh = found->second;
  if (mesh.hull != nullptr) return mesh.hull;
  const MjcfElement e = model.defaults.resolve(*mesh.xml, "main");
  if (e.text("inertia", "convex") == "shell") e.refuse("inertia", "convex (legacy and exact are read as that)");
  const std::vector<Vec3> points = placed(e, mesh_points(model, e));
  try {
    return mesh.hull = convex_hull(points);
  } catch (const InputError& error) {
    mesh.xml->refuse("", error);
  }
}

const std::vector<std::shared_ptr<const Polyhedron>>& mjcf_mesh_parts(MjcfModel& model, const MjcfElement& geom) {
  const auto hull = mjcf_mesh(model, geom);
  MjcfMesh& mesh = model.meshes.at(geom.text("mesh", ""));
  if (!mesh.parts.empty()) return mesh.parts;
  const MjcfElement e = model.defaults.resolve(*mesh.xml, "main");
  const bool file = e.find("vertex") == nullptr;
  try {
    if (file && model.options.decompose)
      for (const std::vector<Vec3>& part : model.options.decompose(mesh_path(model, e)))
        mesh.parts.push_back(convex_hull(placed(e, part)));
    else if (file)
      note_added_volume(mesh_path(model, e), mesh_points(model, e), model.simplified);
  } catch (const InputError& error) {
    mesh.xml->refuse("file", error);
  }
  if (mesh.parts.empty()) mesh.parts.push_back(hull);
  return mesh.parts;
}

}  // namespace repose
