// SPDX-License-Identifier: Apache-2.0
// Model: a scene that is fixed, what is known about its bodies, and the scenes that come with the library.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <functional>

#include "python/src/bindings.h"
#include "python/src/script.h"
#include "repose/scene/load.h"
#include "repose/scene/native_json.h"
#include "repose/shape/polyhedron.h"
#include "repose/world/body.h"
#include "scenes/registry.h"

namespace repose::python {
namespace {

using Changes = std::map<int, double>;

const char* word(BodyKind kind) {
  if (kind == BodyKind::kDynamic) return "dynamic";
  return kind == BodyKind::kKinematic ? "kinematic" : "static";
}

std::vector<BodyModel> models_of(const Scene& scene) {
  std::vector<BodyModel> models;
  for (const SceneBody& body : scene.bodies) models.push_back(make_model(body));
  return models;
}

/// Mass and inertia times `share`, wherever they come from.
void scale_mass(SceneBody& body, double share) {
  if (!body.mass) {
    for (SceneShape& shape : body.shapes) shape.density *= share;
    return;
  }
  body.mass->mass *= share;
  body.mass->inertia = share * body.mass->inertia;
}

void set_masses(const Model& model, Scene& scene, const Changes& masses) {
  for (const auto& [b, mass] : masses) {
    require(b >= 0 && b < model.count(), "mass: expected 0 to ", model.count() - 1, ", got body ", b);
    const BodyModel& body = (*model.bodies)[at(b)];
    require(body.kind == BodyKind::kDynamic, "mass: body '", scene.bodies[at(b)].name,
            "': expected dynamic ones, got a ", word(body.kind), " body");
    require(mass > 0 && std::isfinite(mass), "mass: body '", scene.bodies[at(b)].name, "': expected > 0, got ", mass,
            " kg");
    scale_mass(scene.bodies[at(b)], mass / body.mass);
  }
}

Model replaced(const Model& model, std::optional<double> dt, std::optional<std::array<double, 3>> gravity,
               std::optional<double> duration, std::optional<double> friction, std::optional<double> restitution,
               const Changes& masses, std::optional<double> baumgarte) {
  Scene scene = *model.scene;
  if (baumgarte) scene.baumgarte = *baumgarte;
  if (dt) scene.dt = *dt;
  if (gravity) scene.gravity = vec(*gravity);
  if (duration) scene.duration = *duration;
  for (Material& material : scene.materials) {
    if (friction) material.friction = *friction;
    if (restitution) material.restitution = *restitution;
  }
  for (PairOverride& pair : scene.overrides) {
    if (friction) pair.friction = *friction;
    if (restitution) pair.restitution = *restitution;
  }
  set_masses(model, scene, masses);
  return Model(std::move(scene), model.format, model.ignored, model.keys);
}

/// Corners of the convex parts of a mesh file.
using Parts = std::vector<std::vector<std::array<double, 3>>>;
using Decompose = std::function<Parts(const std::string&)>;

Model from_file(const std::filesystem::path& path, std::optional<std::string> base, std::optional<bool> self_collision,
                std::optional<std::string> package_path, const std::optional<Decompose>& decompose) {
  ParameterValues values;
  if (base) values["base"] = *base;
  if (self_collision) values["self_collision"] = text_of(*self_collision);
  if (package_path) values["package_path"] = *package_path;
  LoadOptions options = load_options(path.string(), values);
  if (decompose)
    options.decompose = [&](const std::string& file) {
      std::vector<std::vector<Vec3>> parts;
      for (const auto& part : (*decompose)(file)) {
        parts.emplace_back();
        for (const auto& point : part) parts.back().push_back(vec(point));
      }
      return parts;
    };
  LoadedScene loaded = load_scene(path.string(), options);
  for (std::string& text : loaded.simplified) loaded.ignored.push_back(std::move(text));
  return Model(std::move(loaded.scene), loaded.format, std::move(loaded.ignored), std::move(loaded.keys));
}

/// Name, 13 numbers for each body, controls, activations.
using PickledKey = std::tuple<std::string, std::vector<double>, std::vector<double>, std::vector<double>>;

PickledKey pickled(const SceneKey& key) {
  std::vector<double> flat;
  for (std::size_t b = 0; b < key.poses.size(); ++b) {
    const auto& [p, q] = key.poses[b];
    const Vec3 v = key.velocity[b], w = key.angular_velocity[b];
    flat.insert(flat.end(), {p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z});
  }
  return {key.name, flat, key.controls, key.activations};
}

SceneKey key_from(const PickledKey& state) {
  SceneKey key{.name = std::get<0>(state), .controls = std::get<2>(state), .activations = std::get<3>(state)};
  const std::vector<double>& n = std::get<1>(state);
  for (std::size_t i = 0; i + kBodyNumbers <= n.size(); i += kBodyNumbers) {
    key.poses.push_back({{n[i], n[i + 1], n[i + 2]}, {n[i + 3], n[i + 4], n[i + 5], n[i + 6]}});
    key.velocity.push_back({n[i + 7], n[i + 8], n[i + 9]});
    key.angular_velocity.push_back({n[i + 10], n[i + 11], n[i + 12]});
  }
  return key;
}

int body_index(const Model& model, const std::string& name) {
  const std::vector<SceneBody>& bodies = model.scene->bodies;
  const auto found = std::find_if(bodies.begin(), bodies.end(), [&](const SceneBody& b) { return b.name == name; });
  require(found != bodies.end(), "body: expected one of the ", bodies.size(), " in body_names, got '", name, "'");
  return static_cast<int>(found - bodies.begin());
}

template <class Value>
nb::ndarray<nb::numpy, double> by_body(const Model& model, std::size_t width, Value value) {
  std::vector<double> flat;
  for (const BodyModel& body : *model.bodies) value(body, flat);
  return width == 1 ? owned_array(std::move(flat), {at(model.count())})
                    : owned_array(std::move(flat), {at(model.count()), width});
}

nb::dict facts(const Parameter& p) {
  nb::dict d;
  d["name"] = p.name;
  d["type"] = p.type;
  d["default"] = p.value;
  d["range"] = p.range();
  d["unit"] = p.unit;
  d["help"] = p.help;
  return d;
}

nb::list scene_list() {
  nb::list all;
  for (const Kind& kind : scenes::list()) {
    nb::list parameters;
    for (const Parameter& p : kind.parameters) parameters.append(facts(p));
    nb::dict d;
    d["name"] = kind.name;
    d["summary"] = kind.summary;
    d["parameters"] = parameters;
    all.append(d);
  }
  return all;
}

void bind_facts(nb::class_<Model>& model) {
  model.def_prop_ro("name", [](const Model& m) { return m.scene->name; })
      .def_prop_ro(
          "format", [](const Model& m) { return m.format; }, "native, rigid-ipc, mjcf or builtin")
      .def_prop_ro(
          "ignored", [](const Model& m) { return m.ignored; },
          "What the file said that has no meaning here, or is simulated in a simpler form.")
      .def_prop_ro(
          "parameters", [](const Model& m) { return m.scene->parameters; }, "What a built-in was made with.")
      .def_prop_ro(
          "dt", [](const Model& m) { return m.scene->dt; }, "Time step, s.")
      .def_prop_ro(
          "duration", [](const Model& m) { return m.scene->duration; }, "What run() simulates by default, s.")
      .def_prop_ro(
          "gravity",
          [](const Model& m) { return std::tuple(m.scene->gravity.x, m.scene->gravity.y, m.scene->gravity.z); },
          "m/s², world axes.")
      .def_prop_ro("nbody", &Model::count, "Bodies of any kind.")
      .def_prop_ro(
          "nstate", [](const Model& m) { return kBodyNumbers * at(m.count()); }, "Length of data.state: 13 nbody.")
      .def_prop_ro("body_names",
                   [](const Model& m) {
                     std::vector<std::string> names;
                     for (const SceneBody& b : m.scene->bodies) names.push_back(b.name);
                     return names;
                   })
      .def_prop_ro(
          "body_kinds",
          [](const Model& m) {
            std::vector<std::string> kinds;
            for (const BodyModel& b : *m.bodies) kinds.emplace_back(word(b.kind));
            return kinds;
          },
          "'static', 'dynamic' or 'kinematic', by body.")
      .def_prop_ro(
          "mass",
          [](const Model& m) {
            return by_body(m, 1, [](const BodyModel& b, std::vector<double>& to) { to.push_back(b.mass); });
          },
          kNewArray, "(nbody,) kg; 0 unless dynamic.")
      .def_prop_ro(
          "principal_inertia",
          [](const Model& m) {
            return by_body(m, 3, [](const BodyModel& b, std::vector<double>& to) {
              const Vec3 i = b.kind == BodyKind::kDynamic ? b.rotor.moments : Vec3{};
              to.insert(to.end(), {i.x, i.y, i.z});
            });
          },
          kNewArray, "(nbody, 3) kg m² about the mass centre, ascending; 0 unless dynamic.")
      .def_prop_ro(
          "centre",
          [](const Model& m) {
            return by_body(m, 3, [](const BodyModel& b, std::vector<double>& to) {
              to.insert(to.end(), {b.centre.x, b.centre.y, b.centre.z});
            });
          },
          kNewArray, "(nbody, 3) m: mass centre in the body's own frame.");
}

}  // namespace

int find_body(const Model& model, const BodyName& body) {
  if (const auto* name = std::get_if<std::string>(&body)) return body_index(model, *name);
  const int index = std::get<int>(body);
  require(index >= 0 && index < model.count(), "body: expected 0 .. ", model.count() - 1, " or a name, got ", index);
  return index;
}

Model::Model(Scene scene_, std::string format_, std::vector<std::string> ignored_, std::vector<SceneKey> keys_)
    : format(std::move(format_)), ignored(std::move(ignored_)), keys(std::move(keys_)) {
  validate(scene_);
  bodies = std::make_shared<const std::vector<BodyModel>>(models_of(scene_));
  scene = std::make_shared<const Scene>(std::move(scene_));
}

/// Vertices and triangles of a mesh file.
nb::tuple mesh_arrays(const std::filesystem::path& path) {
  const MeshSurface mesh = read_mesh_surface(path.string());
  std::vector<double> vertices, triangles;
  for (const Vec3& v : mesh.vertices) vertices.insert(vertices.end(), {v.x, v.y, v.z});
  for (const auto& t : mesh.triangles)
    for (const int corner : t) triangles.push_back(corner);
  return nb::make_tuple(owned_array(std::move(vertices), {mesh.vertices.size(), 3}),
                        owned_array(std::move(triangles), {mesh.triangles.size(), 3}));
}

void bind_model(nb::module_& m) {
  m.def("mesh_arrays", &mesh_arrays, nb::arg("path"), "Vertices (n, 3) and triangles (m, 3) of a mesh file.");
  nb::class_<Model> model(m, "Model",
                          "A scene that is fixed: bodies, shapes, materials, gravity, time step. Units are SI.");
  bind_facts(model);
  bind_joint_names(model);
  bind_sensor_names(model);
  model
      .def_static(
          "from_file", &from_file, nb::arg("path"), nb::kw_only(), nb::arg("base") = nb::none(),
          nb::arg("self_collision") = nb::none(), nb::arg("package_path") = nb::none(),
          nb::arg("decompose") = nb::none(),
          "Reads MJCF (.xml), URDF (.urdf), a native scene or a Rigid-IPC one (.json).\n\n"
          "Of URDF files alone: `base`, 'fixed' to the world or 'free'; `self_collision`, whether links that are\n"
          "not neighbours collide; `package_path`, folders with packages, ':' between them. `decompose(file)`\n"
          "returns the corners of convex parts of a mesh; repose.load() has one.")
      .def_static(
          "from_json", [](const std::string& text) { return Model(parse_native_scene(text, "text")); }, nb::arg("text"),
          "The inverse of to_json().")
      .def(
          "to_json",
          [](const Model& self) {
            refuse_scripts(*self.scene, kNoText);
            return native_scene_text(*self.scene);
          },
          "The scene in the native format; reads back bit for bit.")
      .def("body", &body_index, nb::arg("name"), "Index of the body called `name`.")
      .def("replace", &replaced, nb::kw_only(), nb::arg("dt") = nb::none(), nb::arg("gravity") = nb::none(),
           nb::arg("duration") = nb::none(), nb::arg("friction") = nb::none(), nb::arg("restitution") = nb::none(),
           nb::arg("mass") = Changes{}, nb::arg("baumgarte") = nb::none(),
           "A copy with some things changed: dt (s), gravity (m/s²), duration (s), friction and restitution of every\n"
           "material and pair, mass ({body index: kg}; the inertia scales along), baumgarte (share of deeper overlap "
           "that\n"
           "becomes a velocity per step, in the place of a displacement).")
      .def("__getstate__",
           [](const Model& self) {
             refuse_scripts(*self.scene, kNoPickle);
             std::vector<PickledKey> keys;
             for (const SceneKey& key : self.keys) keys.push_back(pickled(key));
             return std::tuple(native_scene_text(*self.scene), self.format, self.ignored, keys);
           })
      .def("__setstate__",
           [](Model& self,
              const std::tuple<std::string, std::string, std::vector<std::string>, std::vector<PickledKey>>& state) {
             const auto& [text, format, ignored, kept] = state;
             std::vector<SceneKey> keys;
             for (const PickledKey& key : kept) keys.push_back(key_from(key));
             new (&self) Model(parse_native_scene(text, "pickle"), format, ignored, std::move(keys));
           })
      .def("__repr__", [](const Model& self) {
        return "<repose.Model '" + self.scene->name + "', " + std::to_string(self.count()) + " bodies>";
      });
  m.def("scene_list", &scene_list, "Built-in scenes: name, summary, parameters.");
  m.def(
      "make_scene",
      [](const std::string& name, const ParameterValues& values) {
        return Model(scenes::make(name, values), "builtin");
      },
      nb::arg("name"), nb::arg("values"), "A built-in scene with parameters given as text.");
}

}  // namespace repose::python
