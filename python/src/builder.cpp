// SPDX-License-Identifier: Apache-2.0
// ModelBuilder: a scene call by call, with the verbs of repose/scene/builder.h.
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <stdexcept>
#include <variant>

#include "python/src/bindings.h"
#include "python/src/script.h"
#include "repose/scene/builder.h"

namespace repose::python {
namespace {

using Triple = std::array<double, 3>;
using Four = std::array<double, 4>;
constexpr Triple kZero{0, 0, 0};
constexpr Four kUpright{1, 0, 0, 0};

Pose pose_from(const Triple& p, const Four& q) { return {vec(p), {q[0], q[1], q[2], q[3]}}; }

BodyKind kind_from(const std::string& word) {
  if (word == "dynamic") return BodyKind::kDynamic;
  if (word == "kinematic") return BodyKind::kKinematic;
  require(word == "static", "kind: expected dynamic, kinematic, static, got '", word, "'");
  return BodyKind::kStatic;
}

Combine combine_from(const std::string& word) {
  constexpr std::pair<const char*, Combine> kRules[] = {{"geometric_mean", Combine::kGeometricMean},
                                                        {"minimum", Combine::kMinimum},
                                                        {"maximum", Combine::kMaximum},
                                                        {"average", Combine::kAverage},
                                                        {"multiply", Combine::kMultiply}};
  for (const auto& [name, rule] : kRules)
    if (word == name) return rule;
  fail("combine: expected geometric_mean, minimum, maximum, average, multiply, got '", word, "'");
}

EdgeNormal edge_normal_from(const std::string& word) {
  if (word == "bisecting") return EdgeNormal::kBisecting;
  require(word == "face", "edge_normal: expected bisecting, face, got '", word, "'");
  return EdgeNormal::kFace;
}

std::optional<MassProperties> mass_from(std::optional<double> mass, const std::optional<Triple>& inertia,
                                        const Triple& centre) {
  require(mass.has_value() == inertia.has_value(),
          "mass: expected both or neither (neither: from the shapes' densities), got ", mass ? "a mass" : "an inertia",
          " alone");
  if (!mass) return {};
  return MassProperties{*mass, vec(centre), Mat3::diagonal((*inertia)[0], (*inertia)[1], (*inertia)[2])};
}

/// Motions that a body cannot make: flags, or the names that scene files use.
std::array<bool, 6> held_from(std::array<bool, 6> flags, const std::vector<std::string>& names) {
  constexpr std::array<const char*, 6> kNames{"x", "y", "z", "rx", "ry", "rz"};
  for (const std::string& name : names) {
    const auto* const found = std::find(kNames.begin(), kNames.end(), name);
    require(found != kNames.end(), "fixed: expected x, y, z, rx, ry, rz, got '", name, "'");
    flags[static_cast<std::size_t>(found - kNames.begin())] = true;
  }
  return flags;
}

int add_body(SceneBuilder& builder, const Triple& position, const Four& quaternion, const std::string& name,
             const std::string& kind, const Triple& velocity, const Triple& angular_velocity,
             std::optional<double> mass, const std::optional<Triple>& inertia, const Triple& centre,
             const Triple& force, const Triple& torque, double gravity_scale, const std::array<bool, 6>& fixed_dof,
             bool present, const std::vector<std::string>& fixed) {
  SceneBody body;
  body.name = name;
  body.kind = kind_from(kind);
  body.pose = pose_from(position, quaternion);
  body.velocity = vec(velocity);
  body.angular_velocity = vec(angular_velocity);
  body.mass = mass_from(mass, inertia, centre);
  body.force = vec(force);
  body.torque = vec(torque);
  body.gravity_scale = gravity_scale;
  body.fixed_dof = held_from(fixed_dof, fixed);
  body.present = present;
  return builder.add_body(std::move(body));
}

/// What every add_shape_* takes after its sizes.
ShapeOptions shape_options(const Triple& position, const Four& quaternion, int material, double density,
                           const std::string& name, const std::optional<Triple>& colour, std::uint32_t group,
                           std::uint32_t mask) {
  ShapeOptions options{name, pose_from(position, quaternion), material, density, group, mask, {}};
  if (colour) options.colour = vec(*colour);
  return options;
}

/// Defines add_shape_<name>: `add` puts the shape, `arguments` are its sizes.
template <class... Sizes, class Add, class... Names>
void def_shape(nb::class_<SceneBuilder>& builder, const char* name, const char* doc, Add add, const Names&... names) {
  builder.def(
      name,
      [add](SceneBuilder& self, int body, Sizes... sizes, const Triple& position, const Four& quaternion, int material,
            double density, const std::string& shape_name, const std::optional<Triple>& colour, std::uint32_t group,
            std::uint32_t mask) {
        return add(self, body, sizes...,
                   shape_options(position, quaternion, material, density, shape_name, colour, group, mask));
      },
      nb::arg("body"), names..., nb::kw_only(), nb::arg("position") = kZero, nb::arg("quaternion") = kUpright,
      nb::arg("material") = 0, nb::arg("density") = 1000.0, nb::arg("name") = "", nb::arg("colour") = nb::none(),
      nb::arg("group") = 1u, nb::arg("mask") = 0xffffffffu, doc);
}

std::vector<Vec3> points_from(const nb::object& points) {
  const nb::object array = nb::module_::import_("numpy").attr("ascontiguousarray")(points, "float64");
  const auto shape = nb::cast<std::vector<std::size_t>>(array.attr("shape"));
  require(shape.size() == 2 && shape[1] == 3, "points: expected (n, 3), got shape ",
          nb::repr(array.attr("shape")).c_str());
  const auto rows = nb::cast<InputMatrix>(array);
  std::vector<Vec3> list(shape[0]);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = {rows(i, 0), rows(i, 1), rows(i, 2)};
  return list;
}

HeightField field_from(const nb::object& heights, const std::array<double, 2>& half, double base) {
  const nb::object array = nb::module_::import_("numpy").attr("ascontiguousarray")(heights, "float64");
  const auto shape = nb::cast<std::vector<std::size_t>>(array.attr("shape"));
  require(shape.size() == 2, "heights: expected (rows, columns), got shape ", nb::repr(array.attr("shape")).c_str());
  return {static_cast<int>(shape[0]),
          static_cast<int>(shape[1]),
          half[0],
          half[1],
          base,
          nb::cast<std::vector<double>>(array.attr("ravel")())};
}

void bind_shapes(nb::class_<SceneBuilder>& builder) {
  using Options = const ShapeOptions&;
  def_shape<>(builder, "add_shape_plane", "All points with z <= 0 of the shape's frame; not for dynamic bodies.",
              [](SceneBuilder& b, int body, Options o) { return b.add_shape_plane(body, o); });
  def_shape<double>(
      builder, "add_shape_sphere", "Radius in m.",
      [](SceneBuilder& b, int body, double r, Options o) { return b.add_shape_sphere(body, r, o); }, nb::arg("radius"));
  def_shape<double, double, double>(
      builder, "add_shape_box", "Half edge lengths in m.",
      [](SceneBuilder& b, int body, double x, double y, double z, Options o) {
        return b.add_shape_box(body, {x, y, z}, o);
      },
      nb::arg("hx"), nb::arg("hy"), nb::arg("hz"));
  for (const char* length : {"half_height", "half_length"}) {  // the second is the name in scene files
    def_shape<double, double>(
        builder, "add_shape_capsule", "Radius and half length of its axis (z) in m, without the round ends.",
        [](SceneBuilder& b, int body, double r, double l, Options o) { return b.add_shape_capsule(body, r, l, o); },
        nb::arg("radius"), nb::arg(length));
    def_shape<double, double>(
        builder, "add_shape_cylinder", "A true cylinder around z: radius and half height in m.",
        [](SceneBuilder& b, int body, double r, double l, Options o) { return b.add_shape_cylinder(body, r, l, o); },
        nb::arg("radius"), nb::arg(length));
  }
  def_shape<const nb::object&>(
      builder, "add_shape_convex_hull", "The convex hull of points, (n, 3) m: an array or a list.",
      [](SceneBuilder& b, int body, const nb::object& points, Options o) {
        return b.add_shape_convex_hull(body, points_from(points), o);
      },
      nb::arg("points"));
  def_shape<const std::filesystem::path&, const std::variant<double, Triple>&>(
      builder, "add_shape_mesh",
      "The convex hull of a mesh file's vertices, multiplied by `scale`: one number, or three along the file's axes.",
      [](SceneBuilder& b, int body, const std::filesystem::path& path, const std::variant<double, Triple>& scale,
         Options o) {
        const double* all = std::get_if<double>(&scale);
        return b.add_shape_mesh(body, path.string(), all ? Vec3{*all, *all, *all} : vec(std::get<Triple>(scale)), o);
      },
      nb::arg("path"), nb::arg("scale") = Triple{1, 1, 1});
  def_shape<const nb::object&, const std::array<double, 2>&, double>(
      builder, "add_shape_height_field",
      "A grid of heights, (rows, columns) m: rows from -y to +y, columns from -x to +x; two triangles a cell. `half`: "
      "its\n"
      "half extent along x and y; `base`: depth of the flat bottom below z = 0. For bodies that do not move.",
      [](SceneBuilder& b, int body, const nb::object& heights, const std::array<double, 2>& half, double base,
         Options o) { return b.add_shape_height_field(body, field_from(heights, half, base), o); },
      nb::arg("heights"), nb::arg("half"), nb::arg("base"));
}

void bind_motions(nb::class_<SceneBuilder>& builder) {
  builder
      .def(
          "add_motion_constant",
          [](SceneBuilder& b, int body, const Triple& v, const Triple& w) {
            b.add_motion(body, ConstantMotion{vec(v), vec(w)});
          },
          nb::arg("body"), nb::arg("velocity") = kZero, nb::arg("angular_velocity") = kZero,
          "Makes the body kinematic: m/s and rad/s, world axes, turning about the origin of its frame.")
      .def(
          "add_motion_ramp",
          [](SceneBuilder& b, int body, const Triple& v, const Triple& w, double duration) {
            b.add_motion(body, RampMotion{vec(v), vec(w), duration});
          },
          nb::arg("body"), nb::arg("velocity") = kZero, nb::arg("angular_velocity") = kZero, nb::arg("duration") = 1.0,
          "The same, growing smoothly from rest to full speed over `duration` s.")
      .def(
          "add_motion_table",
          [](SceneBuilder& b, int body, const std::vector<double>& times, const InputMatrix& poses) {
            require(poses.shape(0) == times.size() && poses.shape(1) == 7, "poses: expected (", times.size(),
                    ", 7): x, y, z, quaternion w, x, y, z, got shape (", poses.shape(0), ", ", poses.shape(1), ")");
            TableMotion motion{times, {}};
            for (std::size_t i = 0; i < times.size(); ++i)
              motion.poses.push_back(
                  {{poses(i, 0), poses(i, 1), poses(i, 2)}, {poses(i, 3), poses(i, 4), poses(i, 5), poses(i, 6)}});
            b.add_motion(body, std::move(motion));
          },
          nb::arg("body"), nb::arg("times"), nb::arg("poses"),
          "Poses (n, 7) of the body's frame (x, y, z in m, quaternion w, x, y, z) at ascending times (s), joined by\n"
          "straight lines and shortest rotations.")
      .def(
          "add_motion_guided",
          [](SceneBuilder& b, int body) {
            std::vector<SceneBody>& bodies = b.settings().bodies;
            require(body >= 0 && at(body) < bodies.size(), "body: expected 0 to ", static_cast<long>(bodies.size()) - 1,
                    ", got ", body);
            bodies[at(body)].kind = BodyKind::kKinematic, bodies[at(body)].motion.reset();
          },
          nb::arg("body"), "The body goes where data.mocap_pos and data.mocap_quat say, and stays there.")
      .def(
          "add_motion_script",
          [](SceneBuilder& b, int body, nb::callable pose) {
            const std::vector<SceneBody>& bodies = b.settings().bodies;
            require(body >= 0 && at(body) < bodies.size(), "body: expected 0 to ", static_cast<long>(bodies.size()) - 1,
                    ", got ", body);
            b.add_motion(body, ScriptMotion{Script(std::move(pose), bodies[at(body)].name)});
          },
          nb::arg("body"), nb::arg("pose"),
          nb::sig("def add_motion_script(self, body: int, pose: collections.abc.Callable[[float], "
                  "collections.abc.Sequence[typing.Any]]) -> None"),
          "pose(t) is the pose of the body's frame at t s: seven numbers (x, y, z in m, quaternion w, x, y, z) or the\n"
          "pair (position, quaternion). It is called once a step, must depend on t alone, and takes the interpreter's\n"
          "lock, also in a rollout. What it raises ends the step before it begins. Functions do not travel: such a\n"
          "model can be neither pickled nor written to a file, and its recordings hold no scene.");
}

void bind_events(nb::class_<SceneBuilder>& builder) {
  builder
      .def(
          "add_event_appear", [](SceneBuilder& b, double time, int body) { b.add_event(time, Appear{body}); },
          nb::arg("time"), nb::arg("body"),
          "A body added with present=False joins at `time` s, with its pose and velocity.")
      .def(
          "add_event_disappear", [](SceneBuilder& b, double time, int body) { b.add_event(time, Disappear{body}); },
          nb::arg("time"), nb::arg("body"))
      .def(
          "add_event_velocity",
          [](SceneBuilder& b, double time, int body, const Triple& v, const Triple& w) {
            b.add_event(time, SetVelocity{body, vec(v), vec(w)});
          },
          nb::arg("time"), nb::arg("body"), nb::arg("velocity") = kZero, nb::arg("angular_velocity") = kZero)
      .def(
          "add_event_push",
          [](SceneBuilder& b, double time, int body, const Triple& f, const Triple& t, double duration) {
            b.add_event(time, Push{body, vec(f), vec(t), duration});
          },
          nb::arg("time"), nb::arg("body"), nb::kw_only(), nb::arg("force") = kZero, nb::arg("torque") = kZero,
          nb::arg("duration"), "An extra force (N) and torque (N m) during `duration` s.");
}

}  // namespace

void bind_builder(nb::module_& m) {
  nb::class_<SceneBuilder> builder(
      m, "ModelBuilder",
      "Builds a Model call by call. Bodies, shapes and materials are named by the index that the call returns.\n"
      "Lengths in m, masses in kg, times in s; quaternions are (w, x, y, z).");
  builder
      .def(
          "__init__",
          [](SceneBuilder* self, const std::string& name, double dt, double duration, const Triple& gravity,
             double margin, double slop, double recovery, double baumgarte, const std::string& combine,
             const std::string& edge_normal) {
            const Combine rule = combine_from(combine);
            const EdgeNormal edge_rule = edge_normal_from(edge_normal);
            new (self) SceneBuilder(name);
            Scene& scene = self->settings();
            scene.dt = dt;
            scene.duration = duration;
            scene.gravity = vec(gravity);
            scene.margin = margin;
            scene.slop = slop;
            scene.recovery = recovery;
            scene.baumgarte = baumgarte;
            scene.combine = rule;
            scene.edge_normal = edge_rule;
          },
          nb::arg("name") = "scene", nb::kw_only(), nb::arg("dt") = Scene{}.dt, nb::arg("duration") = Scene{}.duration,
          nb::arg("gravity") = Triple{0, 0, -9.81}, nb::arg("margin") = Scene{}.margin, nb::arg("slop") = Scene{}.slop,
          nb::arg("recovery") = Scene{}.recovery, nb::arg("baumgarte") = Scene{}.baumgarte,
          nb::arg("combine") = "geometric_mean", nb::arg("edge_normal") = "bisecting")
      .def(
          "add_material",
          [](SceneBuilder& b, const std::string& name, double friction, double restitution) {
            return b.add_material({name, friction, restitution});
          },
          nb::arg("name") = "default", nb::kw_only(), nb::arg("friction") = 0.5, nb::arg("restitution") = 0.0,
          "The first call replaces the default material (0).")
      .def(
          "override_pair",
          [](SceneBuilder& b, int x, int y, double friction, double restitution) {
            b.override_pair({x, y, friction, restitution});
          },
          nb::arg("material_a"), nb::arg("material_b"), nb::kw_only(), nb::arg("friction"),
          nb::arg("restitution") = 0.0, "Friction and restitution of a pair of materials, instead of the rule.")
      .def(
          "add_body", &add_body, nb::arg("position") = kZero, nb::arg("quaternion") = kUpright, nb::kw_only(),
          nb::arg("name") = "", nb::arg("kind") = "dynamic", nb::arg("velocity") = kZero,
          nb::arg("angular_velocity") = kZero, nb::arg("mass") = nb::none(), nb::arg("inertia") = nb::none(),
          nb::arg("centre") = kZero, nb::arg("force") = kZero, nb::arg("torque") = kZero,
          nb::arg("gravity_scale") = 1.0, nb::arg("fixed_dof") = std::array<bool, 6>{}, nb::arg("present") = true,
          nb::arg("fixed") = std::vector<std::string>{},
          "A body at `position` (m); kind is 'dynamic', 'kinematic' or 'static'. Mass (kg), inertia (3 diagonal "
          "moments,\n"
          "kg m²) and centre (m, in its frame) come from the shapes' densities unless given. Velocities are those of\n"
          "the mass centre, world axes; force (N) and torque (N m) are constant; fixed_dof (six flags) or fixed\n"
          "(names as in scene files, any of 'x', 'y', 'z', 'rx', 'ry', 'rz') hold it along and about the world's axes.")
      .def(
          "add_ground_plane",
          [](SceneBuilder& b, int material, double height) {
            return b.add_ground_plane(material, {0, 0, height});
          },
          nb::arg("material") = 0, nb::arg("height") = 0.0, "A static half-space below z = height, called 'ground'.")
      .def("exclude", &SceneBuilder::exclude, nb::arg("body_a"), nb::arg("body_b"), "These bodies do not collide.")
      .def(
          "finalize", [](const SceneBuilder& b) { return Model(b.build()); }, "The model, checked.");
  bind_shapes(builder);
  bind_motions(builder);
  bind_events(builder);
  bind_joint_builder(builder);
  bind_sensor_builder(builder);
}

}  // namespace repose::python
